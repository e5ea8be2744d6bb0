// One look over a schema before it is compiled: how large it is, what is wrong with it, and which of its patterns cannot be matched.
// Remembered per object, because defining a tool, checking its schema and compiling it all ask. Trap: a schema may have thousands of
// parts, so that places are only written out as pointers when there is something to say about them.
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { openDocument, type SchemaDocument } from './document.js'
import { draftOf } from './drafts.js'
import { holderProblem, keywordProblem, kindOf } from './keyword-check.js'
import { type Holder, holders, isNameList, referencesOf } from './keywords.js'
import { shown } from './messages.js'
import { linearPattern } from './pattern.js'
import { type SchemaProblem, schemaLimits } from './rules.js'
import { checkSize } from './size.js'

export interface Unmatchable {
  readonly path: string
  readonly pattern: string
}

export interface Survey {
  /** What no check could live with: a schema that is too large to walk, a keyword that holds the wrong thing. */
  readonly problem: SchemaProblem | undefined
  /** What is asked of schemas written for this library only. */
  readonly strictProblem: SchemaProblem | undefined
  /** References that lead nowhere or in a circle. They do not matter to a schema that checks values by itself. */
  readonly referenceProblem: SchemaProblem | undefined
  /** Patterns that no linear engine can run, and those beyond what all patterns of a schema may weigh. */
  readonly unmatchable: readonly Unmatchable[]
}

const nothing: Survey = {
  problem: undefined,
  strictProblem: undefined,
  referenceProblem: undefined,
  unmatchable: [],
}
const surveys = new WeakMap<JsonObject, Survey>()

/** Surveys a schema, once per object. */
export function surveySchema(root: JsonObject): Survey {
  const known = surveys.get(root)
  if (known !== undefined) return known
  const problem = checkSize(root)
  const survey = problem === undefined ? new Walk(root).run() : { ...nothing, problem }
  surveys.set(root, survey)
  return survey
}

/** What it weighs to find out that a pattern cannot be compiled. */
const failedWeight = 100

/** Schemas to look at later, and how their place is written. */
interface Later {
  readonly held: Json
  readonly holder: Holder
  readonly path: string
}

class Walk {
  private readonly root: JsonObject
  private readonly document: SchemaDocument
  private readonly seen = new Set<Json>()
  private readonly matchable = new Map<string, boolean>()
  private readonly unmatchable: Unmatchable[] = []
  /** What references lead to. */
  private readonly targets: Later[] = []
  /** Definitions that nobody may refer to: what they refer to themselves and their patterns do not matter then. */
  private readonly definitions: Later[] = []
  /** Schemas from which a chain of references is known to end. */
  private readonly ending = new Set<Json>()
  private isUsed = true
  /** Where the schema is that is looked at: a pointer, and the keys from there. */
  private start = ''
  private readonly keys: (string | number)[] = []
  private patternsLeft: number = schemaLimits.patternsWeight
  private problem: SchemaProblem | undefined
  private strictProblem: SchemaProblem | undefined
  private referenceProblem: SchemaProblem | undefined

  constructor(root: JsonObject) {
    this.root = root
    this.document = openDocument(root)
  }

  run(): Survey {
    this.look(this.root, 0)
    this.lookAll(this.targets)
    this.isUsed = false
    this.lookAll(this.definitions)
    return {
      problem: this.problem,
      strictProblem: this.strictProblem,
      referenceProblem: this.referenceProblem,
      unmatchable: this.unmatchable,
    }
  }

  /** The list may grow on the way. */
  private lookAll(list: readonly Later[]): void {
    for (const { held, holder, path } of list) {
      this.start = path
      this.lookInto(held, holder, 1)
    }
  }

  /** `level` counts the levels of `properties` above. */
  private look(schema: Json | undefined, level: number): void {
    if (typeof schema === 'boolean' || schema === undefined) return
    if (!isJsonObject(schema)) {
      const message = `${kindOf(schema)} stands where a schema belongs`
      this.problem ??= { rule: 'subschema_kind', path: this.place(), message }
      return
    }
    if (this.seen.has(schema)) return
    this.seen.add(schema)
    if (this.strictProblem === undefined) this.demand(schema, level)
    if (this.isUsed) {
      this.follow(schema)
      this.weighAll(schema)
    }
    const inner = schema.properties === undefined ? level : level + 1
    const isList = Array.isArray(schema.items) && this.document.resourceOf(schema).draft < 2020
    for (const keyword in schema) {
      const holder = keyword === 'items' && isList ? 'prefix' : holders.get(keyword)
      this.lookAt(keyword, holder, schema[keyword] ?? null, inner)
    }
  }

  private lookAt(keyword: string, holder: Holder | undefined, value: Json, level: number): void {
    if (this.problem === undefined) {
      const wrong = holder === undefined ? keywordProblem(keyword, value) : holderProblem(keyword, holder, value)
      if (wrong !== undefined) {
        this.problem = { rule: wrong[0], path: `${this.place()}/${keyword}`, message: wrong[1] }
      }
    }
    if (holder === undefined) return
    if (this.isUsed && (keyword === '$defs' || keyword === 'definitions')) {
      this.definitions.push({ held: value, holder, path: `${this.place()}/${keyword}` })
      return
    }
    this.keys.push(keyword)
    this.lookInto(value, holder, level)
    this.keys.pop()
  }

  /** What a keyword holds; what it should not hold has been noted. */
  private lookInto(held: Json, holder: Holder, level: number): void {
    if (holder === 'one') {
      this.look(held, level)
    } else if ((holder === 'list' || holder === 'prefix') && Array.isArray(held)) {
      for (let index = 0; index < held.length; index++) this.lookWithin(held[index], index, level)
    } else if (holder === 'map' && isJsonObject(held)) {
      for (const key in held) this.lookWithin(held[key], key, level)
    } else if (holder === 'dependents' && isJsonObject(held)) {
      for (const key in held) if (!isNameList(held[key] ?? null)) this.lookWithin(held[key], key, level)
    }
  }

  private lookWithin(schema: Json | undefined, key: string | number, level: number): void {
    this.keys.push(key)
    this.look(schema, level)
    this.keys.pop()
  }

  private demand(schema: JsonObject, level: number): void {
    const problem = strictProblem(schema, level)
    if (problem !== undefined) this.strictProblem = { ...problem, path: this.place() + problem.path }
  }

  private follow(schema: JsonObject): void {
    const { document } = this
    if (typeof schema.$schema === 'string') this.referenceProblem ??= dialectProblem(schema, document, this.place())
    for (const reference of referencesOf(document.read(schema))) {
      this.referenceProblem ??= referenceProblem(reference, schema, document, this.ending)
      const target = document.find(reference, schema)?.schema
      if (target === undefined || this.seen.has(target)) continue
      const path = reference.startsWith('#/') ? reference : this.place()
      this.targets.push({ held: target, holder: 'one', path })
    }
  }

  private weighAll({ pattern, patternProperties }: JsonObject): void {
    if (typeof pattern === 'string') this.weigh(pattern)
    if (isJsonObject(patternProperties)) for (const key in patternProperties) this.weigh(key)
  }

  private weigh(pattern: string): void {
    let isMatchable = this.matchable.get(pattern)
    if (isMatchable === undefined) {
      const weight = this.patternsLeft < 0 ? undefined : linearPattern(pattern)?.weight
      isMatchable = weight !== undefined
      this.matchable.set(pattern, isMatchable)
      this.patternsLeft -= weight ?? failedWeight
    }
    if (!isMatchable) this.unmatchable.push({ path: this.place(), pattern })
  }

  /** Written for somebody to read: the way from the root, or from what a reference named. */
  private place(): string {
    return this.keys.reduce<string>(at, this.start.replace(/^#/, ''))
  }
}

/** The first that is asked too little of one schema at its level of `properties`; the path is from the schema. */
export function strictProblem(schema: JsonObject, level: number): SchemaProblem | undefined {
  const { properties, required } = schema
  const { propertyLevels } = schemaLimits
  if (properties !== undefined && level >= propertyLevels) {
    const message = `the schema nests more than ${propertyLevels} levels of properties`
    return { rule: 'schema_depth', path: '', message }
  }
  if (!Array.isArray(required) || (schema.type !== 'object' && properties === undefined)) return undefined
  const known = isJsonObject(properties) ? properties : {}
  if (standInOrder(required, known)) return undefined
  const missing = required.find((name) => typeof name !== 'string' || !Object.hasOwn(known, name))
  if (missing === undefined) return undefined
  const message = `the required name ${JSON.stringify(missing)} is not in properties`
  return { rule: 'required_unknown', path: '/required', message }
}

/** Whether the names are among the keys in the order of these, as libraries write them: this way costs a quarter of looking each up. */
function standInOrder(names: readonly Json[], members: JsonObject): boolean {
  let found = 0
  for (const key in members) if (names[found] === key) found += 1
  return found === names.length
}

/** The rules of a dialect that is not known here could be any. */
function dialectProblem(schema: JsonObject, document: SchemaDocument, path: string): SchemaProblem | undefined {
  const { $schema } = schema
  if (typeof $schema !== 'string' || !document.isResource(schema) || draftOf($schema) !== undefined) return undefined
  return { rule: 'dialect_unknown', path: `${path}/$schema`, message: `$schema names the dialect ${shown($schema)}` }
}

/** References must lead somewhere, and to something that says more than where to look next. */
function referenceProblem(
  reference: string,
  from: JsonObject,
  document: SchemaDocument,
  ending: Set<Json>,
): SchemaProblem | undefined {
  let next: Json | undefined = document.find(reference, from)?.schema
  if (next === undefined) return brokenReference('ref_unresolved', reference, 'leads nowhere in the schema')
  if (!isJsonObject(next) || next.$ref === undefined) return undefined
  const seen = new Set<Json>()
  while (isJsonObject(next) && typeof next.$ref === 'string' && !ending.has(next)) {
    if (seen.has(next)) return brokenReference('ref_cycle', reference, 'leads only back to itself')
    seen.add(next)
    next = document.find(next.$ref, next)?.schema
  }
  for (const schema of seen) ending.add(schema)
  return undefined
}

function brokenReference(rule: SchemaProblem['rule'], reference: string, what: string): SchemaProblem {
  return { rule, path: '', message: `the reference ${shown(reference)} ${what}` }
}

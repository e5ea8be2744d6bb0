// One look over a schema before it is compiled: what is wrong with it, and which of its patterns cannot be matched. Remembered per
// object, because defining a tool, checking its schema and compiling it all ask. Trap: a schema may have thousands of parts, so that
// places are only written out as pointers when there is something to say about them.
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { checkKeywords, kindOf } from './keyword-check.js'
import { holders, referencesOf } from './keywords.js'
import { linearPattern } from './pattern.js'
import { type Resolve, resolver } from './references.js'
import { type SchemaProblem, schemaLimits } from './rules.js'

export interface Unmatchable {
  readonly path: string
  readonly pattern: string
}

export interface Survey {
  /** What no check could live with: a keyword that holds the wrong thing, a reference that leads nowhere. */
  readonly problem: SchemaProblem | undefined
  /** What is asked of schemas written for this library only. */
  readonly strictProblem: SchemaProblem | undefined
  /** References that lead nowhere or in a circle. They do not matter to a schema that checks values by itself. */
  readonly referenceProblem: SchemaProblem | undefined
  /** Patterns that no linear engine can run, and those beyond what all patterns of a schema may weigh. */
  readonly unmatchable: readonly Unmatchable[]
}

const surveys = new WeakMap<JsonObject, Survey>()

/** Surveys a schema of known size (see `checkSize`), once per object. */
export function surveySchema(root: JsonObject): Survey {
  const known = surveys.get(root)
  if (known !== undefined) return known
  const survey = new Walk(root).run()
  surveys.set(root, survey)
  return survey
}

/** A schema and how the walk came to it. */
interface Spot {
  readonly schema: Json
  readonly above: Spot | undefined
  readonly keyword: string
  readonly key: string | number | undefined
  /** Levels of `properties` above it. */
  readonly level: number
}

/** What it weighs to find out that a pattern cannot be compiled. */
const failedWeight = 100
const definitions = new Set(['$defs', 'definitions'])

class Walk {
  readonly #resolve: Resolve
  readonly #spots: Spot[]
  /** Definitions that nobody has referred to yet: what they refer to and their patterns do not matter. */
  readonly #unused: Spot[] = []
  readonly #seen = new Set<Json>()
  readonly #matchable = new Map<string, boolean>()
  readonly #unmatchable: Unmatchable[] = []
  #patternsLeft: number = schemaLimits.patternsWeight
  #problem: SchemaProblem | undefined
  #strictProblem: SchemaProblem | undefined
  #referenceProblem: SchemaProblem | undefined

  constructor(root: JsonObject) {
    this.#resolve = resolver(root)
    this.#spots = [{ schema: root, above: undefined, keyword: '', key: undefined, level: 0 }]
  }

  run(): Survey {
    for (const spot of this.#spots) this.#look(spot, true)
    for (const spot of this.#unused) this.#look(spot, false)
    return {
      problem: this.#problem,
      strictProblem: this.#strictProblem,
      referenceProblem: this.#referenceProblem,
      unmatchable: this.#unmatchable,
    }
  }

  #look(spot: Spot, isUsed: boolean): void {
    const { schema } = spot
    if (typeof schema === 'boolean' || this.#seen.has(schema)) return
    if (!isJsonObject(schema)) {
      const message = `${kindOf(schema)} stands where a schema belongs`
      this.#problem ??= { rule: 'subschema_kind', path: pathOf(spot), message }
      return
    }
    this.#seen.add(schema)
    const wrong = this.#problem === undefined ? checkKeywords(schema) : undefined
    if (wrong !== undefined) this.#problem = { ...wrong, path: pathOf(spot) + wrong.path }
    this.#strictProblem ??= strictProblem(schema, spot)
    if (isUsed) {
      this.#follow(schema, spot)
      this.#weigh(schema, spot)
    }
    this.#spread(schema, spot, isUsed)
  }

  #follow(schema: JsonObject, spot: Spot): void {
    for (const reference of referencesOf(schema)) {
      this.#referenceProblem ??= referenceProblem(reference, this.#resolve)
      const target = this.#resolve(reference)
      if (target === undefined || this.#seen.has(target)) continue
      const keyword = reference.startsWith('#/') ? reference : pathOf(spot)
      this.#spots.push({ schema: target, above: undefined, keyword, key: undefined, level: 1 })
    }
  }

  #weigh(schema: JsonObject, spot: Spot): void {
    const { pattern, patternProperties } = schema
    if (typeof pattern === 'string') this.#weighPattern(pattern, spot)
    if (isJsonObject(patternProperties)) for (const key in patternProperties) this.#weighPattern(key, spot)
  }

  #weighPattern(pattern: string, spot: Spot): void {
    if (!this.#matchable.has(pattern)) {
      const weight = this.#patternsLeft < 0 ? undefined : linearPattern(pattern)?.weight
      this.#matchable.set(pattern, weight !== undefined)
      this.#patternsLeft -= weight ?? failedWeight
    }
    if (this.#matchable.get(pattern) === false) this.#unmatchable.push({ path: pathOf(spot), pattern })
  }

  #spread(schema: JsonObject, spot: Spot, isUsed: boolean): void {
    const level = schema.properties === undefined ? spot.level : spot.level + 1
    for (const keyword in schema) {
      const holder = holders.get(keyword)
      if (holder === undefined) continue
      const value = schema[keyword]
      const list = definitions.has(keyword) || !isUsed ? this.#unused : this.#spots
      const reach = (held: Json | undefined, key?: string | number): void => {
        if (held !== undefined) list.push({ schema: held, above: spot, keyword, key, level })
      }
      if (holder === 'one') reach(value)
      else if (holder === 'list' && Array.isArray(value))
        for (const [index, item] of value.entries()) reach(item, index)
      else if (holder === 'map' && isJsonObject(value)) for (const key in value) reach(value[key], key)
    }
  }
}

/** Written for somebody to read: the way from the root, or from what a reference named. */
function pathOf(spot: Spot): string {
  if (spot.above === undefined) return spot.keyword.replace(/^#/, '')
  const holder = `${pathOf(spot.above)}/${spot.keyword}`
  return spot.key === undefined ? holder : at(holder, spot.key)
}

function strictProblem(schema: JsonObject, spot: Spot): SchemaProblem | undefined {
  const { propertyLevels } = schemaLimits
  if (schema.properties !== undefined && spot.level >= propertyLevels) {
    const message = `the schema nests more than ${propertyLevels} levels of properties`
    return { rule: 'schema_depth', path: pathOf(spot), message }
  }
  if (!Array.isArray(schema.required) || (schema.type !== 'object' && schema.properties === undefined)) return undefined
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const missing = schema.required.find((name) => !Object.hasOwn(properties, String(name)))
  if (missing === undefined) return undefined
  const message = `the required name ${JSON.stringify(missing)} is not in properties`
  return { rule: 'required_unknown', path: `${pathOf(spot)}/required`, message }
}

/** References must lead somewhere, and to something that says more than where to look next. */
function referenceProblem(reference: string, resolve: Resolve): SchemaProblem | undefined {
  let next: Json | undefined = resolve(reference)
  if (next === undefined) return brokenReference('ref_unresolved', reference, 'leads nowhere in the schema')
  if (!isJsonObject(next) || next.$ref === undefined) return undefined
  const seen = new Set<Json>()
  while (isJsonObject(next) && typeof next.$ref === 'string') {
    if (seen.has(next)) return brokenReference('ref_cycle', reference, 'leads only back to itself')
    seen.add(next)
    next = resolve(next.$ref)
  }
  return undefined
}

function brokenReference(rule: SchemaProblem['rule'], reference: string, what: string): SchemaProblem {
  const quoted = JSON.stringify(reference.length > 100 ? `${reference.slice(0, 100)}…` : reference)
  return { rule, path: '', message: `the reference ${quoted} ${what}` }
}

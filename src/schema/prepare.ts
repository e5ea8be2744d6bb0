// The form of a schema that is compiled: references gathered under `$defs`, only keywords that assert something, and a price on
// every schema that can be visited often. Ids, formats, annotations and engine extensions (`$async`, `$data`) never get through.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { holders, keywordValues } from './keywords.js'
import { linearPattern } from './pattern.js'
import { type Resolve, resolver } from './references.js'
import { type SchemaProblem, schemaLimits } from './rules.js'

export type Prepared =
  | {
      readonly ok: true
      readonly schema: JsonObject
      /** False when the schema was too large to compile whole: what lies beyond the limit accepts anything. */
      readonly complete: boolean
    }
  | { readonly ok: false; readonly problem: SchemaProblem }

/** The keyword that charges a visit: `[units, whether the keys of the object count too]`. */
export const costKeyword = 'toolwireCost'

const prepared = new WeakMap<JsonObject, Prepared>()

/** Prepares a schema of known size (see `checkSchema`) for compilation, once per object. */
export function prepareSchema(root: JsonObject): Prepared {
  const known = prepared.get(root)
  if (known !== undefined) return known
  const whole = new Preparation(root, false)
  const result = whole.run()
  if (result.ok && whole.weakened) return remember(root, new Preparation(root, true).run())
  return remember(root, result)
}

function remember(root: JsonObject, result: Prepared): Prepared {
  prepared.set(root, result)
  return result
}

const references = ['$ref', '$dynamicRef', '$recursiveRef']
const definitions = new Set(['$defs', 'definitions'])
const annotations = new Set(['title', 'description', ...references])
/** Keywords that turn "accepts more" into "accepts less": left out where a part of the schema could not be kept. */
const contrary = new Set('not if then else unevaluatedItems unevaluatedProperties maxContains'.split(' '))
/** Keywords whose schema is applied to many parts of one value. */
const repeating = new Set(
  'items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames patternProperties'.split(
    ' ',
  ),
)
/** Keywords that make the engine walk or count the keys of an object. */
const keyWalking =
  'additionalProperties unevaluatedProperties propertyNames patternProperties minProperties maxProperties'.split(' ')

interface Piece {
  readonly schema: JsonObject | boolean
  /** What a visit costs when the piece does not charge for itself. */
  readonly cost: number
}

class Refusal extends Error {
  readonly problem: SchemaProblem
  constructor(problem: SchemaProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Ends the first run over a schema that must be weakened to fit. */
class TooLarge extends Error {}

/** One run over one document. */
class Preparation {
  readonly #root: JsonObject
  readonly #resolve: Resolve
  readonly #names = new Map<JsonObject, string>()
  readonly #waiting: [string, JsonObject][] = []
  readonly #monotone: boolean
  #count = 0
  /** Whether something could not be kept, so that the result accepts more than the schema. */
  weakened = false

  /** `monotone`: leave out what would refuse more because another part was weakened. */
  constructor(root: JsonObject, monotone: boolean) {
    this.#root = root
    this.#monotone = monotone
    this.#resolve = resolver(root)
  }

  run(): Prepared {
    try {
      const $ref = this.#name(this.#root)
      const gathered: [string, Json][] = []
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        gathered.push([next[0], this.#piece(next[1], true).schema])
      }
      const complete = this.#count <= schemaLimits.compiled
      return { ok: true, schema: { $ref, $defs: Object.fromEntries(gathered) }, complete }
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, problem: error.problem }
      if (error instanceof TooLarge) return { ok: true, schema: {}, complete: false }
      throw error
    }
  }

  /** `often`: the schema is applied to many parts of a value, or through a reference, so that it must charge for itself. */
  #piece(schema: Json, often: boolean): Piece {
    if (!isJsonObject(schema)) return { schema: schema !== false, cost: 1 }
    if (++this.#count > schemaLimits.compiled) {
      this.weakened = true
      if (!this.#monotone) throw new TooLarge()
      return { schema: true, cost: 1 }
    }
    const members: [string, Json][] = []
    let cost = 1
    let simple = !often
    for (const [keyword, value] of this.#kept(schema)) {
      const holder = definitions.has(keyword) ? undefined : holders.get(keyword)
      if (holder !== undefined) {
        const held = this.#held(holder, value, repeating.has(keyword))
        if (!this.#isVoid(keyword)) members.push([keyword, held.value])
        cost += held.cost
        simple = false
      } else if (isAssertion(keyword, value)) {
        members.push([keyword, value])
        cost += weight(keyword, value)
        this.#count++
      }
    }
    const targets = references.flatMap((keyword) => this.#reference(schema[keyword]))
    if (targets.length > 0) members.push(...this.#referring(members, targets))
    if (simple && targets.length === 0) return { schema: Object.fromEntries(members), cost }
    const walksKeys = keyWalking.some((keyword) => Object.hasOwn(schema, keyword))
    return { schema: Object.fromEntries([[costKeyword, [cost, walksKeys]], ...members]), cost: 0 }
  }

  /** Past the limit an alternative accepts anything, and so does the whole list of them. */
  #isVoid(keyword: string): boolean {
    return this.#count > schemaLimits.compiled && (keyword === 'anyOf' || keyword === 'oneOf')
  }

  /** The members to prepare: patterns that cannot be matched are left out, and with them what relies on them. */
  #kept(schema: JsonObject): readonly (readonly [string, Json])[] {
    const members = Object.entries(schema)
    const keys = isJsonObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
    const testable = keys.filter(([key]) => linearPattern(key) !== undefined)
    const losesKeys = testable.length < keys.length
    const losesPattern = typeof schema.pattern === 'string' && linearPattern(schema.pattern) === undefined
    if (losesKeys || losesPattern) this.weakened = true
    if (!this.weakened && !this.#monotone) return members
    return members.flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === 'pattern' && losesPattern) return []
      if (keyword === 'additionalProperties' && losesKeys) return []
      if (keyword === 'patternProperties' && losesKeys) return [[keyword, Object.fromEntries(testable)]]
      if (!this.#monotone) return [[keyword, value]]
      if (keyword === 'oneOf') return schema.anyOf === undefined ? [['anyOf', value]] : []
      return contrary.has(keyword) ? [] : [[keyword, value]]
    })
  }

  #held(holder: 'one' | 'list' | 'map', value: Json, often: boolean): { value: Json; cost: number } {
    let cost = 0
    const take = (schema: Json): JsonObject | boolean => {
      const piece = this.#piece(schema, often)
      cost += piece.cost + 1
      return piece.schema
    }
    if (holder === 'one') return { value: take(value), cost }
    if (holder === 'list') return { value: Array.isArray(value) ? value.map(take) : [], cost }
    const entries = isJsonObject(value) ? Object.entries(value) : []
    return { value: Object.fromEntries(entries.map(([key, schema]) => [key, take(schema)])), cost }
  }

  #reference(reference: Json | undefined): readonly Json[] {
    if (typeof reference !== 'string') return []
    const target = this.#target(reference)
    // Each reference becomes a call, which takes the engine longer than an assertion.
    this.#count += 2
    if (typeof target === 'boolean') return target ? [] : [{ not: {} }]
    return [{ $ref: this.#name(target) }]
  }

  #name(target: JsonObject): string {
    const known = this.#names.get(target)
    if (known !== undefined) return known
    const key = String(this.#names.size)
    this.#names.set(target, `#/$defs/${key}`)
    this.#waiting.push([key, target])
    return `#/$defs/${key}`
  }

  /** What a reference points at; a chain of references that only leads back to itself is refused. */
  #target(reference: string): JsonObject | boolean {
    const seen = new Set<JsonObject>()
    const target = this.#resolve(reference)
    for (let next = target; isJsonObject(next); next = this.#resolve(next.$ref)) {
      if (seen.has(next)) throw refusal('ref_cycle', `the reference ${quote(reference)} leads only back to itself`)
      seen.add(next)
      if (typeof next.$ref !== 'string') break
    }
    if (target === undefined)
      throw refusal('ref_unresolved', `the reference ${quote(reference)} leads nowhere in the schema`)
    return target
  }

  #referring(members: readonly [string, Json][], targets: readonly Json[]): [string, Json][] {
    const own = members.find(([keyword]) => keyword === 'allOf')?.[1]
    const [only] = targets
    if (own === undefined && targets.length === 1 && isJsonObject(only) && typeof only.$ref === 'string') {
      return [['$ref', only.$ref]]
    }
    return [['allOf', [...(Array.isArray(own) ? own : []), ...targets]]]
  }
}

function isAssertion(keyword: string, value: Json): boolean {
  if (annotations.has(keyword)) return false
  if (keyword === 'type' || keyword === 'const') return true
  if (keyword === 'enum' || keyword === 'required') return Array.isArray(value) && value.length > 0
  return keywordValues.get(keyword)?.accepts(value) ?? false
}

function weight(keyword: string, value: Json): number {
  if (keyword === 'enum' || keyword === 'const') return nodes(value)
  return Array.isArray(value) ? value.length : 1
}

function nodes(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member: Json) => sum + nodes(member), 1)
}

function refusal(rule: SchemaProblem['rule'], message: string): Refusal {
  return new Refusal({ rule, path: '', message })
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

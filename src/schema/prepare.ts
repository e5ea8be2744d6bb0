// The form of a schema that is compiled: references gathered under `$defs`, only keywords that assert something, and a price on
// every schema that can be visited often. Ids, formats, annotations and engine extensions (`$async`, `$data`) never get through.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { holders, keywordValues } from './keywords.js'
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
  const result = new Preparation(root).run()
  prepared.set(root, result)
  return result
}

const references = ['$ref', '$dynamicRef', '$recursiveRef']
const definitions = new Set(['$defs', 'definitions'])
const annotations = new Set(['title', 'description', ...references])
/** Keywords whose schema is applied to many parts of one value. */
const repeating = new Set(
  'items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames patternProperties'.split(
    ' ',
  ),
)
/** Keywords that make the engine walk or count the keys of an object. */
const keyWalking = 'additionalProperties unevaluatedProperties propertyNames patternProperties minProperties maxProperties'
  .split(' ')

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

/** One run over one document. */
class Preparation {
  readonly #root: JsonObject
  readonly #resolve: Resolve
  readonly #names = new Map<JsonObject, string>()
  readonly #waiting: [string, JsonObject][] = []
  #count = 0

  constructor(root: JsonObject) {
    this.#root = root
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
      throw error
    }
  }

  /** `often`: the schema is applied to many parts of a value, or through a reference, so that it must charge for itself. */
  #piece(schema: Json, often: boolean): Piece {
    if (!isJsonObject(schema)) return { schema: schema !== false, cost: 1 }
    if (++this.#count > schemaLimits.compiled) return { schema: true, cost: 1 }
    const members: [string, Json][] = []
    let cost = 1
    let simple = !often
    for (const [keyword, value] of Object.entries(schema)) {
      const holder = definitions.has(keyword) ? undefined : holders.get(keyword)
      if (holder !== undefined) {
        const held = this.#held(holder, value, repeating.has(keyword))
        members.push([keyword, held.value])
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
    if (target === undefined) throw refusal('ref_unresolved', `the reference ${quote(reference)} leads nowhere in the schema`)
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

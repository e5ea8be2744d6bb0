// Several schemas that must all hold, as one schema. What cannot be joined is left out and told, so that the result is never
// narrower than it should be.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

type Members = Map<string, Json>
/** Told of a keyword of the second schema that was left out. */
type Left = (keyword: string, value: Json) => void

/** Both schemas as one. Descriptions of the first win. */
export function merged(first: JsonObject, second: JsonObject, left: Left): JsonObject {
  const result: Members = new Map(Object.entries(first))
  const closing = { first: closedKeys(first), second: closedKeys(second) }
  for (const [keyword, value] of Object.entries(second)) {
    const known = result.get(keyword)
    if (known === undefined) result.set(keyword, value)
    else if (!joined(keyword, known, value, result)) left(keyword, value)
  }
  closeBoth(result, closing.first, closing.second)
  return Object.fromEntries(result)
}

/** Joins one keyword that both have; false when it cannot be said in one. */
function joined(keyword: string, known: Json, value: Json, result: Members): boolean {
  const set = (to: Json): true => {
    result.set(keyword, to)
    return true
  }
  if (JSON.stringify(known) === JSON.stringify(value)) return true
  switch (keyword) {
    case 'description':
    case 'title':
    case 'default':
    case 'examples':
    case '$comment':
    case '$defs':
    case 'definitions':
      return true
    case 'type':
      return set(commonTypes(known, value))
    case 'enum':
      return set(listOf(known).filter((member) => listOf(value).some((other) => same(member, other))))
    case 'required':
      return set([...new Set([...listOf(known), ...listOf(value)])])
    case 'properties':
      return set(mergedProperties(known, value))
    case 'items':
      return set({ allOf: [known, value] })
    case 'additionalProperties':
      return set(known === false || value === false ? false : { allOf: [known, value] })
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return typeof known === 'number' && typeof value === 'number' && set(Math.max(known, value))
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return typeof known === 'number' && typeof value === 'number' && set(Math.min(known, value))
    case 'anyOf':
    case 'oneOf':
      return joinedUnions(listOf(known), listOf(value), set)
    default:
      return false
  }
}

const mostAlternatives = 16

function joinedUnions(known: readonly Json[], value: readonly Json[], set: (to: Json) => true): boolean {
  if (known.length * value.length > mostAlternatives) return false
  return set(known.flatMap((one) => value.map((other) => ({ allOf: [one, other] }))))
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value]
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function commonTypes(known: Json, value: Json): Json {
  const isIn = (name: Json, list: readonly Json[]): boolean =>
    list.includes(name) || (name === 'integer' && list.includes('number'))
  const [one, other] = [listOf(known), listOf(value)]
  const common = [...one.filter((name) => isIn(name, other)), ...other.filter((name) => isIn(name, one))]
  const [only, ...more] = new Set(common.filter((name) => name !== 'number' || !common.includes('integer')))
  return more.length === 0 && only !== undefined ? only : only === undefined ? [] : [only, ...more]
}

function mergedProperties(known: Json, value: Json): Json {
  if (!isJsonObject(known) || !isJsonObject(value)) return known
  const properties = new Map(Object.entries(known))
  for (const [key, schema] of Object.entries(value)) {
    const other = properties.get(key)
    properties.set(key, other === undefined ? schema : { allOf: [other, schema] })
  }
  return Object.fromEntries(properties)
}

/** The keys a schema limits objects to; nothing when others are allowed. */
function closedKeys(schema: JsonObject): ReadonlySet<string> | undefined {
  if (schema.additionalProperties !== false || schema.patternProperties !== undefined) return undefined
  return new Set(isJsonObject(schema.properties) ? Object.keys(schema.properties) : [])
}

/** Where one schema forbids undeclared keys, those that only the other declares are forbidden too. */
function closeBoth(
  result: Members,
  first: ReadonlySet<string> | undefined,
  second: ReadonlySet<string> | undefined,
): void {
  const properties = result.get('properties')
  if ((first === undefined && second === undefined) || !isJsonObject(properties)) return
  const kept = Object.entries(properties).filter(([key]) => first?.has(key) !== false && second?.has(key) !== false)
  result.set('properties', Object.fromEntries(kept))
}

// Plain JSON out of what a program wrote. The JSON Schema of a schema library also loses its noise, so that the same shape gives the
// same tool whatever library described it. One pass: it is made for every tool of a program.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { holders } from './keywords.js'
import { schemaLimits } from './rules.js'

/** What a value in a schema is: a schema, a list or a map of schemas, or data such as an enum. */
type Role = 'schema' | 'list' | 'map' | 'data'

class NotPlain extends Error {}

/** A copy made of JSON values only, or undefined when there is something else in it, a cycle, or far too much of it. */
export function plainCopy(source: unknown): Json | undefined {
  return tryCopy(source, 'data')
}

/**
 * A copy without `$schema` and the bounds that only say "a safe integer", with the type beside an enum of strings. Undefined when it
 * is not made of JSON values, has a cycle, or is far too large.
 */
export function tidySchema(source: unknown): JsonObject | undefined {
  const copy = tryCopy(source, 'schema')
  return isJsonObject(copy) ? copy : undefined
}

function tryCopy(source: unknown, role: Role): Json | undefined {
  try {
    return copied(source, role, 0, { left: 4 * schemaLimits.nodes })
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

function copied(value: unknown, role: Role, depth: number, budget: { left: number }): Json {
  budget.left -= 1
  if (budget.left < 0 || depth > 2 * schemaLimits.depth) throw new NotPlain()
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) {
    const inner = role === 'list' ? 'schema' : 'data'
    return value.map((item) => copied(item, inner, depth + 1, budget))
  }
  if (!isPlain(value)) throw new NotPlain()
  const source = value as { readonly [key: string]: unknown }
  const isSchema = role === 'schema'
  const copy: { [key: string]: Json } = {}
  if (isSchema && source.type === undefined && isStringList(source.enum)) copy.type = 'string'
  for (const key of Object.keys(source)) {
    const member = source[key]
    if (member === undefined || (isSchema && isNoise(source, key, member))) continue
    const inner = isSchema ? roleOf(key) : role === 'map' ? 'schema' : 'data'
    put(copy, key, copied(member, inner, depth + 1, budget))
  }
  return copy
}

/** A key `__proto__` is a member like any other. */
function put(copy: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true })
  else copy[key] = value
}

function roleOf(keyword: string): Role {
  const holder = holders.get(keyword)
  return holder === 'one' ? 'schema' : (holder ?? 'data')
}

function isNoise(schema: { readonly [key: string]: unknown }, keyword: string, value: unknown): boolean {
  if (keyword === '$schema') return true
  if (schema.type !== 'integer') return false
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  )
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((member) => typeof member === 'string')
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm's Object.prototype is plain too: it has no prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

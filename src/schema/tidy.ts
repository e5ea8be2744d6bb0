// The JSON Schema a schema library wrote, as a plain copy without its noise, so that the same shape gives the same tool whatever
// library described it. One pass: it is made for every tool of a program.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { isPlain } from './copy.js'
import { holders } from './keywords.js'
import { schemaLimits } from './rules.js'

/** What a value in a schema is: a schema, a list or a map of schemas, or data such as an enum. */
type Role = 'schema' | 'list' | 'map' | 'data'

class NotPlain extends Error {}

/**
 * A copy without `$schema` and the bounds that only say "a safe integer", with the type beside an enum of strings. Undefined when it
 * is not made of JSON values, has a cycle, or is far too large.
 */
export function tidySchema(source: unknown): JsonObject | undefined {
  try {
    const copy = copied(source, 'schema', 0, { left: 2 * schemaLimits.nodes })
    return isJsonObject(copy) ? copy : undefined
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
  const members: [string, Json][] = []
  for (const key of Object.keys(source)) {
    const member = source[key]
    if (member === undefined || (isSchema && isNoise(source, key, member))) continue
    const inner = isSchema ? roleOf(key) : role === 'map' ? 'schema' : 'data'
    members.push([key, copied(member, inner, depth + 1, budget)])
  }
  if (isSchema && source.type === undefined && isStringList(source.enum)) members.unshift(['type', 'string'])
  return Object.fromEntries(members)
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

// The JSON Schema a schema library wrote, without its noise, so that the same shape gives the same tool whatever library described it.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { checkSize } from './check.js'
import { holders } from './keywords.js'

/** Drops `$schema` and the bounds that only say "a safe integer", and writes the type beside an enum of strings. */
export function tidySchema(schema: JsonObject): JsonObject {
  // A schema too large to walk is refused by the check that follows.
  return checkSize(schema) === undefined ? tidied(schema) : schema
}

function tidied(schema: JsonObject): JsonObject {
  const members: [string, Json][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isNoise(schema, keyword, value)) members.push([keyword, held(keyword, value)])
  }
  const isStringEnum = Array.isArray(schema.enum) && schema.enum.every((member) => typeof member === 'string')
  if (schema.type === undefined && isStringEnum) members.unshift(['type', 'string'])
  return Object.fromEntries(members)
}

function isNoise(schema: JsonObject, keyword: string, value: Json): boolean {
  if (keyword === '$schema') return true
  if (schema.type !== 'integer') return false
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  )
}

function held(keyword: string, value: Json): Json {
  const tidy = (schema: Json): Json => (isJsonObject(schema) ? tidied(schema) : schema)
  const holder = holders.get(keyword)
  if (holder === 'one') return tidy(value)
  if (holder === 'list' && Array.isArray(value)) return value.map(tidy)
  if (holder !== 'map' || !isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, tidy(schema)]))
}

// Gemini's OpenAPI schemas (`parameters`, `responseSchema`) to JSON Schema and back.
// Trap: the way back must be exact although clients mix spellings (`STRING`, `string`, 1). What the plain way back does not
// give is kept as it came, in a note, and counts only while the schema is still the one that was read from it.

import { isJsonObject, isList } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { sameValue } from '../differences.js'

/** The numbers are those of the protocol's enum. */
const typeNames = ['', 'string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const
/** Limits that the protocol writes as decimal strings. */
const longFields: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'prefixItems', 'oneOf', 'allOf'])

export function toJsonSchema(schema: JsonObject): JsonObject {
  const nullable = schema.nullable === true && typeName(schema.type) !== undefined
  const entries: [string, Json][] = []
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'nullable' && (nullable || value === false)) continue
    if (key === 'type') entries.push([key, nullable ? [typeName(value) ?? '', 'null'] : (typeName(value) ?? value)])
    else if (key === 'enum' && nullable && isList(value)) entries.push([key, [...value, null]])
    else if (longFields.has(key) && typeof value === 'string' && /^\d{1,15}$/.test(value))
      entries.push([key, Number(value)])
    else entries.push([key, inside(key, value, toJsonSchema)])
  }
  return Object.fromEntries(entries)
}

export function toOpenApi(schema: JsonObject): JsonObject {
  const nullable = isNullable(schema.type)
  const entries: [string, Json][] = []
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type') {
      const type = nullable && isList(value) ? value[0] : value
      entries.push([key, typeof type === 'string' ? type.toUpperCase() : (type ?? null)])
    } else if (key === 'enum' && nullable && isList(value)) entries.push([key, value.filter((item) => item !== null)])
    else if (longFields.has(key) && typeof value === 'number') entries.push([key, String(value)])
    else entries.push([key, inside(key, value, toOpenApi)])
  }
  if (nullable) entries.push(['nullable', true])
  return Object.fromEntries(entries)
}

/** What must be remembered of an OpenAPI schema: that it was one, or the schema itself where its spelling is not the plain one. */
export function openApiNote(schema: JsonObject): Json {
  return sameValue(toOpenApi(toJsonSchema(schema)), schema) ? true : schema
}

/** The OpenAPI form of a schema that came in that form, or nothing where only JSON Schema says what it says now. */
function openApiFrom(schema: JsonObject, note: Json | undefined): JsonObject | undefined {
  if (note === undefined) return undefined
  if (isJsonObject(note) && sameValue(toJsonSchema(note), schema)) return note
  const plain = toOpenApi(schema)
  return sameValue(toJsonSchema(plain), schema) ? plain : undefined
}

/** One of the two forms a schema goes out in, and what it could not say there. */
export interface WrittenSchema {
  readonly schema?: JsonObject
  readonly openApi?: JsonObject
  readonly notes: readonly SchemaLoss[]
}

/** A schema that came in the OpenAPI form goes back in it as it was; any other is lowered. */
export function writeSchema(
  schema: JsonObject | undefined,
  note: Json | undefined,
  form: 'json_schema' | 'openapi' | undefined,
  lower: (schema: JsonObject) => { readonly schema: JsonObject; readonly notes: readonly SchemaLoss[] },
): WrittenSchema {
  if (schema === undefined) return { notes: [] }
  const known = openApiFrom(schema, note)
  if (known !== undefined) return { openApi: known, notes: [] }
  const lowered = lower(schema)
  if (form === 'openapi') return { openApi: toOpenApi(lowered.schema), notes: lowered.notes }
  return lowered
}

function inside(key: string, value: Json, convert: (schema: JsonObject) => JsonObject): Json {
  if (key === 'properties' && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, isJsonObject(schema) ? convert(schema) : schema]),
    )
  }
  if ((key === 'items' || key === 'additionalProperties') && isJsonObject(value)) return convert(value)
  if (schemaLists.has(key) && isList(value)) return value.map((item) => (isJsonObject(item) ? convert(item) : item))
  return value
}

function typeName(type: Json | undefined): string | undefined {
  if (typeof type === 'number') return typeNames[type] || undefined
  if (typeof type !== 'string') return undefined
  const lower = type.toLowerCase()
  return (typeNames as readonly string[]).includes(lower) ? lower : undefined
}

function isNullable(type: Json | undefined): boolean {
  return isList(type) && type.length === 2 && typeof type[0] === 'string' && type[0] !== 'null' && type[1] === 'null'
}

// Field types and JSON Schemas, both ways. A schema that says no more than a field type can is that field type, so that a
// field means the same however it was written.
import { canonicalJson } from '../json/canonical.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Field, FieldType } from './field.js'

/** What a model is told of a type, as a JSON Schema. */
export function schemaOf(type: FieldType): JsonObject {
  switch (type.kind) {
    case 'string':
      return textSchema(type)
    case 'number':
    case 'integer':
      return { type: type.kind, ...bounds(type, 'minimum', 'maximum') }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'datetime':
      return { type: 'string', format: 'date-time' }
    case 'class':
      return { type: 'string', enum: type.values }
    case 'object':
      return type.fields === undefined ? { type: 'object' } : objectSchemaOf(type.fields)
    case 'list':
      return { type: 'array', items: schemaOf(type.items), ...bounds(type, 'minItems', 'maxItems') }
    case 'schema':
      return type.schema
    case 'tool_calls':
      return callsSchema
    default:
      return {}
  }
}

/** The schema of an object with these members. */
export function objectSchemaOf(fields: readonly Field[]): JsonObject {
  const properties = fields.map(({ name, type, description }): [string, Json] => [
    name,
    description === undefined ? schemaOf(type) : { ...schemaOf(type), description },
  ])
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

const callsSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, args: { type: 'object' } },
    required: ['name', 'args'],
  },
}

function textSchema({ min, max, pattern, format }: Extract<FieldType, { kind: 'string' }>): JsonObject {
  return {
    type: 'string',
    ...bounds({ min, max }, 'minLength', 'maxLength'),
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
  }
}

function bounds(
  { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined },
  least: string,
  most: string,
): JsonObject {
  return { ...(min === undefined ? {} : { [least]: min }), ...(max === undefined ? {} : { [most]: max }) }
}

/** The field type that says the same as the schema, or the schema itself as a type. */
export function fieldTypeOf(schema: JsonObject): FieldType {
  const type = guess(schema)
  if (type !== undefined && canonicalJson(comparable(schemaOf(type))) === canonicalJson(comparable(schema))) return type
  return { kind: 'schema', schema }
}

function guess(schema: JsonObject): FieldType | undefined {
  const { type, format } = schema
  switch (type) {
    case 'string':
      if (format === 'date') return { kind: 'date' }
      if (format === 'date-time') return { kind: 'datetime' }
      if (isTextList(schema.enum)) return { kind: 'class', values: schema.enum }
      return {
        kind: 'string',
        ...range(schema.minLength, schema.maxLength),
        ...(typeof schema.pattern === 'string' ? { pattern: schema.pattern } : {}),
        ...(format === 'email' || format === 'uri' ? { format } : {}),
      }
    case 'number':
    case 'integer':
      return { kind: type, ...range(schema.minimum, schema.maximum) }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      if (!isJsonObject(schema.items)) return undefined
      return { kind: 'list', items: fieldTypeOf(schema.items), ...range(schema.minItems, schema.maxItems) }
    case 'object':
      return isJsonObject(schema.properties) ? guessObject(schema, schema.properties) : { kind: 'object' }
    default:
      return Object.keys(schema).length === 0 ? { kind: 'json' } : undefined
  }
}

function guessObject(schema: JsonObject, properties: JsonObject): FieldType | undefined {
  const required: readonly Json[] = Array.isArray(schema.required) ? schema.required : []
  const fields: Field[] = []
  for (const [name, member] of Object.entries(properties)) {
    if (!/^[A-Za-z_]\w*$/.test(name) || name === '__proto__' || !isJsonObject(member)) return undefined
    const { description, ...rest } = member
    const said = typeof description === 'string' && description !== '' ? { description } : {}
    fields.push({ name, type: fieldTypeOf(rest), optional: !required.includes(name), internal: false, ...said })
  }
  return fields.length === 0 ? undefined : { kind: 'object', fields }
}

/** Without what a schema may say or leave out and mean the same here. */
function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map(comparable)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(([key, member]) => !(key === 'additionalProperties' && member === false))
  return Object.fromEntries(
    entries.map(([key, member]) => [
      key,
      key === 'required' && Array.isArray(member) ? member.toSorted() : comparable(member),
    ]),
  )
}

function isTextList(value: Json | undefined): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string') &&
    new Set(value).size === value.length
  )
}

function range(min: Json | undefined, max: Json | undefined): { min?: number; max?: number } {
  return { ...(typeof min === 'number' ? { min } : {}), ...(typeof max === 'number' ? { max } : {}) }
}

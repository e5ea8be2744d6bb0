// Type names and keyword spellings that are not JSON Schema's own but mean something in it.
import type { Json } from '../json/types.js'
import type { schemaTypes } from './keywords.js'

type SchemaType = (typeof schemaTypes)[number]

const words: readonly (readonly [SchemaType, string])[] = [
  ['string', 'string str text char character varchar date datetime date-time time uuid uri url email'],
  ['integer', 'integer int long short byte int32 int64 bigint biginteger'],
  ['number', 'number float double decimal numeric real float32 float64'],
  ['boolean', 'boolean bool'],
  ['object', 'object dict dictionary map hashmap hashtable record struct'],
  ['array', 'array list tuple set arraylist sequence vector'],
  ['null', 'null none nil nonetype'],
]
const types: ReadonlyMap<string, SchemaType> = new Map(
  words.flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
)

/** The JSON Schema type a name stands for, whatever its case; undefined for `any` and for names nobody knows. */
export function mapType(name: Json): SchemaType | undefined {
  return typeof name === 'string' ? types.get(name.trim().toLowerCase()) : undefined
}

/** Spellings that the Python SDKs of Gemini write. */
export const snakeKeywords: ReadonlyMap<string, string> = new Map([
  ['any_of', 'anyOf'],
  ['one_of', 'oneOf'],
  ['all_of', 'allOf'],
  ['min_items', 'minItems'],
  ['max_items', 'maxItems'],
  ['min_length', 'minLength'],
  ['max_length', 'maxLength'],
  ['min_properties', 'minProperties'],
  ['max_properties', 'maxProperties'],
  ['additional_properties', 'additionalProperties'],
  ['property_ordering', 'propertyOrdering'],
])

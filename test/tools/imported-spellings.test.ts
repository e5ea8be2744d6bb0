// Schemas of other libraries: their names of types and their spellings of keywords mean what JSON Schema calls otherwise.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { importTool } from '../../src/tools/import-tool.js'

/** What becomes of a property of an imported tool. */
function imported(schema: Json): unknown {
  const parameters: JsonObject = { type: 'object', properties: { it: schema } }
  const { spec } = importTool({ name: 'a_tool', description: 'Does something', parameters }).tool
  const { properties } = spec.inputSchema ?? {}
  return (properties as JsonObject).it
}

const names: Readonly<Record<string, string>> = {
  string: 'string text str char character varchar STRING String',
  integer: 'integer int long short byte int32 int64 bigint biginteger Integer',
  number: 'number float double decimal numeric real float32 float64 FLOAT',
  boolean: 'boolean bool Boolean',
  object: 'object dict dictionary map hashmap hashtable record struct',
  array: 'array list tuple set arraylist sequence vector',
  null: 'null none nil nonetype NoneType',
}

describe('a type by another name', () => {
  test.each(Object.entries(names))('%s', (type, others) => {
    for (const name of others.split(' ')) expect([name, imported({ type: name })]).toEqual([name, { type }])
  })
})

describe('a keyword in snake case', () => {
  test.each<[string, string, Json, JsonObject]>([
    ['any_of', 'anyOf', [{ type: 'string' }, { type: 'number' }], {}],
    ['one_of', 'oneOf', [{ type: 'string' }, { type: 'number' }], {}],
    ['all_of', 'allOf', [{ minLength: 1 }], { type: 'string' }],
    ['min_items', 'minItems', 1, { type: 'array' }],
    ['max_items', 'maxItems', 2, { type: 'array' }],
    ['min_length', 'minLength', 1, { type: 'string' }],
    ['max_length', 'maxLength', 2, { type: 'string' }],
    ['min_properties', 'minProperties', 1, { type: 'object' }],
    ['max_properties', 'maxProperties', 2, { type: 'object' }],
    ['additional_properties', 'additionalProperties', false, { type: 'object' }],
  ])('%s is %s', (written, keyword, value, beside) => {
    expect(imported({ ...beside, [written]: value })).toEqual({ ...beside, [keyword]: value })
  })

  test('is the name of a property where properties are named', () => {
    const schema = { type: 'object', properties: { min_items: { type: 'int', min_length: 1 } } }
    expect(imported(schema)).toMatchObject({ properties: { min_items: { type: 'integer' } } })
  })
})

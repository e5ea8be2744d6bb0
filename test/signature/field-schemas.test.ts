// Field types and JSON Schemas, both ways: a schema that says what a field type says becomes that type, any other stays a schema.
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/types.js'
import type { Field, FieldType } from '../../src/signature/field.js'
import { fieldTypeOf, schemaOf } from '../../src/signature/schema-field.js'

const field = (name: string, type: FieldType, more: Partial<Field> = {}): Field => ({
  name,
  type,
  optional: false,
  internal: false,
  ...more,
})

const pairs: readonly (readonly [FieldType, JsonObject])[] = [
  [{ kind: 'string' }, { type: 'string' }],
  [
    { kind: 'string', min: 0 },
    { type: 'string', minLength: 0 },
  ],
  [
    { kind: 'string', min: 1, max: 5 },
    { type: 'string', minLength: 1, maxLength: 5 },
  ],
  [
    { kind: 'string', pattern: '^a' },
    { type: 'string', pattern: '^a' },
  ],
  [
    { kind: 'string', format: 'email' },
    { type: 'string', format: 'email' },
  ],
  [
    { kind: 'string', format: 'uri', max: 9 },
    { type: 'string', maxLength: 9, format: 'uri' },
  ],
  [{ kind: 'number' }, { type: 'number' }],
  [
    { kind: 'number', min: -1.5, max: 2 },
    { type: 'number', minimum: -1.5, maximum: 2 },
  ],
  [
    { kind: 'integer', min: 0 },
    { type: 'integer', minimum: 0 },
  ],
  [{ kind: 'boolean' }, { type: 'boolean' }],
  [{ kind: 'date' }, { type: 'string', format: 'date' }],
  [{ kind: 'datetime' }, { type: 'string', format: 'date-time' }],
  [
    { kind: 'class', values: ['a', 'b'] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  [{ kind: 'json' }, {}],
  [{ kind: 'object' }, { type: 'object' }],
  [
    { kind: 'list', items: { kind: 'string' } },
    { type: 'array', items: { type: 'string' } },
  ],
  [
    { kind: 'list', items: { kind: 'date' }, min: 1, max: 3 },
    { type: 'array', items: { type: 'string', format: 'date' }, minItems: 1, maxItems: 3 },
  ],
  [
    {
      kind: 'object',
      fields: [
        field('a', { kind: 'integer' }, { description: 'How many' }),
        field('b', { kind: 'boolean' }, { optional: true }),
      ],
    },
    {
      type: 'object',
      properties: { a: { type: 'integer', description: 'How many' }, b: { type: 'boolean' } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  [
    { kind: 'object', fields: [field('a', { kind: 'json' }, { optional: true })] },
    { type: 'object', properties: { a: {} }, additionalProperties: false },
  ],
]

describe('a field type and its schema', () => {
  test.each(pairs)('%j', (type, schema) => {
    expect(schemaOf(type)).toStrictEqual(schema)
    expect(fieldTypeOf(schema)).toStrictEqual(type)
  })
})

describe('a schema that says more than a field type can stays a schema', () => {
  test.each<[string, JsonObject]>([
    ['an unknown keyword', { type: 'string', contentEncoding: 'base64' }],
    ['another format', { type: 'string', format: 'ipv4' }],
    ['an enum of numbers', { type: 'number', enum: [1, 2] }],
    ['an enum of text and null', { type: 'string', enum: ['a', null] }],
    ['an empty enum', { type: 'string', enum: [] }],
    ['a bound that is no number', { type: 'string', minLength: '1' }],
    ['a pattern that is no text', { type: 'string', pattern: 1 }],
    ['a bound of another type', { type: 'number', minLength: 1 }],
    ['a list of types', { type: ['string', 'null'] }],
    ['items that are a boolean', { type: 'array', items: true }],
    ['a list without items', { type: 'array' }],
    ['an object without members', { type: 'object', properties: {} }],
    ['a member name that is no word', { type: 'object', properties: { 'a-b': { type: 'string' } } }],
    [
      'a member called like the prototype',
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonObject,
    ],
    ['a member that is a boolean', { type: 'object', properties: { a: true } }],
    ['a required member that is not there', { type: 'object', properties: { a: {} }, required: ['b'] }],
    ['open members', { type: 'object', properties: { a: {} }, additionalProperties: true }],
    ['a description of its own', { type: 'string', description: 'x' }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
  ])('%s', (_, schema) => {
    expect(fieldTypeOf(schema)).toStrictEqual({ kind: 'schema', schema })
  })

  test('but the order of required members, and that others are refused, mean the same either way', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    const fields = [field('a', { kind: 'string' }), field('b', { kind: 'string' })]
    for (const required of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      expect(fieldTypeOf({ type: 'object', properties, required })).toStrictEqual({ kind: 'object', fields })
      expect(fieldTypeOf({ type: 'object', properties, required, additionalProperties: false })).toStrictEqual({
        kind: 'object',
        fields,
      })
    }
  })
})

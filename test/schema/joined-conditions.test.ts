// Conditions that must all hold (`allOf`), as the one schema a provider gets: joined where that says the same, else the first counts
// and the other is reported. A joined schema never allows less than the original.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { restrict } from '../../src/schema/restrict/restrict.js'

const property = (allOf: readonly Json[]): JsonObject => ({
  type: 'object',
  properties: { x: { allOf } },
  required: ['x'],
})

/** What becomes of a property, and what is reported of it. */
function lower(allOf: readonly Json[]): readonly [unknown, readonly (readonly [string, string])[]] {
  const { schema, losses } = restrict(property(allOf), 'gemini_openapi')
  const reported = losses.map(({ kind, path }) => [kind, path] as const)
  return [(schema.properties as JsonObject).x, reported]
}

describe('conditions that are joined', () => {
  test.each<[string, readonly Json[], JsonObject]>([
    [
      'the narrower bounds of numbers',
      [{ type: 'number', minimum: 1 }, { minimum: 3, maximum: 9 }, { maximum: 5 }],
      { type: 'number', minimum: 3, maximum: 5 },
    ],
    [
      'the narrower bounds wherever they stand',
      [
        { type: 'number', minimum: 3, maximum: 5 },
        { minimum: 1, maximum: 9 },
      ],
      { type: 'number', minimum: 3, maximum: 5 },
    ],
    [
      'the narrower lengths',
      [
        { type: 'string', minLength: 1, maxLength: 9 },
        { minLength: 3, maxLength: 5 },
      ],
      { type: 'string', minLength: 3, maxLength: 5 },
    ],
    [
      'the narrower counts of items',
      [
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 9 },
        { minItems: 2, maxItems: 3 },
      ],
      { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 },
    ],
    ['the types both have', [{ type: ['string', 'number'] }, { type: ['number', 'null'] }], { type: 'number' }],
    ['an integer is a number', [{ type: 'number' }, { type: 'integer' }], { type: 'integer' }],
    [
      'an integer is a number, the other way round',
      [{ type: ['integer', 'string'] }, { type: 'number' }],
      { type: 'integer' },
    ],
    [
      'the values both list',
      [{ enum: ['a', 'b', 'c'] }, { enum: ['b', 'c', 'd'] }],
      { type: 'string', enum: ['b', 'c'] },
    ],
    ['a value that is in the list', [{ enum: ['a', 'b'] }, { const: 'b' }], { type: 'string', enum: ['b'] }],
    ['the same value twice', [{ const: 'a' }, { const: 'a' }], { type: 'string', enum: ['a'] }],
    [
      'what holds for items',
      [{ type: 'array', items: { type: 'number' } }, { items: { minimum: 2 } }],
      { type: 'array', items: { type: 'number', minimum: 2 } },
    ],
    [
      'alternatives, each with each',
      [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'number' }, { type: 'null' }] }],
      { type: 'number' },
    ],
    [
      'the words of the first, and those that it lacks',
      [
        { type: 'string', description: 'one' },
        { description: 'two', title: 'T' },
      ],
      { type: 'string', title: 'T', description: 'one' },
    ],
    [
      'properties and required ones of both',
      [
        { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
        { properties: { b: { minimum: 1 }, c: { type: 'boolean' } }, required: ['a', 'c'] },
      ],
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number', minimum: 1 }, c: { type: 'boolean' } },
        required: ['a', 'c'],
      },
    ],
    [
      'where one is closed, only the keys it declares',
      [
        { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
        { properties: { a: { minLength: 2 }, b: { type: 'string' } } },
      ],
      { type: 'object', properties: { a: { type: 'string', minLength: 2 } } },
    ],
    [
      'where the second is closed, only the keys it declares',
      [
        { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
        { properties: { b: { minLength: 2 } }, additionalProperties: false },
      ],
      { type: 'object', properties: { b: { type: 'string', minLength: 2 } } },
    ],
    ['true says nothing', [{ type: 'string' }, true], { type: 'string' }],
  ])('%s', (_, allOf, expected) => {
    expect(lower(allOf)).toEqual([expected, []])
  })
})

describe('conditions that cannot be joined', () => {
  test.each<[string, readonly Json[], JsonObject]>([
    ['two values', [{ const: 'a' }, { const: 'b' }], { type: 'string', enum: ['a'] }],
    ['two patterns', [{ type: 'string', pattern: 'a' }, { pattern: 'b' }], { type: 'string', pattern: 'a' }],
    [
      'two formats',
      [{ type: 'string', format: 'date-time' }, { format: 'time' }],
      { type: 'string', format: 'date-time' },
    ],
  ])('%s: the first counts, and the other is reported', (_, allOf, expected) => {
    expect(lower(allOf)).toEqual([expected, [['widened', '/properties/x']]])
  })

  test('more than sixteen pairs of alternatives', () => {
    const alternatives = (prefix: string, count: number): Json => ({
      anyOf: Array.from({ length: count }, (_, index) => ({
        type: 'object',
        properties: { [`${prefix}${index}`]: {} },
      })),
    })
    const isWidened = ([, reported]: ReturnType<typeof lower>): boolean =>
      reported.some(([kind, path]) => kind === 'widened' && path === '/properties/x')
    expect(isWidened(lower([alternatives('a', 4), alternatives('b', 4)]))).toBe(false)
    expect(isWidened(lower([alternatives('a', 4), alternatives('b', 5)]))).toBe(true)
  })
})

describe('conditions that no value meets', () => {
  test.each<[string, readonly Json[]]>([
    ['two types', [{ type: 'string' }, { type: 'number' }]],
    ['two lists without a common value', [{ enum: ['a'] }, { enum: ['b'] }]],
    ['a value that is not in the list', [{ enum: ['a'] }, { const: 'b' }]],
    ['a value of another type', [{ type: 'number' }, { const: 'b' }]],
    ['false', [{ type: 'string' }, false]],
  ])('%s: the property is left out, and that is reported', (_, allOf) => {
    expect(lower(allOf)).toEqual([undefined, [['lowered', '/properties/x']]])
  })
})

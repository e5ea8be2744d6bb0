// The short ways around the compiler: a schema that is said to fit must be one the compiler leaves as it is, and a remembered
// result must be the one the compiler gives.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { compile } from '../../src/schema/restrict/compile.js'
import { dialectNames, dialects } from '../../src/schema/restrict/dialects.js'
import { fits } from '../../src/schema/restrict/fitting.js'
import { boundedMemory } from '../../src/schema/restrict/memory.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { samples } from '../arbitraries/schemas.js'

const written = dialectNames.filter((name) => dialects[name].keywords !== 'all')
const given: fc.Arbitrary<JsonObject> = samples.map(({ schema }) => schema)

/** Keywords that may or may not stay, beside any type. */
const keywords: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom(
    ...'type title description enum const default format pattern minItems maxItems minimum maximum items prefixItems'.split(
      ' ',
    ),
    ...'properties required additionalProperties anyOf propertyOrdering nullable $schema $id $ref examples minLength'.split(
      ' ',
    ),
  ),
  fc.oneof(
    fc.constantFrom<Json>(
      'string',
      'integer',
      'object',
      'array',
      'null',
      'date',
      'email',
      '',
      true,
      false,
      null,
      0,
      1,
      7,
    ),
    fc.constantFrom<Json>([], ['a'], ['a', 'a'], ['string', 'null'], ['null', 'string'], [1], ['a', null]),
    fc.constantFrom<Json>({}, { type: 'string' }, { a: { type: 'string' } }, { a: { type: 'integer' }, b: true }),
  ),
  { maxKeys: 5 },
) as fc.Arbitrary<JsonObject>
const typed: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom<Json>('string', 'integer', 'object', 'array', 'boolean', ['string', 'null']), keywords)
  .map(([type, more]) => ({ type, ...more }))
const nested: fc.Arbitrary<JsonObject> = fc
  .tuple(typed, typed, fc.subarray(['a', 'b']), keywords)
  .map(([a, b, required, more]) => ({
    type: 'object',
    properties: { a, b: { type: 'array', items: b } },
    required,
    ...more,
  }))

describe.each(written)('%s', (name) => {
  test('a schema that fits is one the compiler leaves as it is', () => {
    let fitting = 0
    const check = (schema: JsonObject): void => {
      if (!fits(schema, dialects[name])) return
      fitting += 1
      expect(compile(schema, name)).toEqual({ schema, losses: [] })
    }
    fc.assert(
      fc.property(fc.oneof(given, typed, nested), keywords, (schema, more) => {
        check(schema)
        const { schema: lowered } = compile(schema, name)
        check(lowered)
        check({ ...lowered, ...more })
      }),
      { numRuns: 1000 },
    )
    expect(fitting).toBeGreaterThan(200)
  })

  test('a schema that comes again as another object has the same result, and its own object where nothing changed', () => {
    fc.assert(
      fc.property(given, (schema) => {
        const fresh = (): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject
        const compiled = compile(fresh(), name)
        for (const again of [fresh(), fresh()]) {
          const result = restrict(again, name)
          expect(result).toEqual(compiled)
          if (JSON.stringify(result.schema) === JSON.stringify(schema)) expect(result.schema).toBe(again)
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('what is edited after it was lowered is lowered anew, and leaves what was given before alone', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: [] as string[] }
  const before = restrict(schema, 'ollama')
  schema.properties.a.default = 'y'
  expect(restrict(schema, 'ollama').schema).toMatchObject({ properties: { a: { description: '(default: "y")' } } })
  expect(before.schema).toMatchObject({ properties: { a: { description: '(default: "x")' } } })
})

test('the memory forgets what was not used for longest, and never holds more than it may', () => {
  const memory = boundedMemory<number>({ total: 10, each: 5 })
  memory.set('a', 1, 4)
  memory.set('b', 2, 4)
  expect(memory.get('a')).toBe(1)
  memory.set('c', 3, 4)
  expect([memory.get('a'), memory.get('b'), memory.get('c'), memory.held()]).toEqual([1, undefined, 3, 8])
  memory.set('a', 4, 5)
  memory.set('d', 5, 6)
  expect([memory.get('a'), memory.get('d'), memory.held()]).toEqual([4, undefined, 9])
})

// What our own emitters (zod, params, the builder) describe can be held to in strict mode, as it is where the type allows it.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../src/json/types.js'
import { takeSchema } from '../../src/schema/intake.js'
import { type Restricted, restrict } from '../../src/schema/restrict/restrict.js'
import { mapBack } from '../../src/schema/restrict/value-map.js'
import { oracles } from '../../src/testing/schema-oracles.js'
import { params } from '../../src/tools/params.js'
import { expectStrict } from './openai-helper.js'

function strictOf(schema: unknown): Restricted & { readonly original: JsonObject } {
  const taken = takeSchema(schema, 'input')
  if (!taken.ok) throw new Error(taken.problem.message)
  return { ...restrict(taken.schema, 'openai_strict'), original: taken.schema }
}

const withoutOptional: readonly [string, unknown][] = [
  ['zod', z.object({ city: z.string(), days: z.number().int(), unit: z.enum(['c', 'f']), at: z.array(z.string()) })],
  ['zod, nested', z.object({ inner: z.object({ on: z.boolean().nullable() }) })],
  [
    'zod, a discriminated union',
    z.object({
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), a: z.string() }),
        z.object({ kind: z.literal('b'), b: z.number() }),
      ]),
    }),
  ],
  [
    'params',
    params.object({ city: params.string(), days: params.integer({ minimum: 1 }), at: params.array(params.string()) }),
  ],
]

describe('a type without optional members', () => {
  test.each(withoutOptional)('%s: is only closed, and its values stay as they are', (_, schema) => {
    const { schema: lowered, mapping, refused } = strictOf(schema)
    expect({ mapping, refused }).toEqual({ mapping: undefined, refused: undefined })
    expect(oracles.openai_strict(lowered)).toEqual([])
    expectStrict(lowered)
  })
})

const widened: readonly [string, unknown, string, string][] = [
  ['an optional member', z.object({ a: z.string().optional() }), '{"a":null}', '{}'],
  ['an optional member of params', params.object({ a: params.optional(params.string()) }), '{"a":null}', '{}'],
  ['a nullish member keeps null', z.object({ a: z.string().nullish() }), '{"a":null}', '{"a":null}'],
  [
    'a record',
    z.object({ m: z.record(z.string(), z.number()) }),
    '{"m":[{"key":"__proto__","value":1.50}]}',
    '{"m":{"__proto__":1.50}}',
  ],
  [
    'a record of listed keys',
    z.object({ m: z.partialRecord(z.enum(['x', 'y']), z.number()) }),
    '{"m":{"x":1,"y":null}}',
    '{"m":{"x":1}}',
  ],
  [
    'a tuple',
    z.object({ p: z.tuple([z.number(), z.string()]) }),
    '{"p":{"item_1":1e3,"item_2":"b"}}',
    '{"p":[1e3,"b"]}',
  ],
  [
    'any value',
    z.object({ v: z.unknown() }),
    '{"v":"{\\"id\\":12345678901234567890}"}',
    '{"v":{"id":12345678901234567890}}',
  ],
  ['a list at the root', z.array(z.string()), '{"value":["a"]}', '["a"]'],
]

describe('a type that strict mode cannot say', () => {
  test.each(widened)(
    '%s: goes out in another shape, and its values come back digit for digit',
    (_, schema, sent, back) => {
      const { schema: lowered, mapping } = strictOf(schema)
      expect(oracles.openai_strict(lowered)).toEqual([])
      expectStrict(lowered)
      expect(mapping === undefined ? sent : mapBack(sent, mapping)).toBe(back)
    },
  )

  test('text that needs no change stays byte for byte, and what is no JSON is left alone', () => {
    const { mapping } = strictOf(z.object({ a: z.string().optional(), b: z.number() }))
    if (mapping === undefined) throw new Error('the optional member needs a map')
    for (const text of ['{ "a" : "x",\n"b": 1.0 }', '{"a":', 'prose', '[1]', ''])
      expect(mapBack(text, mapping)).toBe(text)
  })
})

describe('losses', () => {
  test('say what was moved, widened or narrowed, and where', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, description: 'Full name' },
        either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        odd: { type: 'integer', not: { multipleOf: 2 } },
      },
      required: ['name', 'either', 'odd'],
    } as const
    const { schema: lowered, losses } = restrict(schema, 'openai_strict')
    expect(lowered).toMatchObject({ properties: { name: { description: 'Full name (minLength: 2)' } } })
    expect(losses.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'narrowed ',
      'moved /properties/name/minLength',
      'widened /properties/either/oneOf',
      'moved /properties/odd/not',
    ])
  })

  test('a schema that is too large, or that nothing matches, is refused with a reason', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'string' }]))
    expect(restrict({ type: 'object', properties: many }, 'anthropic_output').refused).toContain(
      '30 optional properties',
    )
    expect(restrict({ type: 'object', properties: many }, 'openai_strict').refused).toBeUndefined()
    expect(restrict({ allOf: [{ type: 'string' }, { type: 'object' }] }, 'openai_strict').refused).toBe(
      'no value can match the schema',
    )
  })

  test('property names that mean something to JavaScript stay names', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
    ) as JsonObject
    const { schema: lowered, mapping } = restrict(schema, 'openai_strict')
    expect(JSON.stringify(lowered)).toContain('"__proto__":{"type":["string","null"]}')
    expect(mapping === undefined ? '' : mapBack('{"__proto__":"x","constructor":null}', mapping)).toBe(
      '{"__proto__":"x"}',
    )
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

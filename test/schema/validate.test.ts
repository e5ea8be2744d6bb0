import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { Checked } from '../../src/schema/issue.js'
import { compileSchema } from '../../src/schema/validate.js'

const issuesOf = (schema: JsonObject, value: unknown): unknown => {
  const checked = compileSchema(schema)(value)
  return checked.ok ? [] : checked.issues
}

describe('issues', () => {
  const rows: readonly (readonly [string, JsonObject, unknown, readonly (readonly [string, string])[]])[] = [
    [
      'all failing paths at once',
      { properties: { a: { type: 'string' }, 'b/c': { type: 'null' } }, required: ['z'] },
      { a: 1, 'b/c': 1 },
      [
        ['/z', 'is required'],
        ['/a', 'must be string'],
        ['/b~1c', 'must be null'],
      ],
    ],
    [
      'alternatives of types are one sentence',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      [['', 'must be string or null']],
    ],
    [
      'alternatives below',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        ['/a', 'is required'],
        ['/b', 'is required'],
      ],
    ],
    ['too many alternatives match', { oneOf: [{}, {}] }, {}, [['', 'must match exactly one of the alternatives']]],
    ['unknown properties', { additionalProperties: false }, { a: 1 }, [['/a', 'is not a known property']]],
    ['numbers', { minimum: 1, multipleOf: 2 }, -1, [['', 'must be 1 or more, or must be a multiple of 2']]],
    ['lengths count characters', { type: 'string', maxLength: 1, minLength: 1 }, '😀', []],
    ['too short', { minLength: 3 }, '😀😀', [['', 'must have at least 3 characters']]],
    ['patterns', { pattern: '^a+$' }, 'b', [['', 'must match the pattern "^a+$"']]],
    [
      'two patterns are two patterns',
      { allOf: [{ pattern: 'a' }, { pattern: 'b' }] },
      'a',
      [['', 'must match the pattern "b"']],
    ],
    [
      'unique items',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [['', 'must not have the same item twice']],
    ],
    ['text and number are different items', { uniqueItems: true }, ['1', 1, null, 'null'], []],
    ['references', { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, 1, [['', 'must be string']]],
    [
      'anchors and ids',
      {
        $id: 'https://x.test/s.json',
        allOf: [{ $ref: '#here' }, { $ref: 's.json#/$defs/b' }],
        $defs: { a: { $anchor: 'here', type: 'string' }, b: { enum: ['x'] } },
      },
      1,
      [['', 'must be one of "x", or must be string']],
    ],
    [
      'recursion',
      { type: 'object', properties: { next: { $ref: '#' } }, required: ['v'] },
      { v: 1, next: { next: { v: 1 } } },
      [['/next/v', 'is required']],
    ],
    [
      'engine extensions have no power',
      {
        $async: true,
        nullable: true,
        format: 'email',
        $schema: 'http://json-schema.org/draft-04/schema#',
        type: 'string',
      },
      'x',
      [],
    ],
    [
      'members of the prototype are not there',
      { required: ['constructor'], properties: { toString: { type: 'string' } } },
      {},
      [['/constructor', 'is required']],
    ],
  ]
  for (const [title, schema, value, expected] of rows) {
    test(title, () => {
      expect(issuesOf(schema, value)).toEqual(expected.map(([path, message]) => ({ path, message })))
    })
  }

  test('no more than twenty, and how many are left', () => {
    const issues = issuesOf(
      { items: { type: 'string' } },
      Array.from({ length: 30 }, () => 1),
    ) as { message: string }[]
    expect(issues).toHaveLength(21)
    expect(issues.at(-1)?.message).toBe('and 10 more')
  })

  test('a bigint is an integer', () => {
    const big = 12345678901234567890n
    expect(issuesOf({ type: 'integer', minimum: 5 }, big)).toEqual([])
    expect(issuesOf({ type: 'number' }, big)).toEqual([])
    expect(issuesOf({ type: 'string' }, big)).toEqual([{ path: '', message: 'must be string' }])
    expect(issuesOf({ uniqueItems: true }, [big, big + 1n])).toEqual([])
    expect(issuesOf({ uniqueItems: true }, [big, big])).toHaveLength(1)
    const value = { id: big }
    expect(compileSchema({ type: 'object' })(value)).toEqual({ ok: true, value })
  })

  test('__proto__ in schemas and values reaches no prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"$defs":{"__proto__":{"polluted":true}},"default":{"__proto__":{"polluted":true}}}',
    )
    compileSchema(schema)(JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(issuesOf({ additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toHaveLength(1)
  })

  test('values that cannot be read give an issue', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const getter = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    for (const value of [proxy, getter, cyclic]) expect(issuesOf({ type: 'object' }, value)).toHaveLength(1)
  })
})

test('says what the engine says without the preparation', () => {
  const engine = new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true })
  const leaf = fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'integer', minimum: 0 },
    { enum: ['a', 1] },
    { const: null },
    { maxLength: 2 },
    { pattern: '^a' },
    { $ref: '#/$defs/d' },
    { $ref: '#' },
    {},
  )
  const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('node')),
        required: fc.subarray(['a', 'b']),
        additionalProperties: tie('node'),
      }),
      fc.record({
        prefixItems: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
        items: tie('node'),
        uniqueItems: fc.boolean(),
      }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }), not: tie('node') }),
      fc
        .tuple(tie('node'), tie('node'), tie('node'))
        .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((key, index) => [key, parts[index]]))),
      fc.record({ contains: tie('node'), maxContains: fc.nat(2) }),
      fc.record({ prefixItems: fc.array(tie('node'), { minLength: 1, maxLength: 2 }), unevaluatedItems: fc.boolean() }),
      fc.record({
        patternProperties: fc.record({ '^a': tie('node') }),
        unevaluatedProperties: fc.boolean(),
        maxProperties: fc.nat(3),
      }),
    ) as fc.Arbitrary<JsonObject>,
  }))
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>('a', 'abc', 1, -1, 1.5, null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ) as fc.Arbitrary<Json>,
  })).value
  fc.assert(
    fc.property(node, leaf, fc.array(value, { minLength: 1, maxLength: 5 }), (schema, definition, values) => {
      const whole: JsonObject = { ...schema, $defs: { d: definition } }
      for (const item of values) {
        const mine = outcome(() => verdict(compileSchema(whole)(item)))
        const theirs = outcome(() => engine.compile(structuredClone(whole))(item))
        // With `unevaluated…` and recursion the engine can write code that does not run.
        if (theirs === 'broken') continue
        // Endless references: refused or reported here, a stack overflow there, as far as the two look at them at all.
        if (theirs !== 'failed' && mine !== 'failed') expect(mine).toBe(theirs)
      }
    }),
    { numRuns: 300 },
  )
})

function verdict(checked: Checked<unknown>): boolean | 'failed' {
  const isUnchecked = !checked.ok && checked.issues.some(({ message }) => /^is too|^cannot/.test(message))
  return isUnchecked ? 'failed' : checked.ok
}

function outcome(check: () => unknown): unknown {
  try {
    return check()
  } catch (error) {
    if (error instanceof ReferenceError) return 'broken'
    if (error instanceof RangeError || ToolwireError.is(error)) return 'failed'
    if (error instanceof Error && error.message.includes("can't resolve")) return 'failed'
    throw error
  }
}

describe('hostile schemas and values block for less than 50 ms', () => {
  const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))
  const named = (length: number, schema: Json): JsonObject =>
    Object.fromEntries(many(length, (index) => [`p${index}`, schema]))
  const nested = (depth: number): unknown => many(depth, () => 0).reduce((inner: unknown) => [inner], 1 as unknown)
  const numbers = many(1_000_000, (index) => index)
  const empties = many(60_000, () => ({}))
  const keys = Object.fromEntries(many(60_000, (index) => [`k${index}`, 1]))
  const fewerKeys = Object.fromEntries(Object.entries(keys).slice(0, 9_000))
  const longText = 'é'.repeat(8_000_000)
  const doubling = Object.fromEntries(
    many(60, (index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )
  const forked = { anyOf: many(3, () => ({ type: 'array', items: { $ref: '#/$defs/a' } })) }
  const rows: readonly (readonly [string, JsonObject, unknown])[] = [
    ['many properties', { properties: named(5_000, { type: 'string', minLength: 1, pattern: '^a' }) }, {}],
    [
      'many alternatives',
      { anyOf: many(5_000, (index) => ({ properties: { k: { const: index } }, required: ['k'] })) },
      {},
    ],
    [
      'many references',
      {
        properties: Object.fromEntries(many(2_000, (index) => [`q${index}`, { $ref: `#/$defs/p${index}` }])),
        $defs: named(2_000, { type: 'object' }),
      },
      {},
    ],
    ['references that double', { $ref: '#/$defs/d0', $defs: { ...doubling, d60: { type: 'string' } } }, {}],
    ['recursion that forks', { $ref: '#/$defs/a', $defs: { a: forked } }, nested(60)],
    ['a reference to itself', { $ref: '#' }, {}],
    ['a reference to itself in allOf', { allOf: [{ $ref: '#' }] }, {}],
    ['a schema nested deeply', nested(90) as never, {}],
    ['a value nested deeply', { items: { $ref: '#' } }, nested(5_000)],
    ['a million failing items', { items: { type: 'string' } }, numbers],
    ['many failing items', { items: { type: 'string' } }, numbers.slice(0, 90_000)],
    ['many failing objects', { items: { required: ['a', 'b', 'c', 'd', 'e'] } }, empties],
    ['many unknown properties', { additionalProperties: false }, keys],
    ['fewer unknown properties', { additionalProperties: false }, fewerKeys],
    ['many items to tell apart', { uniqueItems: true }, numbers.slice(0, 90_000)],
    ['many objects to tell apart', { uniqueItems: true }, empties],
    ['a large enum for many items', { items: { enum: many(10_000, String) } }, numbers.slice(0, 10_000)],
    ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`],
    ['a pattern that backtracks on a huge text', { pattern: '^(a+)+$' }, longText],
    ['a pattern with many states', { pattern: '(a|aa|aaa|b?){1,300}$' }, 'ab'.repeat(20_000)],
    ['a pattern with huge repetitions', { pattern: '(a{1000}){1000}' }, 'a'.repeat(10_000)],
    ['a huge pattern', { pattern: 'x'.repeat(100_000) }, 'x'],
    ['lengths of a huge text', { anyOf: many(80, (index) => ({ minLength: 6_000_000 + index })) }, longText],
  ]
  compileSchema({ type: 'object' })({})
  for (const [title, schema, value] of rows) {
    test(title, () => {
      // The best of five: other processes must not decide the test.
      const times = many(5, () => {
        const fresh = structuredClone(schema)
        const start = performance.now()
        outcome(() => compileSchema(fresh)(value))
        return performance.now() - start
      })
      expect(Math.min(...times)).toBeLessThan(50)
    })
  }
})

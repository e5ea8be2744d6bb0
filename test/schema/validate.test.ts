import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/types.js'
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

  test('what an object inherits is not there, whoever it inherits from', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const
    const missing = [{ path: '/a', message: 'is required' }]
    expect(issuesOf(schema, Object.create({ a: 'x' }))).toEqual(missing)
    const closed = { type: 'object', additionalProperties: false } as const
    let issues: unknown[] = []
    Object.defineProperty(Object.prototype, 'a', { value: 'x', enumerable: true, configurable: true, writable: true })
    try {
      issues = [issuesOf(schema, {}), issuesOf(closed, {})]
    } finally {
      Reflect.deleteProperty(Object.prototype, 'a')
    }
    expect(issues).toEqual([missing, []])
    expect(issuesOf(schema, { a: 'x' })).toEqual([])
    expect(issuesOf(schema, Object.assign(Object.create(null), { a: 'x' }))).toEqual([])
  })

  test('the second value of a schema, which is looked at in haste, gets the same verdict as the first', () => {
    const rows: readonly (readonly [JsonObject, readonly unknown[], readonly unknown[]])[] = [
      [{ type: 'string', enum: ['a', 'b'] }, ['a', 'b'], ['c', '', 1, null]],
      [{ type: 'string', enum: ['a', 'bb'], minLength: 2 }, ['bb'], ['a', 'cc', 1]],
      [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'abcd'.slice(1), '😀😀😀'], ['a', '😀', 'abcd', 2]],
      [{ type: 'number' }, [0, -1.5, 5n], [Number.NaN, Number.POSITIVE_INFINITY, '1', true]],
      [{ type: 'number', minimum: 0, exclusiveMaximum: 1 }, [0, 0.5], [1, -0.1]],
      [{ type: 'integer', minimum: 1, maximum: 5 }, [1, 5, 3n], [0, 6, 1.5, 9n, '1']],
      [{ type: 'integer', minimum: 1, multipleOf: 2 }, [2, 4], [3, 0]],
      [{ type: 'boolean' }, [true, false], [0, 'true', null]],
      [{ type: 'boolean', const: true }, [true], [false]],
    ]
    for (const [schema, good, bad] of rows) {
      const check = compileSchema({ type: 'object', properties: { a: schema, list: { type: 'array', items: schema } } })
      for (const [values, ok] of [[good, true] as const, [bad, false] as const]) {
        for (const value of [...values, ...values]) {
          expect([schema, value, check({ a: value }).ok, check({ list: [value, value] }).ok]).toEqual([
            schema,
            value,
            ok,
            ok,
          ])
        }
      }
    }
  })

  test('members in any order, with gaps and strangers, are each found once', () => {
    const text = { type: 'string' }
    const properties = { a: text, b: text, c: text, d: text }
    const schema: JsonObject = {
      type: 'object',
      properties,
      required: ['a', 'c', 'x'],
      additionalProperties: { type: 'number' },
    }
    expect(issuesOf(schema, { a: '', b: '', c: '', d: '', x: 1 })).toEqual([])
    expect(issuesOf(schema, { x: 1, d: '', y: 2, c: '', a: '' })).toEqual([])
    expect(issuesOf(schema, { a: '', c: undefined, x: 1, d: '' })).toEqual([{ path: '/c', message: 'is required' }])
    expect(issuesOf(schema, { a: '', c: '', x: '', y: '' })).toEqual([
      { path: '/x', message: 'must be number' },
      { path: '/y', message: 'must be number' },
    ])
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

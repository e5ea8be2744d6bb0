import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AnyCall, BrokenReason, ToolCall } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { argsOf, decodeArguments } from '../../src/tools/arguments.js'
import { params } from '../../src/tools/params.js'
import { repairArguments } from '../../src/tools/repair.js'

function callOf(text: string): ToolCall {
  return { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: text }
}
function brokenOf(text: string, reason: BrokenReason): AnyCall {
  return { type: 'broken_call', id: 'call_1', name: 'get_weather', arguments: text, reason }
}
function errorOf(action: () => unknown): ToolwireError {
  try {
    action()
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('argsOf', () => {
  test('parses once, keeps digits, and freezes', () => {
    const call = callOf('{"id":12345678901234567890,"list":[{"a":1}],"__proto__":{"x":1}}')
    const args = argsOf(call)
    expect(args.id).toBe(12345678901234567890n)
    expect(argsOf(call)).toBe(args)
    expect(Object.isFrozen((args.list as unknown[])[0])).toBe(true)
    expect(Object.keys(args)).toContain('__proto__')
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
  })

  test('an edited call is parsed anew', () => {
    const call = { ...callOf('{"a":1}') }
    expect(argsOf(call)).toEqual({ a: 1 })
    Object.assign(call, { arguments: '{"a":2}' })
    expect(argsOf(call)).toEqual({ a: 2 })
  })

  for (const text of [
    '',
    ' ',
    '[]',
    '"x"',
    'null',
    '1',
    '{"a":1',
    "{'a':1}",
    '{"a":1} x',
    '{"a":NaN}',
    '['.repeat(100_000),
  ]) {
    test(`${JSON.stringify(text.slice(0, 12))} is malformed, naming tool and id`, () => {
      const error = errorOf(() => argsOf(callOf(text)))
      expect(error.code).toBe('malformed_arguments')
      expect(error.message).toMatch(/^Failed to decode arguments for tool 'get_weather' \(id: call_1\): /)
      expect(error.message.endsWith(`\nRaw JSON: ${text}`)).toBe(true)
      expect(error.detail).toMatchObject({ tool: 'get_weather', id: 'call_1' })
    })
  }

  test('no proper prefix of an argument text is accepted', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value)
        expect(Object.keys(argsOf(callOf(text)))).toEqual(Object.keys(JSON.parse(text)))
        const error = errorOf(() => argsOf(callOf(text.slice(0, cut % text.length))))
        expect(error.code).toBe('malformed_arguments')
      }),
    )
  })
})

describe('decodeArguments', () => {
  const schema = params.object({
    city: params.string(),
    days: params.integer(),
    unit: params.optional(params.string({ enum: ['c', 'f'] })),
  })

  test('gives the typed value', () => {
    const text = '{"city":"Boston","days":2}'
    const expected = { city: 'Boston', days: 2 }
    expect(decodeArguments(callOf(text), schema)).toEqual(expected)
    expect(decodeArguments(callOf(text), z.object({ city: z.string(), days: z.number() }))).toEqual(expected)
    const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
    expect(decodeArguments(callOf(text), json).city).toBe('Boston')
  })

  test('an integer beyond 2^53 arrives as a bigint', () => {
    expect(decodeArguments(callOf('{"city":"x","days":9007199254740993}'), schema)).toEqual({
      city: 'x',
      days: 9007199254740993n,
    })
  })

  test('names every failing path and the raw text', () => {
    const text = '{"days":"two","unit":"k"}'
    const error = errorOf(() => decodeArguments(callOf(text), schema))
    expect(error.code).toBe('malformed_arguments')
    expect(error.message).toBe(
      `Failed to decode arguments for tool 'get_weather' (id: call_1): /city is required; /unit must be one of "c", "f"; /days must be integer\nRaw JSON: ${text}`,
    )
  })

  test('arguments beyond a limit are refused before they are parsed, naming tool and limit', () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`k${index}`, 1])))
    const rows: readonly (readonly [string, string, string])[] = [
      [`{"a":"${'x'.repeat(2_000_000)}"}`, 'characters', 'its arguments have more than 2000000 characters'],
      [`{"a":[${'1,'.repeat(100_001)}1]}`, 'values', 'its arguments have more than 8000 values'],
      [wide, 'keys', 'its arguments have more than 5000 members in one object'],
    ]
    for (const [text, limit, reason] of rows) {
      const parsing = errorOf(() => argsOf(callOf(text)))
      const checking = errorOf(() => decodeArguments(callOf(text), { type: 'object' }))
      for (const error of [parsing, checking]) {
        expect(error.code).toBe('malformed_arguments')
        expect(error.detail).toMatchObject({ tool: 'get_weather', limit })
      }
      expect(checking.detail?.reason).toBe(`${reason}; send less at once, or raise the limit`)
      expect(parsing.detail?.reason).toBe(String(checking.detail?.reason).replace('8000', '50000'))
      const larger = { characters: 4_000_000, values: 200_000, keys: 20_000 }
      expect(decodeArguments(callOf(text), { type: 'object' }, larger)).toBeTypeOf('object')
    }
  })

  test('a large table can be parsed, since nothing in it is checked', () => {
    const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'], on: true }))
    expect(argsOf(callOf(JSON.stringify({ rows })))).toEqual({ rows })
  })

  test('a check that would take too much work is refused, and never waved through', () => {
    const text = `{"a":[${'1,'.repeat(1_000)}1]}`
    const list = { type: 'object', properties: { a: { items: { type: 'integer' } } } } as const
    expect(decodeArguments(callOf(text), list)).toBeTypeOf('object')
    const error = errorOf(() => decodeArguments(callOf(text), list, { work: 500 }))
    expect(error.detail).toMatchObject({ tool: 'get_weather', limit: 'work' })
    expect(error.detail?.reason).toBe(
      'is too costly to check against its schema: it takes more than 500 steps; send fewer or shorter values',
    )
  })

  test('a raw schema is checked whole or refused, never in part', () => {
    const rows: readonly (readonly [JsonObject, string])[] = [
      [{ type: 'object', properties: { a: { pattern: '^(?!x)' } } }, 'pattern_unsupported'],
      [{ type: 'object', properties: { a: { minLength: '3' } } }, 'keyword_value'],
      [{ type: 'object', properties: { a: { $ref: '#/nowhere' } } }, 'ref_unresolved'],
      [{ type: 'object', properties: { a: { $ref: '#/held' } }, held: { type: 'strin' } }, 'unknown_type'],
    ]
    for (const [schema, rule] of rows) {
      const error = errorOf(() => decodeArguments(callOf('{}'), schema))
      expect(error.code).toBe('invalid_tool_spec')
      expect(error.detail).toMatchObject({ tool: 'get_weather', rule })
    }
  })

  test("the value is the caller's own", () => {
    const call = callOf('{"list":[1]}')
    const first: { list?: number[] } = decodeArguments(call, { type: 'object' })
    first.list?.push(2)
    expect(decodeArguments(call, { type: 'object' })).toEqual({ list: [1] })
  })

  test('an asynchronous schema is misuse, a schema without JSON Schema is named', () => {
    const slow = z.object({ city: z.string().refine(async () => true) })
    expect(errorOf(() => decodeArguments(callOf('{"city":"x"}'), slow))).toMatchObject({ code: 'misuse' })
    const plain = { '~standard': { version: 1 as const, vendor: 'plain', validate: (value: unknown) => ({ value }) } }
    expect(errorOf(() => decodeArguments(callOf('{}'), plain)).detail?.rule).toBe('json_schema_missing')
  })
})

describe('repairArguments', () => {
  test('mends malformed text, and says so', () => {
    const repaired = repairArguments(brokenOf("{city: 'Boston',}", 'malformed'))
    expect(repaired).toEqual({
      call: callOf('{"city": "Boston"}'),
      repaired: true,
      note: 'the arguments of "get_weather" (id: call_1) were not valid JSON and were repaired before the call: malformed',
    })
    expect(repairArguments(callOf('```json\n{"a":1}\n```'))?.call.arguments.trim()).toBe('{"a":1}')
  })

  test('does not guess what was cut off, unless asked', () => {
    const cut = brokenOf('{"city":"Bos', 'truncated')
    expect(repairArguments(cut)).toBeUndefined()
    expect(repairArguments(cut, { truncated: true })?.call.arguments).toBe('{"city":"Bos"}')
  })

  test('gives nothing where no object comes of it', () => {
    for (const text of [
      'hello',
      '[1',
      '"x"',
      '',
      '{"a":1}',
      '['.repeat(100_000),
      '{"a":'.repeat(50_000),
      '{'.repeat(300_000),
    ]) {
      expect(repairArguments(brokenOf(text, 'malformed'))).toBeUndefined()
    }
    expect(repairArguments(brokenOf('{a:1}', 'no_name'))).toBeUndefined()
  })
})

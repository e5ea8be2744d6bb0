import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { checkBody, isJsonObject, parseBody, parseJson } from '../../src/json/parse.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { Value } from '../../src/json/types.js'

/** The error of the action, which must be one of ours. */
function failure(action: () => unknown): ToolwireError {
  try {
    action()
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The value with its bigints as JSON.parse would have given them. */
function rounded(value: Value): unknown {
  return JSON.parse(stringifyJson(value))
}

describe.each([
  ['parseJson', parseJson],
  ['parseBody', parseBody],
] as const)('%s', (_name, parse) => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(
        fc.json().filter((text) => !/\d{16}/.test(text)),
        (text) => {
          expect(parse(text)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  it('refuses what JSON.parse refuses, with a typed error that does not quote the text', () => {
    for (const text of [
      '',
      ' ',
      '{',
      '{"a":1,}',
      '[1 2]',
      '01',
      'nul',
      '"secret-text',
      '{"a":secret-text}',
      'NaN',
      '\ufeff{}',
      '12345678901234567890x',
    ]) {
      const error = failure(() => parse(text))
      expect(error.code).toBe('malformed_response')
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('secret-text')
      expect(error.cause).toBeUndefined()
    }
    expect(failure(() => parse('{"a":1,}')).detail).toEqual({ length: 8, position: 7 })
  })

  it('agrees with JSON.parse on which texts are JSON', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '12345678901234567890',
      '1e5',
      'null',
      ' ',
      '\\',
      '"',
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('')
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        if (valid) expect(() => parse(text)).not.toThrow()
        else expect(failure(() => parse(text)).code).toBe('malformed_response')
      }),
    )
  })

  it('holds the depth cap of 512 on every path', () => {
    const nested = (depth: number, inner: string): string =>
      `${'[{"a":'.repeat(depth / 2)}${inner}${'}]'.repeat(depth / 2)}`
    for (const inner of ['1', '12345678901234567890']) {
      expect(() => parse(nested(512, inner))).not.toThrow()
      expect(failure(() => parse(nested(514, inner))).code).toBe('limit_exceeded')
    }
    expect(failure(() => parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)).code).toBe('limit_exceeded')
    expect(failure(() => parse('['.repeat(1_000_000))).code).toBe('limit_exceeded')
  })

  it('does not count brackets in strings, or side by side', () => {
    const flat = JSON.stringify({ text: '[{"'.repeat(2_000), list: Array.from({ length: 2_000 }, () => [{}]) })
    expect(parse(flat)).toEqual(JSON.parse(flat))
  })

  it('makes __proto__ an own property', () => {
    const text = '{"__proto__":{"polluted":true},"n":12345678901234567890}'
    const value = parse(text) as object
    expect(Object.keys(value)).toEqual(['__proto__', 'n'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in value).toBe(false)
  })
})

describe('integers', () => {
  it('keeps every digit beyond ±(2^53−1)', () => {
    const digits = fc.bigInt({ min: -(10n ** 200n), max: 10n ** 200n })
    fc.assert(
      fc.property(digits, (integer) => {
        const safe = integer >= BigInt(Number.MIN_SAFE_INTEGER) && integer <= BigInt(Number.MAX_SAFE_INTEGER)
        const expected = safe ? Number(integer) : integer
        expect(parseJson(`{ "a" : [ ${integer} , "x" ] , "b":${integer}}`)).toEqual({ a: [expected, 'x'], b: expected })
        expect(parseJson(`${integer}`)).toBe(expected)
        expect(parseJson(`\t${integer}\n`)).toBe(expected)
      }),
    )
  })

  it('changes at 2^53 exactly', () => {
    expect(parseJson('[9007199254740991,-9007199254740991]')).toEqual([9007199254740991, -9007199254740991])
    expect(parseJson('[9007199254740992,-9007199254740993]')).toEqual([9007199254740992n, -9007199254740993n])
  })

  it('leaves fractions and exponents to be numbers', () => {
    expect(
      parseJson('[12345678901234567890.5,12345678901234567890e2,1E30,0.12345678901234567,12345678901234567890]'),
    ).toEqual([
      Number('12345678901234567890.5'),
      Number('12345678901234567890e2'),
      1e30,
      Number('0.12345678901234567'),
      12345678901234567890n,
    ])
  })

  it('reads everything around a long integer as JSON.parse does', () => {
    const long = '12345678901234567890'
    const space = fc.constantFrom(undefined, 1, '\t')
    fc.assert(
      fc.property(fc.jsonValue(), space, (value, indent) => {
        const text = JSON.stringify([value, 'marker'], undefined, indent).replace(/"marker"(?=\s*\]$)/, long)
        expect(rounded(parseJson(text))).toEqual([JSON.parse(JSON.stringify(value)), Number(long)])
      }),
    )
  })

  it('takes the last of repeated keys, and escapes in keys', () => {
    expect(parseJson('{"a":1,"\\u0061":12345678901234567890,"b\\"":[],"c":{}}')).toEqual({
      a: 12345678901234567890n,
      'b"': [],
      c: {},
    })
  })

  it('refuses an integer of more than ten thousand digits', () => {
    expect(failure(() => parseJson('9'.repeat(20_000))).code).toBe('limit_exceeded')
  })

  it('rounds in parseBody, as JSON.parse does', () => {
    expect(parseBody('12345678901234567890')).toBe(Number('12345678901234567890'))
  })
})

it('isJsonObject knows plain objects from all else', () => {
  for (const value of [{}, { a: 1 }, Object.create(null) as object, JSON.parse('{"__proto__":1}') as object]) {
    expect(isJsonObject(value)).toBe(true)
  }
  for (const value of [null, undefined, [], 'a', 1, true, new Map(), new Date(), () => 1, new (class A {})()]) {
    expect(isJsonObject(value)).toBe(false)
  }
})

describe('checkBody', () => {
  const text = JSON.stringify({ list: Array.from({ length: 2_000 }, (_, n) => n) })

  it('leaves its value to the next who parses the text, and to nobody after', () => {
    const seen = checkBody(text)
    const first = parseJson(text)
    expect(first).toBe(seen)
    expect(parseJson(text)).not.toBe(first)
    expect(parseJson(text)).toEqual(first)
  })

  it('leaves nothing of another text, and rounds no integer', () => {
    const exact = `{"n":12345678901234567890,"text":"${'a'.repeat(5_000)}"}`
    checkBody(exact)
    expect(parseJson(exact.replace('0,', '1,'))).toMatchObject({ n: 12345678901234567891n })
    expect(parseJson(exact)).toMatchObject({ n: 12345678901234567890n })
  })
})

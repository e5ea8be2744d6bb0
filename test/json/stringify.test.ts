import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { parseJson } from '../../src/json/parse.js'
import { RawJson, stringifyJson, type Writable, writeJson } from '../../src/json/stringify.js'
import type { Json, Value } from '../../src/json/types.js'

const { value: exact } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => !Object.is(number, -0) && Math.abs(number) < 2 ** 53),
    fc.bigInt({ min: 2n ** 53n, max: 10n ** 200n }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

function nested(depth: number, inner: Value): Value {
  let value = inner
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

function isLimit(action: () => unknown): boolean {
  try {
    action()
    return false
  } catch (error) {
    return ToolwireError.is(error) && error.code === 'limit_exceeded'
  }
}

describe('stringifyJson', () => {
  it('gives the text of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringifyJson(value as Json)).toBe(JSON.stringify(value))
      }),
    )
    expect(stringifyJson('\ud800')).toBe('"\\ud800"')
  })

  it('comes back through parseJson, bigints included', () => {
    fc.assert(
      fc.property(exact, (value) => {
        expect(parseJson(stringifyJson(value))).toEqual(value)
      }),
    )
  })

  it('refuses more than 512 levels, and cycles', () => {
    for (const inner of [1, 2n ** 60n]) {
      expect(parseJson(stringifyJson(nested(512, inner)))).toEqual(nested(512, inner))
      expect(isLimit(() => stringifyJson(nested(513, inner)))).toBe(true)
    }
    expect(isLimit(() => stringifyJson(nested(100_000, 1)))).toBe(true)
    const cycle: { [key: string]: Value } = {}
    cycle.self = cycle
    expect(isLimit(() => stringifyJson(cycle))).toBe(true)
  })

  describe('where a program patched BigInt', () => {
    afterEach(() => {
      Reflect.deleteProperty(BigInt.prototype, 'toJSON')
    })

    it('still writes digits', () => {
      Object.defineProperty(BigInt.prototype, 'toJSON', { value: () => 'patched', configurable: true })
      expect(stringifyJson({ a: 12345678901234567890n })).toBe('{"a":12345678901234567890}')
      expect(writeJson({ a: 12345678901234567890n })).toBe('{"a":12345678901234567890}')
    })
  })
})

describe('writeJson', () => {
  it('gives the text of JSON.stringify for JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(value as Json)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('omits absent members and writes absent elements as null', () => {
    const value = { a: undefined, b: [undefined, 1], c: { d: undefined } }
    expect(writeJson(value)).toBe('{"b":[null,1],"c":{}}')
    expect(writeJson({ ...value, n: 1n })).toBe('{"b":[null,1],"c":{},"n":1}')
    expect(writeJson(undefined)).toBe('null')
  })

  it('inserts raw text verbatim, with bigints around or not', () => {
    const raw = new RawJson('{ "n" : 12345678901234567890, "e": 1.0e2 }')
    expect(writeJson({ a: [raw, raw], b: '$&$1' })).toBe(`{"a":[${raw.text},${raw.text}],"b":"$&$1"}`)
    expect(writeJson({ a: raw, n: 5n })).toBe(`{"a":${raw.text},"n":5}`)
    expect(writeJson(raw)).toBe(raw.text)
    expect(writeJson({ a: new RawJson('"$& $1 $$"') })).toBe('{"a":"$& $1 $$"}')
  })

  it('puts every raw text in its own place', () => {
    const pieces = fc.array(fc.tuple(fc.string(), fc.jsonValue(), fc.boolean()), { maxLength: 8 })
    fc.assert(
      fc.property(pieces, (list) => {
        const value = list.map(([text, item, raw]) => ({
          [text]: raw ? new RawJson(JSON.stringify(item)) : (item as Json),
        }))
        expect(writeJson(value)).toBe(JSON.stringify(list.map(([text, item]) => ({ [text]: item }))))
      }),
    )
  })

  it('is not fooled by text that looks like its own marker', () => {
    let marker = ''
    const spy = { toJSON: () => (marker = String(new RawJson('1').toJSON())) }
    writeJson([spy as unknown as Writable])
    expect(marker).not.toBe('1')
    const value = { [marker]: marker, a: new RawJson('{"x":1}'), b: [marker, `"${marker}"`] }
    expect(JSON.parse(writeJson(value))).toEqual({ [marker]: marker, a: { x: 1 }, b: [marker, `"${marker}"`] })
  })

  it('replaces lone surrogates in strings and keys, and nothing else', () => {
    expect(writeJson({ '\ud800k': 'a\udc00', b: '😀', c: '\\ud800', d: '\\\ud800' })).toBe(
      '{"\ufffdk":"a\ufffd","b":"😀","c":"\\\\ud800","d":"\\\\\ufffd"}',
    )
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\ud800', '\udfff', '\\', '\\ud800', '"'),
        (text, odd) => {
          for (const extra of [{}, { n: 1n }]) {
            const written = writeJson({ text: text + odd + text, ...extra })
            expect(JSON.parse(written)).toMatchObject({ text: (text + odd + text).toWellFormed() })
            expect(written.isWellFormed()).toBe(true)
          }
        },
      ),
    )
  })

  it('fails typed on a cycle', () => {
    const cycle: Writable[] = []
    cycle.push(cycle)
    expect(isLimit(() => writeJson(cycle))).toBe(true)
  })

  it('makes __proto__ an ordinary key', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}') as Json
    expect(writeJson({ value, n: 1n })).toBe('{"value":{"__proto__":{"a":1}},"n":1}')
  })

  it('a raw value outside of a write serialises as what it holds', () => {
    expect(JSON.stringify({ a: new RawJson('[1, 2]') })).toBe('{"a":[1,2]}')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayJson } from '../../src/json/stringify.js'

describe('displayJson', () => {
  it('shows JSON as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(displayJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('shows any value as valid JSON and never throws', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withBoxedValues: true,
      withNullPrototype: true,
      withUnicodeString: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        void JSON.parse(displayJson(value))
      }),
    )
  })

  it('shows what JSON has no word for', () => {
    const value = {
      big: 12345678901234567890n,
      call: () => 1,
      sign: Symbol('s'),
      gone: undefined,
      list: [undefined, Number.NaN],
      map: new Map<unknown, unknown>([
        ['a', 1],
        [2, new Set([1n])],
      ]),
      date: new Date(0),
      never: new Date(Number.NaN),
      error: new TypeError('bad'),
      own: { toJSON: () => ({ x: 1 }) },
      lone: '\ud800',
    }
    expect(displayJson(value)).toBe(
      '{"big":12345678901234567890,"call":"[function]","sign":"[symbol]","list":[null,null],"map":{"a":1,"2":[1]},' +
        '"date":"1970-01-01T00:00:00.000Z","never":null,"error":{"name":"TypeError","message":"bad"},"own":{"x":1},"lone":"\ufffd"}',
    )
    expect(displayJson(undefined)).toBe('null')
  })

  it('marks cycles, but not a value shown twice', () => {
    const shared = { x: 1 }
    const value: { [key: string]: unknown } = { a: shared, b: shared }
    value.self = value
    value.map = new Map([['up', value]])
    expect(displayJson(value)).toBe('{"a":{"x":1},"b":{"x":1},"self":"[circular]","map":{"up":"[circular]"}}')
  })

  it('marks what throws, and only that', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const hostile = {
      a: 1,
      get bad(): unknown {
        throw new Error('no')
      },
      json: {
        toJSON(): unknown {
          throw new Error('no')
        },
      },
      proxy,
      z: 2,
    }
    expect(displayJson(hostile)).toBe('{"a":1,"bad":"[unreadable]","json":"[unreadable]","proxy":"[unreadable]","z":2}')
    expect(displayJson(proxy)).toBe('"[unreadable]"')
  })

  it('cuts what is too deep', () => {
    const endless: unknown = new Proxy(
      {},
      {
        ownKeys: () => ['a'],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
        get: () => ({ toJSON: () => endless }),
      },
    )
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown
    expect(displayJson(deep)).toContain('"[too deep]"')
    expect(() => JSON.parse(displayJson(endless)) as unknown).not.toThrow()
  })

  it('cuts what is too long, and stays JSON', () => {
    for (const value of [
      'x'.repeat(6_000_000),
      new Array(2 ** 32 - 1),
      Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`a rather long key number ${index}`, index])),
    ]) {
      const text = displayJson(value)
      expect(text.length).toBeLessThan(10_000_000)
      expect(text).toContain('[truncated]')
      expect(() => JSON.parse(text) as unknown).not.toThrow()
    }
  })
})

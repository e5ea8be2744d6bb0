import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactText, parseExact, stringOf } from '../../src/json/exact.js'
import { growingValue } from '../../src/json/growing.js'

describe('exact trees', () => {
  test('keep every scalar as it was written', () => {
    const text = '{"a":[1.0,-0,1e5,12345678901234567890,"\\u00e9",true,null],"b":{},"__proto__":[]}'
    expect(exactText(parseExact(text))).toBe(text)
    expect(exactText(parseExact(' { "a" : [ 1 , 2 ] , "a" : 3 } '))).toBe('{"a":3}')
    expect(stringOf(parseExact('"\\u00e9"'))).toBe('é')
    expect(() => parseExact('{"a":')).toThrow(expect.objectContaining({ code: 'malformed_response' }))
  })

  test('are the same value, for any value in any layout', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 3), (value, space) => {
        expect(JSON.parse(exactText(parseExact(JSON.stringify(value, undefined, space))))).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
})

describe('growing values', () => {
  test('end as the value, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (value, size, spaced) => {
          const text = `${JSON.stringify([value], undefined, spaced ? 2 : 0)}`
          const growing = growingValue()
          for (let index = 0; index < text.length; index += size)
            expect(growing.push(text.slice(index, index + size))).toBe(true)
          expect(growing.value).toEqual(JSON.parse(text))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('show strings and lists while they grow, and numbers when they are whole', () => {
    const growing = growingValue()
    const seen = ['{"na', 'me":"Bo', 'ston","n":[1', '2,3', ']', ',"ok":tr', 'ue}'].map((piece) => {
      growing.push(piece)
      return JSON.stringify(growing.value)
    })
    expect(seen).toEqual([
      '{}',
      '{"name":"Bo"}',
      '{"name":"Boston","n":[]}',
      '{"name":"Boston","n":[12]}',
      '{"name":"Boston","n":[12,3]}',
      '{"name":"Boston","n":[12,3]}',
      '{"name":"Boston","n":[12,3],"ok":true}',
    ])
  })

  test('are given up where the text is no JSON, and never reach a prototype', () => {
    for (const text of ['prose', '{"a" 1}', '[1,}', '{"a":tru}', '[1] [2]', `${'['.repeat(600)}`]) {
      expect(growingValue().push(text), text).toBe(false)
    }
    const growing = growingValue()
    growing.push('{"__proto__":{"polluted":true}}')
    expect(Object.getPrototypeOf(growing.value as object)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

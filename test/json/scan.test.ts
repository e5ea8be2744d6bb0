// Finding one's way in JSON text: on valid JSON it agrees with the parser, on anything else it ends inside the text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  closingQuote,
  containerEndFrom,
  isTooDeep,
  maxDepth,
  passedLimit,
  skipSpace,
  stringEnd,
  valueEnd,
} from '../../src/json/scan.js'

const values = fc.jsonValue({
  maxDepth: 4,
  stringUnit: fc.constantFrom('a', '"', '\\', '[', '}', ',', ':', 'é', ' ', '\n'),
})
const spaces = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 })

describe('valid JSON', () => {
  test('a value ends where the next character begins', () => {
    fc.assert(
      fc.property(values, spaces, fc.constantFrom('', ',', ']', '}', ' ', '\n'), (value, before, after) => {
        const text = JSON.stringify(value)
        const from = skipSpace(before + text, 0)
        expect(from).toBe(before.length)
        expect(valueEnd(before + text + after, from)).toBe(before.length + text.length)
      }),
    )
  })

  test('a string ends behind its closing quote, short or long, whatever is escaped in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', '\\', 'é'), maxLength: 80 }),
        fc.string(),
        (value, rest) => {
          const text = JSON.stringify(value)
          expect(stringEnd(text + rest, 0)).toBe(text.length)
          expect(closingQuote(text + rest, 0, text.length + rest.length)).toBe(text.length - 1)
          expect(closingQuote(text, 0, text.length - 1)).toBe(-1)
          expect(stringEnd(text.slice(0, -1), 0)).toBe(text.length - 1)
        },
      ),
    )
  })

  test('the container at a depth is found from the end', () => {
    const text = '{"a":[1,{"b":"]}"},[2]],"c":{"d":3}}'
    const whole = text.length
    expect(containerEndFrom(text, 0, 0)).toBe(whole)
    expect(containerEndFrom(text, text.indexOf('['), 1)).toBe(text.indexOf(',"c"'))
    expect(containerEndFrom(text, text.indexOf('{"b"'), 2)).toBe(text.indexOf(',[2]'))
    expect(containerEndFrom(text, text.indexOf('{"d"'), 1)).toBe(whole - 1)
    expect(containerEndFrom(text, text.indexOf('{"d"'), 5)).toBeUndefined()
    expect(containerEndFrom('7', 0, 0)).toBeUndefined()
  })

  test('containers nested around a value are found from the end, one by one', () => {
    fc.assert(
      fc.property(values, fc.array(fc.constantFrom('[', '{"k":'), { maxLength: 6 }), (value, opening) => {
        const inner = `[${JSON.stringify(value)}]`
        const closing = opening.toReversed().map((open) => (open === '[' ? ']' : '}'))
        const before = opening.join('')
        const text = before + inner + closing.join('')
        expect(containerEndFrom(text, before.length, opening.length)).toBe(before.length + inner.length)
      }),
    )
  })
})

describe('any text', () => {
  test('is walked without leaving it', () => {
    const garbage = fc.string({
      unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'a', ' '),
      maxLength: 60,
    })
    fc.assert(
      fc.property(garbage, fc.nat(60), (text, at) => {
        const from = Math.min(at, text.length)
        for (const end of [stringEnd(text, from), skipSpace(text, from), valueEnd(text, from)]) {
          expect(end).toBeGreaterThanOrEqual(from)
          expect(end).toBeLessThanOrEqual(Math.max(text.length, from))
        }
      }),
    )
  })
})

describe('how deep a text nests', () => {
  const nested = (depth: number, inside = ''): string => '['.repeat(depth) + inside + ']'.repeat(depth)
  const objects = (depth: number): string => '{"a":'.repeat(depth) + '0' + '}'.repeat(depth)

  test('is capped at its edge, for lists and objects', () => {
    expect(isTooDeep(nested(maxDepth))).toBe(false)
    expect(isTooDeep(nested(maxDepth + 1))).toBe(true)
    expect(isTooDeep(objects(maxDepth))).toBe(false)
    expect(isTooDeep(objects(maxDepth + 1))).toBe(true)
    expect(isTooDeep('['.repeat(2 * maxDepth + 2))).toBe(true)
  })

  test('counts neither brackets in strings nor containers side by side', () => {
    expect(isTooDeep(JSON.stringify('['.repeat(5000)))).toBe(false)
    expect(isTooDeep(JSON.stringify(['\\"'.repeat(10), '{'.repeat(5000)]))).toBe(false)
    expect(isTooDeep(`[${Array.from({ length: 2000 }, () => '[]').join()}]`)).toBe(false)
    expect(isTooDeep(nested(maxDepth - 1, Array.from({ length: 2000 }, () => '{}').join()))).toBe(false)
    expect(isTooDeep(nested(maxDepth, Array.from({ length: 2000 }, () => '{}').join()))).toBe(true)
  })
})

describe('what a text holds', () => {
  const limits = { characters: 1000, values: 20, keys: 5 }
  const list = (count: number): string => JSON.stringify(Array.from({ length: count }, () => 111_111))
  const object = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'a:b,c{d[e'])))

  test.each<[string, string, string | undefined]>([
    ['a short text', '[1,2]', undefined],
    ['as many characters as may be', `"${'a'.repeat(998)}"`, undefined],
    ['more characters', `"${'a'.repeat(999)}"`, 'characters'],
    // A list counts, and each of its commas.
    ['as many values as may be', list(20), undefined],
    ['more values', list(21), 'values'],
    ['as many keys as may be', object(5), undefined],
    ['more keys', object(6), 'keys'],
    ['keys in many objects', `[${Array.from({ length: 4 }, () => '{"a":11111,"b":11111}').join()}]`, undefined],
    ['keys around a wide object', `{"a":1,"b":1,"c":1,"d":{"e":1,"f":1},"g":11111}`, undefined],
    ['too many keys behind an inner object', `{"a":1,"b":1,"c":1,"d":{"e":1},"g":1,"h":1}`, 'keys'],
    ['signs in strings', JSON.stringify([':'.repeat(50), ','.repeat(50), '['.repeat(50), '"{"'.repeat(20)]), undefined],
  ])('%s', (_, text, expected) => {
    expect(passedLimit(text, limits)).toBe(expected)
  })
})

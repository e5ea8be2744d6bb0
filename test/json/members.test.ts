// Members of an object are found where JSON.parse finds them, and changed nowhere else.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMembers, replaceSpans } from '../../src/json/members.js'

const space = fc.constantFrom('', ' ', '\n\t')
/** Members in any order, keys spelled in any way, some repeated, containers and long texts between them. */
const member = fc.record({
  key: fc.constantFrom(
    '"model"',
    '"\\u006dodel"',
    '"mode\\u006c"',
    '"stream"',
    '"x\\"y"',
    '"x\\u0022y"',
    '"other"',
    '"models"',
  ),
  value: fc.oneof(
    fc.constantFrom(
      '1',
      'true',
      '"model"',
      '{"model":1}',
      '[{"model":"\\u006d"}]',
      '[]',
      '"\\\\u006d"',
      '{"stream":[]}',
    ),
    fc.nat({ max: 60 }).map((count) => JSON.stringify('a "b"\\\n,}'.repeat(count))),
  ),
  space,
})
const members = fc.array(member, { maxLength: 6 })
type Member = typeof member extends fc.Arbitrary<infer Value> ? Value : never
const objectText = (list: readonly Member[]): string =>
  `{${list.map(({ key, value, space }) => `${space}${key}${space}:${space}${value}${space}`).join(',')}}`
const read = (text: string): readonly (readonly [string, string])[] | undefined =>
  readMembers(text)?.members.map(({ key, start, end }) => [key, text.slice(start, end)])

it('finds every member with its value, repeated keys included', () => {
  fc.assert(
    fc.property(members, space, (list, around) => {
      const text = around + objectText(list) + around
      expect(read(text)).toEqual(list.map(({ key, value }) => [JSON.parse(key), value]))
      expect(readMembers(text)?.rest).toBe(text.length)
    }),
  )
})

it('finds where text follows the object', () => {
  fc.assert(
    fc.property(
      members,
      space,
      fc.constantFrom('{}', ',', '{"model":"x"}', 'null', '}', '\u0000'),
      (list, around, more) => {
        const text = objectText(list) + around + more
        expect(text.slice(readMembers(text)?.rest)).toBe(more)
      },
    ),
  )
})

it('writes another value in place of each span, and changes nothing else', () => {
  fc.assert(
    fc.property(members, (list) => {
      const text = objectText(list)
      const isNamed = ({ key }: { key: string }): boolean => key === 'model'
      const expected = list.map((one) => (JSON.parse(one.key) === 'model' ? { ...one, value: '"new"' } : one))
      const spans = (readMembers(text)?.members ?? []).filter(isNamed)
      expect(
        replaceSpans(
          text,
          spans.map((span) => ({ ...span, text: '"new"' })),
        ),
      ).toBe(objectText(expected))
    }),
  )
})

it('reads nothing out of what is not an object, and ends on garbage', () => {
  for (const text of [
    '',
    '[]',
    '"model"',
    '[{"model":1}]',
    'null',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1 "b":2}',
    '{"a":}',
    '{,}',
    '{"a":1,}',
    '{a:1}',
  ]) {
    expect(readMembers(text)).toBe(undefined)
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', '"', '\\', ':', ',', 'a', ' ') }), (garbage) => {
      readMembers(`{${garbage}`)
    }),
  )
})

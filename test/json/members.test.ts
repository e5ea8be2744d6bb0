// Members of an object are found where JSON.parse finds them, and changed nowhere else.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lastOf, memberFinder, withValue } from '../../src/json/members.js'

const find = memberFinder(['model', 'stream', 'x"y'])
const space = fc.constantFrom('', ' ', '\n\t')
/** Members in any order, keys spelt in any way, some repeated, containers and long texts between them. */
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

it('finds the value that JSON.parse gives each key', () => {
  fc.assert(
    fc.property(members, space, (list, before) => {
      const text = before + objectText(list) + before
      const parsed = JSON.parse(text) as Record<string, unknown>
      const found = find(text).map((places) => lastOf(text, places))
      expect(found.map((raw) => (raw === undefined ? undefined : JSON.parse(raw)))).toEqual([
        parsed.model,
        parsed.stream,
        parsed['x"y'],
      ])
    }),
  )
})

it('writes another value each time a key stands there, and changes nothing else', () => {
  fc.assert(
    fc.property(members, (list) => {
      const text = objectText(list)
      const expected = list.map((one) => (JSON.parse(one.key) === 'model' ? { ...one, value: '"new"' } : one))
      expect(withValue(text, find(text)[0], '"new"')).toBe(objectText(expected))
    }),
  )
})

it('finds nothing in what is no object, and ends on garbage', () => {
  const none = [[], [], []]
  for (const text of ['', '[]', '"model"', '[{"model":1}]', 'null']) expect(find(text)).toEqual(none)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', '"', '\\', ':', ',', 'a', ' ') }), (garbage) => {
      expect(find(`{${garbage}`)).toEqual(none)
    }),
  )
})

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/json/canonical.js'
import { digest, shortHash } from '../../src/json/digest.js'
import type { Json } from '../../src/json/types.js'

it('digest is SHA-256 of the UTF-8 text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(digest(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
    }),
  )
})

it('shortHash gives the asked number of lower-case letters and digits, each a prefix of the longer', () => {
  const whole = shortHash('text', 52)
  expect(whole).toMatch(/^[a-z2-7]{52}$/)
  for (let length = 0; length <= 52; length += 1) expect(shortHash('text', length)).toBe(whole.slice(0, length))
  expect(shortHash('text')).toHaveLength(12)
  expect(shortHash('text')).not.toBe(shortHash('text2'))
})

it('shortHash is the base32 form of the digest', () => {
  const bits = BigInt(`0x${digest('abc')}`)
    .toString(2)
    .padStart(256, '0')
  const letters = [...shortHash('abc', 51)].map(
    (_, index) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(bits.slice(index * 5, index * 5 + 5), 2)],
  )
  expect(shortHash('abc', 51)).toBe(letters.join(''))
})

it('canonicalJson sorts keys at every level and changes nothing else', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 'x' }], a: null, '10': 1, '9': 2 })).toBe(
    '{"10":1,"9":2,"a":null,"b":[{"c":"x","d":1}]}',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(text) as Json)).toBe(text)
    }),
  )
})

it('canonicalJson keeps __proto__ as a key, and has the depth cap', () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}') as Json)).toBe('{"__proto__":2,"b":1}')
  const deep = JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`) as Json
  expect(() => canonicalJson(deep)).toThrow(expect.objectContaining({ code: 'limit_exceeded' }) as Error)
})

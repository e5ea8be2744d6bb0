import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultLimits } from '../../src/frames/limits.js'
import { readText } from '../../src/frames/text.js'

it('text in pieces is what one decoder gives for the whole', () => {
  const byte = fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xef, 0xbb, 0xbf, 0xff)
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.array(byte, { maxLength: 6 }).map((list) => Uint8Array.from(list)),
  )
  const words = fc
    .constantFrom('a', 'é中😀 ', '\ufeff', 'x'.repeat(600), 'ü'.repeat(400))
    .map((text) => new TextEncoder().encode(text))
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, words), { maxLength: 12 }), (pieces) => {
      const reader = readText(defaultLimits)
      const text = pieces.map((bytes) => reader.push(bytes)).join('') + reader.end()
      expect(text).toBe(new TextDecoder().decode(Uint8Array.from(pieces.flatMap((bytes) => [...bytes]))))
    }),
  )
})

// Text that is too long for a result: its head and tail, whole characters only, and a line that counts what is left out.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byteLength, capText } from '../../src/tools/result-size.js'

const bytes = (text: string): number => Buffer.byteLength(text)
const units = fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '\n')
const texts = fc.string({ unit: units, maxLength: 400 })

test('the length in bytes is that of UTF-8, a lone surrogate being replaced', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(byteLength(text)).toBe(bytes(text))
    }),
  )
  expect(['a', 'é', '€', '😀', '\ud83d', '\ude00', '\ude00\ud83d'].map(byteLength)).toEqual([1, 2, 3, 4, 3, 3, 6])
})

describe('a capped text', () => {
  test('is the text itself where that fits, to the byte', () => {
    for (const text of ['', 'a'.repeat(100), '€'.repeat(33), '😀'.repeat(25)]) {
      expect(capText(text, bytes(text))).toBe(text)
      if (text !== '') expect(capText(text, bytes(text) - 1)).not.toBe(text)
    }
  })

  test('never has more bytes than it may, and says how many are left out', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 700 }), (text, most) => {
        const capped = capText(text, most)
        if (bytes(text) <= most) {
          expect(capped).toBe(text)
          return
        }
        expect(bytes(capped)).toBeLessThanOrEqual(most)
        const [, head = '', left = '', total = '', tail = ''] =
          /^([\s\S]*?)\n\[… (\d+) of (\d+) bytes left out …\]\n([\s\S]*)$/.exec(capped) ?? []
        expect(text.startsWith(head)).toBe(true)
        expect(text.endsWith(tail)).toBe(true)
        expect(Number(total)).toBe(bytes(text))
        expect(Number(left)).toBe(bytes(text) - bytes(head) - bytes(tail))
        // As much as fits: a further character on either side would be too much.
        expect(bytes(capped)).toBeGreaterThan(most - 14)
      }),
    )
  })

  test('keeps as much of the head as of the tail', () => {
    const capped = capText('h'.repeat(500) + 't'.repeat(500), 300)
    const count = (sign: string): number => capped.replace(/\n.*\n/, '').split(sign).length - 1
    expect(Math.abs(count('h') - count('t'))).toBeLessThanOrEqual(1)
    expect(count('h') + count('t')).toBeGreaterThan(250)
  })

  test('never cuts a pair of surrogates', () => {
    for (let most = 60; most < 120; most += 1) {
      expect(capText('😀'.repeat(100), most)).not.toMatch(
        /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      )
    }
  })

  test('is the line alone where there is no room for more', () => {
    expect(capText('a'.repeat(100), 10)).toBe('\n[… 100 of 100 bytes left out …]\n')
    expect(capText('a'.repeat(100), 0)).toBe('\n[… 100 of 100 bytes left out …]\n')
  })
})

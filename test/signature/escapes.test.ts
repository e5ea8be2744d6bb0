// Escapes in the quoted parts of a signature: those of JSON are read, and the first one that is none is pointed at.
import { describe, expect, test } from 'vitest'
import { signature } from '../../src/signature/signature.js'

const described = (quoted: string) => signature(`a "${quoted}" -> b` as string)

describe('an escape of JSON', () => {
  test.each([
    [String.raw`\"`, '"'],
    [String.raw`\\`, '\\'],
    [String.raw`\/`, '/'],
    [String.raw`\n\t`, '\n\t'],
    [String.raw`\u00e9`, 'é'],
    [String.raw`\\n`, '\\n'],
  ])('%s', (written, meant) => {
    expect(described(`x${written}y`).inputs[0]?.description).toBe(`x${meant}y`)
  })
})

describe('an escape that is none is pointed at', () => {
  test.each([
    [String.raw`\q`, 0],
    [String.raw`\n \q`, 3],
    [String.raw`\\ \q \n`, 3],
    [String.raw`\\\q`, 2],
    [String.raw`\u12`, 0],
    [String.raw`\u00e9\x`, 6],
  ])('%s', (written, at) => {
    const position = 'a "'.length + at
    expect(() => described(written)).toThrow(`position ${position}: this escape is not known`)
  })
})

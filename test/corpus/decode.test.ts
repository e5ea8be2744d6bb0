// Every recorded answer through its codec: text, calls, finish and usage as a reader finds them, every error a typed one.
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { codecs } from '../../src/wire/index.js'
import { foldAll } from '../streams/streamed.js'
import { disagreements, eventsOf } from './decoding.js'
import { readingOf } from './reading/index.js'
import { answerText, corpusFound, recordsOf } from './records.js'

describe.skipIf(!corpusFound)('recorded answers', () => {
  test.each(wires)('%s: every recorded answer is decoded to what it says', (wire) => {
    const records = recordsOf(wire)
    const found = records.flatMap((record) => {
      const folded = foldAll(eventsOf(codecs[wire], record))
      const what = disagreements(readingOf(wire, record), folded, answerText(wire, record))
      return what.map((text) => `${record.id}: ${text}`)
    })
    console.info(`${wire}: ${records.length} answers decoded, ${found.length} disagreements`)
    expect(found).toEqual([])
  })

  test('the corpus is whole', () => {
    expect(wires.reduce((sum, wire) => sum + recordsOf(wire).length, 0)).toBe(1284)
  })
})

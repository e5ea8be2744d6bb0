// Journals with lines of several owners: those of an owner that had lost the run don't count, and don't make the journal damaged.
import { expect, test } from 'vitest'
import { type JournalContent, readJournal, recordText, sealText } from '../../src/durable/lines.js'
import type { JournalRecord } from '../../src/durable/records.js'

interface Line {
  readonly text: string
  readonly sum: string
}

const write = (after: string, epoch: number, record: JournalRecord): Line => {
  const { text, sum } = sealText(after, recordText(record, epoch))
  return { text: `${text}\n`, sum }
}
const claim = (after: string, epoch: number, torn?: number): Line =>
  write(after, epoch, {
    type: 'claim',
    version: 2,
    runId: 'r',
    after,
    ...(torn === undefined ? {} : { torn }),
    host: 'h',
    pid: 1,
    at: 1,
  })
const step = ({ sum }: Line, epoch: number, name: string): Line =>
  write(sum, epoch, { type: 'step', name, at: 1, value: 1 })

const read = (...pieces: readonly (Line | string)[]): JournalContent =>
  readJournal(Buffer.from(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')), 'r')
const stepsIn = ({ records, damage }: JournalContent): unknown =>
  damage ?? records.flatMap((record) => (record.type === 'step' ? [record.name] : []))

const first = claim('', 1)
const one = step(first, 1, 'one')
const two = step(one, 1, 'two')
const second = claim(one.sum, 2)
const other = step(second, 2, 'other')

test('what an owner wrote after the next one had read the journal does not count, before the claim and behind it', () => {
  expect(stepsIn(read(first, one, second, other))).toEqual(['one', 'other'])
  expect(stepsIn(read(first, one, two, second, other))).toEqual(['one', 'other'])
  expect(stepsIn(read(first, one, second, two, other))).toEqual(['one', 'other'])
  const three = step(two, 1, 'three')
  expect(stepsIn(read(first, one, two, second, three, other))).toEqual(['one', 'other'])
  expect(stepsIn(read(first, one, second, three, other))).toMatchObject({ line: 4, reason: /checksum/ })
})

test('a claim that comes too late does not count, and neither does what follows it', () => {
  const third = claim(one.sum, 3)
  const late = step(second, 2, 'late')
  expect(stepsIn(read(first, one, third, second, late, step(third, 3, 'third')))).toEqual(['one', 'third'])
  expect(read(first, one, third, second).epoch).toBe(3)
})

test('lines of an epoch that nobody claimed, or that two claimed, are damage', () => {
  expect(stepsIn(read(first, step(first, 2, 'two')))).toMatchObject({ line: 2 })
  expect(stepsIn(read(first, claim(first.sum, 1)))).toMatchObject({ line: 2, reason: /epoch/ })
  expect(stepsIn(read(first, second))).toMatchObject({ line: 2, reason: /the line it follows is missing/ })
})

test('a cut line counts as one only where the claim behind it knows its length', () => {
  const torn = two.text.slice(0, 50)
  const known = claim(one.sum, 2, torn.length)
  expect(stepsIn(read(first, one, torn))).toEqual(['one'])
  expect(read(first, one, torn)).toMatchObject({ isOpenEnded: true, tornBytes: 50 })
  expect(stepsIn(read(first, one, `${torn}\n`, known, step(known, 2, 'other')))).toEqual(['one', 'other'])
  expect(stepsIn(read(first, one, `${torn}\n`, second))).toMatchObject({ line: 3 })
  expect(stepsIn(read(first, one, `${torn}x\n`, known))).toMatchObject({ line: 3 })
  expect(stepsIn(read(first, one, `${torn}\n`))).toMatchObject({ line: 3 })
  expect(stepsIn(read(first, one, `${torn}\n`, `${torn}\n`, known))).toMatchObject({ line: 3 })
})

test('a last line without its line break counts when it is whole, and is damage when it was changed', () => {
  expect(stepsIn(read(first, one.text.slice(0, -1)))).toEqual(['one'])
  expect(stepsIn(read(first, one.text.replace('"one"', '"two"').slice(0, -1)))).toMatchObject({ line: 2 })
  expect(stepsIn(read(first, `${one.text.slice(0, -1)}x`))).toMatchObject({ line: 2 })
  expect(stepsIn(read(first, one.text.slice(0, 40).replace('"', '\0')))).toMatchObject({ line: 2, reason: /NUL/ })
})

// No text takes a format long: what costs much processor time is measured at several lengths and must grow as its length does.
import { expect, test } from 'vitest'
import { formats } from '../../src/schema/formats/index.js'
import { formatParts } from '../schema/format-texts.js'
import { growthOver, linearPerDoubling, processorTime } from './processor-time.js'

const surroundings = [
  ['', ''],
  ['a@', '!'],
  ['https://', '\n'],
  ['P', 'x'],
  ['/', '~'],
] as const

const length = 200_000
/** A quadratic check of this length takes seconds. */
const suspiciousMicroseconds = 50_000

test.each(Object.entries(formats))('%s: the cost is linear in the text', async (_, isFit) => {
  for (const part of formatParts) {
    for (const [before, after] of surroundings) {
      const textOf = (characters: number): string => before + part.repeat(characters / part.length) + after
      const text = textOf(length)
      if ((await processorTime(() => isFit(text), 1)) < suspiciousMicroseconds) continue
      const growth = await growthOver(length / 8, (characters) => {
        const shorter = textOf(characters)
        return () => isFit(shorter)
      })
      expect(growth.ratio, `${JSON.stringify([before, part, after])}: ${growth.milliseconds} ms`).toBeLessThan(
        linearPerDoubling,
      )
    }
  }
})

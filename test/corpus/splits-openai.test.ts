// Recorded OpenAI streams under 20 kB, cut at every position and cut off early.
// With CORPUS_SPLITS=all each one is also cut in two and cut off at every single position; see splits.ts.
import { describe, expect, test } from 'vitest'
import { codecs } from '../../src/wire/index.js'
import { corpusFound } from './records.js'
import { splitCuts, truncations } from './splits.js'

const all = process.env.CORPUS_SPLITS === 'all'
const timeoutMs = all ? 3_600_000 : 300_000

describe.skipIf(!corpusFound)('cut OpenAI streams', () => {
  test.each(['openai-chat', 'openai-responses'] as const)(
    '%s: a stream cut anywhere gives the same answer',
    (wire) => {
      const { streams, cuts, failures } = splitCuts(codecs[wire], all)
      console.info(`${wire}: ${streams} streams, ${cuts} splits`)
      expect(failures).toEqual([])
    },
    timeoutMs,
  )

  test.each(['openai-chat', 'openai-responses'] as const)(
    '%s: a stream that ends early never looks finished',
    (wire) => {
      const { streams, cuts, failures } = truncations(codecs[wire], all)
      console.info(`${wire}: ${streams} streams, ${cuts} truncations`)
      expect(failures).toEqual([])
    },
    timeoutMs,
  )
})

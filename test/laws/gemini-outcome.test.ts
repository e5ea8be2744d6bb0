// The outcome of a forwarded answer is read without most of its parts, and is that of the whole answer.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const codec = codecs.gemini
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const exchange = { wire: 'gemini', model: 'm', stream: false } as const

const part = fc.constantFrom<Json>(
  { text: 'a' },
  { text: '' },
  { text: 'a', thought: true },
  { text: 'a', thoughtSignature: 'c2ln' },
  { functionCall: { name: 'look', args: { n: 1 } } },
  { function_call: { name: 'look' } },
  { text: 'a', functionCall: { name: 'look' } },
  { functionCall: { name: 'look', willContinue: true } },
  { functionCall: { willContinue: false } },
  { functionCall: 'look' },
  { text: 1 },
  { inlineData: { mimeType: 'image/png', data: 'aa' } },
  {},
  null,
  'text',
)
const candidate = fc.record(
  {
    index: fc.constantFrom(0, 1),
    content: fc.record({ role: fc.constant('model'), parts: fc.array(part, { maxLength: 6 }) }),
    finishReason: fc.constantFrom('STOP', 'MAX_TOKENS', 'SAFETY'),
    note: fc.constant('a'),
  },
  { requiredKeys: ['content'] },
)
const answer = fc.record(
  {
    candidates: fc.array(candidate, { maxLength: 2 }),
    usageMetadata: fc.constant({ promptTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 5 }),
    modelVersion: fc.constant('m'),
  },
  { requiredKeys: ['candidates'] },
)

test('gemini: usage, end and failure of a long answer are those of all its parts', () => {
  fc.assert(
    fc.property(answer, (body) => {
      const text = JSON.stringify({ ...body, padding: 'a'.repeat(65_536) })
      const http = { status: 200, headers: {}, body: text }
      const facts = (read: typeof codec.response.decode): unknown[] =>
        read(http, exchange, env).flatMap((event): unknown[] => {
          if (event.type === 'usage' || event.type === 'finish') return [event]
          return event.type === 'error' ? [event.error.code] : []
        })
      expect(facts(codec.response.outcome ?? codec.response.decode)).toEqual(facts(codec.response.decode))
    }),
  )
})

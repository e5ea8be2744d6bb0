// The outcome of a forwarded answer is read with one of its calls, and is that of the whole answer.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const codec = codecs['openai-responses']
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const exchange = { wire: 'openai-responses', model: 'm', stream: false } as const
const message = (content: Json): Json => ({ type: 'message', id: 'msg_1', role: 'assistant', content: [content] })
const item = fc.constantFrom<Json>(
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"a', status: 'incomplete' },
  { type: 'function_call', name: 1 },
  { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'a' },
  message({ type: 'output_text', text: 'a', annotations: [] }),
  message({ type: 'refusal', refusal: 'no' }),
  { type: 'reasoning', id: 'rs_1', summary: [] },
  { type: 'message' },
  {},
  null,
)
const answer = fc.record(
  {
    id: fc.constant('resp_1'),
    status: fc.constantFrom('completed', 'incomplete', 'failed'),
    output: fc.array(item, { maxLength: 6 }),
    incomplete_details: fc.constantFrom({ reason: 'max_output_tokens' }, { reason: 'content_filter' }),
    usage: fc.constant({ input_tokens: 1, output_tokens: 2, total_tokens: 3 }),
  },
  { requiredKeys: ['output'] },
)

test('openai-responses: usage, end and failure of a long answer are those of all its calls', () => {
  fc.assert(
    fc.property(answer, (body) => {
      const http = { status: 200, headers: {}, body: JSON.stringify({ ...body, padding: 'a'.repeat(65_536) }) }
      const facts = (read: typeof codec.response.decode): unknown[] =>
        read(http, exchange, env).flatMap((event): unknown[] => {
          if (event.type === 'usage' || event.type === 'finish') return [event]
          return event.type === 'error' ? [event.error.code] : []
        })
      expect(facts(codec.response.outcome ?? codec.response.decode)).toEqual(facts(codec.response.decode))
    }),
    { numRuns: 300 },
  )
})

// What an answer used and how it ended, read alone, is what its codec tells with everything else.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codecs, profileOf } from '../../src/wire/index.js'
import { outcomeOf } from '../../src/wire/outcomes.js'

const codec = codecs.anthropic
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
const exchange = { wire: 'anthropic', model: 'm', stream: false } as const

test('anthropic: usage and finish of a whole answer are those of its events', () => {
  const count = fc.option(fc.nat(), { nil: null })
  const usage = fc.record(
    {
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      service_tier: fc.constantFrom('standard', null),
    },
    { requiredKeys: [] },
  )
  const block = fc.constantFrom<object | null>(
    { type: 'text', text: 'hello' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    null,
  )
  const reason = fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'new_reason', null)
  const answer = fc.record(
    {
      id: fc.constant('msg_1'),
      type: fc.constantFrom('message', 'error'),
      content: fc.array(block, { maxLength: 4 }),
      stop_reason: reason,
      usage,
    },
    { requiredKeys: ['id'] },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        answer.map((value) => JSON.stringify(value)),
        fc.constantFrom('', '{', 'null', '[]'),
      ),
      (body) => {
        const http = { status: 200, headers: {}, body }
        const told = codec.response
          .decode(http, exchange, env)
          .filter(({ type }) => type === 'usage' || type === 'finish')
        expect(outcomeOf(codec, http, exchange, env)).toEqual(told)
      },
    ),
  )
})

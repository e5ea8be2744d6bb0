// What an answer used and how it ended, asked for alone, is what its codec tells with everything else.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codecs, profileOf } from '../../src/wire/index.js'

const codec = codecs.anthropic
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
const exchange = { wire: 'anthropic', model: 'm', stream: false } as const

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
  { type: 'server_tool_use', id: 's', name: 'code', input: { type: 'tool_use', stop_reason: 'refusal', usage: {} } },
  { type: 'text', text: '"type":"tool_use"],"stop_reason":"end_turn","usage":{' },
  null,
)
const reason = fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'new_reason', null)
const message = fc.record(
  {
    id: fc.constant('msg_1'),
    type: fc.constantFrom('message', 'error'),
    content: fc.array(block, { maxLength: 4 }),
    stop_reason: reason,
    usage,
  },
  { requiredKeys: ['id'] },
)
/** As the provider writes it, and as others may: spaced, in another order, with a member twice. */
const body = fc.oneof(
  message.map((value) => JSON.stringify(value)),
  message.map((value) => JSON.stringify(value, null, 1)),
  message.map((value) => JSON.stringify(Object.fromEntries(Object.entries(value).reverse()))),
  fc.tuple(message, message).map(([a, b]) => `${JSON.stringify(a).slice(0, -1)},${JSON.stringify(b).slice(1)}`),
  fc.constantFrom('', '{', 'null', '[]'),
)

test('anthropic: usage, finish and errors of a whole answer are the same when nothing else is asked for', () => {
  const isOutcome = ({ type }: { readonly type: string }): boolean => ['usage', 'finish', 'error'].includes(type)
  fc.assert(
    fc.property(body, (text) => {
      const http = { status: 200, headers: {}, body: text }
      const told = codec.response.decode(http, exchange, env).filter(isOutcome)
      const asked = codec.response.outcome?.(http, exchange, env)
      expect(asked?.filter(isOutcome)).toEqual(told)
    }),
  )
})

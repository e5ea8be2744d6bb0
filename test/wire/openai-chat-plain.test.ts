// Chat answers of the common kind are not read back to find what they lost; what is told of them is what reading would tell.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../../src/conversation/fold.js'
import type { Loss } from '../../src/conversation/losses.js'
import type { AssistantPart } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { differences } from '../../src/wire/differences.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { plainAnswer } from '../../src/wire/openai-chat/plain-answer.js'

const codec = codecs['openai-chat']
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const exchange = { wire: 'openai-chat', model: 'm', stream: false } as const
const origin = { wire: 'anthropic', provider: 'anthropic', model: 'm' } as const

const text = fc
  .record(
    { text: fc.constantFrom('hello', '', 'half \ud800'), extra: fc.constantFrom({ anthropic: { note: 1 } }) },
    { requiredKeys: ['text'] },
  )
  .map((part) => ({ type: 'text', ...part }) as const)
const call = fc
  .record(
    {
      id: fc.constantFrom('a', 'b', 'c', ''),
      name: fc.constantFrom('f', 'g', ''),
      arguments: fc.constantFrom('{"x":1}', '{}', '', '[1]', '{"x":'),
      opaque: fc.constant({ origin, data: { signature: 's' } }),
      recovered: fc.constant(true as const),
      note: fc.constant(1),
    },
    { requiredKeys: ['id', 'name', 'arguments'] },
  )
  .map((part) => ({ type: 'tool_call', ...part }) as const)
const plainCall = fc
  .integer({ min: 0, max: 99 })
  .map((id) => ({ type: 'tool_call', id: `call_${id}`, name: 'f', arguments: '{"x":1}' }) as const)
const content: fc.Arbitrary<readonly AssistantPart[]> = fc.oneof(
  fc.array(fc.oneof(text, call), { maxLength: 4 }),
  fc
    .tuple(
      fc.array(fc.constant({ type: 'text', text: 'hello' } as const), { maxLength: 1 }),
      fc.array(plainCall, { maxLength: 3 }),
    )
    .map((parts) => parts.flat()),
)
const count = fc.option(fc.nat(), { nil: undefined })
const response: fc.Arbitrary<CompletionResponse> = fc
  .record({
    content,
    extra: fc.constantFrom(undefined, undefined, undefined, { anthropic: { container: 'c' } }),
    finishReason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error'),
    raw: fc.constantFrom('tool_use', 'stop', '', undefined),
    usage: fc.option(fc.record({ input: count, output: count, cacheRead: count, reasoning: count, total: count }), {
      nil: undefined,
    }),
    metadata: fc.constantFrom(
      {},
      { anthropic: { stop_sequence: null, container: 'c' } },
      { 'openai-chat': { system_fingerprint: 'fp' } },
    ),
  })
  .map(
    ({ content, extra, finishReason, raw, usage, metadata }) =>
      ({
        id: 'msg_1',
        model: 'm',
        text: '',
        toolCalls: [],
        brokenCalls: [],
        message: { role: 'assistant', content, origin, ...(extra === undefined ? {} : { extra }) },
        finishReason,
        ...(raw === undefined ? {} : { rawFinishReason: raw }),
        ...(usage === undefined ? {} : { usage: JSON.parse(JSON.stringify(usage)) }),
        losses: [],
        metadata,
        requiresToolExecution: false,
      }) as CompletionResponse,
  )

function told({ id, model, message, finishReason, rawFinishReason, usage, metadata }: CompletionResponse): object {
  return { id, model, message, finishReason, rawFinishReason, usage, metadata }
}

test('the losses of an answer are the differences to what its body says', () => {
  let plain = 0
  fc.assert(
    fc.property(response, (given) => {
      const { http, losses } = codec.response.encode(given, exchange, env)
      const read: Loss[] = []
      const back = fold(codec.response.decode({ ...http, body: http.body as string }, exchange, env))
      differences('openai-chat', told(given), told(back), '', read)
      expect(losses).toEqual(read)
      if (plainAnswer(given, JSON.parse(http.body as string)) !== undefined) plain += 1
    }),
    { numRuns: 400 },
  )
  expect(plain).toBeGreaterThan(40)
})

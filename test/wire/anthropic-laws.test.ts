// Laws of the Anthropic codec on any conversation and any answer: nothing is lost without an executable loss.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { AssistantPart, Extra } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolChoice } from '../../src/conversation/request.js'
import type { FinishReason } from '../../src/conversation/response.js'
import { ToolwireError } from '../../src/errors/error.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { conversationArbitraries, jsonObject } from '../arbitraries/conversation.js'
import { envOf, exchange, folded, streamed, strip } from './anthropic-fixtures.js'

const any = conversationArbitraries()
const own = conversationArbitraries({ wires: ['anthropic'] })
const histories = fc.oneof(any.messages, any.conversation, own.messages, own.conversation)
const names = fc.constantFrom('get_weather', 'x.y', 'naïve tool', 'a'.repeat(150))
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

const schemas = fc.oneof(
  fc.constantFrom(
    undefined,
    { type: 'object', properties: { 'a b': {}, ok: {} }, required: ['a b'] },
    { type: 'string' },
  ),
  jsonObject,
)
const tools = fc.array(
  fc.oneof(
    fc.record({
      name: names,
      description: maybe(fc.string()),
      inputSchema: schemas,
      strict: maybe(fc.boolean()),
      extra: maybe(any.extra),
    }),
    fc.record({
      type: fc.constant('opaque' as const),
      origin: fc.constant({ wire: 'anthropic' as const }),
      data: fc.oneof(jsonObject, fc.constant({ type: 'web_search_20250305', name: 'web_search' })),
    }),
  ),
  { maxLength: 3 },
)
const choices: fc.Arbitrary<ToolChoice> = fc.oneof(
  fc.constantFrom<ToolChoice>('auto', 'none', 'required'),
  names.map((tool) => ({ tool })),
  fc.record({
    allowed: fc.array(names, { minLength: 1, maxLength: 2 }),
    mode: fc.constantFrom('auto' as const, 'required' as const),
  }),
)
const byHand: fc.Arbitrary<Extra> = fc
  .record(
    {
      thinking: fc.constantFrom({ type: 'adaptive' }, { type: 'enabled', budget_tokens: 5000 }, { display: 'x' }, 3),
      output_config: fc.constantFrom({ effort: 'low' }, { format: { type: 'json_schema', schema: {} } }, { x: 1 }, {}),
      tool_choice: fc.constantFrom({ type: 'any' }, 'weird', { type: 'new' }),
      top_k: fc.constant(3),
      $beta: fc.constantFrom('a,b', ''),
    },
    { requiredKeys: [] },
  )
  .map((anthropic) => ({ anthropic }))
const requests: fc.Arbitrary<CompletionRequest> = fc
  .record({
    model: fc.constantFrom('m-1', 'claude'),
    messages: histories,
    tools: maybe(tools),
    toolChoice: maybe(choices),
    parallelToolCalls: maybe(fc.boolean()),
    output: maybe(fc.record({ schema: jsonObject, name: maybe(fc.string()), strict: maybe(fc.boolean()) })),
    maxTokens: maybe(fc.nat()),
    temperature: maybe(fc.constant(0.5)),
    stop: maybe(fc.array(fc.string(), { maxLength: 2 })),
    reasoning: maybe(
      fc.record({
        effort: maybe(fc.constantFrom('low', 'none', 'minimal')),
        budgetTokens: maybe(fc.constantFrom(0, 10, 5000)),
      }),
    ),
    extra: maybe(fc.oneof(any.extra, byHand)),
  })
  .map((request) => plain(request) as CompletionRequest)

describe('anthropic: any request', () => {
  test.each(['anthropic', 'anthropic-2023'])('%s: what is read back is what was sealed, less the losses', (name) => {
    const env = envOf(name)
    fc.assert(
      fc.property(requests, (request) => {
        let sealed: CompletionRequest
        try {
          sealed = codec.seal(request, env).request
        } catch (error) {
          expect(ToolwireError.is(error) && error.code).toBe('invalid_request')
          return
        }
        expect(plain(codec.seal(sealed, env).request)).toEqual(plain(sealed))
        const sent = codec.request.encode(request, { stream: false }, env)
        const back = codec.request.decode(sent.http, env).request
        expect(strip(plain(back))).toEqual(strip(plain(applyLosses(sealed, sent.losses))))
        const second = codec.request.encode(back, { stream: false }, env).http
        const third = codec.request.encode(codec.request.decode(second, env).request, { stream: false }, env).http
        expect(third.body).toEqual(second.body)
      }),
      { numRuns: 120 },
    )
  })
})

const answers = fc.record({
  parts: fc.array(fc.tuple(fc.oneof(any.assistantPart, own.assistantPart), fc.nat(3), fc.boolean()), { maxLength: 5 }),
  order: fc.constantFrom('sequential', 'calls_last', 'interleaved'),
  reason: fc.constantFrom<FinishReason>('stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error'),
  raw: maybe(fc.constantFrom('end_turn', 'tool_use', 'stop', 'new_word')),
  usage: maybe(fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() })),
  start: fc.record({
    id: fc.constantFrom('', 'msg_1'),
    metadata: maybe(any.extra),
    origin: maybe(fc.constant({ wire: 'anthropic' as const })),
  }),
})

/** The events of one part: in fragments of one to four characters, calls with or without them. */
function eventsOf(part: AssistantPart, at: number, size: number, deltas: boolean): readonly CompletionEvent[] {
  const cut = (text: string): readonly string[] => text.match(new RegExp(`[^]{1,${size + 1}}`, 'gu')) ?? ['']
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { type: of, opaque, extra } = part
      const fragments = cut(part.text).map((text) => ({ type: `${of}_delta` as const, part: at, text }))
      return opaque === undefined && extra === undefined
        ? fragments
        : [...fragments, plain({ type: 'attach', part: at, of, opaque, extra }) as CompletionEvent]
    }
    case 'opaque':
      return [{ type: 'opaque', part: at, value: part }]
    default: {
      const call = { ...part, id: `${part.id}_${at}` }
      const { id, name } = call
      const fragments = cut(call.arguments).map((text) => ({
        type: 'tool_call_delta' as const,
        part: at,
        id,
        name,
        text,
      }))
      return [...(deltas ? fragments : []), { type: call.type, part: at, call } as CompletionEvent]
    }
  }
}

function arranged(lists: readonly (readonly CompletionEvent[])[], order: string): readonly CompletionEvent[] {
  if (order === 'sequential') return lists.flat()
  if (order === 'calls_last') {
    const isFinal = (event: CompletionEvent): boolean => event.type === 'tool_call' || event.type === 'broken_call'
    const all = lists.flat()
    return [...all.filter((event) => !isFinal(event)), ...all.filter(isFinal)]
  }
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

describe('anthropic: any answer', () => {
  const env = envOf()
  const comparable = (response: object): unknown => strip(plain({ ...response, losses: [] }))

  test('whole and streamed, what is read back is what was said, less the losses', () => {
    fc.assert(
      fc.property(answers, ({ parts, order, reason, raw, usage, start }) => {
        const lists = parts.map(([part, size, deltas], index) => eventsOf(part, index * 2, size, deltas))
        const events = [
          plain({ type: 'start', model: 'm', ...start }),
          ...arranged(lists, order),
          ...(usage === undefined ? [] : [{ type: 'usage', usage }]),
          plain({ type: 'finish', reason, raw }),
        ] as readonly CompletionEvent[]
        const { response } = folded(events)
        const body = codec.response.encode(response, exchange, env)
        const read = folded(codec.response.decode(body.http, exchange, env)).response
        expect(comparable(read)).toEqual(comparable(applyLosses(plain(response), body.losses)))
        const encoder = codec.stream.encode(exchange, env)
        const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
        expect(comparable(folded(streamed(text)).response)).toEqual(
          comparable(applyLosses(plain(response), encoder.losses)),
        )
      }),
      { numRuns: 150 },
    )
  })
})

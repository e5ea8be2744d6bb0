// Law 1 on the Chat wire for every vendor: what is read back is what was asked minus the losses. And the server half in orders
// that only other wires give.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { AssistantMessage, Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'
import { comparableRequest, comparableResponse, stored } from '../laws/comparable.js'
import { bytes, codec, env, envOf, exchange, folded, readStream, user, weather } from './openai-chat-fixtures.js'

const names = Object.keys(codec.profiles)

function holdsFor(request: CompletionRequest, name: string, stream: boolean): void {
  const given = envOf(name)
  const sealed = codec.seal(request, given).request
  const { http, losses } = codec.request.encode(request, { stream }, given)
  const back = comparableRequest(codec.request.decode(http, given).request)
  const told = comparableRequest(applyLosses(stored(sealed), losses))
  if (!isDeepStrictEqual(back, told)) expect(back).toEqual(told)
  expect(codec.seal(sealed, given).request).toBe(sealed)
}

const turn = (...content: AssistantMessage['content']): AssistantMessage => ({ role: 'assistant', content })
const call = { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' } as const
const answered = (text: string, isError: boolean): Message => ({
  role: 'tool',
  results: [{ callId: 'call_1', name: 'get_weather', content: [{ type: 'text', text }], isError }],
})
const opaque = (data: { readonly [key: string]: string }) => ({ origin: { wire: 'openai-chat' as const }, data })

const requests: readonly (readonly [string, CompletionRequest])[] = [
  ['settings', { model: 'm', messages: [user], maxTokens: 5, temperature: 0.5, topP: 1, stop: ['a', 'b'] }],
  ['tools', { model: 'm', messages: [user], tools: [weather, { name: 'x.y', strict: true }], toolChoice: 'required' }],
  ['a named choice', { model: 'm', messages: [user], tools: [{ name: 'x.y' }], toolChoice: { tool: 'x.y' } }],
  [
    'allowed tools',
    { model: 'm', messages: [user], tools: [weather], toolChoice: { allowed: ['get_weather'], mode: 'auto' } },
  ],
  [
    'no choice but none',
    { model: 'm', messages: [user], tools: [weather], toolChoice: 'none', parallelToolCalls: false },
  ],
  [
    'a schema without an object',
    { model: 'm', messages: [user], tools: [{ name: 'f', inputSchema: { type: 'string' } }] },
  ],
  ['output', { model: 'm', messages: [user], output: { schema: { type: 'object' }, name: 'a b', strict: true } }],
  ['effort and budget', { model: 'm', messages: [user], reasoning: { effort: 'low', budgetTokens: 9 } }],
  [
    'unsigned reasoning',
    { model: 'm', messages: [user, turn({ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'ok' })] },
  ],
  [
    'signed reasoning',
    {
      model: 'm',
      messages: [
        user,
        turn({ type: 'reasoning', text: 'hm', opaque: opaque({ field: 'reasoning' }) }, call),
        answered('18', false),
      ],
    },
  ],
  [
    'a signature on a call',
    { model: 'm', messages: [user, turn({ ...call, opaque: opaque({ a: 'b' }) }), answered('18', false)] },
  ],
  ['failures', { model: 'm', messages: [user, turn(call), answered('no', true), user] }],
  [
    'a success that reads like a failure',
    { model: 'm', messages: [user, turn(call), answered('Error: not at all', false)] },
  ],
  ['a success that is only a prefix', { model: 'm', messages: [user, turn(call), answered('ERROR: ', false)] }],
  [
    'a broken call',
    { model: 'm', messages: [user, turn({ ...call, type: 'broken_call', arguments: '{"ci', reason: 'truncated' })] },
  ],
  [
    'media',
    {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', url: 'https://x.test/a.png', mediaType: 'image/png' },
            { type: 'file', mediaType: 'audio/wav', data: 'AAAA', name: 'a' },
            { type: 'file', data: 'AAAA' },
          ],
        },
      ],
    },
  ],
  [
    'extra of other wires',
    {
      model: 'm',
      messages: [{ ...user, extra: { gemini: { a: 1 }, 'openai-chat': { name: 'ann', role: 'x' } } }],
      extra: { 'openai-chat': { seed: 1, model: 'y', $unknown: 1 } },
    },
  ],
  [
    'legacy notes',
    {
      model: 'm',
      messages: [user, turn({ ...call, extra: { 'openai-chat': { $legacy: true } } }), answered('18', false)],
      tools: [weather],
      extra: { 'openai-chat': { $functions: true } },
    },
  ],
]

describe.each(names)('law 1, requests to %s', (name) => {
  test.each(requests)('%s', (_, request) => {
    holdsFor(request, name, false)
    holdsFor(request, name, true)
  })

  test('any history', () => {
    const { conversation, messages } = conversationArbitraries()
    const histories = fc.oneof(conversation, messages).map((list): readonly Message[] => [user, ...list])
    fc.assert(
      fc.property(histories, fc.boolean(), (list, stream) => holdsFor({ model: 'm-1', messages: list }, name, stream)),
      { numRuns: 60 },
    )
  })
})

describe('the server half', () => {
  const orders: readonly (readonly [string, readonly CompletionEvent[]])[] = [
    [
      'reasoning after text, text in two parts around a call',
      [
        { type: 'text_delta', part: 1, text: 'a' },
        { type: 'tool_call', part: 2, call },
        { type: 'text_delta', part: 3, text: 'b' },
        { type: 'reasoning_delta', part: 0, text: 'hm' },
      ],
    ],
    [
      'fragments that the complete call contradicts',
      [
        { type: 'tool_call_delta', part: 0, id: 'call_1', name: 'get_weather', text: '{"x":1}' },
        { type: 'tool_call', part: 0, call },
      ],
    ],
    [
      'a broken call and a block of another wire',
      [
        { type: 'opaque', part: 0, value: { type: 'opaque', origin: { wire: 'gemini' }, data: { a: 1 } } },
        { type: 'broken_call', part: 1, call: { ...call, type: 'broken_call', arguments: '', reason: 'malformed' } },
      ],
    ],
    [
      'half a surrogate pair, joined and alone',
      [
        { type: 'text_delta', part: 0, text: 'a\ud83d' },
        { type: 'text_delta', part: 0, text: '\udc99b' },
        { type: 'text_delta', part: 0, text: '\ud83d' },
      ],
    ],
  ]
  test.each(orders)('%s: what arrives is what was told minus the losses', (_, content) => {
    const events: CompletionEvent[] = [
      { type: 'start', id: 'r', model: 'm-1', origin: { wire: 'anthropic' } },
      ...content,
      { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
    ]
    const machine = codec.stream.encode(exchange, env)
    const text = events.map((event) => machine.push(event)).join('') + machine.end()
    const { response } = folded(events)
    const { response: back, error } = folded(readStream([bytes(text)]))
    expect(error).toBeUndefined()
    expect(comparableResponse(back)).toEqual(comparableResponse(applyLosses(stored(response), machine.losses)))
    expect(back.toolCalls.every((made) => made.arguments !== '{}')).toBe(true)
  })

  test('clients of the legacy form get a function_call, whole or streamed', () => {
    const client = { ...exchange, client: { functions: true, includeUsage: false } }
    const events: CompletionEvent[] = [
      { type: 'start', id: 'r', model: 'm-1', origin: { wire: 'anthropic' } },
      { type: 'tool_call_delta', part: 0, id: 'call_1', name: 'get_weather', text: '{"city"' },
      { type: 'tool_call', part: 0, call },
      { type: 'finish', reason: 'tool_calls' },
    ]
    const { http } = codec.response.encode(folded(events).response, client, env)
    const [choice] = JSON.parse(http.body).choices
    expect(choice.finish_reason).toBe('function_call')
    expect(choice.message.function_call).toEqual({ name: 'get_weather', arguments: call.arguments })
    const machine = codec.stream.encode(client, env)
    const text = events.map((event) => machine.push(event)).join('') + machine.end()
    expect(text).not.toContain('tool_calls')
    expect(folded(readStream([bytes(text)])).response.toolCalls).toMatchObject([
      { name: 'get_weather', arguments: call.arguments },
    ])
  })
})

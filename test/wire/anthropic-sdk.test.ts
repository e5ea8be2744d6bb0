// The official client against the server half: what it reads of our answers, and what we read of its requests.
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import type { Exchange } from '../../src/wire/codec.js'
import { envOf, folded } from './anthropic-fixtures.js'

const env = envOf()
const start: CompletionEvent = { type: 'start', id: 'msg_9', model: 'm' }
const usage: CompletionEvent = { type: 'usage', usage: { input: 7, cacheRead: 2, output: 5, reasoning: 1 } }
const call = (part: number, id: string, text: string): CompletionEvent => ({
  type: 'tool_call',
  part,
  call: { type: 'tool_call', id, name: 'get_weather', arguments: text },
})

/** A client whose server answers with these events, streamed or whole as asked, or with an error. */
function serving(events: readonly CompletionEvent[]): {
  client: Anthropic
  seen: CompletionRequest[]
  exchanges: Exchange[]
} {
  const seen: CompletionRequest[] = []
  const exchanges: Exchange[] = []
  const answer = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init?.headers).entries())
    const decoded = codec.request.decode(
      { method: 'POST', path: '/v1/messages', headers, body: String(init?.body) },
      env,
    )
    seen.push(decoded.request)
    exchanges.push(decoded.exchange)
    const [first] = events
    if (first?.type === 'error') {
      const { status, headers, body } = codec.error.encode(first.error, decoded.exchange)
      return new Response(body, { status, headers })
    }
    if (!decoded.exchange.stream) {
      const { http } = codec.response.encode(folded(events).response, decoded.exchange, env)
      return new Response(http.body, { status: http.status, headers: http.headers })
    }
    const encoder = codec.stream.encode(decoded.exchange, env)
    const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
    return new Response(text, { headers: encoder.headers })
  }
  return { client: new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: answer }), seen, exchanges }
}

const question = { model: 'm', max_tokens: 50, messages: [{ role: 'user' as const, content: 'hi' }] }
const signed = { origin: { wire: 'anthropic' }, data: { signature: 'SIG' } } as const
const cases: readonly (readonly [string, readonly CompletionEvent[]])[] = [
  [
    'text',
    [
      start,
      { type: 'text_delta', part: 0, text: 'Hel' },
      { type: 'text_delta', part: 0, text: 'lo' },
      usage,
      { type: 'finish', reason: 'stop' },
    ],
  ],
  ['one call', [start, call(0, 'toolu_1', '{"city":"Paris"}'), usage, { type: 'finish', reason: 'tool_calls' }]],
  [
    'parallel calls',
    [
      start,
      { type: 'text_delta', part: 1, text: 'Two.' },
      call(8, 'a', '{"city":"Paris"}'),
      call(9, 'b', '{}'),
      usage,
      { type: 'finish', reason: 'tool_calls' },
    ],
  ],
  [
    'thinking',
    [
      start,
      { type: 'reasoning_delta', part: 0, text: 'hm' },
      { type: 'attach', part: 0, of: 'reasoning', opaque: signed },
      { type: 'text_delta', part: 1, text: 'yes' },
      usage,
      { type: 'finish', reason: 'stop' },
    ],
  ],
]

describe('anthropic: the official client', () => {
  test.each(cases)('reads %s whole and streamed alike, and its own history comes back', async (_, events) => {
    const { client, seen, exchanges } = serving(events)
    const body = await client.messages.create(question)
    const streamedBody = await client.messages.stream(question).finalMessage()
    const plain = (message: unknown): unknown =>
      JSON.parse(JSON.stringify({ ...(message as object), _request_id: undefined, parsed_output: undefined }))
    expect(plain(streamedBody)).toEqual(plain(body))
    const { response } = folded(events)
    const text = body.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    expect(text).toBe(response.text)
    const calls = body.content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.input]] : []))
    expect(calls).toEqual(response.toolCalls.map(({ id, arguments: args }) => [id, JSON.parse(args)]))
    expect(body.usage).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 2, output_tokens: 6 })
    expect(exchanges.map(({ stream, client: facts }) => [stream, facts?.version])).toEqual([
      [false, '2026-10-21'],
      [true, '2026-10-21'],
    ])
    await client.messages.create({
      ...question,
      messages: [...question.messages, { role: 'assistant', content: body.content }],
    })
    const history = seen.at(-1)?.messages.at(-1)
    const parts = (list: readonly object[]): unknown =>
      JSON.parse(JSON.stringify(list, (key, value) => (key === 'origin' ? undefined : value)))
    expect(history?.role === 'assistant' && parts(history.content)).toEqual(parts(response.message.content))
  })
  test.each([
    ['rate_limited', 429],
    ['authentication', 401],
    ['overloaded', 529],
  ] as const)('throws %s with its status', async (code, status) => {
    const { client } = serving([{ type: 'error', error: new ToolwireError(code, 'no') }])
    const error = await client.messages.create(question).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(APIError)
    expect((error as APIError).status).toBe(status)
  })
  test('throws an error that comes in the middle of a stream', async () => {
    const failed: CompletionEvent = { type: 'error', error: new ToolwireError('overloaded', 'busy') }
    const { client } = serving([start, { type: 'text_delta', part: 0, text: 'Hi' }, failed])
    const error = await client.messages
      .stream(question)
      .finalMessage()
      .catch((reason: unknown) => reason)
    expect(String(error)).toContain('busy')
  })
})

// The official client against the server half, and what it sends against the request decoder. Its fetch is ours: no network.
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Env } from '../../src/wire/codec.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'

const profile = codec.profiles.openai
if (profile === undefined) throw new Error('no profile')
const env: Env = { profile, createdSeconds: 1_700_000_000, deltas: true }

interface Heard {
  request?: CompletionRequest
}

/** A client whose server answers with these events; `heard` receives the decoded request. */
function client(events: readonly CompletionEvent[], heard: Heard = {}): OpenAI {
  const answer = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const http = { method: 'POST', path: '/v1/responses', headers: {}, body: String(init?.body) }
    const { request, exchange } = codec.request.decode(http, env)
    heard.request = request
    if (exchange.stream) {
      const encoder = codec.stream.encode(exchange, env)
      const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
      return new Response(text, { status: 200, headers: encoder.headers })
    }
    const { response, error } = fold(events)
    const encoded =
      error === undefined ? codec.response.encode(response, exchange, env).http : codec.error.encode(error, exchange)
    return new Response(encoded.body, { status: encoded.status, headers: encoded.headers })
  }
  return new OpenAI({ apiKey: 'none', baseURL: 'http://test.invalid/v1', maxRetries: 0, fetch: answer })
}

function fold(events: readonly CompletionEvent[]): { response: CompletionResponse; error?: ToolwireError } {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done()
}

const start: CompletionEvent = { type: 'start', id: 'chatcmpl-1', model: 'm', origin: { wire: 'openai-chat' } }
const usage: CompletionEvent = { type: 'usage', usage: { input: 5, cacheRead: 2, output: 3, reasoning: 1, total: 11 } }
const finish: CompletionEvent = { type: 'finish', reason: 'stop', raw: 'stop' }
const toolCall = (part: number, id: string, name: string, args: string): CompletionEvent => ({
  type: 'tool_call',
  part,
  call: { type: 'tool_call', id, name, arguments: args },
})
const ask = { model: 'm', input: 'hi' } as const

const answers: Record<string, readonly CompletionEvent[]> = {
  text: [
    start,
    { type: 'text_delta', part: 1, text: 'Hello ' },
    { type: 'text_delta', part: 1, text: 'world' },
    usage,
    finish,
  ],
  'one call': [start, toolCall(8, 'call_1', 'add', '{"a": 1}'), usage, { type: 'finish', reason: 'tool_calls' }],
  'text and interleaved calls with deltas': [
    start,
    { type: 'text_delta', part: 1, text: 'Let me see.' },
    { type: 'tool_call_delta', part: 8, id: 'call_1', name: 'add', text: '{"a"' },
    { type: 'tool_call_delta', part: 9, id: 'call_2', name: 'sub', text: '' },
    { type: 'tool_call_delta', part: 9, id: 'call_2', name: 'sub', text: '{"b":' },
    { type: 'tool_call_delta', part: 8, id: 'call_1', name: 'add', text: ':1}' },
    { type: 'text_delta', part: 1, text: ' Now.' },
    toolCall(8, 'call_1', 'add', '{"a":1}'),
    toolCall(9, 'call_2', 'sub', '{"b":2}'),
    usage,
    { type: 'finish', reason: 'tool_calls' },
  ],
  'reasoning of another wire': [
    start,
    { type: 'reasoning_delta', part: 0, text: 'I think' },
    { type: 'reasoning_delta', part: 0, text: ' so.' },
    { type: 'attach', part: 0, of: 'reasoning', opaque: { origin: { wire: 'anthropic' }, data: { signature: 'x' } } },
    { type: 'text_delta', part: 1, text: 'Yes.' },
    usage,
    finish,
  ],
  'an emoji cut in two': [
    start,
    { type: 'text_delta', part: 0, text: 'a\ud83d' },
    { type: 'text_delta', part: 0, text: '\ude00b' },
    finish,
  ],
  'an answer cut by its length': [
    start,
    { type: 'text_delta', part: 0, text: 'It is' },
    usage,
    { type: 'finish', reason: 'length', raw: 'length' },
  ],
  'nothing at all': [start, finish],
}

describe('the official client reads', () => {
  test.each(Object.entries(answers))('%s, whole and streamed alike', async (_, events) => {
    const { response: expected } = fold(events)
    const whole = await client(events).responses.create(ask)
    const stream = client(events).responses.stream(ask)
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    const streamed = await stream.finalResponse()
    for (const response of [whole, streamed]) {
      expect(response.output_text).toBe(expected.text)
      expect(response.id).toBe('chatcmpl-1')
      const calls = response.output.flatMap((item) =>
        item.type === 'function_call' ? [[item.call_id, item.name, item.arguments]] : [],
      )
      expect(calls).toEqual(expected.toolCalls.map((call) => [call.id, call.name, call.arguments]))
      for (const item of response.output) expect(item.id).toMatch(/^(msg|fc|rs)_/)
      expect(response.status).toBe(expected.finishReason === 'length' ? 'incomplete' : 'completed')
      if (expected.usage !== undefined) {
        expect(response.usage).toMatchObject({ input_tokens: 7, output_tokens: 4, total_tokens: 11 })
      }
    }
    expect(types[0]).toBe('response.created')
    expect(types.at(-1)).toMatch(/^response\.(completed|incomplete)$/)
    expect(streamed.output.map((item) => ({ ...item, parsed_arguments: undefined }))).toMatchObject(
      JSON.parse(JSON.stringify(whole.output)) as object[],
    )
  })

  test('the sequence of a stream has no gap', async () => {
    const numbers: number[] = []
    const stream = await client(answers.text ?? []).responses.create({ ...ask, stream: true })
    for await (const event of stream) numbers.push(event.sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))
  })

  test('an error of a request', async () => {
    const error = new ToolwireError('rate_limited', 'slow down', { retryAfterMs: 2000 })
    const refused = client([{ type: 'error', error }]).responses.create(ask)
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })

  test('an error in the middle of a stream', async () => {
    const error = new ToolwireError('overloaded', 'too busy')
    const stream = await client([
      start,
      { type: 'text_delta', part: 0, text: 'a' },
      { type: 'error', error },
    ]).responses.create({
      ...ask,
      stream: true,
    })
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    }
    await expect(read()).rejects.toThrow('too busy')
  })

  test('what was asked is repeated in the answer', async () => {
    const tools = [{ type: 'function', name: 'add', parameters: { type: 'object' }, strict: false }] as const
    const response = await client(answers.text ?? []).responses.create({
      ...ask,
      instructions: 'be brief',
      tools: [...tools],
      temperature: 0.5,
      metadata: { a: 'b' },
    })
    expect(response).toMatchObject({ instructions: 'be brief', temperature: 0.5, metadata: { a: 'b' }, tools })
  })
})

describe('the official client sends', () => {
  test('a tool loop that is read as a conversation', async () => {
    const heard: Heard = {}
    await client(answers.text ?? [], heard).responses.create({
      model: 'm',
      instructions: 'be brief',
      input: [
        { role: 'user', content: 'what is 1+2?' },
        { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: '3' },
      ],
      tools: [{ type: 'function', name: 'add', parameters: { type: 'object' }, strict: true }],
      tool_choice: { type: 'function', name: 'add' },
      parallel_tool_calls: false,
      max_output_tokens: 100,
      text: { format: { type: 'json_schema', name: 'sum', schema: { type: 'object' }, strict: true } },
    })
    expect(heard.request).toMatchObject({
      model: 'm',
      messages: [
        { role: 'system', content: [{ text: 'be brief' }] },
        { role: 'user', content: [{ text: 'what is 1+2?' }] },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'add', arguments: '{"a":1}' }] },
        { role: 'tool', results: [{ callId: 'c1', name: 'add', content: [{ text: '3' }], isError: false }] },
      ],
      tools: [{ name: 'add', strict: true }],
      toolChoice: { tool: 'add' },
      parallelToolCalls: false,
      maxTokens: 100,
      output: { name: 'sum', strict: true, schema: { type: 'object' } },
    })
  })

  test('an answer of the server half back, and its made ids are never kept', async () => {
    const heard: Heard = {}
    const events = answers['reasoning of another wire'] ?? []
    const first = await client(events).responses.create(ask)
    const input = [{ role: 'user', content: 'hi' }, ...first.output] as OpenAI.Responses.ResponseInputItem[]
    await client(events, heard).responses.create({ model: 'm', input })
    expect(JSON.stringify(heard.request)).not.toContain('_made')
    expect(heard.request?.messages[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'I think so.' },
        { type: 'text', text: 'Yes.' },
      ],
    })
  })
})

describe('the stream encoder', () => {
  const exchange = { wire: codec.wire, model: 'm', stream: true } as const
  const crossed = (events: readonly CompletionEvent[]): { given: unknown; read: unknown } => {
    const encoder = codec.stream.encode(exchange, env)
    const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
    const decoder = codec.stream.decode(exchange, env)
    const { response } = fold([...decoder.push(new TextEncoder().encode(text)), ...decoder.end()])
    const bare = (value: CompletionResponse): unknown => {
      const { origin: _, ...message } = value.message
      return { ...value, losses: [], message }
    }
    return { given: bare(applyLosses(fold(events).response, encoder.losses)), read: bare(response) }
  }

  test.each(Object.entries(answers))('%s crosses but for its losses', (_, events) => {
    const { given, read } = crossed(events)
    expect(read).toEqual(given)
  })

  test('reasoning that comes after the text stays, behind it, and the losses say so', () => {
    const { given, read } = crossed([
      start,
      { type: 'text_delta', part: 1, text: 'Yes.' },
      { type: 'reasoning_delta', part: 0, text: 'Hm.' },
      finish,
    ])
    expect(read).toEqual(given)
    expect(read).toMatchObject({ message: { content: [{ type: 'text' }, { type: 'reasoning', text: 'Hm.' }] } })
  })

  test('a call is sent once, whatever the deltas said', () => {
    const events: readonly CompletionEvent[] = [
      start,
      { type: 'tool_call_delta', part: 0, id: 'c1', name: 'add', text: '{"x":1' },
      toolCall(0, 'c1', 'add', '{"y":1}'),
      { type: 'finish', reason: 'tool_calls' },
    ]
    const { given, read } = crossed(events)
    expect(read).toEqual(given)
    expect(read).toMatchObject({ toolCalls: [{ arguments: '{"y":1}' }] })
  })

  test('without a finish there is no terminal event', () => {
    const encoder = codec.stream.encode(exchange, env)
    const text = encoder.push(start) + encoder.push({ type: 'text_delta', part: 0, text: 'a' }) + encoder.end()
    const decoder = codec.stream.decode(exchange, env)
    const events = [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()]
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'truncated' } })
  })

  test('items of this wire keep their ids when they pass through', () => {
    const origin = { wire: codec.wire } as const
    const events: readonly CompletionEvent[] = [
      { type: 'start', id: 'resp_1', model: 'm', origin },
      { type: 'attach', part: 0, of: 'reasoning', opaque: { origin, data: { id: 'rs_1' } } },
      { type: 'reasoning_delta', part: 0, text: 'Hm' },
      { type: 'attach', part: 0, of: 'reasoning', opaque: { origin, data: { id: 'rs_1', encrypted_content: 'e' } } },
      { type: 'tool_call_delta', part: 64, id: 'c1', name: 'add', text: '{', opaque: { origin, data: { id: 'fc_1' } } },
      {
        type: 'tool_call',
        part: 64,
        call: {
          type: 'tool_call',
          id: 'c1',
          name: 'add',
          arguments: '{}',
          opaque: { origin, data: { id: 'fc_1', status: 'completed' } },
        },
      },
      {
        type: 'opaque',
        part: 128,
        value: { type: 'opaque', origin, data: { type: 'web_search_call', id: 'ws_1', status: 'completed' } },
      },
      { type: 'finish', reason: 'tool_calls', raw: 'completed' },
    ]
    const encoder = codec.stream.encode(exchange, env)
    const text = events.map((event) => encoder.push(event)).join('')
    expect(encoder.losses).toEqual([])
    expect(text).toContain('"item_id":"fc_1"')
    expect(text).not.toContain('_made')
  })
})

// The official client against our server half, and our request reader against what the official client sends.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { unfold } from '../../src/conversation/unfold.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Exchange } from '../../src/wire/codec.js'
import { codec, env, folded } from './openai-chat-fixtures.js'

let server: Server
let client: OpenAI
/** What the server answers next, and what it was asked last. */
let events: readonly CompletionEvent[] = []
let asked: ReturnType<typeof codec.request.decode> | undefined

function answer(exchange: Exchange): { readonly status: number; readonly headers: object; readonly body: string } {
  const failure = events.find((event) => event.type === 'error')
  if (exchange.stream) {
    const machine = codec.stream.encode(exchange, env)
    const body = events.map((event) => machine.push(event)).join('') + machine.end()
    return { status: 200, headers: machine.headers, body }
  }
  if (failure?.type === 'error') return codec.error.encode(failure.error, exchange)
  return codec.response.encode(folded(events).response, exchange, env).http
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += String(piece)
    })
    request.on('end', () => {
      asked = codec.request.decode({ method: 'POST', path: request.url ?? '', headers: {}, body }, env)
      const { status, headers, body: text } = answer(asked.exchange)
      response.writeHead(status, headers as Record<string, string>)
      response.end(text)
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.address() as AddressInfo
  client = new OpenAI({ apiKey: 'test', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
})

afterAll(async () => {
  await new Promise((done) => {
    server.close(done)
  })
})

const call = (part: number, id: string, args: string): CompletionEvent => {
  return { type: 'tool_call', part, call: { type: 'tool_call', id, name: 'get_weather', arguments: args } }
}
const start: CompletionEvent = { type: 'start', id: 'msg_1', model: 'm-1', origin: { wire: 'anthropic' } }
const usage: CompletionEvent = { type: 'usage', usage: { input: 5, cacheRead: 2, output: 3, reasoning: 1, total: 11 } }
const said: readonly CompletionEvent[] = [
  start,
  { type: 'reasoning_delta', part: 0, text: 'hm' },
  { type: 'attach', part: 0, of: 'reasoning', opaque: { origin: { wire: 'anthropic' }, data: { signature: 'S' } } },
  { type: 'text_delta', part: 1, text: 'Checking ' },
  { type: 'text_delta', part: 1, text: 'both 💙.' },
]
const calls: readonly CompletionEvent[] = [
  ...said,
  call(2, 'toolu_1', '{"city":"Paris"}'),
  call(3, 'toolu_2', '{"city":"Oslo"}'),
  usage,
  { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
]
/** The same with fragments that interleave, and the complete calls behind them. */
const fragments: readonly CompletionEvent[] = [
  ...said,
  { type: 'tool_call_delta', part: 2, id: 'toolu_1', name: 'get_weather', text: '' },
  { type: 'tool_call_delta', part: 2, id: 'toolu_1', name: 'get_weather', text: '{"city"' },
  { type: 'tool_call_delta', part: 3, id: 'toolu_2', name: 'get_weather', text: '{"ci' },
  { type: 'tool_call_delta', part: 2, id: 'toolu_1', name: 'get_weather', text: ':"Paris"}' },
  ...calls.slice(said.length),
]

const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
]
const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }]

function callsOf(message: OpenAI.Chat.Completions.ChatCompletionMessage): readonly string[] {
  return (message.tool_calls ?? []).map((made) => {
    return made.type === 'function' ? `${made.id} ${made.function.name} ${made.function.arguments}` : made.type
  })
}

const expected = ['toolu_1 get_weather {"city":"Paris"}', 'toolu_2 get_weather {"city":"Oslo"}']

describe('the official client', () => {
  test('reads a whole answer with reasoning, text, parallel calls and usage', async () => {
    events = calls
    const answered = await client.chat.completions.create({ model: 'm-1', messages, tools })
    const [choice] = answered.choices
    expect(choice?.message.content).toBe('Checking both 💙.')
    expect(choice?.message).toMatchObject({ reasoning_content: 'hm', refusal: null })
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice && callsOf(choice.message)).toEqual(expected)
    expect(answered.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 })
    expect([answered.object, answered.created, answered.id]).toEqual(['chat.completion', env.createdSeconds, 'msg_1'])
  })

  test.each([
    ['calls that come whole', calls],
    ['calls in fragments that interleave', fragments],
  ])('reads a stream of %s', async (_, given) => {
    events = given
    const stream = client.chat.completions.stream({
      model: 'm-1',
      messages,
      tools,
      stream_options: { include_usage: true },
    })
    const answered = await stream.finalChatCompletion()
    const [choice] = answered.choices
    expect(choice?.message.content).toBe('Checking both 💙.')
    expect(choice && callsOf(choice.message)).toEqual(expected)
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(answered.usage?.total_tokens).toBe(11)
  })

  test('gets no usage in a stream that it did not ask for', async () => {
    events = [start, { type: 'text_delta', part: 0, text: 'hi' }, usage, { type: 'finish', reason: 'stop' }]
    const answered = await client.chat.completions.stream({ model: 'm-1', messages }).finalChatCompletion()
    expect(answered.choices[0]?.message.content).toBe('hi')
    expect(answered.usage).toBeUndefined()
  })

  test('reads a refusal as a refusal', async () => {
    const refusal = { role: 'assistant', content: null, refusal: 'no' }
    const body = JSON.stringify({
      id: 'c',
      model: 'm',
      choices: [{ index: 0, message: refusal, finish_reason: 'stop' }],
    })
    events = codec.response.decode(
      { status: 200, headers: {}, body },
      { wire: 'openai-chat', model: '', stream: false },
      env,
    )
    const whole = await client.chat.completions.create({ model: 'm-1', messages })
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: refusal })
    const streamed = await client.chat.completions.stream({ model: 'm-1', messages }).finalChatCompletion()
    expect(streamed.choices[0]?.message.refusal).toBe('no')
  })

  test('reads errors, before an answer and inside a stream', async () => {
    events = [start, { type: 'error', error: new ToolwireError('rate_limited', 'slow down') }]
    await expect(client.chat.completions.create({ model: 'm-1', messages })).rejects.toMatchObject({ status: 429 })
    const stream = client.chat.completions.stream({ model: 'm-1', messages })
    await expect(stream.finalChatCompletion()).rejects.toThrow('slow down')
  })

  test('a stream without a finish is an error to the client too', async () => {
    events = [start, { type: 'text_delta', part: 0, text: 'hi' }]
    const stream = client.chat.completions.stream({ model: 'm-1', messages })
    await expect(stream.finalChatCompletion()).rejects.toThrow('finish_reason')
  })

  test('sends what is decoded', async () => {
    events = unfold(folded(calls).response)
    await client.chat.completions.create({
      model: 'm-1',
      messages: [
        { role: 'developer', content: 'be brief' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'ERROR: no' },
      ],
      tools,
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      max_completion_tokens: 9,
      reasoning_effort: 'low',
    })
    expect(asked?.request).toMatchObject({
      model: 'm-1',
      messages: [
        { role: 'system' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'get_weather', arguments: '{}' }] },
        { role: 'tool', results: [{ callId: 'c1', name: 'get_weather', isError: true, content: [{ text: 'no' }] }] },
      ],
      toolChoice: { tool: 'get_weather' },
      parallelToolCalls: false,
      maxTokens: 9,
      reasoning: { effort: 'low' },
    })
  })
})

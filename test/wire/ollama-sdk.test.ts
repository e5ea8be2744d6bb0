// The official client against the server half: what it sends is read, what is written for it is understood.
import { type ChatRequest, type ChatResponse, Ollama } from 'ollama'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold } from '../../src/conversation/fold.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Env } from '../../src/wire/codec.js'
import { ollamaCodec as codec } from '../../src/wire/ollama/index.js'
import { profiles } from '../../src/wire/ollama/profiles.js'

const env: Env = { profile: profiles.ollama ?? { name: 'ollama', wire: 'ollama' }, createdSeconds: 1e9, deltas: true }

/** A client whose server answers every request with these events, and the requests it was sent. */
function clientOf(events: readonly CompletionEvent[] | ToolwireError): { client: Ollama; asked: CompletionRequest[] } {
  const asked: CompletionRequest[] = []
  const answer = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const path = new URL(String(url)).pathname
    const { request, exchange } = codec.request.decode(
      { method: 'POST', path, headers: {}, body: String(init?.body) },
      env,
    )
    asked.push(request)
    if (ToolwireError.is(events)) {
      const { status, headers, body } = codec.error.encode(events, exchange)
      return new Response(body, { status, headers })
    }
    if (!exchange.stream) {
      const { status, headers, body } = codec.response.encode(fold(events), exchange, env).http
      return new Response(body, { status, headers })
    }
    const machine = codec.stream.encode(exchange, env)
    const text = events.map((event) => machine.push(event)).join('') + machine.end()
    return new Response(inPieces(new TextEncoder().encode(text)), { headers: machine.headers })
  }
  return { client: new Ollama({ host: 'http://127.0.0.1:1', fetch: answer as typeof fetch }), asked }
}

function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + 37))
      at += 37
    },
  })
}

const question = { model: 'qwen3', messages: [{ role: 'user', content: 'hi' }] } satisfies ChatRequest
const start: CompletionEvent = { type: 'start', id: 'r1', model: 'qwen3' }
const called = (part: number, id: string, args: string): CompletionEvent => ({
  type: 'tool_call',
  part,
  call: { type: 'tool_call', id, name: 'get_weather', arguments: args },
})
const spent: CompletionEvent = { type: 'usage', usage: { input: 3, output: 4, total: 7 } }

async function streamed(client: Ollama): Promise<readonly ChatResponse[]> {
  const parts: ChatResponse[] = []
  for await (const part of await client.chat({ ...question, stream: true })) parts.push(part)
  return parts
}

describe('the official ollama client', () => {
  const cases: readonly (readonly [string, readonly CompletionEvent[], object])[] = [
    [
      'text',
      [
        { type: 'text_delta', part: 0, text: 'Hel' },
        { type: 'text_delta', part: 0, text: 'lo' },
        { type: 'finish', reason: 'stop' },
      ],
      { content: 'Hello' },
    ],
    [
      'one call',
      [called(0, 'a', '{"city":"Paris"}'), { type: 'finish', reason: 'tool_calls' }],
      { tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }] },
    ],
    [
      'parallel calls',
      [
        called(1, 'a', '{"city":"Paris"}'),
        called(2, 'b', '{\n"city":"Rome"}'),
        { type: 'finish', reason: 'tool_calls' },
      ],
      { tool_calls: [{ function: { arguments: { city: 'Paris' } } }, { function: { arguments: { city: 'Rome' } } }] },
    ],
    [
      'reasoning',
      [
        { type: 'reasoning_delta', part: 0, text: 'hm' },
        { type: 'text_delta', part: 1, text: 'ok' },
        { type: 'finish', reason: 'stop' },
      ],
      { thinking: 'hm', content: 'ok' },
    ],
  ]
  test.each(cases)('reads %s, whole and streamed', async (_, events, message) => {
    const { client } = clientOf([start, ...events.slice(0, -1), spent, ...events.slice(-1)])
    const whole = await client.chat(question)
    expect(whole).toMatchObject({ done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4, message })
    const parts = await streamed(client)
    const joined = {
      content: parts.map((part) => part.message.content).join(''),
      thinking: parts.map((part) => part.message.thinking ?? '').join(''),
      tool_calls: parts.flatMap((part) => part.message.tool_calls ?? []),
    }
    expect(joined).toMatchObject(message)
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 })
  })

  test('reads an error by its status and text, and one in the middle of a stream', async () => {
    const { client } = clientOf(new ToolwireError('not_found', 'model "x" not found'))
    await expect(client.chat(question)).rejects.toMatchObject({ error: 'model "x" not found', status_code: 404 })
    const broken = clientOf([
      start,
      { type: 'text_delta', part: 0, text: 'a' },
      { type: 'error', error: new ToolwireError('server_error', 'gone') },
    ])
    await expect(streamed(broken.client)).rejects.toThrow('gone')
    const cut = clientOf([start, { type: 'text_delta', part: 0, text: 'a' }])
    await expect(streamed(cut.client)).rejects.toThrow('Did not receive done')
  })

  test('sends what is read', async () => {
    const { client, asked } = clientOf([start, { type: 'finish', reason: 'stop' }])
    await client.chat({
      model: 'qwen3',
      think: 'high',
      keep_alive: '5m',
      format: { type: 'object' },
      options: { temperature: 0.5, num_predict: 9, num_ctx: 100 },
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } },
      ],
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u', images: [new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])] },
        {
          role: 'assistant',
          content: '',
          thinking: 't',
          tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }],
        },
        { role: 'tool', tool_name: 'f', content: 'r' },
      ],
    })
    expect(asked[0]).toMatchObject({
      model: 'qwen3',
      reasoning: { effort: 'high' },
      output: { schema: { type: 'object' } },
      temperature: 0.5,
      maxTokens: 9,
      extra: { ollama: { keep_alive: '5m', options: { num_ctx: 100 } } },
      tools: [{ name: 'f', description: 'd' }],
      messages: [
        { role: 'system' },
        { role: 'user', content: [{ text: 'u' }, { type: 'image', mediaType: 'image/png' }] },
        { role: 'assistant', content: [{ type: 'reasoning' }, { type: 'tool_call', arguments: '{"a":1}' }] },
        { role: 'tool', results: [{ name: 'f', content: [{ text: 'r' }] }] },
      ],
    })
  })
})

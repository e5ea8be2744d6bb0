// A call that must be made, on a wire without a word for it: asked for by the form of the answer, and read out of its text.
import { describe, expect, test } from 'vitest'
import { applyLosses } from '../../src/conversation/losses.js'
import { isCall } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import { ollama, run, tool } from '../../src/index.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { profileOf } from '../../src/wire/index.js'
import { ollamaCodec as codec } from '../../src/wire/ollama/index.js'
import { comparableResponse, stored } from '../laws/comparable.js'
import { foldAll, streamEvents } from '../streams/streamed.js'

const env: Env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
const request: CompletionRequest = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Book it.' }] }],
  tools: [
    { name: 'book', inputSchema: { type: 'object', properties: { seat: { type: 'number' } } } },
    { name: 'wait' },
  ],
  toolChoice: 'required',
}

function encoded(asked: CompletionRequest): { readonly body: JsonObject; readonly exchange: Exchange } {
  const { http, exchange } = codec.request.encode(asked, { stream: true }, env)
  return { body: JSON.parse(bodyText(http.body)) as JsonObject, exchange }
}

function decoded(body: JsonObject): CompletionRequest {
  return codec.request.decode({ method: 'POST', path: '/api/chat', headers: {}, body: JSON.stringify(body) }, env)
    .request
}

const { exchange } = encoded(request)

function lineOf(message: JsonObject, done?: string): string {
  const end = done === undefined ? { done: false } : { done: true, done_reason: done }
  return JSON.stringify({
    model: 'm',
    created_at: 'now',
    message: { role: 'assistant', content: '', ...message },
    ...end,
  })
}

/** A stream of these texts and whatever the last line says, read in pieces of some bytes. */
function streamed(texts: readonly string[], last = lineOf({}, 'stop'), size = 1_000_000) {
  const bytes = new TextEncoder().encode([...texts.map((content) => lineOf({ content })), last].join('\n'))
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  return foldAll(streamEvents(codec, pieces, exchange, env))
}

describe('what is asked', () => {
  test('the schema of a call to any of the tools, and only the demand is read from it', () => {
    const { body } = encoded(request)
    const call = (name: string, schema: Json): Json => ({
      type: 'object',
      properties: { name: { type: 'string', enum: [name] }, arguments: schema },
      required: ['name', 'arguments'],
      additionalProperties: false,
    })
    expect(body.format).toEqual({
      anyOf: [
        call('book', { type: 'object', properties: { seat: { type: 'number' } } }),
        call('wait', { type: 'object', properties: {} }),
      ],
    })
    expect(decoded(body)).toMatchObject({ toolChoice: 'required' })
    expect(decoded(body).output).toBeUndefined()
  })

  test('any other schema is one of the answer, also with the tools of another request', () => {
    const { body } = encoded(request)
    const others = { ...body, tools: [(body.tools as readonly Json[])[0] as Json] }
    expect(decoded(others).toolChoice).toBeUndefined()
    expect(decoded(others).output).toEqual({ schema: body.format })
  })

  test('a tool that is no function cannot be demanded', () => {
    const own = { type: 'opaque', origin: { wire: 'ollama' }, data: { type: 'search', name: 'web' } } as const
    const { losses } = codec.request.encode({ ...request, tools: [own] }, { stream: false }, env)
    expect(losses.map(({ code }) => code)).toEqual(['tool_choice_widened'])
  })

  test('the demand wins over a schema of the answer and a format of this wire, which are reported', () => {
    const asked = { ...request, output: { schema: { type: 'object' } }, extra: { ollama: { format: 'json' } } }
    const { http, losses } = codec.request.encode(asked, { stream: false }, env)
    expect(decoded(JSON.parse(bodyText(http.body)) as JsonObject).toolChoice).toBe('required')
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'schema_changed /tools/1/inputSchema',
      'tool_choice_as_format /toolChoice',
      'output_dropped /output',
      'extra_dropped /extra/ollama/format',
    ])
  })
})

describe('what is answered', () => {
  const text = '{"name": "book", "arguments": {"seat": 9007199254740993, "near": "Ä"}}'

  test('a text that is a call is that call, digit for digit, however it is cut', () => {
    for (let size = 1; size < 40; size += 1) {
      const { response, error } = streamed([text.slice(0, 20), text.slice(20, 41), text.slice(41)], undefined, size)
      expect(error).toBeUndefined()
      expect(response.text).toBe('')
      expect(response.finishReason).toBe('tool_calls')
      expect(response.message.content).toEqual([
        {
          type: 'tool_call',
          id: expect.any(String),
          name: 'book',
          arguments: '{"seat": 9007199254740993, "near": "Ä"}',
        },
      ])
    }
  })

  test('a whole answer says the same as a streamed one', () => {
    const http = { status: 200, headers: {}, body: lineOf({ content: text }, 'stop') }
    const { response } = foldAll(codec.response.decode(http, exchange, env))
    expect(response).toEqual(streamed([text]).response)
  })

  test.each([
    'Sorry, no.',
    '{"name": "book", "arguments": {"seat"',
    '{"name": "book"}',
    '{"name": "book", "arguments": "{}"}',
    '["book"]',
  ])('%s stays text', (said) => {
    const { response } = streamed([said])
    expect(response.text).toBe(said)
    expect(response.message.content.some(isCall)).toBe(false)
  })

  test('a call in its own place is taken, and the text beside it stays text', () => {
    const { response } = streamed(
      [text],
      lineOf({ tool_calls: [{ function: { name: 'wait', arguments: {} } }] }, 'stop'),
    )
    expect(response.text).toBe(text)
    expect(response.message.content.filter(isCall).map(({ name }) => name)).toEqual(['wait'])
  })

  test('a call at the limit is not run', () => {
    const { response } = streamed([text], lineOf({}, 'length'))
    expect(response.finishReason).toBe('length')
    expect(response.toolCalls).toEqual([])
  })

  test('what came before an end too early is text, and nothing of it runs', () => {
    const { response, error } = streamed([text], '')
    expect(error?.code).toBe('truncated')
    expect(response.text).toBe(text)
    expect(response.toolCalls).toEqual([])
  })

  test('without the demand the same text is text', () => {
    const { callAsText: _, ...free } = exchange
    const http = { status: 200, headers: {}, body: lineOf({ content: text }, 'stop') }
    expect(foldAll(codec.response.decode(http, free, env)).response.text).toBe(text)
  })

  test.each([text, 'no', '{"name":"x","arguments":{}}'])(
    'a server half that says %s tells what a client makes of it',
    (said) => {
      const http = { status: 200, headers: {}, body: lineOf({ content: said }, 'stop') }
      const { response } = foldAll(codec.response.decode(http, { ...exchange, callAsText: false }, env))
      expect(response.text).toBe(said)
      const sent = codec.response.encode(response, exchange, env)
      const back = foldAll(codec.response.decode(sent.http, exchange, env)).response
      expect(comparableResponse(back)).toEqual(comparableResponse(applyLosses(stored(response), sent.losses)))
      expect(back.toolCalls.length).toBe(said === 'no' ? 0 : 1)
    },
  )
})

test('a tool runs although the model was made to write its call as text', async () => {
  const bodies: JsonObject[] = []
  const answers = [
    lineOf({ content: '{"name":"book","arguments":{"seat":12}}' }, 'stop'),
    lineOf({ content: 'Done.' }, 'stop'),
  ]
  const answer: typeof fetch = async (url, init) => {
    if (String(url).endsWith('/api/show')) return Response.json({ capabilities: ['completion', 'tools'] })
    bodies.push(JSON.parse(await new Response(init?.body).text()) as JsonObject)
    return new Response(`${answers.shift()}\n`, { headers: { 'content-type': 'application/x-ndjson' } })
  }
  const seats: unknown[] = []
  const book = tool({
    name: 'book',
    description: 'Books a seat',
    input: { type: 'object', properties: { seat: { type: 'integer' } }, required: ['seat'] } as const,
    execute: ({ seat }) => {
      seats.push(seat)
      return 'booked'
    },
  })
  const result = await run({
    model: ollama('m', { fetch: answer }),
    prompt: 'Book seat 12.',
    tools: [book],
    toolChoice: { tool: 'book' },
  })
  expect(seats).toEqual([12])
  expect(result.text).toBe('Done.')
  expect(bodies[0]?.format).toBeDefined()
})

// The official SDK against the server half: what it sends is read, and it reads what is written.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FunctionCallingConfigMode, type GenerateContentParameters, GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { envOf, folded } from './gemini-fixtures.js'

const env = envOf()
let server: Server
let client: GoogleGenAI
let asked: CompletionRequest | undefined
let answer: readonly CompletionEvent[] | ToolwireError = []

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

beforeAll(async () => {
  server = createServer(async (request, reply) => {
    const body = await bodyOf(request)
    const { request: read, exchange } = codec.request.decode(
      { method: 'POST', path: request.url ?? '', headers: {}, body },
      env,
    )
    asked = read
    if (answer instanceof ToolwireError) {
      const http = codec.error.encode(answer, exchange)
      reply.writeHead(http.status, http.headers).end(http.body)
    } else if (exchange.stream) {
      const encoder = codec.stream.encode(exchange, env)
      reply.writeHead(200, encoder.headers)
      for (const event of answer) reply.write(encoder.push(event))
      reply.end(encoder.end())
    } else {
      const http = codec.response.encode(folded(answer).response, exchange, env).http
      reply.writeHead(http.status, http.headers).end(http.body)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: `http://127.0.0.1:${port}` } })
})
afterAll(() => server.close())

const start: CompletionEvent = { type: 'start', id: 'r1', model: 'gemini-3.8-flash' }
const call = (part: number, id: string, name: string): CompletionEvent => ({
  type: 'tool_call',
  part,
  call: {
    type: 'tool_call',
    id,
    name,
    arguments: `{\n  "place": ${part}\n}`,
    ...(part === 2 ? { opaque: { origin: { wire: 'gemini' }, data: { thoughtSignature: 'c2ln' } } } : {}),
  },
})
const events: readonly CompletionEvent[] = [
  start,
  { type: 'reasoning_delta', part: 0, text: 'Both are needed.' },
  { type: 'text_delta', part: 1, text: 'Let me ' },
  { type: 'text_delta', part: 1, text: 'check.' },
  call(2, 'a', 'get_weather'),
  call(3, 'b', 'get_time'),
  { type: 'usage', usage: { input: 10, cacheRead: 2, output: 5, reasoning: 3, total: 20 } },
  { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
]
const question: GenerateContentParameters = {
  model: 'gemini-3.8-flash',
  contents: 'Weather and time?',
  config: {
    systemInstruction: 'Be brief.',
    temperature: 0,
    maxOutputTokens: 99,
    tools: [
      { functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: { type: 'object', properties: {} } }] },
      { googleSearch: {} },
    ],
    toolConfig: {
      functionCallingConfig: { mode: 'ANY' as FunctionCallingConfigMode, allowedFunctionNames: ['get_weather'] },
    },
  },
}

describe('gemini: the official SDK', () => {
  test('what it sends is read', async () => {
    answer = events
    await client.models.generateContent(question)
    expect(asked).toEqual({
      model: 'gemini-3.8-flash',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Weather and time?' }] },
      ],
      tools: [
        { name: 'get_weather', inputSchema: { type: 'object', properties: {} } },
        { type: 'opaque', origin: { wire: 'gemini' }, data: { googleSearch: {} } },
      ],
      toolChoice: { tool: 'get_weather' },
      temperature: 0,
      maxTokens: 99,
    })
  })

  test('it reads a whole answer: text, thought, parallel calls, signature, usage', async () => {
    answer = events
    const response = await client.models.generateContent(question)
    expect(response.text).toBe('Let me check.')
    expect(response.candidates?.[0]?.content?.parts?.[0]).toEqual({ text: 'Both are needed.', thought: true })
    expect(response.functionCalls).toEqual([
      { id: 'a', name: 'get_weather', args: { place: 2 } },
      { id: 'b', name: 'get_time', args: { place: 3 } },
    ])
    expect(response.candidates?.[0]?.content?.parts?.[2]?.thoughtSignature).toBe('c2ln')
    expect(response.candidates?.[0]?.finishReason).toBe('STOP')
    expect(response.usageMetadata).toEqual({
      promptTokenCount: 12,
      cachedContentTokenCount: 2,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 3,
      totalTokenCount: 20,
    })
    expect([response.responseId, response.modelVersion]).toEqual(['r1', 'gemini-3.8-flash'])
  })

  test('it reads the same answer streamed', async () => {
    answer = events
    const texts: string[] = []
    const calls: unknown[] = []
    const ends: unknown[] = []
    for await (const chunk of await client.models.generateContentStream(question)) {
      if (chunk.text) texts.push(chunk.text)
      if (chunk.functionCalls !== undefined) calls.push(...chunk.functionCalls)
      const reason = chunk.candidates?.[0]?.finishReason
      if (reason !== undefined) ends.push(reason, chunk.usageMetadata?.totalTokenCount)
    }
    expect(texts).toEqual(['Let me ', 'check.'])
    expect(calls).toMatchObject([
      { id: 'a', args: { place: 2 } },
      { id: 'b', args: { place: 3 } },
    ])
    expect(ends).toEqual(['STOP', 20])
  })

  test('what it sends back of an answer is the answer: signature and ids on their calls, results matched', async () => {
    answer = events
    const first = await client.models.generateContent(question)
    const content = first.candidates?.[0]?.content
    if (content === undefined) throw new Error('no content')
    answer = [start, { type: 'text_delta', part: 0, text: 'Done.' }, { type: 'finish', reason: 'stop' }]
    const second = await client.models.generateContent({
      model: 'gemini-3.8-flash',
      contents: [
        { role: 'user', parts: [{ text: 'Weather and time?' }] },
        content,
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'get_weather', response: { output: '18' } } },
            { functionResponse: { id: 'b', name: 'get_time', response: { error: 'no clock' } } },
          ],
        },
      ],
    })
    expect(second.text).toBe('Done.')
    expect(asked?.messages[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'reasoning' },
        { type: 'text', text: 'Let me check.' },
        { type: 'tool_call', id: 'a', opaque: { data: { thoughtSignature: 'c2ln' } } },
        { type: 'tool_call', id: 'b' },
      ],
    })
    expect(asked?.messages[2]).toMatchObject({
      role: 'tool',
      results: [
        { callId: 'a', isError: false },
        { callId: 'b', isError: true },
      ],
    })
  })

  test('it reads errors, before and inside a stream', async () => {
    answer = new ToolwireError('rate_limited', 'slow down', { retryAfterMs: 2000 })
    await expect(client.models.generateContent(question)).rejects.toMatchObject({ status: 429 })
    await expect(client.models.generateContentStream(question)).rejects.toMatchObject({ status: 429 })
    answer = [
      start,
      { type: 'text_delta', part: 0, text: 'It is' },
      { type: 'error', error: new ToolwireError('overloaded', 'busy') },
    ]
    const stream = await client.models.generateContentStream(question)
    const read = async (): Promise<string> => {
      let text = ''
      for await (const chunk of stream) text += chunk.text ?? ''
      return text
    }
    await expect(read()).rejects.toMatchObject({ status: 503 })
  })
})

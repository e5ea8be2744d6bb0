// Our own models against the provider server, on every wire, whole and streamed; and its routes beside completions.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { wires } from '../../src/conversation/messages.js'
import { compatible } from '../../src/model/factories.js'
import type { ModelRequest } from '../../src/model/model.js'
import { type Engine, providerServer, scriptedModel } from '../../src/testing/index.js'
import { codecs } from '../../src/wire/index.js'

const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'How warm is it?' }] }],
  tools: [{ name: 'get_weather', description: 'Weather of a city', inputSchema: { type: 'object', properties: {} } }],
  maxTokens: 100,
}
const modelOn = (wire: Wire, url: string) => compatible({ wire, model: 'm', baseUrl: url, apiKey: 'k', retries: 0 })

const ways = wires.flatMap((wire) => [
  { wire, stream: false },
  { wire, stream: true },
])

test.each(ways)('$wire, stream $stream: text, reasoning and calls arrive as scripted', async ({ wire, stream }) => {
  await using server = await providerServer({
    strict: true,
    script: [
      {
        reasoning: 'They ask for the weather.',
        text: 'Grüße 👋, let me look.',
        calls: [
          { name: 'get_weather', args: { city: 'Tōkyō', id: 12345678901234567890n } },
          { name: 'get_weather', args: {} },
        ],
        usage: { input: 3, output: 5 },
      },
    ],
  })
  const model = modelOn(wire, server.url)
  const response = await (stream ? model.stream(question) : model.complete(question))
  expect(response.text).toBe('Grüße 👋, let me look.')
  const reasons = response.message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
  expect(reasons).toEqual(['They ask for the weather.'])
  expect(response.toolCalls.map(({ id, name, arguments: text }) => [id, name, text])).toEqual([
    ['call_1_1', 'get_weather', '{"city":"Tōkyō","id":12345678901234567890}'],
    ['call_1_2', 'get_weather', '{}'],
  ])
  expect(response.finishReason).toBe('tool_calls')
  expect(response.usage).toMatchObject({ input: 3, output: 5 })
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]).toMatchObject({ wire, stream, request: { model: 'm', messages: question.messages } })
})

test('an engine answers by itself, and a function by what was asked', async () => {
  const inner = scriptedModel((request) => `heard ${request.messages.length}`)
  const engine: Engine = (request) => inner.complete(request)
  await using server = await providerServer({ script: engine })
  expect((await modelOn('gemini', server.url).complete(question)).text).toBe('heard 1')
  await using other = await providerServer({
    script: ({ model, tools = [] }, index) => ({ text: `${index} ${model} ${tools.length}` }),
  })
  expect((await modelOn('ollama', other.url).stream(question)).text).toBe('0 m 1')
})

test('every model says ok without a script, and answers count tokens', async () => {
  await using server = await providerServer()
  for (const wire of wires) {
    const response = await modelOn(wire, server.url).complete(question)
    expect(response.text).toBe('ok')
    expect(response.usage?.input).toBeGreaterThan(0)
    expect(response.usage?.output).toBeGreaterThan(0)
  }
})

test('a Gemini stream without alt=sse is one JSON array', async () => {
  await using server = await providerServer({ script: () => 'A text of more than one delta.' })
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
  const answer = await fetch(`${server.url}/v1beta/models/m:streamGenerateContent`, { method: 'POST', body })
  expect(answer.headers.get('content-type')).toContain('application/json')
  const chunks = (await answer.json()) as { candidates: { content?: { parts: { text: string }[] } }[] }[]
  const texts = chunks.flatMap((chunk) => chunk.candidates[0]?.content?.parts.map((part) => part.text) ?? [])
  expect(chunks.length).toBeGreaterThan(2)
  expect(texts.join('')).toBe('A text of more than one delta.')
})

test('models, capabilities, versions and counts of tokens are told by the routes of each wire', async () => {
  await using server = await providerServer({ models: ['a', 'b'] })
  const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json()
  const post = async (path: string, body: unknown): Promise<unknown> =>
    (await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) })).json()
  expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] })
  expect(await get('/v1beta/models')).toMatchObject({ models: [{ name: 'models/a' }, { name: 'models/b' }] })
  expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'a' }, { name: 'b' }] })
  expect(await get('/api/version')).toHaveProperty('version')
  expect(await post('/api/show', { model: 'a' })).toMatchObject({ capabilities: expect.arrayContaining(['tools']) })
  expect(await post('/v1/messages/count_tokens', { messages: [] })).toEqual({ input_tokens: 4 })
  expect(await post('/v1beta/models/m:countTokens', {})).toEqual({ totalTokens: 1 })
  const alive = await fetch(`${server.url}/`, { method: 'HEAD' })
  expect([alive.status, await alive.text()]).toEqual([200, ''])
  expect(server.requests).toEqual([])
})

test.each<[Wire, string, string, number]>([
  ['openai-chat', 'POST', '/v1/nothing', 404],
  ['openai-responses', 'POST', '/v1/responses/x/y', 404],
  ['anthropic', 'POST', '/v1/messages/batches', 404],
  ['ollama', 'POST', '/api/generate', 404],
  ['gemini', 'POST', '/v1beta/models/m:embedContent', 404],
  ['openai-chat', 'GET', '/v1/chat/completions', 405],
])('an unknown route is answered in the form of %s: %s %s', async (wire, method, path, status) => {
  await using server = await providerServer()
  const answer = await fetch(server.url + path, { method })
  expect(answer.status).toBe(status)
  const error = codecs[wire].error.decode({ status, headers: {}, body: await answer.text() })
  expect(error.message).toContain(`${method} ${path}`)
})

test('the server listens on the loopback only, on a port that is told, and closes with connections open', async () => {
  const server = await providerServer({ script: () => ({ hang: true }) })
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const port = Number(new URL(server.url).port)
  await expect(providerServer({ port })).rejects.toMatchObject({ code: 'misuse' })
  const attempt = modelOn('openai-chat', server.url).complete(question)
  const failing = expect(attempt).rejects.toMatchObject({ code: 'network' })
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await server.close()
  await failing
})

test('a page of another origin is answered when that was asked for, and only then', async () => {
  const asked = { origin: 'http://page.example', 'access-control-request-headers': 'authorization, x-more' }
  await using open = await providerServer({ cors: true })
  const preflight = await fetch(`${open.url}/v1/chat/completions`, { method: 'OPTIONS', headers: asked })
  expect([preflight.status, await preflight.text()]).toEqual([204, ''])
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, x-more')
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const answer = await fetch(`${open.url}/v1/chat/completions`, post)
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  await using closed = await providerServer()
  const refused = await fetch(`${closed.url}/v1/chat/completions`, { method: 'OPTIONS', headers: asked })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([405, null])
})

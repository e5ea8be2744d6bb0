// What Ollama says of its models: asked for once, only when a request needs it, and heeded before the chat call.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelOptions } from '../../src/model/endpoint.js'
import { ollama } from '../../src/model/factories.js'
import type { Model, ModelRequest } from '../../src/model/model.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import { transport } from '../../src/transport/node.js'
import type { Transport } from '../../src/transport/transport.js'

const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
const plain: ModelRequest = { messages: [user] }
const withTools: ModelRequest = { ...plain, tools: [{ name: 'now', description: 'Says what time it is' }] }
const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
const withImage: ModelRequest = { messages: [{ role: 'user', content: [image] }] }

async function opened(
  server: ProviderServerOptions,
  options: ModelOptions = {},
): Promise<{ model: Model; asked: string[] }> {
  const provider = await providerServer(server)
  onTestFinished(() => provider.close())
  const asked: string[] = []
  const watched: Transport = (request) => {
    asked.push(new URL(request.url).pathname)
    return transport(request)
  }
  return { model: ollama('m', { baseUrl: provider.url, retries: 0, transport: watched, ...options }), asked }
}

test('nothing is asked for a request that needs nothing special', async () => {
  const { model, asked } = await opened({})
  await model.complete(plain)
  expect(asked).toEqual(['/api/chat'])
  expect(model.capabilities.tools).toBe('unknown')
})

test('the first request with tools asks once, also when several come at the same time, and it is remembered', async () => {
  const { model, asked } = await opened({ shows: ['completion', 'tools'] })
  await Promise.all([model.complete(withTools), model.complete(withTools)])
  await model.complete(withTools)
  expect(asked.filter((path) => path === '/api/show')).toHaveLength(1)
  expect(asked.filter((path) => path === '/api/chat')).toHaveLength(3)
  expect(model.capabilities).toMatchObject({ tools: 'yes', images: 'no', reasoning: 'no' })
})

test.each<[string, ModelRequest, string]>([
  ['tools', withTools, 'call tools'],
  ['images', withImage, 'read images'],
  ['reasoning', { ...plain, reasoning: { effort: 'low' } }, 'think'],
])('%s that the model has not are refused before the chat call', async (capability, request, words) => {
  const { model, asked } = await opened({ shows: ['completion'] })
  await expect(model.complete(request)).rejects.toMatchObject({
    code: 'unsupported_feature',
    message: expect.stringContaining(words),
    detail: { capability },
  })
  await expect((async () => model.stream(request))()).rejects.toMatchObject({ code: 'unsupported_feature' })
  expect(asked).toEqual(['/api/show'])
})

test('a server without the route leaves it unknown, is asked no second time, and the call is tried', async () => {
  const { model, asked } = await opened({ shows: false })
  await model.complete(withTools)
  await model.complete(withTools)
  expect(asked).toEqual(['/api/show', '/api/chat', '/api/chat'])
  expect(model.capabilities.tools).toBe('unknown')
})

test("the caller's own word wins, and nothing is asked", async () => {
  const { model, asked } = await opened({ shows: ['completion'] }, { capabilities: { tools: 'yes' } })
  await model.complete(withTools)
  expect(asked).toEqual(['/api/chat'])
})

test('each model of a server is asked about by its own name', async () => {
  const { model, asked } = await opened({ shows: ['completion', 'tools'] })
  await model.complete({ ...withTools, model: 'other' })
  await model.complete(withTools)
  expect(asked.filter((path) => path === '/api/show')).toHaveLength(2)
})

test.each(['', 'null', '[]', '{"capabilities":"all"}', '{"__proto__":{"capabilities":[]}}', '<html>'])(
  'an answer that is no description (%s) tells nothing',
  async (body) => {
    const server = createServer((request, response) => {
      request.resume()
      const chat = '{"model":"m","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop"}'
      request.on('end', () => response.end(request.url === '/api/show' ? body : chat))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const model = ollama('m', { baseUrl: `http://127.0.0.1:${port}` })
    expect((await model.complete(withTools)).text).toBe('ok')
    expect(model.capabilities.tools).toBe('unknown')
  },
)

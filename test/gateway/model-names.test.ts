// Names of models from hostile clients: whatever they spell, the request goes to the target's own address, for the model that was checked.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import type { TransportRequest } from '../../src/transport/transport.js'
import { bodies } from './asking.js'

const base = 'https://provider.example/tenant-a'
const key = 'key-of-the-team'

interface Sent {
  readonly gateway: Gateway
  /** What went upstream, by address and the model it names. */
  readonly sent: { readonly url: URL; readonly model: string | undefined }[]
}

/** A gateway whose provider only takes down what it gets. */
function recording(wire: Wire, options: Partial<GatewayOptions> = {}): Sent {
  const sent: Sent['sent'] = []
  const transport = async ({ url, body }: TransportRequest) => {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(Buffer.concat(pieces(body)))
    sent.push({ url: new URL(url), model: (JSON.parse(text) as { model?: string }).model })
    return { status: 400, headers: {}, body: (async function* () {})() }
  }
  const target = { wire, baseUrl: base, apiKey: 'upstream-key', transport, retries: 0 }
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }], ...options })
  return { gateway, sent }
}

function pieces(body: TransportRequest['body']): Uint8Array[] {
  const list = Array.isArray(body) ? body : [body]
  return list.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : (piece as Uint8Array)))
}

/** The model that a Gemini path names, as the provider reads it. */
function modelInPath(url: URL): string {
  const resource = url.pathname
    .slice(new URL(base).pathname.length)
    .replace(/^\/v1beta\//, '')
    .replace(/:\w+$/, '')
  return resource.split('/').map(decodeURIComponent).join('/')
}

const withoutCollection = (name: string): string => name.replace(/^models\//, '')

function request(wire: Wire, model: string): Request {
  const path = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    anthropic: '/v1/messages',
    ollama: '/api/chat',
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const url = wire === 'gemini' ? `/v1beta/models/${encodeURIComponent(model)}:generateContent` : path[wire]
  const body = JSON.stringify({ ...bodies[wire], ...(wire === 'gemini' ? {} : { model }) })
  return new Request(`http://127.0.0.1${url}`, { method: 'POST', headers, body })
}

const hostile = [
  '..',
  '.',
  '',
  '../x',
  'tunedModels/..',
  'tunedModels/../models/gemini-ultra',
  'tunedModels/../../../../tenant-b/x',
  'tunedModels/..%2fmodels%2fgemini-ultra',
  'tunedModels/%2e%2e/models/x',
  'models/./x',
  'models//x',
  'models/a/b/c',
  'publishers/google',
  'publishers/../models/x',
  'x/../../y',
  '..\\..\\y',
  'a?key=b',
  'a#b',
  'a;b',
  '..;/..;/x',
  '%2e%2e%2f%2e%2e%2fx',
  '%252e%252e%252fx',
  '．．/．．/x',
  '\u2025/x',
  'x\u0000',
  'x\r\nhost: evil',
  'x\ty',
  'a:streamGenerateContent?alt=sse#',
  '@evil.example/x',
  '//evil.example/x',
  'https://evil.example/x',
  ' .. ',
  '\ud800',
  '🦊/模型',
] as const
const token = fc.constantFrom(
  '.',
  '..',
  '/',
  '\\',
  '%2f',
  '%2e',
  '%',
  '?',
  '#',
  ';',
  ':',
  '@',
  '\u0000',
  '\n',
  ' ',
  'models',
  'tunedModels',
  'publishers',
  'x',
  '．',
  'é',
)
const name = fc.oneof(
  fc.constantFrom(...hostile),
  fc.array(token, { maxLength: 8 }).map((list) => list.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

describe.each(wires)('asked on %s', (from) => {
  test.each(wires)(
    'for a model on %s: the request stays at the address of the target, for the model that was checked',
    async (to) => {
      await fc.assert(
        fc.asyncProperty(name, async (model) => {
          const { gateway, sent } = recording(to, {
            keys: [{ name: 'team', key, models: [withoutCollection(model) || 'none'] }],
          })
          const asked = request(from, model)
          const response = await gateway(asked)
          await response.text()
          expect(sent.length).toBeLessThanOrEqual(1)
          for (const { url, model: named } of sent) {
            expect(`${url.origin}${url.pathname}/`).toMatch(
              /^https:\/\/provider\.example\/tenant-a\/(?:v1|v1beta|api)\//,
            )
            expect(url.hash).toBe('')
            expect([...url.searchParams.keys()].filter((key) => key !== 'alt' && key !== 'beta')).toEqual([])
            const got = to === 'gemini' ? modelInPath(url) : (named ?? '')
            expect(withoutCollection(got)).toBe(withoutCollection(model))
          }
        }),
        { numRuns: 60 },
      )
    },
    20_000,
  )
})

describe('a model that the key may not use', () => {
  const keys = [{ name: 'team', key, models: ['tunedModels/*', 'any'] }]
  const headers = { authorization: `Bearer ${key}` }

  test.each([
    '/v1beta/tunedModels/..%2fmodels%2fgemini-ultra:generateContent',
    '/v1beta/tunedModels/..%2Fmodels%2Fgemini-ultra:countTokens',
    '/v1beta/tunedModels/%252e%252e/models/gemini-ultra:generateContent',
    '/v1beta/models/tunedModels%2F..%2F..%2Fx:generateContent',
    '/v1beta/tunedModels/a%2f..%2f..%2fmodels%2fgemini-ultra:streamGenerateContent?alt=sse',
  ])('is not reached by the path %s', async (path) => {
    const { gateway, sent } = recording('gemini', { keys })
    const body = JSON.stringify(bodies.gemini)
    const response = await gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body }))
    expect([400, 403]).toContain(response.status)
    expect(await response.json()).toHaveProperty('error')
    expect(sent).toEqual([])
  })

  test('is not reached from another API: the error names the model and what was expected', async () => {
    const { gateway, sent } = recording('gemini', { keys })
    const response = await gateway(request('openai-chat', 'tunedModels/../../../../tenant-b/x'))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('tenant-b') },
    })
    expect(sent).toEqual([])
  })
})

test.each([
  ['tunedModels/my-model', '/v1beta/tunedModels/my-model:generateContent'],
  ['publishers/google/models/gemini-3-pro', '/v1beta/publishers/google/models/gemini-3-pro:generateContent'],
  ['projects/p/locations/l/endpoints/7', '/v1beta/projects/p/locations/l/endpoints/7:generateContent'],
  ['models/gemini-3-pro', '/v1beta/models/gemini-3-pro:generateContent'],
  ['qwen/qwen3:8b', '/v1beta/models/qwen%2Fqwen3%3A8b:generateContent'],
])('the model %s is asked at %s', async (model, path) => {
  const { gateway, sent } = recording('gemini')
  await gateway(request('openai-chat', model))
  expect(sent.map(({ url }) => url.href)).toEqual([`${base}${path}`])
})

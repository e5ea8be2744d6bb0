// One call over HTTP: sent again only while nothing was delivered, under one key, and leaving no trace of credentials anywhere.
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Message, type Wire, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { run } from '../../src/loop/run.js'
import type { ModelOptions } from '../../src/model/endpoint.js'
import { compatible } from '../../src/model/factories.js'
import type { ModelRequest } from '../../src/model/model.js'
import type { Retry } from '../../src/model/sending.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import type { Deadlines } from '../../src/transport/deadlines.js'
import { transport as fetchTransport } from '../../src/transport/fetch.js'
import { transport as nodeTransport } from '../../src/transport/node.js'
import type { Transport, TransportRequest } from '../../src/transport/transport.js'
import { loopback } from '../transport/loopback.js'

const key = 'sk-test-4f9a8b7c6d5e4f3a2b1c0d'
const hello: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }

async function opened(wire: Wire, server: ProviderServerOptions, options: ModelOptions = {}) {
  const provider = await providerServer(server)
  onTestFinished(() => provider.close())
  const model = compatible({ wire, model: 'm', baseUrl: provider.url, apiKey: key, ...options })
  return { provider, model }
}

async function failure(work: PromiseLike<unknown>): Promise<ToolwireError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (ToolwireError.is(error)) return error
  throw new Error(`expected a ToolwireError, got ${String(error)}`)
}

test.each<[ModelOptions, number]>([
  [{}, 60_000],
  [{ timeoutMs: 300_000 }, 300_000],
  [{ idleTimeoutMs: 120_000 }, 120_000],
  [{ timeoutMs: 5_000, idleTimeoutMs: 2_000 }, 60_000],
  [{ timeoutMs: 300_000, headersTimeoutMs: 10_000 }, 10_000],
])('with the times %j the headers of an answer may take %d ms', (options, expected) => {
  const seen: Deadlines[] = []
  const limited = (limits: Deadlines): Transport => {
    seen.push(limits)
    return nodeTransport
  }
  const transport = Object.assign((request: TransportRequest) => nodeTransport(request), { limited })
  compatible({ wire: 'anthropic', model: 'm', transport, ...options })
  expect(seen.map(({ headersTimeoutMs }) => headersTimeoutMs)).toEqual([expected])
})

describe('retries', () => {
  test('one key over all attempts of a call, another for the next call', async () => {
    const retries: Retry[] = []
    const { model, provider } = await opened(
      'openai-chat',
      { misbehave: (_, index) => (index < 2 ? { status: 503, headers: { 'retry-after-ms': '1' } } : {}) },
      { onRetry: (retry) => retries.push(retry) },
    )
    await model.complete(hello)
    await model.complete(hello)
    const keys = provider.requests.map(({ raw }) => raw.headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
    expect(retries.map(({ attempt, waitMs, error }) => [attempt, waitMs, error.status])).toEqual([
      [1, 1, 503],
      [2, 1, 503],
    ])
  })

  test.each([{ cutAfterEvents: 3 }, { resetAfterBytes: 300 }, { errorAfterEvents: 3 }])(
    'nothing is sent again once something was delivered (%j)',
    async (misbehave) => {
      const { model, provider } = await opened('openai-chat', { script: () => 'A text of several pieces.', misbehave })
      await failure(model.stream(hello))
      expect(provider.requests).toHaveLength(1)
    },
  )

  test('an abort ends the wait before the next attempt', async () => {
    const controller = new AbortController()
    const { model, provider } = await opened(
      'anthropic',
      { misbehave: { status: 429, headers: { 'retry-after': '50' } } },
      { onRetry: () => controller.abort() },
    )
    expect((await failure(model.complete(hello, { signal: controller.signal }))).code).toBe('aborted')
    expect(provider.requests).toHaveLength(1)
  })
})

/** Everything that can be read of an error, by any means. */
function everythingOf(error: ToolwireError): string {
  return [
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    JSON.stringify(error),
    String(error.stack),
    String(error.cause),
    inspect(error.cause, { depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(error.partial ?? null),
  ].join('\n')
}

describe.each(wires)('%s: a key that the provider sends back', (wire) => {
  const echo = `Incorrect API key provided: ${key}. Authorization: Bearer ${key}; again ${encodeURIComponent(key)}`
  test.each([400, 401, 403, 404, 429, 500])('is nowhere in the error of a status %i', async (status) => {
    const body = JSON.stringify({
      error: { message: echo, code: key, details: [{ reason: echo }] },
      message: echo,
      detail: echo,
    })
    const headers = { 'request-id': key, 'x-request-id': `req-${key}`, 'retry-after-ms': '1' }
    const told: string[] = []
    const { model } = await opened(
      wire,
      { misbehave: { status, body, headers } },
      { onRetry: ({ error }) => told.push(everythingOf(error)) },
    )
    told.push(everythingOf(await failure(model.complete(hello))), everythingOf(await failure(model.stream(hello))))
    const result = await run({ model, prompt: 'Hi' })
    told.push(inspect(result, { depth: Number.POSITIVE_INFINITY }), JSON.stringify(result))
    expect(told.join('\n')).not.toContain(key)
  })

  test('is nowhere in the error of a stream, a redirect, a wrong answer or a dead server', async () => {
    const told: string[] = []
    const wrongs = [
      { errorAfterEvents: 2, error: new ToolwireError('overloaded', echo) },
      { status: 302, headers: { location: `http://127.0.0.1:9/?key=${key}` } },
      { body: echo },
      { body: `{"broken ${key}` },
    ]
    for (const misbehave of wrongs) {
      const { model } = await opened(wire, { script: () => 'Some words.', misbehave }, { retries: 0 })
      told.push(everythingOf(await failure(model.stream(hello))))
    }
    const address = `http://user:${key}@127.0.0.1:9/?key=${key}`
    const dead = compatible({ wire, model: 'm', baseUrl: address, apiKey: key, retries: 0 })
    told.push(everythingOf(await failure(dead.complete(hello))))
    told.push(inspect(dead, { depth: Number.POSITIVE_INFINITY, showHidden: true }), JSON.stringify(dead))
    expect(told.join('\n')).not.toContain(key)
  })
})

describe.each([
  ['node', nodeTransport],
  ['fetch', fetchTransport],
])('what is sent over the %s transport', (_, transport) => {
  test.each(wires)('%s: well-formed UTF-8 and JSON, whatever the texts hold', async (wire) => {
    const bodies: Buffer[] = []
    const server = await loopback((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        if (request.url?.endsWith('/api/show') !== true) bodies.push(Buffer.concat(chunks))
        response.writeHead(400).end('{}')
      })
    })
    onTestFinished(() => server.close())
    const model = compatible({ wire, model: 'm', baseUrl: server.url, apiKey: key, retries: 0, transport })
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '👋', '\ud800', '\udc00', '\u2028'),
    })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (said, result, description) => {
        bodies.length = 0
        await failure(model.complete(historyOf(said, result, description)))
        const [body = Buffer.alloc(0)] = bodies
        const decoded = new TextDecoder('utf-8', { fatal: true }).decode(body)
        JSON.parse(decoded, (_key, value: unknown) => {
          if (typeof value === 'string') expect(value.isWellFormed()).toBe(true)
          return value
        })
      }),
      { numRuns: 25 },
    )
  })
})

function historyOf(said: string, result: string, description: string): ModelRequest {
  const call = { type: 'tool_call', id: 'call_1', name: 'now', arguments: JSON.stringify({ [said]: result }) } as const
  const messages: readonly Message[] = [
    { role: 'system', content: [{ type: 'text', text: `s${said}` }] },
    { role: 'user', content: [{ type: 'text', text: `u${said}` }] },
    { role: 'assistant', content: [{ type: 'text', text: `a${result}` }, call] },
    {
      role: 'tool',
      results: [{ callId: 'call_1', name: 'now', content: [{ type: 'text', text: result }], isError: false }],
    },
  ]
  const inputSchema = { type: 'object', properties: { [`p${said}`]: { description } } }
  return { messages, tools: [{ name: 'now', description: `d${description}`, inputSchema }] }
}

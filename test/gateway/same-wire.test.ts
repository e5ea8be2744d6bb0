// Calls that stay on their wire: what goes on as it came and comes back as it is, what of it does not, and what is told of it.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import {
  createGateway,
  type Gateway,
  type GatewayLogRecord,
  type GatewayOptions,
  type Target,
} from '../../src/gateway/index.js'
import { type Misbehaviour, type ProviderServer, providerServer } from '../../src/testing/index.js'
import { ask, bodies, statusOf } from './asking.js'

let provider: ProviderServer
let from = 0
let misbehaviour: Misbehaviour | undefined
const records: GatewayLogRecord[] = []

beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    models: ['scripted', 'calling', 'cut'],
    script: ({ model }) => ({
      ...(model === 'calling' ? { calls: [{ name: 'look', args: { at: 'it' } }] } : { text: 'The answer.' }),
      usage: { input: 30, output: 10, total: 40 },
    }),
    misbehave: ({ request }) => (request.model === 'cut' ? { resetAfterBytes: 40 } : misbehaviour),
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
  records.length = 0
  misbehaviour = undefined
})
const asked = (): ProviderServer['requests'] => provider.requests.slice(from)

function target(wire: Wire, more: Partial<Target> = {}): Target {
  return { wire, baseUrl: provider.url, apiKey: 'upstream-key-0123456789', model: 'scripted', retries: 0, ...more }
}
/** A provider that does as it is told to any request. */
async function serverThat(answers: (outgoing: ServerResponse) => void): Promise<string> {
  const server = createServer((_, outgoing) => answers(outgoing))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
function gatewayTo(wire: Wire, options: Partial<GatewayOptions> = {}): Gateway {
  const routes = [{ match: '*', targets: [target(wire)] }]
  return createGateway({ routes, log: (record) => records.push(record), ...options })
}

test.each(wires)('%s: the body goes on as it came, usage is read on its way back', async (wire) => {
  const gateway = gatewayTo(wire)
  const known = { 'openai-chat': { stream_options: { include_usage: true } } } as Partial<Record<Wire, object>>
  for (const stream of [false, true]) {
    await statusOf(ask(gateway, wire, { body: { ...(stream ? known[wire] : {}), stream } }))
  }
  expect(asked().map(({ request }) => request.model)).toEqual(['scripted', 'scripted'])
  const usage = { passedThrough: true, inputTokens: 30, outputTokens: 10 }
  expect(records).toMatchObject([
    { ...usage, stream: false },
    { ...usage, stream: true },
  ])
})

test.each(wires)('%s: how an answer ended is told alike, whole or streamed', async (wire) => {
  const gateway = gatewayTo(wire, { routes: [{ match: '*', targets: [target(wire, { model: 'calling' })] }] })
  for (const stream of [false, true]) await statusOf(ask(gateway, wire, { body: { stream } }))
  const ended = { passedThrough: true, finishReason: 'tool_calls' }
  expect(records).toMatchObject([ended, ended])
})

test.each(wires)('%s: a whole answer that breaks off is a failure in the form of the wire', async (wire) => {
  const gateway = gatewayTo(wire, { routes: [{ match: '*', targets: [target(wire, { model: 'cut' })] }] })
  const response = await ask(gateway, wire)
  expect(response.status).toBeGreaterThanOrEqual(500)
  expect(await response.json()).toHaveProperty('error')
  expect(records).toMatchObject([{ passedThrough: true, error: 'network' }])
})

test('a vendor with ways of its own is spoken to in them', async () => {
  const routes = [{ match: '*', targets: [target('openai-chat', { profile: 'groq' })] }]
  expect(await statusOf(ask(gatewayTo('openai-chat', { routes }), 'openai-chat'))).toBe(200)
  expect(records[0]?.passedThrough).toBeUndefined()
})

test('digits and unknown members stay byte for byte', async () => {
  const text =
    '{"model":"any","seed":123456789012345678901234567890,"new_thing":{"a":1.0},"messages":[{"role":"user","content":"x"}]}'
  const request = new Request('http://127.0.0.1/v1/chat/completions', { method: 'POST', body: text })
  await gatewayTo('openai-chat')(request)
  expect(asked()[0]?.raw.body).toBe(text.replace('"any"', '"scripted"'))
})

/** What each provider says of a request that it refuses, with what only it says. */
const refusals: Readonly<Record<Wire, readonly [status: number, body: object]>> = {
  'openai-chat': [
    422,
    { error: { message: 'no such value', type: 'invalid_request_error', param: 'seed', code: 'unsupported_value' } },
  ],
  'openai-responses': [
    400,
    {
      error: {
        message: 'no such response',
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    },
  ],
  anthropic: [
    404,
    {
      type: 'error',
      error: { type: 'not_found_error', message: 'gone', details: { error_code: 'thread_not_found' } },
      request_id: 'req_1',
    },
  ],
  ollama: [409, { error: 'busy with that', hint: 'later' }],
  gemini: [
    429,
    {
      error: {
        code: 429,
        message: 'too much',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'perDay' }] }],
      },
    },
  ],
}

describe('a refusal of the provider', () => {
  test.each(wires)('%s: comes back as it is, and is told', async (wire) => {
    const [status, body] = refusals[wire]
    const headers = {
      'content-type': 'application/json',
      'retry-after': '3',
      'x-ratelimit-limit': '9',
      'x-inner': 'no',
    }
    misbehaviour = { status, headers, body: JSON.stringify(body) }
    for (const stream of [false, true]) {
      const response = await ask(gatewayTo(wire), wire, { body: { stream } })
      expect([response.status, await response.json()]).toEqual([status, body])
      const told = ['content-type', 'retry-after', 'x-ratelimit-limit', 'x-inner'].map((name) =>
        response.headers.get(name),
      )
      expect(told).toEqual(['application/json', '3', '9', null])
    }
    const told = { status, passedThrough: true, error: expect.any(String), message: expect.any(String) }
    expect(records).toMatchObject([told, told])
  })

  test('of a count of tokens, too', async () => {
    const [status, body] = refusals.anthropic
    const baseUrl = await serverThat((outgoing) => void outgoing.writeHead(status).end(JSON.stringify(body)))
    const gateway = gatewayTo('anthropic', { routes: [{ match: '*', targets: [target('anthropic', { baseUrl })] }] })
    const url = 'http://127.0.0.1/v1/messages/count_tokens'
    const response = await gateway(new Request(url, { method: 'POST', body: JSON.stringify(bodies.anthropic) }))
    expect([response.status, await response.json()]).toEqual([status, body])
    expect(records).toMatchObject([{ status, error: 'not_found' }])
  })

  test.each(wires)('%s: holds no key of the gateway, whatever header it is in', async (wire) => {
    const key = 'a-key-in-a-header-of-its-own'
    const error = `you sent upstream-key-0123456789 and ${key}`
    misbehaviour = { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
    const routes = [{ match: '*', targets: [target(wire, { headers: { 'x-portal-pass': key } })] }]
    const told = await (await ask(gatewayTo(wire, { routes }), wire)).text()
    expect(told).toContain('you sent')
    for (const text of [told, JSON.stringify(records)]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain('upstream-key')
    }
  })

  test.each(wires)('%s: is told in the form of the wire where it is no JSON without its secrets', async (wire) => {
    const body = JSON.stringify({ error: { message: 'no', token: 123_456_789 } })
    misbehaviour = { status: 400, headers: { 'content-type': 'application/json' }, body }
    const response = await ask(gatewayTo(wire), wire)
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.anything() }),
    ])
  })

  test.each(wires)('%s: that is no JSON is told in the form of the wire', async (wire) => {
    misbehaviour = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>bad gateway</html>' }
    const response = await ask(gatewayTo(wire), wire)
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await response.json()).toHaveProperty('error')
  })
})

describe('a stream', () => {
  test.each(wires)('%s: an error in it is told as across wires', async (wire) => {
    misbehaviour = { errorAfterEvents: 2 }
    const across = wires.find((other) => other !== wire) as Wire
    for (const client of [wire, across]) {
      const response = await ask(gatewayTo(wire), client, { body: { stream: true } })
      await response.text().catch(() => {})
    }
    expect(records[0]).toMatchObject({ passedThrough: true, error: 'overloaded', message: expect.any(String) })
    expect(records[1]).toMatchObject({ error: 'overloaded' })
  })

  test.each(['leaves', 'is cut off from'])('that a client %s is counted as far as it came', async (how) => {
    const usage = { input_tokens: 30, output_tokens: 1 }
    const start = {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', content: [], usage },
    }
    const baseUrl = await serverThat((outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`)
      if (how !== 'leaves') outgoing.end()
    })
    const keys = [{ name: 'team', key: 'key-of-the-team', tokensPerMinute: 20 }]
    const gateway = gatewayTo('anthropic', {
      keys,
      routes: [{ match: '*', targets: [target('anthropic', { baseUrl })] }],
    })
    const asking = { key: 'key-of-the-team', body: { stream: true } }
    const reader = ((await ask(gateway, 'anthropic', asking)).body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const next = reader.read().catch(() => {})
    if (how === 'leaves') await reader.cancel()
    await next
    expect(records).toMatchObject([{ error: how === 'leaves' ? 'aborted' : 'truncated', inputTokens: 30 }])
    expect(await statusOf(ask(gateway, 'anthropic', asking))).toBe(429)
  })
})

describe('what goes on', () => {
  test('a key that says that a request is the same holds for one client only', async () => {
    const keys = ['a', 'b'].map((name) => ({ name, key: `client-key-${name}` }))
    const gateway = gatewayTo('openai-chat', { keys })
    const headers = { 'idempotency-key': 'the same' }
    for (const name of ['a', 'b', 'a'])
      await statusOf(ask(gateway, 'openai-chat', { key: `client-key-${name}`, headers }))
    const [first, second, third] = asked().map(({ raw }) => raw.headers['idempotency-key'])
    expect(first).toMatch(/^toolwire-[\w-]+$/)
    expect(second).not.toBe(first)
    expect(third).toBe(first)
  })

  test.each(['openai-chat', 'anthropic', 'ollama'] as const)(
    '%s: a model under another spelling of its member is refused',
    async (wire) => {
      const keys = [{ name: 'few', key: 'key-for-a-few', models: ['any'] }]
      for (const member of ['MODEL', 'Model']) {
        const response = await ask(gatewayTo(wire, { keys }), wire, {
          key: 'key-for-a-few',
          body: { [member]: 'secret' },
        })
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(member)])
      }
      const escaped = JSON.stringify({ ...bodies[wire], MODEL: 'secret' }).replace('MODEL', '\\u004dODEL')
      const url = `http://127.0.0.1${{ 'openai-chat': '/v1/chat/completions', anthropic: '/v1/messages', ollama: '/api/chat' }[wire]}`
      expect(await statusOf(gatewayTo(wire)(new Request(url, { method: 'POST', body: escaped })))).toBe(400)
      const deeper = { key: 'key-for-a-few', body: { metadata: { Model: 'é' } } }
      expect(await statusOf(ask(gatewayTo(wire, { keys }), wire, deeper))).toBe(200)
      expect(asked()).toHaveLength(1)
    },
  )

  test('gemini: the model of the target, and no key, however the path and the query are written', async () => {
    const routes = [{ match: '*', targets: [target('gemini', { model: 'pinned' })] }]
    const paths = [
      ['/v1beta/models/a:b:generateContent', '/v1beta/models/pinned:generateContent'],
      ['/v1beta/tunedModels/abc:generateContent', '/v1beta/models/pinned:generateContent'],
      ['/v1alpha/whatever/x:generateContent?alt=json', '/v1alpha/models/pinned:generateContent?alt=json'],
      ['/v1beta/models/x:generateContent?k%65y=a&%4bEY=b&fields=a', '/v1beta/models/pinned:generateContent'],
      ['/v1beta/models/x:generateContent?key=a', '/v1beta/models/pinned:generateContent'],
    ]
    for (const [path] of paths) {
      const body = JSON.stringify(bodies.gemini)
      await statusOf(gatewayTo('gemini', { routes })(new Request(`http://127.0.0.1${path}`, { method: 'POST', body })))
    }
    expect(asked().map(({ raw }) => raw.path)).toEqual(paths.map(([, path]) => path))
  })
})

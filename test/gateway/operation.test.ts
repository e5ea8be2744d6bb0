// The gateway in operation: keys, limits, what is told to clients, to the log and to the metrics, and what passes through.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import {
  createGateway,
  type Gateway,
  type GatewayLogRecord,
  type GatewayOptions,
  gatewayState,
  memoryLimiter,
  readConfig,
  type Target,
} from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { ask, bodies, secret, statusOf } from './asking.js'

const upstreamKey = 'upstream-key-0123456789'
let provider: ProviderServer
let from = 0
const records: GatewayLogRecord[] = []

beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    models: ['scripted'],
    script: () => ({ text: 'The answer.', usage: { input: 30, output: 10, total: 40 } }),
    misbehave: ({ request }) =>
      request.model === 'broken'
        ? { status: 503 }
        : request.model === 'tired'
          ? { status: 429, headers: { 'retry-after': '7' } }
          : request.model === 'silent'
            ? { delayMs: 20_000 }
            : undefined,
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
  records.length = 0
})
const asked = (): ProviderServer['requests'] => provider.requests.slice(from)

function target(wire: Wire, more: Partial<Target> = {}): Target {
  return { wire, baseUrl: provider.url, apiKey: upstreamKey, model: 'scripted', retries: 0, ...more }
}
function gatewayTo(wire: Wire, options: Partial<GatewayOptions> = {}): Gateway {
  const routes = [{ match: '*', targets: [target(wire)] }]
  return createGateway({ routes, log: (record) => records.push(record), ...options })
}

function post(gateway: Gateway, path: string, body: object): Promise<Response> {
  return gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', body: JSON.stringify(body) }))
}

describe('keys', () => {
  const keys = [
    { name: 'all', key: 'key-for-everything' },
    { name: 'few', key: 'key-for-a-few-models', models: ['small-*'] },
  ]
  const routesNow = (): GatewayOptions['routes'] =>
    ['small-1', 'large-1', 'other-*'].map((match) => ({ match, targets: [target('openai-chat')] }))
  let gateway: Gateway
  beforeAll(() => {
    gateway = createGateway({ routes: routesNow(), keys })
  })

  test.each([
    ['authorization', { authorization: 'Bearer key-for-everything' }],
    ['x-api-key', { 'x-api-key': 'key-for-everything' }],
    ['x-goog-api-key', { 'x-goog-api-key': 'key-for-everything' }],
    ['api-key', { 'api-key': 'key-for-everything' }],
  ])('are taken from %s', async (_, headers) => {
    expect(await statusOf(ask(gateway, 'openai-chat', { headers, body: { model: 'large-1' } }))).toBe(200)
    expect(asked().map(({ raw }) => raw.headers.authorization)).toEqual([`Bearer ${upstreamKey}`])
    expect(JSON.stringify(asked().map(({ raw }) => raw))).not.toContain('key-for-everything')
  })

  test('list and allow their own models only', async () => {
    const list = await gateway(
      new Request('http://127.0.0.1/v1/models', { headers: { 'x-api-key': 'key-for-a-few-models' } }),
    )
    expect(((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['small-1'])
    const few = { key: 'key-for-a-few-models' }
    expect(await statusOf(ask(gateway, 'openai-chat', { ...few, body: { model: 'small-1' } }))).toBe(200)
    expect(await statusOf(ask(gateway, 'openai-chat', { ...few, body: { model: 'large-1' } }))).toBe(403)
  })

  test('must not share a name or a secret', () => {
    const twice = (second: object): (() => Gateway) => {
      const first = { name: 'a', key: 'key-number-one' }
      return () => createGateway({ routes: routesNow(), keys: [first, { ...first, ...second }] })
    }
    expect(twice({ key: 'key-number-two' })).toThrow(/same name/)
    expect(twice({ name: 'b' })).toThrow(/are the same/)
  })
})

describe('limits', () => {
  const key = 'a-limited-client-key'

  test.each(wires)('requests of a minute, in the form of %s', async (wire) => {
    let now = 0
    const limiter = memoryLimiter(() => now)
    const gateway = gatewayTo('openai-chat', { keys: [{ name: 'k', key, requestsPerMinute: 2 }], limiter })
    const statuses = []
    for (let index = 0; index < 3; index += 1) statuses.push(await statusOf(ask(gateway, wire, { key })))
    expect(statuses).toEqual([200, 200, 429])
    now = 45_000
    const refused = await ask(gateway, wire, { key })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15'])
    expect(await refused.text()).toContain('used its requests')
    now = 60_001
    expect(await statusOf(ask(gateway, wire, { key }))).toBe(200)
  })

  test.each(wires)('tokens of a minute, streamed and passed through on %s', async (wire) => {
    const gateway = gatewayTo(wire, { keys: [{ name: 'k', key, tokensPerMinute: 80 }] })
    const statuses = []
    for (let index = 0; index < 3; index += 1) {
      statuses.push(await statusOf(ask(gateway, wire, { key, body: { stream: true } })))
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  test('calls at once, of a key and of all', async () => {
    const ofKey = gatewayTo('openai-chat', { keys: [{ name: 'k', key, concurrency: 1 }] })
    const ofAll = gatewayTo('openai-chat', { limits: { concurrency: 1 } })
    for (const gateway of [ofKey, ofAll]) {
      const first = await ask(gateway, 'openai-chat', { key, body: { stream: true } })
      const second = await ask(gateway, 'openai-chat', { key })
      expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
      await first.text()
      expect(await statusOf(ask(gateway, 'openai-chat', { key }))).toBe(200)
    }
  })

  test('who finds no place is told before the body is read', async () => {
    const ofKey = gatewayTo('openai-chat', { keys: [{ name: 'k', key, concurrency: 1 }] })
    const ofAll = gatewayTo('openai-chat', { limits: { concurrency: 1 } })
    for (const gateway of [ofKey, ofAll]) {
      const first = await ask(gateway, 'openai-chat', { key, body: { stream: true } })
      let pulls = 0
      const pull = (): void => {
        pulls += 1 // and nothing comes
      }
      const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
      const init = { method: 'POST', body, duplex: 'half', headers: { authorization: `Bearer ${key}` } } as RequestInit
      const refused = await gateway(new Request('http://127.0.0.1/v1/chat/completions', init))
      expect([refused.status, pulls]).toEqual([503, 0])
      await first.text()
    }
  })

  test('a body that is refused gives its place back', async () => {
    const gateway = gatewayTo('openai-chat', { keys: [{ name: 'k', key, concurrency: 1 }], limits: { bodyBytes: 300 } })
    expect(await statusOf(ask(gateway, 'openai-chat', { key, body: { user: 'x'.repeat(300) } }))).toBe(413)
    expect(await statusOf(ask(gateway, 'openai-chat', { key }))).toBe(200)
  })

  test('hold for counts of tokens, too', async () => {
    const gateway = gatewayTo('anthropic', { keys: [{ name: 'k', key, requestsPerMinute: 2 }] })
    const count = { method: 'POST', headers: { 'x-api-key': key }, body: JSON.stringify(bodies.anthropic) }
    const statuses = []
    for (let index = 0; index < 3; index += 1) {
      statuses.push(await statusOf(gateway(new Request('http://127.0.0.1/v1/messages/count_tokens', count))))
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  test.each(wires)('%s: a name that is too long for one is refused, and neither logged nor told', async (wire) => {
    const name = 'x'.repeat(5_000)
    const gateway = gatewayTo('openai-chat', { routes: [{ match: 'other', targets: [target('openai-chat')] }] })
    const path = `/v1beta/models/${name}:generateContent`
    const asking =
      wire === 'gemini' ? post(gateway, path, bodies.gemini) : ask(gateway, wire, { body: { model: name } })
    const response = await asking
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('5000 characters')])
    expect(records).toMatchObject([{ status: 400, error: 'invalid_request' }])
    expect(records[0]).not.toHaveProperty('model')
  })

  test('a client that leaves gives its place back', async () => {
    const gateway = gatewayTo('anthropic', { keys: [{ name: 'k', key, concurrency: 1 }] })
    const first = await ask(gateway, 'openai-chat', { key, body: { stream: true } })
    await first.body?.cancel()
    await expect.poll(() => statusOf(ask(gateway, 'openai-chat', { key }))).toBe(200)
    expect(records.filter(({ error }) => error === 'aborted')).toHaveLength(1)
  })

  test('and what clients come back to outlive a change of the options', async () => {
    const state = gatewayState()
    const options = { keys: [{ name: 'k', key, requestsPerMinute: 1 }] }
    const routes = [{ match: '*', targets: [target('openai-chat')] }]
    expect(await statusOf(ask(createGateway({ routes, ...options }, state), 'openai-chat', { key }))).toBe(200)
    expect(await statusOf(ask(createGateway({ routes, ...options }, state), 'openai-chat', { key }))).toBe(429)
  })
})

describe.each(wires)('a provider on %s that has had enough', (upstream) => {
  test.each(wires)('is told to a client of %s in its own form, with the time to wait', async (wire) => {
    const routes = [{ match: '*', targets: [target(upstream, { model: 'tired' })] }]
    for (const stream of [false, true]) {
      const refused = await ask(gatewayTo(upstream, { routes }), wire, { body: { stream } })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
      expect(await refused.json()).toMatchObject(rateLimited[wire])
    }
    expect(records).toMatchObject([{ error: 'rate_limited' }, { error: 'rate_limited' }])
  })
})

/** A refusal for too many requests, as each wire writes it. */
const rateLimited: Readonly<Record<Wire, object>> = {
  'openai-chat': { error: { message: expect.any(String), code: 'rate_limit_exceeded' } },
  'openai-responses': { error: { message: expect.any(String), type: 'rate_limit_error' } },
  anthropic: { type: 'error', error: { type: 'rate_limit_error' } },
  ollama: { error: expect.any(String) },
  gemini: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
}

/** Fields that say what their wire means anyway, onto a wire that has no place for them. */
const silent: readonly { readonly wire: Wire; readonly upstream: Wire; readonly body: object }[] = [
  {
    wire: 'openai-chat',
    upstream: 'openai-responses',
    body: {
      n: 1,
      logprobs: false,
      response_format: { type: 'text' },
      presence_penalty: 0,
      frequency_penalty: 0,
      logit_bias: {},
      metadata: {},
      modalities: ['text'],
      store: false,
      service_tier: 'auto',
      max_tokens: 100,
    },
  },
  {
    wire: 'openai-responses',
    upstream: 'openai-chat',
    body: {
      include: ['reasoning.encrypted_content'],
      truncation: 'disabled',
      text: { format: { type: 'text' } },
      background: false,
      store: false,
      service_tier: 'auto',
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }],
    },
  },
  { wire: 'anthropic', upstream: 'openai-chat', body: { service_tier: 'auto', metadata: {} } },
]

describe('what is lost', () => {
  const body = { logit_bias: { '50256': -100 } }

  test('is told in a header and in the log', async () => {
    const response = await ask(gatewayTo('anthropic'), 'openai-chat', { body })
    const told = 'extra_dropped /extra/openai-chat/logit_bias'
    expect(response.headers.get('x-toolwire-losses')).toContain(told)
    expect(records[0]?.losses).toContain(told)
  })

  test('is refused by a strict gateway, before anybody is asked', async () => {
    const gateway = gatewayTo('anthropic', { strict: true })
    const refused = await ask(gateway, 'openai-chat', { body })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('would lose: /extra/openai-chat/logit_bias (anthropic has no place for logit_bias)'),
    ])
    expect(asked()).toEqual([])
    expect(await statusOf(ask(gateway, 'openai-chat'))).toBe(200)
  })

  test.each(silent)('$wire onto $upstream: what says nothing is neither told nor refused', async (row) => {
    const { wire, upstream, body: fields } = row
    for (const [key, value] of Object.entries(fields)) {
      const response = await ask(gatewayTo(upstream, { strict: true }), wire, { body: { [key]: value } })
      const status = await statusOf(Promise.resolve(response))
      expect([key, status, response.headers.get('x-toolwire-losses')]).toEqual([key, 200, null])
    }
  })

  test('a default of another value is told', async () => {
    const response = await ask(gatewayTo('openai-responses'), 'openai-chat', { body: { n: 2, logprobs: false } })
    expect(response.headers.get('x-toolwire-losses')).toBe('extra_dropped /extra/openai-chat/n')
  })

  test('a request with more fields than anybody reads tells of them at once', async () => {
    const fields = Array.from({ length: 2_000 }, (_, index): [string, number] => [`field_${index}`, index])
    const response = await ask(gatewayTo('ollama'), 'openai-chat', { body: Object.fromEntries(fields) })
    expect(response.headers.get('x-toolwire-losses')).toBe('extra_dropped /extra/openai-chat')
  })

  test('a tool of the provider itself passes on its wire and is refused across', async () => {
    const tools = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
    expect(await statusOf(ask(gatewayTo('anthropic'), 'anthropic', { body: tools }))).toBe(200)
    const refused = await ask(gatewayTo('openai-chat'), 'anthropic', { body: tools })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('tool of the provider itself'),
    ])
  })
})

describe('tokens are counted', () => {
  test('by the provider where it speaks the wire', async () => {
    const response = await post(gatewayTo('anthropic'), '/v1/messages/count_tokens', bodies.anthropic)
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: expect.any(Number) }])
    expect(response.headers.get('x-toolwire-losses')).toBeNull()
  })

  test('by an estimate elsewhere, which says that it is one', async () => {
    const gateway = gatewayTo('openai-chat')
    const [anthropic, gemini] = await Promise.all([
      post(gateway, '/v1/messages/count_tokens', bodies.anthropic),
      post(gateway, '/v1beta/models/any:countTokens', bodies.gemini),
    ])
    expect(await anthropic.json()).toEqual({ input_tokens: expect.any(Number) })
    expect(await gemini.json()).toEqual({ totalTokens: expect.any(Number) })
    expect(gemini.headers.get('x-toolwire-losses')).toBe('token_count_estimated')
  })
})

test('a target whose answers begin late has the time its config gives it', async () => {
  const late = createServer((_, outgoing) => {
    setTimeout(() => outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}'), 300)
  }).listen(0, '127.0.0.1')
  await once(late, 'listening')
  const baseUrl = `http://127.0.0.1:${(late.address() as AddressInfo).port}`
  const told = async (more: Partial<Target>): Promise<readonly [number, string]> => {
    const targets = [{ wire: 'anthropic', baseUrl, apiKey: 'x', retries: 0, ...more }]
    const { routes } = readConfig(JSON.stringify({ routes: [{ match: '*', targets }] }), () => undefined)
    const answer = await ask(gatewayTo('anthropic', { routes }), 'anthropic')
    return [answer.status, await answer.text()]
  }
  expect(await told({ headersTimeoutMs: 100 })).toEqual([504, expect.stringContaining('raise headersTimeoutMs')])
  expect(await told({ headersTimeoutMs: 5_000 })).toEqual([200, '{}'])
  expect(await told({ maxBodyBytes: 1 })).toEqual([expect.any(Number), expect.stringContaining('raise maxBodyBytes')])
  late.close()
})

describe('routes', () => {
  test('fallbacks answer when the target fails', async () => {
    const fallbacks = [target('gemini')]
    const routes = [{ match: '*', targets: [target('anthropic', { model: 'broken' })], fallbacks }]
    expect(await statusOf(ask(gatewayTo('anthropic', { routes }), 'anthropic'))).toBe(200)
    expect(asked().map(({ wire }) => wire)).toEqual(['anthropic', 'gemini'])
  })

  test('targets are taken by weight', async () => {
    const targets = [target('anthropic', { weight: 1 }), target('gemini', { weight: 1_000_000 })]
    const gateway = gatewayTo('anthropic', { routes: [{ match: '*', targets }] })
    for (let index = 0; index < 10; index += 1) await statusOf(ask(gateway, 'openai-chat'))
    expect(asked().filter(({ wire }) => wire === 'gemini').length).toBeGreaterThanOrEqual(9)
  })

  test('a name without a route is told with what there is', async () => {
    const gateway = createGateway({ routes: [{ match: 'claude-*', targets: [target('anthropic')] }] })
    const response = await ask(gateway, 'ollama')
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('it serves claude-*')])
  })
})

test('nothing that a client sends changes where its call goes', async () => {
  let visitors = 0
  const elsewhere = createServer((_, outgoing) => {
    visitors += 1
    outgoing.end()
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const { port } = elsewhere.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const names = ['x-base-url', 'x-forwarded-host', 'x-original-url', 'x-portkey-custom-host', 'forwarded', 'location']
  const headers = Object.fromEntries(names.map((name) => [name, name === 'forwarded' ? `host=127.0.0.1:${port}` : url]))
  const body = { base_url: url, api_base: url, baseUrl: url, endpoint: url, user: url }
  for (const wire of wires) {
    for (const upstream of wires) await statusOf(ask(gatewayTo(upstream), wire, { headers, body }))
  }
  const gateway = createGateway({ routes: [{ match: '*', targets: [{ ...target('gemini'), model: undefined }] }] })
  for (const model of [url, `..%2f..%2f@127.0.0.1:${port}%2f`, `@127.0.0.1:${port}`]) {
    const path = `/v1beta/models/${encodeURIComponent(model)}:generateContent`
    await statusOf(
      gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', body: JSON.stringify(bodies.gemini) })),
    )
  }
  elsewhere.close()
  expect(asked().length).toBeGreaterThanOrEqual(wires.length ** 2)
  expect(visitors).toBe(0)
})

test('the log and the metrics hold neither keys nor bodies, and count', async () => {
  const key = 'a-client-key-to-hide'
  const gateway = gatewayTo('anthropic', { keys: [{ name: 'team "a"', key }] })
  await statusOf(ask(gateway, 'openai-chat', { key }))
  await statusOf(ask(gateway, 'gemini', { key, body: { stream: true } }))
  await statusOf(ask(gateway, 'openai-chat', { key: 'a-wrong-key-to-hide' }))
  await statusOf(gateway(new Request(`http://127.0.0.1/v1/nothing?key=${key}`)))
  const metrics = await (
    await gateway(new Request('http://127.0.0.1/metrics', { headers: { 'x-api-key': key } }))
  ).text()
  const told = JSON.stringify(records) + metrics
  for (const hidden of [key, 'a-wrong-key-to-hide', upstreamKey, secret, 'The answer.'])
    expect(told).not.toContain(hidden)
  expect(metrics).toContain('toolwire_requests_total{wire="openai-chat",status="200",client="team \\"a\\"",error=""} 1')
  expect(metrics).toContain('toolwire_tokens_total{client="team \\"a\\"",kind="output"} 20')
  expect(metrics).toMatch(/^toolwire_request_duration_seconds_count 4$/m)
  expect(metrics.split('\n').filter((line) => line !== '' && !/^(?:# |\w+(?:\{.*\})? [\d.e+-]+$)/.test(line))).toEqual(
    [],
  )
})

test('the metrics count what was answered before, also where counting is put off', async () => {
  const told: GatewayLogRecord[] = []
  const later = (work: () => void): void => void setTimeout(work, 20)
  const gateway = gatewayTo('anthropic', { later, log: (record) => told.push(record) })
  await statusOf(ask(gateway, 'openai-chat'))
  expect(told).toEqual([])
  const metrics = await (await gateway(new Request('http://127.0.0.1/metrics'))).text()
  expect(metrics).toMatch(/^toolwire_request_duration_seconds_count 1$/m)
  expect(told).toMatchObject([{ wire: 'openai-chat', status: 200 }])
})

test('a client that left before its answer began is logged as one that left', async () => {
  const routes = [{ match: '*', targets: [target('anthropic', { model: 'silent' })] }]
  const leaving = new AbortController()
  const init = { method: 'POST', body: JSON.stringify(bodies['openai-chat']), signal: leaving.signal }
  const answer = gatewayTo('anthropic', { routes })(new Request('http://127.0.0.1/v1/chat/completions', init))
  await expect.poll(() => asked().length).toBe(1)
  leaving.abort()
  await answer
  expect(records).toMatchObject([{ status: 499, error: 'aborted' }])
})

test('models are found by their names, through the SDKs', async () => {
  const routes = [
    { match: 'one/named', targets: [target('anthropic')] },
    { match: 'any-*', targets: [target('anthropic')] },
  ]
  const gateway = gatewayTo('anthropic', { routes })
  const fetch: typeof globalThis.fetch = (input, init) => gateway(new Request(input, init))
  const options = { apiKey: 'key', fetch, maxRetries: 0 }
  const openai = new OpenAI({ ...options, baseURL: 'http://127.0.0.1/v1' })
  const anthropic = new Anthropic({ ...options, baseURL: 'http://127.0.0.1' })
  for (const name of ['one/named', 'any-thing']) {
    expect(await openai.models.retrieve(name)).toMatchObject({ id: name, object: 'model' })
    expect(await anthropic.models.retrieve(name)).toMatchObject({ id: name, type: 'model' })
    const url = `http://127.0.0.1/v1beta/models/${encodeURIComponent(name)}`
    expect(await (await gateway(new Request(url))).json()).toMatchObject({ name: `models/${name}` })
  }
  await expect(openai.models.retrieve('other')).rejects.toMatchObject({ status: 404 })
})

test('a client that looks whether anybody is there is told so', async () => {
  const gateway = gatewayTo('anthropic')
  const head = await gateway(new Request('http://127.0.0.1/', { method: 'HEAD' }))
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(await (await gateway(new Request('http://127.0.0.1/healthz'))).json()).toEqual({ status: 'ok' })
})

test('a web request whose body stops on its way is told so and left', async () => {
  let isLeft = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"model":')),
    cancel() {
      isLeft = true
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const request = new Request('http://localhost/v1/chat/completions', init)
  const answer = await gatewayTo('openai-chat', { limits: { bodyTimeoutMs: 30 } })(request)
  expect([answer.status, asked().length]).toEqual([408, 0])
  expect(isLeft).toBe(true)
  expect(records).toMatchObject([{ status: 408, error: 'timeout' }])
})

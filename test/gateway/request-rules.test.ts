// Requests that the gateway and a provider could read differently are rejected on every route, in the form of the client's API.
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import type { TransportRequest } from '../../src/transport/transport.js'
import { bodies, paths } from './asking.js'

const key = 'key-for-a-few'
const named = wires.filter((wire) => wire !== 'gemini')

interface Recording {
  readonly gateway: Gateway
  readonly sent: TransportRequest[]
  readonly records: GatewayLogRecord[]
}

/** A gateway to one provider, which refuses everything it gets. */
function gatewayTo(wire: Wire): Recording {
  const sent: TransportRequest[] = []
  const records: GatewayLogRecord[] = []
  const transport = async (request: TransportRequest) => {
    sent.push(request)
    return { status: 400, headers: {}, body: (async function* () {})() }
  }
  const target = { wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'upstream-key', transport, retries: 0 }
  const gateway = createGateway({
    routes: [{ match: '*', targets: [target] }],
    keys: [{ name: 'few', key, models: ['any'] }],
    log: (record) => records.push(record),
  })
  return { gateway, sent, records }
}

function post(gateway: Gateway, path: string, body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body }))
}

const textOf = (wire: Wire, more: object = {}): string => JSON.stringify({ ...bodies[wire], ...more })
/** The body with raw JSON members behind its own. */
const withRaw = (wire: Wire, members: string): string => `${textOf(wire).slice(0, -1)},${members}}`

/** Each stays on its API, and crosses to another one. */
const legs = named.flatMap((wire) => [
  [wire, wire] as const,
  [wire, wire === 'anthropic' ? 'openai-chat' : 'anthropic'] as const,
])

describe.each(legs)('asked on %s, answered on %s', (from, to) => {
  const rejected = async (body: string, words: string, path = paths[from]): Promise<void> => {
    const { gateway, sent } = gatewayTo(to)
    const response = await post(gateway, path, body)
    const told = await response.text()
    expect([response.status, told]).toEqual([400, expect.stringContaining(words)])
    expect(JSON.parse(told)).toHaveProperty('error')
    expect(sent).toEqual([])
  }

  test.each(['"true"', '1', '0', '[]', '{}', '"false"'])('stream: %s is not a boolean', async (value) => {
    await rejected(withRaw(from, `"stream":${value}`).replace('"stream":false,', ''), 'stream must be true or false')
  })

  test.each([
    ['the model twice', '"model":"secret"', 'twice'],
    ['the model twice, escaped', '"\\u006dodel":"secret"', 'twice'],
    ['the model in other letters', '"Model":"secret"', 'Model'],
    ['streaming in other letters', '"STREAM":true', 'STREAM'],
    ['streaming with a long s', '"\u017ftream":true', 'stream'],
    ['models to fall back on', '"models":["secret"]', 'models'],
    ['models in other letters', '"Models":["secret"]', 'Models'],
    ['a route', '"route":"fallback"', 'route'],
    ['fallbacks', '"fallbacks":[{"model":"secret"}]', 'fallbacks'],
    ['a preset', '"preset":"secret"', 'preset'],
    ['models of a gateway behind', '"providerOptions":{"gateway":{"models":["secret"]}}', 'providerOptions'],
  ])('%s', async (_, members, words) => {
    await rejected(withRaw(from, members), words)
  })

  test.each(['{"model":"secret"}', ' {"model":"secret"}', ',{"model":"secret"}', 'null', '[]', '}'])(
    'a body that %s follows',
    async (more) => {
      await rejected(`${textOf(from)}${more}`, 'one JSON object')
    },
  )

  test.each(['model=secret', 'MODEL=secret', 'models=secret', 'm%6fdel=secret', 'a=b&route=x', 'deployment_id=x'])(
    'the query ?%s',
    async (query) => {
      await rejected(textOf(from), 'query', `${paths[from]}?${query}`)
    },
  )

  test('null for a member is the same as absence', async () => {
    const { gateway, sent } = gatewayTo(to)
    await post(
      gateway,
      paths[from],
      withRaw(from, '"models":null,"route":null').replace('"stream":false', '"stream":null'),
    )
    expect(sent).toHaveLength(1)
  })
})

test.each([
  '"yes"',
  '[]',
  '1',
  '{"include_usage":"true"}',
  '{"include_usage":1}',
  '{"include_usage":true,"include_usage":false}',
])('stream_options: %s is rejected', async (options) => {
  const { gateway, sent } = gatewayTo('openai-chat')
  const response = await post(
    gateway,
    paths['openai-chat'],
    withRaw('openai-chat', `"stream":true,"stream_options":${options}`),
  )
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('stream_options')])
  expect(sent).toEqual([])
})

describe('gemini', () => {
  test.each(['secret', 'models/secret', 7, {}])(
    'a body that names the model %j beside that of the path is rejected',
    async (model) => {
      for (const to of ['gemini', 'openai-chat'] as const) {
        const { gateway, sent } = gatewayTo(to)
        const response = await post(gateway, paths.gemini, textOf('gemini', { model }))
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('another model')])
        expect(sent).toEqual([])
      }
    },
  )

  test('a body may repeat the model of the path', async () => {
    const { gateway, sent } = gatewayTo('gemini')
    await post(gateway, paths.gemini, textOf('gemini', { model: 'models/any' }))
    expect(sent).toHaveLength(1)
  })

  test('a count of tokens for another model in the body is rejected', async () => {
    const { gateway, sent } = gatewayTo('gemini')
    const body = JSON.stringify({ generateContentRequest: { ...bodies.gemini, model: 'models/secret' } })
    const response = await post(gateway, '/v1beta/models/any:countTokens', body)
    expect(response.status).toBe(400)
    expect(sent).toEqual([])
  })

  test.each(['alt=proto', 'alt=sse&alt=json', 'alt=', '$alt=media', 'ALT=proto'])(
    'the query ?%s is rejected: the answer could not be read',
    async (query) => {
      const { gateway, sent } = gatewayTo('gemini')
      const response = await post(gateway, `${paths.gemini}?${query}`, textOf('gemini'))
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('alt')])
      expect(sent).toEqual([])
    },
  )

  test('a query that hides the usage of an answer is not forwarded, and the client is told', async () => {
    const { gateway, sent, records } = gatewayTo('gemini')
    const response = await post(gateway, `${paths.gemini}?fields=candidates&key=${key}&alt=json`, textOf('gemini'))
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?alt=json'])
    expect(response.headers.get('x-toolwire-losses')).toBe('query_dropped fields')
    expect(JSON.stringify([records, [...response.headers]])).not.toContain(key)
  })
})

test.each([false, true])(
  'a tool that asks a model which the key may not use is rejected; known tools: %s',
  async (isKnown) => {
    const { gateway, sent } = gatewayTo('anthropic')
    const advisor = {
      type: 'advisor_20260301',
      name: 'advisor',
      model: 'secret',
      description: isKnown ? 'x'.repeat(2_000) : '',
    }
    const body = textOf('anthropic', { tools: [advisor] })
    for (let round = 0; round < 20; round += 1) {
      const response = await post(gateway, paths.anthropic, body)
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('secret')])
    }
    expect(sent).toEqual([])
    await post(gateway, paths.anthropic, textOf('anthropic', { tools: [{ ...advisor, model: 'any' }] }))
    expect(sent).toHaveLength(1)
  },
)

test('a body with millions of members is rejected before they are read', async () => {
  const { gateway, sent } = gatewayTo('openai-chat')
  const members = Array.from({ length: 300_000 }, (_, index) => `"m${index}":1`).join()
  const response = await post(gateway, paths['openai-chat'], withRaw('openai-chat', members))
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('10000 members')])
  expect(sent).toEqual([])
})

test('a count of tokens obeys the same rules', async () => {
  const { gateway, sent } = gatewayTo('anthropic')
  for (const body of [
    withRaw('anthropic', '"model":"secret"'),
    `${textOf('anthropic')}{}`,
    withRaw('anthropic', '"models":["x"]'),
  ]) {
    expect((await post(gateway, '/v1/messages/count_tokens', body)).status).toBe(400)
  }
  expect((await post(gateway, '/v1/messages/count_tokens?model=secret', textOf('anthropic'))).status).toBe(400)
  expect(sent).toEqual([])
})

// Who may address a gateway: by which hosts, and from which web pages.
import { beforeAll, describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { chat } from './serving.js'

function gatewayFor(options: Partial<GatewayOptions>): Gateway {
  return createGateway({ routes: [{ match: '*', targets: [scriptedModel(() => 'Hello.')] }], ...options })
}

function ask(
  gateway: Gateway,
  { headers = {} }: { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  return gateway(new Request('http://127.0.0.1/v1/chat/completions', { method: 'POST', headers, body: chat }))
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer
  await response.text()
  return response.status
}

describe('a web page', () => {
  let gateway: Gateway
  beforeAll(() => {
    gateway = gatewayFor({ origins: ['https://app.example'] })
  })
  const headers = { origin: 'https://app.example' }

  test('of an allowed origin may ask and read', async () => {
    const response = await ask(gateway, { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('vary')).toContain('origin')
  })

  test('of another origin cannot read its refusal', async () => {
    const evil = { origin: 'https://evil.example' }
    const answers = [
      await ask(gateway, { headers: evil }),
      await gateway(new Request('http://127.0.0.1/v1/models', { method: 'OPTIONS', headers: evil })),
      await gateway(new Request('http://evil.example/v1/models', { headers: { ...headers, host: 'evil.example' } })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(answers.map((answer) => answer.headers.get('access-control-allow-origin'))).toEqual([null, null, null])
  })

  test.each(['https://App.example/', 'HTTPS://app.EXAMPLE:443'])(
    'may ask when the config writes its origin as %s',
    async (origin) => {
      const response = await ask(gatewayFor({ origins: [origin] }), { headers })
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, headers.origin])
    },
  )

  test('of an extension or a file may ask', async () => {
    const origins = ['chrome-extension://abcdef', 'null']
    for (const origin of origins) {
      expect((await ask(gatewayFor({ origins }), { headers: { origin } })).status).toBe(200)
    }
  })

  test.each(['app.example', 'localhost:3000', '*', 'https://*.example', 'https://app.example/page', ''])(
    'cannot have the origin "%s"',
    (origin) => expect(() => gatewayFor({ origins: [origin] })).toThrow(/"origins" has/),
  )

  test('asks first what it may', async () => {
    const asking = { ...headers, 'access-control-request-headers': 'authorization, x-mine' }
    const response = await gateway(new Request('http://127.0.0.1/v1/models', { method: 'OPTIONS', headers: asking }))
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization, x-mine',
    ])
  })
})

describe('a host', () => {
  const statusAt = async (written: string, host: string): Promise<number> =>
    statusOf(gatewayFor({ hosts: [written] })(new Request(`http://${host}/v1/models`)))

  test.each([
    ['API.Example.com', 'api.example.com'],
    ['api.internal:4850', 'api.internal:4850'],
    ['api.internal:4850', 'api.internal'],
    ['my_service', 'my_service:80'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['192.168.0.7', '192.168.0.7:4141'],
    ['fe80::1', '[fe80::1]:4141'],
    ['[FE80:0::1]', '[fe80::1]'],
    ['*', 'anything.example'],
  ])('written as %s is answered at %s', async (written, host) => expect(await statusAt(written, host)).toBe(200))

  test.each(['https://api.example.com', 'api.example.com/v1', '*.example.com', 'a b', ''])(
    'cannot be "%s"',
    (written) => expect(() => gatewayFor({ hosts: [written] })).toThrow(/"hosts" has/),
  )
})

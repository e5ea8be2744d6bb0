// Who may answer decides what may be asked: the target and its fallbacks.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import {
  createGateway,
  type Gateway,
  type GatewayLogRecord,
  type GatewayOptions,
  type Target,
} from '../../src/gateway/index.js'
import { type Misbehaviour, type ProviderServer, providerServer, scriptedModel } from '../../src/testing/index.js'

let provider: ProviderServer
let from = 0
let misbehaviour: Misbehaviour | undefined
const records: GatewayLogRecord[] = []
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: () => 'The answer.',
    misbehave: ({ request }) => (request.model === 'broken' ? { status: 503 } : misbehaviour),
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
  misbehaviour = undefined
  records.length = 0
})
const asked = (): ProviderServer['requests'] => provider.requests.slice(from)

function target(wire: Wire, model = 'scripted'): Target {
  return { wire, baseUrl: provider.url, apiKey: 'upstream-key-0123456789', model, retries: 0 }
}
type Targets = GatewayOptions['routes'][number]['targets']
function gatewayTo(targets: Targets, fallbacks: Targets = [], strict = false): Gateway {
  return createGateway({ routes: [{ match: '*', targets, fallbacks }], strict, log: (record) => records.push(record) })
}

const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/any:generateContent',
}
const said = [{ role: 'user', content: 'x' }]
const bodies: Readonly<Record<Wire, object>> = {
  'openai-chat': { model: 'any', messages: said },
  'openai-responses': { model: 'any', input: 'x' },
  anthropic: { model: 'any', max_tokens: 100, messages: said },
  ollama: { model: 'any', stream: false, messages: said },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
}
async function ask(
  gateway: Gateway,
  wire: Wire,
  more: object = {},
): Promise<{ readonly status: number; readonly text: string; readonly losses: string | null }> {
  const isStream = 'stream' in more && more.stream === true
  const path = isStream ? paths[wire].replace(':generateContent', ':streamGenerateContent?alt=sse') : paths[wire]
  const body = JSON.stringify({ ...bodies[wire], ...(wire === 'gemini' ? {} : more) })
  const response = await gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', body }))
  return { status: response.status, text: await response.text(), losses: response.headers.get('x-toolwire-losses') }
}

describe('a tool that the provider runs', () => {
  const webSearch = { tools: [{ type: 'web_search' }] }

  test('goes to fallbacks on its own wire', async () => {
    const gateway = gatewayTo([target('openai-responses', 'broken')], [target('openai-responses')])
    expect(await ask(gateway, 'openai-responses', webSearch)).toMatchObject({ status: 200 })
    expect(asked().map(({ raw }) => JSON.parse(raw.body as string).tools)).toEqual([webSearch.tools, webSearch.tools])
  })

  test('is refused where a fallback does not have it, by the name of that', async () => {
    const gateway = gatewayTo([target('openai-responses')], [target('openai-responses'), target('anthropic')])
    const refused = await ask(gateway, 'openai-responses', webSearch)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('anthropic:scripted is another') })
    expect(asked()).toEqual([])
  })

  test('is refused for a model of the program, whose wire nobody knows', async () => {
    const gateway = gatewayTo([target('openai-responses')], [scriptedModel(['x'])])
    expect(await ask(gateway, 'openai-responses', webSearch)).toMatchObject({ status: 400 })
  })
})

describe('a custom tool', () => {
  const custom = { tools: [{ type: 'custom', name: 'apply_patch', description: 'Changes files.' }] }

  test('stays one where all that may answer have such tools', async () => {
    const gateway = gatewayTo([target('openai-responses', 'broken')], [target('openai-responses')])
    expect(await ask(gateway, 'openai-responses', custom)).toMatchObject({ status: 200, losses: null })
    expect(asked().map(({ raw }) => JSON.parse(raw.body as string).tools)).toEqual([custom.tools, custom.tools])
  })

  test('is a function where one of them has none', async () => {
    const gateway = gatewayTo([target('openai-responses', 'broken')], [target('anthropic')])
    const { status, losses } = await ask(gateway, 'openai-responses', custom)
    expect([status, losses]).toEqual([200, expect.stringContaining('custom_tool_lowered /tools/0')])
    expect(asked().map(({ request }) => request.tools)).toMatchObject([
      [{ name: 'apply_patch' }],
      [{ name: 'apply_patch' }],
    ])
  })
})

describe('a strict gateway with fallbacks', () => {
  const seed = { seed: 3 }

  test('refuses what the target would lose', async () => {
    const gateway = gatewayTo([target('anthropic')], [target('openai-chat')], true)
    const refused = await ask(gateway, 'openai-chat', seed)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('on its way to anthropic:scripted') })
    expect(asked()).toEqual([])
  })

  test('refuses what a fallback would lose', async () => {
    const gateway = gatewayTo([target('openai-chat')], [target('openai-chat'), target('gemini')], true)
    const body = { ...seed, logit_bias: { '50256': -100 } }
    const refused = await ask(gateway, 'openai-chat', body)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('on its way to gemini:scripted') })
    expect(asked()).toEqual([])
  })

  test('lets go on what none of them would lose', async () => {
    const gateway = gatewayTo([target('openai-chat', 'broken')], [target('openai-chat')], true)
    expect(await ask(gateway, 'openai-chat', seed)).toMatchObject({ status: 200 })
    expect(asked()).toHaveLength(2)
  })
})

describe.each([
  ['ollama', 'scripted'],
  ['gemini', 'gemini-2.5-flash'],
] as const)('a schema beside tools on %s', (wire, model) => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const both = {
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  }

  test('is left out and told', async () => {
    const { status, losses } = await ask(gatewayTo([target(wire, model)]), 'openai-chat', both)
    expect([status, losses]).toEqual([200, expect.stringContaining('output_dropped /output')])
    expect(asked()).toMatchObject([{ request: { tools: [{ name: 'look' }] } }])
    expect([asked()[0]?.refusal, asked()[0]?.request.output]).toEqual([undefined, undefined])
  })

  test('is refused by a strict gateway, and where the target is said not to know the pair', async () => {
    expect(await ask(gatewayTo([target(wire, model)], [], true), 'openai-chat', both)).toMatchObject({ status: 400 })
    const known = { ...target(wire, model), capabilities: { structuredOutputWithTools: 'no' as const } }
    expect(await ask(gatewayTo([known]), 'openai-chat', both)).toMatchObject({ status: 400 })
    expect(asked()).toEqual([])
  })
})

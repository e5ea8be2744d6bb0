// Who may answer decides what may be asked: the target and its fallbacks; and what a target that failed in its answer becomes.
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
import { ask as post } from './asking.js'

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

async function ask(
  gateway: Gateway,
  wire: Wire,
  more: object = {},
): Promise<{ readonly status: number; readonly text: string; readonly losses: string | null }> {
  const response = await post(gateway, wire, { body: more })
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

/** Answers that a provider ended as failed, whole or as the last event of a stream. */
function failedAnswer(upstream: 'gemini' | 'openai-chat' | 'ollama', text: string, isStream: boolean): Misbehaviour {
  const bodyOf = (object: object): Misbehaviour => ({
    headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
    body: isStream && upstream !== 'ollama' ? `data: ${JSON.stringify(object)}\n\n` : `${JSON.stringify(object)}\n`,
  })
  if (upstream === 'ollama') {
    const message = { role: 'assistant', content: text }
    return bodyOf({ model: 'm', created_at: '2026-01-01T00:00:00Z', message, done: true, done_reason: 'failed' })
  }
  if (upstream === 'openai-chat') {
    const said = { role: 'assistant', content: text }
    const choice = { index: 0, finish_reason: 'error', [isStream ? 'delta' : 'message']: said }
    return bodyOf({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [choice] })
  }
  const parts = text === '' ? [] : [{ text }]
  const why = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: print(x)' }
  return bodyOf({ candidates: [{ ...why, index: 0, content: { role: 'model', parts } }], responseId: 'r' })
}
const words = {
  gemini: '(MALFORMED_FUNCTION_CALL): Malformed function call: print(x)',
  'openai-chat': 'ended its answer with an error (error)',
  ollama: 'ended its answer with an error (failed)',
} as const

describe.each(['gemini', 'openai-chat', 'ollama'] as const)('an answer that %s ended as failed', (upstream) => {
  const others = wires.filter((wire) => wire !== upstream)
  const cells = others.flatMap((wire) => ['', 'Half an answer'].map((text) => ({ wire, text })))

  test.each(cells)('is a failed call to a client of $wire, with the text "$text"', async ({ wire, text }) => {
    misbehaviour = failedAnswer(upstream, text, false)
    const failed = await ask(gatewayTo([target(upstream)]), wire)
    expect(failed).toMatchObject({ status: 500, text: expect.stringContaining(words[upstream]) })
    expect(records).toMatchObject([{ status: 500, error: 'server_error', finishReason: 'error' }])
  })

  test.each(cells)('and the end of its stream to $wire, with the text "$text"', async ({ wire, text }) => {
    misbehaviour = failedAnswer(upstream, text, true)
    const failed = await ask(gatewayTo([target(upstream)]), wire, { stream: true })
    expect(failed.text).toContain(words[upstream])
    expect(failed.text).not.toMatch(/message_stop|\[DONE\]|"done":true|finishReason|response\.(?:completed|incomplete)/)
    expect(records).toMatchObject([{ error: 'server_error', finishReason: 'error' }])
  })

  test('stays what it is on its own wire, also where a fallback stands by', async () => {
    misbehaviour = failedAnswer(upstream, '', false)
    const own = await ask(gatewayTo([target(upstream)], [target('anthropic')]), upstream)
    expect(own).toMatchObject({ status: 200, text: expect.stringMatching(/MALFORMED_FUNCTION_CALL|"error"|"failed"/) })
  })
})

describe.each([false, true])('an answer with a call that ended as failed, streamed %s', (stream) => {
  const ending = (text: string): Misbehaviour => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: text } }
    const said = { role: 'assistant', content: null, tool_calls: [call] }
    const choices = [{ index: 0, finish_reason: 'error', [stream ? 'delta' : 'message']: said }]
    const body = JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices })
    if (!stream) return { body }
    return { headers: { 'content-type': 'text/event-stream' }, body: `data: ${body}\n\ndata: [DONE]\n\n` }
  }

  test('is a turn of calls when the call is whole', async () => {
    misbehaviour = ending('{"at":"it"}')
    const { status, text } = await ask(gatewayTo([target('openai-chat')]), 'anthropic', { stream })
    expect([status, text]).toEqual([200, expect.stringMatching(/"stop_reason":"tool_use"/)])
  })

  test('is a failed call when it is not', async () => {
    misbehaviour = ending('{"at":')
    const { text } = await ask(gatewayTo([target('openai-chat')]), 'anthropic', { stream })
    expect(text).toContain(words['openai-chat'])
    expect(text).not.toContain('"stop_reason":"')
  })
})

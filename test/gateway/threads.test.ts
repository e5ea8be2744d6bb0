// Conversations that clients continue by the id of an answer, on wires whose providers know nothing of it.
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

let provider: ProviderServer
let from = 0
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ messages, tools }) => {
      if (tools === undefined) return 'done'
      const results = messages.filter((message) => message.role === 'tool').length
      if (results === 2) return 'Boston has 18 degrees, Zürich 7.'
      const city = results === 0 ? 'Boston' : 'Zürich'
      return { calls: [{ name: 'get_weather', args: { city, exact: 12345678901234567890n } }] }
    },
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
})

function gatewayTo(wire: Wire, options: Partial<GatewayOptions> = {}): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted' }
  return createGateway({ routes: [{ match: '*', targets: [target] }], ...options })
}
/** With a fallback, so that no call stays on its wire. */
function crossing(wire: Wire, options: Partial<GatewayOptions> = {}): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted' }
  return createGateway({ routes: [{ match: '*', targets: [target], fallbacks: [target] }], ...options })
}
const through =
  (gateway: Gateway): typeof fetch =>
  (input, init) =>
    gateway(new Request(input, init))
const openai = (gateway: Gateway, apiKey = 'client-key'): OpenAI =>
  new OpenAI({ apiKey, baseURL: 'http://127.0.0.1/v1', fetch: through(gateway), maxRetries: 0 })
const anthropic = (gateway: Gateway): Anthropic =>
  new Anthropic({ apiKey: 'client-key', baseURL: 'http://127.0.0.1', fetch: through(gateway), maxRetries: 0 })
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const

const others = wires.filter((wire) => wire !== 'anthropic')

describe.each(others)('the tool runner of the Anthropic SDK, as it is, onto %s', (wire) => {
  test.each([false, true])('streamed: %s', async (stream) => {
    const cities: string[] = []
    const weather = betaTool({
      name: 'get_weather',
      description: 'Weather of a city',
      inputSchema: parameters,
      run: ({ city }) => {
        cities.push(city)
        return city === 'Boston' ? '18' : '7'
      },
    })
    const bodies: string[] = []
    const gateway = gatewayTo(wire)
    const client = anthropic(async (request) => {
      bodies.push(await request.clone().text())
      return gateway(request)
    })
    const runner = client.beta.messages.toolRunner({
      model: 'any',
      max_tokens: 1000,
      system: 'Answer in one sentence.',
      messages: [{ role: 'user', content: 'Boston and Zürich?' }],
      tools: [weather],
      stream,
    })
    const message = await runner.runUntilDone()
    expect(message.content).toMatchObject([{ type: 'text', text: 'Boston has 18 degrees, Zürich 7.' }])
    expect(cities).toEqual(['Boston', 'Zürich'])
    const threads = bodies.map((body) => (JSON.parse(body) as { thread?: { type: string } }).thread?.type)
    expect(threads).toEqual(['create', 'continue', 'continue'])
    const last = provider.requests.at(-1)?.request
    expect(last?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(last?.tools).toMatchObject([{ name: 'get_weather' }])
  })
})

test('the tool runner sends everything again when the gateway forgot the thread', async () => {
  const weather = betaTool({
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: parameters,
    run: () => '18',
  })
  let served = 0
  const client = anthropic((request) => {
    served += 1
    return gatewayTo('openai-chat')(request) // each time another one, which knows nothing
  })
  const message = await client.beta.messages.toolRunner({
    model: 'any',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Boston and Zürich?' }],
    tools: [weather],
  })
  expect(message.content).toMatchObject([{ type: 'text', text: 'Boston has 18 degrees, Zürich 7.' }])
  expect(served).toBeGreaterThan(3)
})

describe.each(wires.filter((wire) => wire !== 'openai-responses'))('Responses continued by its id onto %s', (wire) => {
  test.each([false, true])('streamed: %s', async (streamed) => {
    const client = openai(gatewayTo(wire))
    const tools = [
      { type: 'function' as const, name: 'get_weather', description: 'Weather', parameters, strict: false },
    ]
    const ask = (input: OpenAI.Responses.ResponseInput, previous?: string): Promise<OpenAI.Responses.Response> => {
      const body = { model: 'any', input, tools, ...(previous === undefined ? {} : { previous_response_id: previous }) }
      return streamed ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    let answer = await ask([{ role: 'user', content: 'Boston and Zürich?' }])
    for (const output of ['18', '7']) {
      const call = answer.output.find((item) => item.type === 'function_call')
      expect(call?.arguments).toContain('12345678901234567890')
      answer = await ask([{ type: 'function_call_output', call_id: call?.call_id ?? '', output }], answer.id)
    }
    expect(answer.output_text).toBe('Boston has 18 degrees, Zürich 7.')
    expect(provider.requests.slice(from).every(({ refusal }) => refusal === undefined)).toBe(true)
  })
})

describe.each<Wire>(['openai-chat', 'openai-responses'])('system text of a continued answer onto %s', (wire) => {
  const said = (): string[] =>
    provider.requests.at(-1)?.request?.messages.map((message) => {
      const text = 'content' in message ? message.content.map((part) => ('text' in part ? part.text : '')).join() : ''
      return `${message.role} ${text}`
    }) ?? []
  const ask = (client: OpenAI, body: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>): Promise<string> =>
    client.responses.create({ model: 'any', ...body }).then(({ id }) => id)

  test('instructions are of one request, items stay where they are', async () => {
    const client = openai(crossing(wire))
    const developer = (content: string) => ({ role: 'developer' as const, content })
    const first = await ask(client, {
      instructions: 'INS1',
      input: [developer('DEV1'), { role: 'user', content: 'u1' }],
    })
    const second = await ask(client, { previous_response_id: first, instructions: 'INS2', input: 'u2' })
    expect(said()).toEqual(['system INS2', 'system DEV1', 'user u1', 'assistant done', 'user u2'])
    await ask(client, { previous_response_id: second, input: [developer('DEV3'), { role: 'user', content: 'u3' }] })
    const before = ['system DEV1', 'user u1', 'assistant done', 'user u2', 'assistant done']
    expect(said()).toEqual([...before, 'system DEV3', 'user u3'])
  })

  test('the items of an answer are not moved to the front without instructions either', async () => {
    const client = openai(crossing(wire))
    const first = await ask(client, { instructions: 'INS1', input: 'u1' })
    await ask(client, {
      previous_response_id: first,
      input: [
        { role: 'system', content: 'SYS2' },
        { role: 'user', content: 'u2' },
      ],
    })
    expect(said()).toEqual(['user u1', 'assistant done', 'system SYS2', 'user u2'])
  })
})

describe('who finds a conversation', () => {
  const keys = [
    { name: 'a', key: 'key-of-a-client' },
    { name: 'a b', key: 'key-of-b-client' },
  ]
  const body = { model: 'any', input: 'Boston?' }

  test('only the key that began it', async () => {
    const gateway = gatewayTo('openai-chat', { keys })
    const { id } = await openai(gateway, 'key-of-a-client').responses.create(body)
    const stranger = openai(gateway, 'key-of-b-client').responses.create({ ...body, previous_response_id: id })
    await expect(stranger).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'previous_response_id',
      code: 'previous_response_not_found',
      message: expect.stringContaining(`Previous response with id '${id}' not found.`),
    })
    const owner = openai(gateway, 'key-of-a-client').responses.create({ ...body, previous_response_id: id })
    await expect(owner).resolves.toMatchObject({ status: 'completed' })
  })

  test('nobody, when the client asked not to keep it', async () => {
    const client = openai(gatewayTo('openai-chat'))
    const { id } = await client.responses.create({ ...body, store: false })
    await expect(client.responses.create({ ...body, previous_response_id: id })).rejects.toMatchObject({ status: 400 })
  })

  test('nobody, when more came after it than are kept', async () => {
    const client = openai(gatewayTo('openai-chat', { limits: { storedConversations: 2 } }))
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) ids.push((await client.responses.create(body)).id)
    const statuses = await Promise.all(
      ids.map((id) =>
        client.responses.create({ ...body, store: false, previous_response_id: id }).then(
          () => 200,
          (error: { status?: number }) => error.status,
        ),
      ),
    )
    expect(statuses).toEqual([400, 200, 200])
  })
})

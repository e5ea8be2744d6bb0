// Requests that only name what they continue: items of earlier answers, and what a provider keeps.
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

type Input = OpenAI.Responses.ResponseInput
type Answer = OpenAI.Responses.Response

let provider: ProviderServer
let from = 0
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ messages, tools }) =>
      tools?.some((tool) => tool.type !== 'opaque' && tool.name === 'patch') && messages.length === 1
        ? { calls: [{ name: 'patch', args: { input: '*** Begin' } }] }
        : messages.some(({ role }) => role === 'tool')
          ? 'Boston has 18 degrees.'
          : {
              reasoning: 'Two places.',
              text: 'Let me look.',
              calls: [
                { name: 'get_weather', args: { city: 'Boston' } },
                { name: 'get_weather', args: { city: 'Cambridge' } },
              ],
            },
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
})

interface Heard {
  readonly client: OpenAI
  /** What the gateway said it lost, call by call. */
  readonly losses: (string | null)[]
}
function through(gateway: Gateway, apiKey = 'client-key'): Heard {
  const losses: (string | null)[] = []
  const hearing = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await gateway(new Request(input, init))
    losses.push(response.headers.get('x-toolwire-losses'))
    return response
  }
  return { client: new OpenAI({ apiKey, baseURL: 'http://127.0.0.1/v1', fetch: hearing, maxRetries: 0 }), losses }
}
function gatewayTo(wire: Wire, options: Partial<GatewayOptions> = {}, fallbacks: readonly Wire[] = []): Gateway {
  const targetOn = (wire: Wire) => ({ wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted' })
  const route = { match: '*', targets: [targetOn(wire)], fallbacks: fallbacks.map(targetOn) }
  return createGateway({ routes: [route], ...options })
}
const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: false,
  },
]
const question = { role: 'user' as const, content: 'Boston and Cambridge?' }
const ask = (client: OpenAI, input: Input, streamed = false, more: { store?: boolean } = {}): Promise<Answer> => {
  const body = { model: 'any', input, tools, ...more }
  return streamed ? client.responses.stream(body).finalResponse() : client.responses.create(body)
}
const named = (answer: Answer): Input => answer.output.map(({ id = '' }) => ({ type: 'item_reference', id }))
const results = (answer: Answer): Input =>
  answer.output.flatMap((item) =>
    item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: '18' }] : [],
  )
const lastBody = (): unknown => JSON.parse(provider.requests.at(-1)?.raw.body ?? '')
const refused = { status: 404, type: 'invalid_request_error', param: 'input', code: null }

describe.each(wires.filter((wire) => wire !== 'openai-responses'))(
  'items of an answer by their ids onto %s',
  (wire) => {
    test.each([false, true])('stand where they are named, as one turn; streamed: %s', async (streamed) => {
      const { client, losses } = through(gatewayTo(wire))
      const answer = await ask(client, [question], streamed)
      expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
      const last = await ask(client, [question, ...named(answer), ...results(answer)], streamed)
      expect(last.output_text).toBe('Boston has 18 degrees.')
      const asked = provider.requests.at(-1)
      expect(asked?.refusal).toBeUndefined()
      expect(asked?.request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
      const turn = asked?.request?.messages[1]
      const parts = turn?.role === 'assistant' ? turn.content.filter(({ type }) => type !== 'reasoning') : []
      expect(parts).toMatchObject([
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_call', name: 'get_weather', arguments: '{"city":"Boston"}' },
        { type: 'tool_call', name: 'get_weather', arguments: '{"city":"Cambridge"}' },
      ])
      // The items themselves lose no less and no more.
      await ask(client, [question, ...(answer.output as Input), ...results(answer)], streamed)
      expect(provider.requests.at(-1)?.request?.messages).toEqual(asked?.request?.messages)
      expect(losses[1]).toBe(losses[2])
    })

    test('calls of custom tools too', async () => {
      const { client, losses } = through(gatewayTo(wire))
      const create = (input: Input): Promise<Answer> =>
        client.responses.create({ model: 'any', input, tools: [{ type: 'custom', name: 'patch' }] })
      const answer = await create([question])
      const call = answer.output.find(({ type }) => type === 'custom_tool_call') as { call_id: string }
      const result = { type: 'custom_tool_call_output' as const, call_id: call.call_id, output: 'done' }
      const last = await create([question, ...named(answer), result])
      expect(last.output_text).toBe('Boston has 18 degrees.')
      const asked = provider.requests.at(-1)?.request?.messages
      await create([question, ...(answer.output as Input), result])
      expect(provider.requests.at(-1)?.request?.messages).toEqual(asked)
      expect(losses[1]).toBe(losses[2])
    })

    test('some of them, in the order of the client', async () => {
      const { client } = through(gatewayTo(wire))
      const answer = await ask(client, [question])
      const [, message] = named(answer)
      await ask(client, [question, message as Input[number], { role: 'user', content: 'Well?' }])
      expect(provider.requests.at(-1)?.request?.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }] },
        { role: 'user' },
      ])
    })

    test('nobody is asked when one of them is not known', async () => {
      const { client } = through(gatewayTo(wire))
      await expect(ask(client, [question, { type: 'item_reference', id: 'msg_lost' }])).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining("Item with id 'msg_lost' not found."),
      })
      expect(provider.requests.length).toBe(from)
    })
  },
)

describe('who finds an item', () => {
  const keys = [
    { name: 'a', key: 'key-of-a-client' },
    { name: 'a b', key: 'key-of-b-client' },
  ]

  test('only the key that got it, and the reference without a type too', async () => {
    const gateway = gatewayTo('openai-chat', { keys })
    const { client } = through(gateway, 'key-of-a-client')
    const answer = await ask(client, [question])
    const input: Input = [
      question,
      ...named(answer).map((item) => ({ id: (item as { id: string }).id })),
      ...results(answer),
    ]
    await expect(ask(through(gateway, 'key-of-b-client').client, input)).rejects.toMatchObject(refused)
    await expect(ask(client, input)).resolves.toMatchObject({ output_text: 'Boston has 18 degrees.' })
  })

  test('nobody, when the client asked not to keep the answer', async () => {
    const { client } = through(gatewayTo('openai-chat'))
    const answer = await ask(client, [question], false, { store: false })
    await expect(ask(client, [question, ...named(answer), ...results(answer)])).rejects.toMatchObject(refused)
  })

  test('nobody, when more answers came after it than are kept', async () => {
    const { client } = through(gatewayTo('openai-chat', { limits: { storedConversations: 2 } }))
    const [first, second] = [await ask(client, [question]), await ask(client, [question])]
    const followed = (answer: Answer): Promise<Answer> => ask(client, [question, ...named(answer), ...results(answer)])
    await expect(followed(first)).resolves.toMatchObject({ status: 'completed' }) // kept in the place of the second
    await expect(followed(second)).rejects.toMatchObject(refused)
    await expect(followed(first)).resolves.toMatchObject({ status: 'completed' })
  })
})

describe('on the wire of the client', () => {
  test('a call that passes through is not looked at', async () => {
    const { client } = through(gatewayTo('openai-responses'))
    await ask(client, [question, { type: 'item_reference', id: 'msg_of_the_provider' }]).catch(() => {})
    expect(provider.requests.length).toBe(from + 1)
  })

  test('with a fallback, what the gateway does not know is for the provider', async () => {
    const { client } = through(gatewayTo('openai-responses', {}, ['openai-responses']))
    const answer = await ask(client, [question])
    const more: Input = [{ type: 'item_reference', id: 'msg_of_the_provider' }]
    await ask(client, [question, ...named(answer), ...results(answer), ...more]).catch(() => {})
    const { input } = lastBody() as { input: { type?: string }[] }
    expect(input.filter(({ type }) => type === 'function_call')).toHaveLength(2)
    expect(input.at(-1)).toEqual(more[0])
  })
})

describe('what a provider keeps is refused where another answers', () => {
  test.each<readonly [string, readonly Wire[]]>([
    ['another wire', []],
    ['perhaps another wire', ['openai-chat']],
  ])('a conversation of Responses, %s', async (_, fallbacks) => {
    const { client } = through(gatewayTo(fallbacks.length === 0 ? 'anthropic' : 'openai-responses', {}, fallbacks))
    const call = client.responses.create({ model: 'any', input: 'Well?', conversation: 'conv_1' })
    await expect(call).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'conversation',
      code: 'unsupported_feature',
      message: expect.stringContaining('previous_response_id'),
    })
    expect(provider.requests.length).toBe(from)
  })

  test('a conversation of Responses goes on to a provider of that wire', async () => {
    const { client } = through(gatewayTo('openai-responses', {}, ['openai-responses']))
    await client.responses.create({ model: 'any', input: 'Well?', conversation: 'conv_1' })
    expect(lastBody()).toMatchObject({ conversation: 'conv_1' })
  })

  test('cached content of Gemini', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'Well?' }] }], cachedContent: 'cachedContents/1' }
    const url = 'http://127.0.0.1/v1beta/models/any:generateContent'
    const response = await gatewayTo('openai-chat')(new Request(url, { method: 'POST', body: JSON.stringify(body) }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('cachedContent names') },
    })
    expect(provider.requests.length).toBe(from)
  })
})

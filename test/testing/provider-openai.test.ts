// What the official OpenAI SDK and the agent frameworks on it send beside plain conversations: a strict server accepts it as OpenAI does.
import OpenAI from 'openai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ProviderScript, type ProviderServer, providerServer } from '../../src/testing/index.js'

async function serve(script: ProviderScript): Promise<{ readonly server: ProviderServer; readonly api: OpenAI }> {
  const server = await providerServer({ strict: true, script })
  onTestFinished(() => server.close())
  return { server, api: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 }) }
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather',
  parameters,
  strict: false,
} as const
const rounds: ProviderScript = [
  { reasoning: 'Two cities.', calls: [{ name: 'get_weather', args: { city: 'Bern' } }] },
  'It is 18 degrees.',
  'You are welcome.',
]

function refusals({ requests }: ProviderServer): readonly (string | undefined)[] {
  return requests.map(({ refusal }) => refusal)
}

describe('responses', () => {
  test.each([false, true])('previous_response_id continues an answer with its calls; streamed %s', async (stream) => {
    const { server, api } = await serve(rounds)
    const ask = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) =>
      stream ? api.responses.stream({ ...body, stream: true }).finalResponse() : api.responses.create(body)
    const first = await ask({ model: 'm', input: 'Weather in Bern?', tools: [weather] })
    const [call] = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    const answer = { type: 'function_call_output', call_id: call?.call_id ?? '', output: '18' } as const
    const second = await ask({ model: 'm', input: [answer], previous_response_id: first.id, tools: [weather] })
    expect(second.output_text).toBe('It is 18 degrees.')
    expect(second.previous_response_id).toBe(first.id)
    await ask({ model: 'm', input: 'Thank you', previous_response_id: second.id, tools: [weather] })
    expect(refusals(server)).toEqual([undefined, undefined, undefined])
    expect(server.requests[2]?.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('item_reference stands for an item of an earlier answer', async () => {
    const { server, api } = await serve(rounds)
    const first = await api.responses.create({ model: 'm', input: 'Weather in Bern?', tools: [weather] })
    const [call] = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    const references = first.output.map((item) => ({ type: 'item_reference', id: item.id ?? '' }) as const)
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Weather in Bern?' },
      ...references,
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: '18' },
    ]
    expect((await api.responses.create({ model: 'm', input, tools: [weather] })).output_text).toBe('It is 18 degrees.')
    expect(refusals(server)).toEqual([undefined, undefined])
  })

  test('what was not stored is refused by its id', async () => {
    const { api } = await serve(rounds)
    const first = await api.responses.create({ model: 'm', input: 'Weather in Bern?', store: false })
    const unknown = { model: 'm', input: 'And now?', previous_response_id: first.id }
    await expect(api.responses.create(unknown)).rejects.toMatchObject({ status: 400, message: /previous_response_id/ })
    const reference = { type: 'item_reference', id: first.output[0]?.id ?? '' } as const
    await expect(api.responses.create({ model: 'm', input: [reference] })).rejects.toMatchObject({
      status: 400,
      message: /no item/,
    })
  })

  test('an empty list of tools with idle settings is accepted, a demanded call without tools is not', async () => {
    const { api } = await serve(() => 'Hello.')
    const idle = { model: 'm', input: 'Hi', tools: [], parallel_tool_calls: false }
    expect((await api.responses.create(idle)).output_text).toBe('Hello.')
    for (const tool_choice of ['auto', 'none'] as const) {
      expect((await api.responses.create({ ...idle, tool_choice })).output_text).toBe('Hello.')
    }
    await expect(api.responses.create({ ...idle, tool_choice: 'required' })).rejects.toMatchObject({ status: 400 })
  })

  test('fewer output tokens than OpenAI takes are refused', async () => {
    const { api } = await serve(() => 'Hello.')
    const asked = { model: 'm', input: 'Hi', max_output_tokens: 15 }
    await expect(api.responses.create(asked)).rejects.toMatchObject({ status: 400, message: /at least 16/ })
    expect((await api.responses.create({ ...asked, max_output_tokens: 16 })).output_text).toBe('Hello.')
  })
})

describe('chat completions', () => {
  const tools = [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather',
        parameters,
        parse: JSON.parse,
        function: ({ city }: { city: string }) => `${city}: 18`,
      },
    },
  ] as const

  test.each([false, true])('runTools holds a conversation with calls; streamed %s', async (stream) => {
    const { server, api } = await serve([
      {
        text: 'Let me look.',
        calls: [
          { name: 'get_weather', args: { city: 'Bern' } },
          { name: 'get_weather', args: { city: 'Rome' } },
        ],
      },
      'Rome is warmer.',
    ])
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'Which is warmer?' }],
      tools: [...tools],
    } as unknown as Parameters<typeof api.chat.completions.runTools>[0]
    const runner = stream
      ? api.chat.completions.runTools({ ...body, stream: true } as never)
      : api.chat.completions.runTools(body)
    expect(await runner.finalContent()).toBe('Rome is warmer.')
    expect(refusals(server)).toEqual([undefined, undefined])
  })

  test('more stop sequences than OpenAI takes are refused', async () => {
    const { api } = await serve(() => 'Hello.')
    const messages = [{ role: 'user', content: 'Hi' }] as const
    const ask = (count: number) => {
      const stop = Array.from({ length: count }, (_, index) => `END${index}`)
      return api.chat.completions.create({ model: 'm', messages: [...messages], stop })
    }
    await expect(ask(5)).rejects.toMatchObject({ status: 400, message: /at most 4/ })
    expect((await ask(4)).choices[0]?.message.content).toBe('Hello.')
  })
})

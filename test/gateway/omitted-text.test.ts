// Clients that send the calls of a turn back without what the model said beside them, as Genkit and LlamaIndex do: the provider gets its
// signed turn all the same, and nothing is reported as lost.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

let provider: ProviderServer
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { reasoning: 'Which city?', text: 'I look it up.', calls: [{ name: 'look', args: { at: 'it' } }] },
  })
})
afterAll(() => provider.close())

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
const question = { role: 'user', content: 'Where?' }
interface Answer {
  readonly choices: readonly [
    { readonly message: { readonly content: string; readonly tool_calls?: readonly { id: string }[] } },
  ]
}

describe.each(['anthropic', 'gemini', 'openai-responses'] as const)('the signed turn of %s', (wire) => {
  test.each([null, '', undefined])('comes back when its text is %j', async (content) => {
    const records: GatewayLogRecord[] = []
    const target = { wire, baseUrl: provider.url, apiKey: 'x', model: 'scripted', retries: 0 }
    const gateway = createGateway({
      routes: [{ match: '*', targets: [target] }],
      log: (record) => records.push(record),
    })
    const ask = async (messages: readonly object[]): Promise<Answer['choices'][0]['message']> => {
      const body = JSON.stringify({ model: 'any', messages, tools, reasoning_effort: 'low', max_tokens: 5_000 })
      const response = await gateway(new Request('http://127.0.0.1/v1/chat/completions', { method: 'POST', body }))
      const answer = (await response.json()) as Answer
      expect([response.status, answer]).toEqual([200, expect.anything()])
      return answer.choices[0].message
    }
    const { tool_calls: calls = [], content: text } = await ask([question])
    expect(text).toBe('I look it up.')
    const history = [
      question,
      { role: 'assistant', tool_calls: calls, ...(content === undefined ? {} : { content }) },
      { role: 'tool', tool_call_id: calls[0]?.id, content: 'here' },
    ]
    expect((await ask(history)).content).toBe('Done.')
    const { request, refusal } = provider.requests.at(-1) ?? {}
    expect(refusal).toBe(undefined)
    expect(JSON.stringify(request?.messages)).toContain('I look it up.')
    const lost = records.flatMap(({ losses = [] }) => losses).filter((loss) => loss.includes('signature'))
    expect(lost).toEqual([])
  })
})

// Tools that take free text and are run by the client, as Codex has one for patches: on every wire, through the OpenAI SDK.
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

const patch = '*** Begin Patch\n+ "größer" \\ 1\n*** End Patch'
let provider: ProviderServer
let from = 0
const records: GatewayLogRecord[] = []
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ messages }) => {
      const result = messages.find((message) => message.role === 'tool')?.results[0]?.content[0]
      if (result !== undefined) return `It says: ${result.type === 'text' ? result.text : result.type}`
      return { text: 'I change it.', calls: [{ name: 'apply_patch', args: { input: patch } }] }
    },
  })
})
afterAll(() => provider.close())
beforeEach(() => {
  from = provider.requests.length
  records.length = 0
})

function gatewayTo(wire: Wire, strict = false): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted' }
  return createGateway({ routes: [{ match: '*', targets: [target] }], strict, log: (record) => records.push(record) })
}
function openai(gateway: Gateway): OpenAI {
  const fetch: typeof globalThis.fetch = (input, init) => gateway(new Request(input, init))
  return new OpenAI({ apiKey: 'client-key', baseURL: 'http://127.0.0.1/v1', fetch, maxRetries: 0 })
}

const definition = 'start: "*** Begin Patch" LF'
const responsesTool: OpenAI.Responses.CustomTool = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition },
}
const chatTool: OpenAI.ChatCompletionCustomTool = {
  type: 'custom',
  custom: {
    name: 'apply_patch',
    description: 'Changes files.',
    format: { type: 'grammar', grammar: { syntax: 'lark', definition } },
  },
}

function seen(): void {
  const asked = provider.requests.slice(from)
  expect(asked.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
  expect(asked[0]?.request.tools).toMatchObject([
    { name: 'apply_patch', description: expect.stringContaining(definition), inputSchema: { required: ['input'] } },
  ])
  const call = asked[1]?.request.messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const made = call?.find((part) => part.type === 'tool_call')
  expect(made?.type === 'tool_call' ? JSON.parse(made.arguments) : undefined).toEqual({ input: patch })
  expect(records.map(({ losses }) => losses?.filter((loss) => loss.startsWith('custom')))).toEqual([
    ['custom_tool_lowered /tools/0'],
    ['custom_tool_lowered /tools/0'],
  ])
}

describe.each(wires.filter((wire) => wire !== 'openai-responses'))('a custom tool of Responses onto %s', (wire) => {
  test.each([false, true])('streamed %s', async (stream) => {
    const client = openai(gatewayTo(wire))
    const ask = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> => {
      const body = { model: 'any', input, tools: [responsesTool], store: false }
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    const question = { role: 'user' as const, content: 'Change it.' }
    const first = await ask([question])
    const call = first.output.find((item) => item.type === 'custom_tool_call')
    expect(call).toMatchObject({ name: 'apply_patch', input: patch })
    const result = { type: 'custom_tool_call_output' as const, call_id: call?.call_id ?? '', output: 'Done!' }
    const second = await ask([question, ...(first.output as OpenAI.Responses.ResponseInput), result])
    expect(second.output_text).toBe('It says: Done!')
    seen()
  })
})

describe.each(wires.filter((wire) => wire !== 'openai-chat'))('a custom tool of Chat Completions onto %s', (wire) => {
  test.each([false, true])('streamed %s', async (stream) => {
    const client = openai(gatewayTo(wire))
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletionMessageParam> => {
      const body = { model: 'any', messages, tools: [chatTool] }
      if (stream) return gathered(await client.chat.completions.create({ ...body, stream }))
      return (await client.chat.completions.create(body)).choices[0]?.message as OpenAI.ChatCompletionMessageParam
    }
    const question = { role: 'user' as const, content: 'Change it.' }
    const first = await ask([question])
    const [call] = first.role === 'assistant' ? (first.tool_calls ?? []) : []
    expect(call).toMatchObject({ type: 'custom', custom: { name: 'apply_patch', input: patch } })
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'Done!' }
    expect(await ask([question, first, result])).toMatchObject({ content: 'It says: Done!' })
    seen()
  })
})

/** The message of a stream; the SDK's own gathering knows no custom calls, which come whole. */
async function gathered(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<OpenAI.ChatCompletionMessageParam> {
  let content = ''
  const calls: unknown[] = []
  for await (const { choices } of chunks) {
    content += choices[0]?.delta.content ?? ''
    for (const { index: _, ...call } of choices[0]?.delta.tool_calls ?? []) calls.push(call)
  }
  const made = calls as OpenAI.ChatCompletionMessageToolCall[]
  return { role: 'assistant', content, ...(made.length === 0 ? {} : { tool_calls: made }) }
}

test('a strict gateway refuses it', async () => {
  const body = { model: 'any', input: 'Change it.', tools: [responsesTool] }
  await expect(openai(gatewayTo('anthropic', true)).responses.create(body)).rejects.toThrow(/custom tool "apply_patch"/)
  expect(provider.requests).toHaveLength(from)
})

test('what the provider would run is refused by its name', async () => {
  const body = { model: 'any', input: 'Look.', tools: [responsesTool, { type: 'web_search' as const }] }
  await expect(openai(gatewayTo('anthropic')).responses.create(body)).rejects.toThrow(/web_search of openai-responses/)
})

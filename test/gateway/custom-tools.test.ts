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

const parameters = { type: 'object', properties: {} }
const look: OpenAI.Responses.Tool = { type: 'function', name: 'look', parameters, strict: false }
const responsesTools: OpenAI.Responses.Tool[] = [responsesTool, look]
const chatTools: OpenAI.ChatCompletionTool[] = [chatTool, { type: 'function', function: { name: 'look', parameters } }]
const named = { type: 'custom' as const, name: 'apply_patch' }
const nested = { type: 'custom' as const, custom: { name: 'apply_patch' } }

/** What the provider was asked must leave the model no other tool. */
function onlyThePatch(): void {
  const [asked] = provider.requests.slice(from)
  expect(asked?.refusal).toBeUndefined()
  const { tools = [], toolChoice } = asked?.request ?? {}
  const declared = tools.flatMap((tool) => (tool.type === 'opaque' ? [] : [tool.name]))
  const callable =
    typeof toolChoice !== 'object' ? declared : 'tool' in toolChoice ? [toolChoice.tool] : toolChoice.allowed
  expect(callable).toEqual(['apply_patch'])
  expect(records[0]?.losses?.join()).not.toContain('extra_dropped')
}

/** Whether a call must be made, whatever words the wire has for it. */
function mustCall(): boolean {
  const { toolChoice } = provider.requests.at(from)?.request ?? {}
  return (
    toolChoice !== undefined &&
    toolChoice !== 'auto' &&
    !(typeof toolChoice === 'object' && 'mode' in toolChoice && toolChoice.mode === 'auto')
  )
}

describe.each(wires.filter((wire) => wire !== 'openai-responses'))('a choice of Responses onto %s', (wire) => {
  test.each([
    ['the tool', named, true],
    ['a list that must be called', { type: 'allowed_tools', mode: 'required', tools: [named] }, true],
    ['a list that may be called', { type: 'allowed_tools', mode: 'auto', tools: [named] }, false],
  ] as const)('%s', async (_, choice, isDemanded) => {
    const tool_choice = choice as unknown as OpenAI.Responses.ToolChoiceAllowed
    const body = { model: 'any', input: 'Change it.', tools: responsesTools, tool_choice }
    const { output } = await openai(gatewayTo(wire)).responses.create({ ...body, stream: false })
    expect(output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: patch })
    onlyThePatch()
    expect(mustCall()).toBe(isDemanded)
  })
})

describe.each(wires.filter((wire) => wire !== 'openai-chat'))('a choice of Chat Completions onto %s', (wire) => {
  test.each([
    ['the tool', nested, true],
    [
      'a list that must be called',
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [nested] } },
      true,
    ],
    ['a list that may be called', { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [nested] } }, false],
  ] as const)('%s', async (_, choice, isDemanded) => {
    const tool_choice = choice as unknown as OpenAI.ChatCompletionToolChoiceOption
    const messages = [{ role: 'user' as const, content: 'Change it.' }]
    const { choices } = await openai(gatewayTo(wire)).chat.completions.create({
      model: 'any',
      messages,
      tools: chatTools,
      tool_choice,
    })
    expect(choices[0]?.message.tool_calls).toMatchObject([{ type: 'custom', custom: { input: patch } }])
    onlyThePatch()
    expect(mustCall()).toBe(isDemanded)
  })
})

test('a list of which nothing is there rules out every tool', async () => {
  const tool_choice = { type: 'allowed_tools' as const, mode: 'auto' as const, tools: [{ type: 'web_search' }] }
  await openai(gatewayTo('anthropic')).responses.create({
    model: 'any',
    input: 'x',
    tools: responsesTools,
    tool_choice,
  })
  expect(provider.requests.at(from)?.request.toolChoice).toBe('none')
})

test.each(wires.filter((wire) => wire !== 'openai-responses'))(
  'calls of a tool no longer declared reach %s',
  async (wire) => {
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Change it.' },
      { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done!' },
    ]
    const { output_text } = await openai(gatewayTo(wire)).responses.create({ model: 'any', input, tools: [look] })
    expect(output_text).toBe('It says: Done!')
    const [asked] = provider.requests.slice(from)
    expect(asked?.refusal).toBeUndefined()
    const calls = asked?.request.messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
    expect(calls).toMatchObject([{ type: 'tool_call', arguments: JSON.stringify({ input: patch }) }])
    expect(records[0]?.losses).toContain('custom_tool_lowered /messages/1/content/0')
  },
)

test('a strict gateway refuses it', async () => {
  const body = { model: 'any', input: 'Change it.', tools: [responsesTool] }
  await expect(openai(gatewayTo('anthropic', true)).responses.create(body)).rejects.toThrow(/custom tool "apply_patch"/)
  expect(provider.requests).toHaveLength(from)
})

test('what the provider would run is refused by its name', async () => {
  const body = { model: 'any', input: 'Look.', tools: [responsesTool, { type: 'web_search' as const }] }
  await expect(openai(gatewayTo('anthropic')).responses.create(body)).rejects.toThrow(/web_search of openai-responses/)
})

// The scenarios of the tool-execution specification, each under its own name, with LangChain's own messages and chat models
// talking over HTTP to the provider server.
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool as langChainTool } from '@langchain/core/tools'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ToolExecutor, tool } from '../../src/index.js'
import {
  AnthropicClient,
  type ClientOptions,
  fromLangChainTool,
  type LangChainClient,
  OllamaClient,
} from '../../src/langchain/index.js'
import { type ProviderScript, type ProviderServer, providerServer } from '../../src/testing/index.js'
import { chatAnthropic, chatOllama } from './chat-models.js'
import { conversation } from './providers.js'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => {
    if (city === 'Atlantis') throw new Error('no such city')
    return { city, celsius: 18 }
  },
})

interface ClientCase {
  readonly name: string
  readonly open: (url: string, options: Omit<ClientOptions, 'chatModel'>) => LangChainClient
}
const clients: readonly ClientCase[] = [
  { name: 'OllamaClient', open: (url, options) => new OllamaClient({ chatModel: chatOllama(url), ...options }) },
  {
    name: 'AnthropicClient',
    open: (url, options) => new AnthropicClient({ chatModel: chatAnthropic(url), ...options }),
  },
]

interface Asked {
  readonly server: ProviderServer
  readonly client: LangChainClient
  readonly answers: readonly AIMessage[]
  readonly results: readonly ToolMessage[]
  readonly messages: readonly BaseMessage[]
  readonly text: string
}

async function ask(
  { open }: ClientCase,
  script: ProviderScript,
  options: Omit<ClientOptions, 'chatModel'> = { tools: [weather] },
): Promise<Asked & AsyncDisposable> {
  const server = await providerServer({ strict: true, script })
  const client = open(server.url, options)
  const { messages, text } = await client.invoke('Where is it warmest?')
  return {
    server,
    client,
    messages,
    text,
    answers: messages.filter((message): message is AIMessage => AIMessage.isInstance(message)),
    results: messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message)),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** What the tool messages of the last request held, as the server read them. */
function toldResults({ server }: Asked): readonly (readonly [string, string])[] {
  return (server.requests.at(-1)?.request.messages ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.results.map(
          (result) =>
            [result.callId, result.content.map((part) => ('text' in part ? part.text : '')).join('')] as const,
        )
      : [],
  )
}

describe.each(clients)('$name', (client) => {
  test('Ollama tool execution with LangChain interface', async () => {
    const executor = new ToolExecutor([weather])
    const execute = vi.spyOn(executor, 'batch')
    await using asked = await ask(client, conversation, { executor })
    expect(asked.answers[0]?.tool_calls?.map(({ id, name, args }) => [typeof id, name, args])).toEqual([
      ['string', 'get_weather', { city: 'Zürich' }],
      ['string', 'get_weather', { city: 'Oslo' }],
    ])
    expect(execute).toHaveBeenCalled()
    expect(asked.text).toBe('Rome is the warmest.')
  })

  test('Tool call loop with LangChain messages', async () => {
    await using asked = await ask(client, conversation)
    expect(asked.messages.map((message) => message.constructor.name)).toEqual([
      'HumanMessage',
      'AIMessage',
      'ToolMessage',
      'ToolMessage',
      'AIMessage',
      'ToolMessage',
      'AIMessage',
    ])
    expect(asked.answers[0]?.text).toBe('Let me look.')
    const ids = asked.answers.flatMap((answer) => answer.tool_calls?.map((call) => call.id) ?? [])
    expect(asked.results.map((result) => result.tool_call_id)).toEqual(ids)
    expect(asked.server.requests.map((request) => request.request.messages.length)).toEqual([1, 3, 5])
    expect(asked.server.requests.map((request) => request.refusal)).toEqual([undefined, undefined, undefined])
  })

  test('Tool result normalization', async () => {
    const named = (name: string, value: unknown) =>
      tool({ name, description: 'Gives one kind of result', input: z.object({}), execute: () => value })
    const pair = ['the text', [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }]]
    const adapted = langChainTool(() => pair, {
      name: 'pair_it',
      description: 'Gives one kind of result',
      schema: z.object({}),
      responseFormat: 'content_and_artifact',
    })
    const tools = [
      named('text_it', 'plain'),
      fromLangChainTool(adapted),
      named('object_it', { a: [1, 2] }),
      named('nothing_it', undefined),
      named('list_it', ['Boston', ['Cambridge', 'Salem']]),
    ]
    const calls = tools.map(({ name }) => ({ name }))
    await using asked = await ask(client, [{ calls }, 'done'], { tools })
    const contents = ['plain', 'the text', '{"a":[1,2]}', '', '["Boston",["Cambridge","Salem"]]']
    expect(asked.results.map((result) => result.content)).toEqual(contents)
    expect(asked.results.every((result) => typeof result.content === 'string')).toBe(true)
    expect(asked.results.map((result) => result.tool_call_id)).toEqual(
      asked.answers[0]?.tool_calls?.map((call) => call.id),
    )
    expect(asked.results[1]?.artifact).toBeDefined()
    expect(toldResults(asked).map(([, text]) => text)).toEqual(contents)
  })

  test('Access tool calls via response property', async () => {
    await using asked = await ask(client, conversation)
    for (const answer of asked.answers) expect(Array.isArray(answer.tool_calls)).toBe(true)
    expect(asked.answers.map((answer) => answer.tool_calls?.length)).toEqual([2, 1, 0])
  })

  test('Tool call structure matches LangChain standard', async () => {
    await using asked = await ask(client, conversation)
    const calls = asked.answers.flatMap((answer) => answer.tool_calls ?? [])
    expect(new Set(calls.map((call) => call.id)).size).toBe(3)
    for (const call of calls) {
      expect(call).toEqual({
        type: 'tool_call',
        id: expect.stringMatching(/./),
        name: 'get_weather',
        args: { city: expect.any(String) },
      })
    }
  })

  test('Tool execution loop uses LangChain messages', async () => {
    await using asked = await ask(client, conversation)
    expect(asked.messages[0]).toBeInstanceOf(HumanMessage)
    expect(asked.answers.every((message) => message instanceof AIMessage)).toBe(true)
    expect(asked.results.every((message) => message instanceof ToolMessage)).toBe(true)
    expect(asked.results.map((message) => message.status)).toEqual(['success', 'success', 'success'])
  })

  test('Multi-turn tool calling with message history', async () => {
    await using server = await providerServer({ strict: true, script: [...(conversation as []), 'You are welcome.'] })
    const talk = client.open(server.url, { tools: [weather] })
    const first = await talk.invoke('Where is it warmest?')
    const second = await talk.invoke([...first.messages, new HumanMessage('Thank you.')])
    expect(second.text).toBe('You are welcome.')
    expect(second.messages.slice(0, 8)).toEqual([...first.messages, new HumanMessage('Thank you.')])
    expect(second.messages.length).toBe(9)
    const roles = server.requests.at(-1)?.request.messages.map((message) => message.role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'user'])
    const streamed: BaseMessage[] = []
    await using again = await providerServer({ strict: true, script: conversation })
    for await (const message of client.open(again.url, { tools: [weather] }).stream('Where?')) streamed.push(message)
    expect(streamed.map((message) => message.type)).toEqual(['ai', 'tool', 'tool', 'ai', 'tool', 'ai'])
  })

  test('Tool execution failure with ToolMessage', async () => {
    const script: ProviderScript = [{ calls: [{ name: 'get_weather', args: { city: 'Atlantis' } }] }, 'There is none.']
    await using asked = await ask(client, script)
    expect(asked.results[0]?.content).toBe('Error: no such city')
    expect(asked.results[0]?.tool_call_id).toBe(asked.answers[0]?.tool_calls?.[0]?.id)
    expect(toldResults(asked)[0]?.[1]).toMatch(/no such city$/)
    expect(asked.server.requests.at(-1)?.raw.body).toContain('Error: no such city')
    expect(asked.text).toBe('There is none.')
  })

  test('Unknown tool handling', async () => {
    const warn = vi.fn()
    const script: ProviderScript = [{ calls: [{ name: 'get_tides' }] }, 'I cannot tell.']
    await using asked = await ask(client, script, { tools: [weather], log: { warn } })
    expect(asked.results[0]?.content).toBe('Error: Unknown tool "get_tides"')
    expect(asked.results[0]?.tool_call_id).toBe(asked.answers[0]?.tool_calls?.[0]?.id)
    expect(asked.server.requests.at(-1)?.raw.body).toContain(
      JSON.stringify('Error: Unknown tool "get_tides"').slice(1, -1),
    )
    expect(warn).toHaveBeenCalledWith('Unknown tool "get_tides"', expect.anything())
    expect(asked.text).toBe('I cannot tell.')
  })

  test('Tool call/result mismatch prevention', async () => {
    await using server = await providerServer({ strict: true, script: ['All answered.'] })
    const history = [
      new HumanMessage('Weather in Rome and Oslo?'),
      new AIMessage({
        content: '',
        tool_calls: [
          { id: 'a', name: 'get_weather', args: { city: 'Rome' } },
          { id: 'b', name: 'get_weather', args: { city: 'Oslo' } },
        ],
      }),
      new ToolMessage({ content: '24', tool_call_id: 'a' }),
      new HumanMessage('And now?'),
    ]
    const { messages, text } = await client.open(server.url, { tools: [weather] }).invoke(history)
    expect(text).toBe('All answered.')
    const results = messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message))
    expect(results.map((message) => [message.tool_call_id, message.content])).toEqual([
      ['a', '24'],
      ['b', 'Error: the call has no result in the history'],
    ])
    expect(server.requests[0]?.refusal).toBeUndefined()
    const sent = server.requests[0]?.request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    )
    expect(sent?.length).toBe(2)
  })
})

describe('what the specification removed', () => {
  test('Parse Qwen tool call format: calls are those ChatOllama parsed, under the ids it gave them', async () => {
    await using asked = await ask(clients[0] as ClientCase, conversation)
    const ids = asked.answers.flatMap((answer) => answer.tool_calls?.map((call) => call.id) ?? [])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(asked.server.requests[0]?.wire).toBe('ollama')
  })

  test('Validate tool call correspondence: every call has one result, in order, in the messages themselves', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => ({ name: 'get_weather', args: { city: `City ${index}` } }))
    await using asked = await ask(clients[0] as ClientCase, [{ calls }, 'done'])
    expect(asked.results.map((result) => result.tool_call_id)).toEqual(
      asked.answers[0]?.tool_calls?.map((call) => call.id),
    )
    expect(asked.results.map((result) => JSON.parse(String(result.content)).city)).toEqual(
      calls.map((call) => call.args.city),
    )
  })
})

// The ready-made clients: the whole loop over a LangChain chat model, with LangChain's messages in and out.
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../../src/index.js'
import { AnthropicClient, LangChainClient, OllamaClient } from '../../src/langchain/index.js'
import { providerServer } from '../../src/testing/index.js'
import { chatAnthropic, chatOllama, chatOpenAI } from './chat-models.js'
import { conversation } from './providers.js'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `weather of ${city}`,
})

const clients = [
  {
    name: 'LangChainClient',
    open: (url: string) => new LangChainClient({ chatModel: chatOpenAI(url), tools: [weather] }),
  },
  {
    name: 'AnthropicClient',
    open: (url: string) => new AnthropicClient({ chatModel: chatAnthropic(url), tools: [weather] }),
  },
  { name: 'OllamaClient', open: (url: string) => new OllamaClient({ chatModel: chatOllama(url), tools: [weather] }) },
]

/** The kind of each message, with its text or the cities of its calls. */
const outline = (messages: readonly BaseMessage[]): readonly unknown[] =>
  messages.map((message) => {
    if (message instanceof AIMessage)
      return ['ai', message.text, (message.tool_calls ?? []).map(({ args }) => args.city)]
    return [message.type, message.text]
  })

const came = [
  ['ai', 'Let me look.', ['Zürich', 'Oslo']],
  ['tool', 'weather of Zürich'],
  ['tool', 'weather of Oslo'],
  ['ai', '', ['Rome']],
  ['tool', 'weather of Rome'],
  ['ai', 'Rome is the warmest.', []],
]

describe.each(clients)('$name', ({ open }) => {
  test('invoke gives the text, every message, the reason to stop and the usage', async () => {
    await using server = await providerServer({ script: conversation })
    const answer = await open(server.url).invoke('Where is it warmest?')
    expect(answer.text).toBe('Rome is the warmest.')
    expect(answer.stop).toEqual({ reason: 'answer' })
    expect(answer.usage.total).toBeGreaterThan(0)
    expect(outline(answer.messages)).toEqual([['human', 'Where is it warmest?'], ...came])
  })

  test('stream gives the messages as they come, and the same answer at its end', async () => {
    await using server = await providerServer({ script: conversation })
    const stream = open(server.url).stream('Where is it warmest?')
    const messages: BaseMessage[] = []
    let next = await stream.next()
    for (; next.done !== true; next = await stream.next()) messages.push(next.value)
    expect(outline(messages)).toEqual(came)
    expect(next.value.text).toBe('Rome is the warmest.')
    expect(next.value.stop).toEqual({ reason: 'answer' })
    expect(next.value.usage.total).toBeGreaterThan(0)
    expect(outline(next.value.messages)).toEqual([['human', 'Where is it warmest?'], ...came])
  })

  test('messages that were given stay in front, as the same objects', async () => {
    await using server = await providerServer({ script: conversation })
    const given = [new SystemMessage('Be brief.'), new HumanMessage('Where is it warmest?')]
    const { messages } = await open(server.url).invoke(given)
    expect(messages.slice(0, 2)).toEqual(given)
    expect(messages[0]).toBe(given[0])
    expect(messages.filter((message) => message instanceof ToolMessage)).toHaveLength(3)
  })

  test('an aborted signal stops the run', async () => {
    await using server = await providerServer({ script: conversation })
    const answer = await open(server.url)
      .invoke('Where is it warmest?', { signal: AbortSignal.abort() })
      .catch((error: unknown) => error)
    const stopped = answer instanceof Error ? (answer as { code?: string }).code : (answer as { stop: object }).stop
    expect(JSON.stringify(stopped)).toContain('aborted')
    expect(server.requests).toHaveLength(0)
  })
})

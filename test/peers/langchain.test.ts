// LangChain's chat models hold a tool conversation of several turns with the strict provider server, streamed and not.
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { concat } from '@langchain/core/utils/stream'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { textOf, type Wire } from '../../src/conversation/messages.js'
import { type ProviderScript, providerServer } from '../../src/testing/index.js'

const script: ProviderScript = [
  {
    text: 'Let me look.',
    calls: [
      { name: 'get_weather', args: { city: 'Zürich 👋' } },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ],
  },
  { calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  { text: 'Rome is the warmest.' },
  { text: 'You are welcome.' },
]
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const

const quiet = { maxRetries: 0, apiKey: 'k' } as const
const openAi = (url: string, useResponsesApi: boolean): BaseChatModel =>
  new ChatOpenAI({ ...quiet, model: 'gpt-6-sol', useResponsesApi, configuration: { baseURL: `${url}/v1` } })
const chatModels: readonly (readonly [string, Wire, (url: string) => BaseChatModel])[] = [
  ['ChatOpenAI', 'openai-chat', (url) => openAi(url, false)],
  ['ChatOpenAI with Responses', 'openai-responses', (url) => openAi(url, true)],
  [
    'ChatAnthropic',
    'anthropic',
    (url) => new ChatAnthropic({ ...quiet, model: 'claude-sonnet-5-5', anthropicApiUrl: url }),
  ],
  ['ChatOllama', 'ollama', (url) => new ChatOllama({ model: 'qwen3', baseUrl: url, maxRetries: 0 })],
  [
    'ChatGoogleGenerativeAI',
    'gemini',
    (url) => new ChatGoogleGenerativeAI({ ...quiet, model: 'gemini-2.5-pro', baseUrl: url }),
  ],
]

/** One answer, whole or joined from its pieces. */
async function ask(model: Runnable<BaseMessage[], AIMessageChunk>, messages: BaseMessage[], stream: boolean) {
  if (!stream) return await model.invoke(messages)
  let joined: AIMessageChunk | undefined
  for await (const chunk of await model.stream(messages)) joined = joined === undefined ? chunk : concat(joined, chunk)
  if (joined === undefined) throw new Error('the stream was empty')
  return joined
}

describe.each(chatModels)('%s', (_, wire, open) => {
  test.each([false, true])('a conversation of several turns, streamed %s', async (stream) => {
    await using server = await providerServer({ strict: true, script })
    const model = open(server.url).bindTools?.([weather]) as Runnable<BaseMessage[], AIMessageChunk>
    const messages: BaseMessage[] = [new HumanMessage('Where is it warmest?')]
    const next = async (): Promise<AIMessage> => {
      const answer = await ask(model, messages, stream)
      messages.push(answer)
      return answer
    }
    const answerCalls = (answer: AIMessage, ...texts: readonly string[]): void => {
      answer.tool_calls?.forEach(({ id = '', name }, at) => {
        messages.push(new ToolMessage({ tool_call_id: id, name, content: texts[at] ?? '' }))
      })
    }
    const first = await next()
    expect(first.text).toBe('Let me look.')
    expect(first.tool_calls?.map(({ args }) => args)).toEqual([{ city: 'Zürich 👋' }, { city: 'Oslo' }])
    answerCalls(first, '18', '7')
    const second = await next()
    expect(second.tool_calls?.map(({ args }) => args)).toEqual([{ city: 'Rome' }])
    answerCalls(second, '24')
    expect((await next()).text).toBe('Rome is the warmest.')
    messages.push(new HumanMessage('Thank you.'))
    expect((await next()).text).toBe('You are welcome.')
    expect(server.requests.map((request) => [request.wire, request.refusal])).toEqual(
      Array.from({ length: 4 }, () => [wire, undefined]),
    )
    const results = server.requests[3]?.request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    )
    // LangChain puts a result into an object for Gemini.
    const sent = (text: string): string => (wire === 'gemini' ? `{"result":"${text}"}` : text)
    expect(results?.map((result) => textOf(result.content))).toEqual(['18', '7', '24'].map(sent))
  })
})

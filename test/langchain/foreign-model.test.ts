// LangChain's chat models as toolwire models, over HTTP to the provider server.
import { BaseChatModel, SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AssistantMessage, type CompletionEvent, fold, type Message, run, tool } from '../../src/index.js'
import { fromLangChain, toLangChain } from '../../src/langchain/index.js'
import { providerServer, scriptedModel } from '../../src/testing/index.js'
import { chatAnthropic, chatGoogle, chatModels, chatOllama, chatOpenAI } from './chat-models.js'
import { conversation } from './providers.js'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    await new Promise((resolve) => setTimeout(resolve, city === 'Zürich' ? 15 : 1))
    return `weather of ${city}`
  },
})
const hello: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]

/** A chat model of somebody's own, without tools. */
class Parrot extends SimpleChatModel {
  _llmType(): string {
    return 'parrot'
  }

  override async _call(messages: BaseMessage[]): Promise<string> {
    return messages.at(-1)?.text ?? ''
  }
}

const ways = chatModels.flatMap((model) => [
  { ...model, stream: false },
  { ...model, stream: true },
])

test.each(ways)('$name, streamed $stream: run drives several turns with parallel calls', async ({ open, stream }) => {
  await using server = await providerServer({ strict: true, script: conversation })
  const options = { model: fromLangChain(open(server.url)), tools: [weather], prompt: 'Where is it warmest?' }
  const result = stream ? await run.stream(options) : await run(options)
  expect(result.stop).toEqual({ reason: 'answer' })
  expect(result.text).toBe('Rome is the warmest.')
  expect(result.turns).toBe(3)
  expect(server.requests.map((request) => request.refusal)).toEqual([undefined, undefined, undefined])
  const told = server.requests[2]?.request.messages.flatMap((message) =>
    message.role === 'tool' ? message.results : [],
  )
  // ChatGoogleGenerativeAI wraps each text as { result }.
  const texts = told?.map((item) => item.content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
  expect(texts?.map((text) => text.replace(/^\{"result":"(.*)"\}$/, '$1'))).toEqual(
    ['Zürich', 'Oslo', 'Rome'].map((city) => `weather of ${city}`),
  )
  expect(result.usage.total).toBeGreaterThan(0)
})

test.each(chatModels)('$name: a streamed answer is the whole one', async ({ open }) => {
  const [turn] = conversation as readonly [object]
  await using server = await providerServer({ script: () => turn })
  const model = fromLangChain(open(server.url))
  const tools = [weather.spec]
  const events: CompletionEvent[] = []
  for await (const event of model.stream({ messages: hello, tools })) events.push(event)
  expect(events.filter((event) => event.type === 'text_delta').length).toBeGreaterThan(1)
  const streamed = fold(events)
  const whole = await model.complete({ messages: hello, tools })
  const plain = ({ content }: AssistantMessage): unknown =>
    content.map((part) => (part.type === 'tool_call' ? [part.name, part.arguments] : { ...part, opaque: undefined }))
  expect(plain(streamed.message)).toEqual(plain(whole.message))
  expect(streamed.finishReason).toBe(whole.finishReason)
  expect(whole.toolCalls.map((call) => JSON.parse(call.arguments))).toEqual([{ city: 'Zürich' }, { city: 'Oslo' }])
})

describe('what is lost is told', () => {
  test('thinking goes home to Anthropic and Gemini, and is reported where it cannot', async () => {
    for (const open of [chatAnthropic, chatGoogle]) {
      await using server = await providerServer({ strict: true, script: conversation })
      const result = await run({ model: fromLangChain(open(server.url)), tools: [weather], prompt: 'Where?' })
      expect(result.losses).toEqual([])
      const thinking = server.requests[2]?.request.messages.flatMap((message) =>
        message.role === 'assistant' ? message.content.filter((part) => part.type === 'reasoning') : [],
      )
      expect(thinking?.map((part) => part.text)).toEqual(['Two cities, two calls.', 'One more.'])
    }
    await using server = await providerServer({ strict: true, script: conversation })
    const result = await run({ model: fromLangChain(chatOllama(server.url)), tools: [weather], prompt: 'Where?' })
    expect(result.losses.map(({ code, path }) => [code, path])).toContainEqual([
      'part_dropped',
      '/messages/1/content/0',
    ])
  })

  test('settings of the chat model, a forced choice on Ollama, and rounded integers', async () => {
    await using server = await providerServer({})
    const messages: readonly Message[] = [
      ...hello,
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'a', name: 'get_weather', arguments: '{"n":12345678901234567890}' }],
      },
      { role: 'tool', results: [{ callId: 'a', name: 'get_weather', content: [], isError: false }] },
    ]
    const search = { type: 'opaque', origin: { wire: 'ollama' }, data: { name: 'web_search' } } as const
    const tools = [{ ...weather.spec, strict: true }, search]
    const request = { messages, tools, toolChoice: 'required', temperature: 1 } as const
    const response = await fromLangChain(chatOllama(server.url)).complete(request)
    expect(response.losses.map(({ code, path, kind }) => [code, path, kind])).toEqual([
      ['strict_dropped', '/tools/0/strict', 'dropped'],
      ['tool_dropped', '/tools/1', 'dropped'],
      ['setting_dropped', '/temperature', 'dropped'],
      ['tool_choice_widened', '/toolChoice', 'widened'],
      ['integer_rounded', '/messages/1/content/0/arguments', 'changed'],
    ])
  })

  test('images, files and a choice reach the models that take them', async () => {
    const messages: readonly Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
          { type: 'file', mediaType: 'application/pdf', data: 'BBBB', name: 'a.pdf' },
        ],
      },
    ]
    for (const open of [chatAnthropic, chatOpenAI, chatGoogle]) {
      await using server = await providerServer({})
      const model = fromLangChain(open(server.url))
      const toolChoice = { tool: 'get_weather' }
      const response = await model.complete({ messages, tools: [weather.spec], toolChoice, stop: ['END'] })
      const isGoogle = open === chatGoogle
      expect(response.losses.map((loss) => loss.path)).toEqual(isGoogle ? ['/stop'] : [])
      const asked = server.requests[0]?.request
      const parts = asked?.messages[0]?.role === 'user' ? asked.messages[0].content : []
      expect(parts.map((part) => [part.type, 'data' in part ? part.data : undefined])).toEqual([
        ['text', undefined],
        ['image', 'AAAA'],
        ['file', 'BBBB'],
      ])
      if (!isGoogle) expect(asked?.stop).toEqual(['END'])
      expect(asked?.toolChoice === undefined).toBe(false)
    }
  })
})

describe('failures have codes', () => {
  test.each(chatModels)('$name: a refused key, a busy provider, a connection that breaks', async ({ open }) => {
    for (const [status, code] of [
      [401, 'authentication'],
      [429, 'rate_limited'],
      [500, 'server_error'],
    ] as const) {
      await using server = await providerServer({ misbehave: { status } })
      await expect(fromLangChain(open(server.url)).complete({ messages: hello })).rejects.toMatchObject({ code })
    }
    await expect(fromLangChain(open('http://127.0.0.1:9')).complete({ messages: hello })).rejects.toMatchObject({
      code: 'network',
    })
  })

  test.each(chatModels)('$name: a stream that is cut is no answer', async ({ open }) => {
    await using server = await providerServer({
      script: ['one two three four five six seven'],
      misbehave: { cutAfterEvents: 3 },
    })
    const model = fromLangChain(open(server.url))
    await expect(model.stream({ messages: hello }).then((response) => response)).rejects.toMatchObject({
      code: expect.stringMatching(/truncated|server_error|network/),
    })
  })

  // Not Google's: its SDK leaves a promise behind that rejects unhandled when a stream breaks.
  const abortable = chatModels.filter(({ open }) => open !== chatGoogle)
  test.each(abortable)('$name: an abort ends the stream as aborted', async ({ open }) => {
    await using server = await providerServer({
      script: ['one two three four five six seven'],
      misbehave: { stallAfterEvents: 6 },
    })
    const abort = new AbortController()
    const stream = run.stream({ model: fromLangChain(open(server.url)), prompt: 'Hi', signal: abort.signal })
    for await (const event of stream) if (event.type === 'text_delta') abort.abort()
    const result = await stream
    expect(result.stop.reason).toBe('aborted')
  })

  test('arguments that were cut make a broken call, never a guessed one', async () => {
    for (const stream of [false, true]) {
      await using server = await providerServer({
        script: [
          {
            brokenCalls: [{ name: 'get_weather', arguments: '{"city":"Ro', reason: 'truncated' }],
            finishReason: 'length',
          },
        ],
      })
      const model = fromLangChain(chatOpenAI(server.url))
      const request = { messages: hello, tools: [weather.spec] }
      const response = stream ? await model.stream(request) : await model.complete(request)
      expect(response.toolCalls).toEqual([])
      expect(response.brokenCalls).toMatchObject([{ name: 'get_weather', arguments: '{"city":"Ro' }])
    }
  })

  test('what is no chat model is misuse, and what cannot be done is refused before the network', async () => {
    expect(() => fromLangChain({} as never)).toThrow(expect.objectContaining({ code: 'misuse' }))
    const plain = fromLangChain(new Parrot({}))
    await expect(plain.complete({ messages: hello, tools: [weather.spec] })).rejects.toMatchObject({
      code: 'unsupported_feature',
    })
  })
})

test('a chat model nobody described is driven in the plain form', async () => {
  const model = fromLangChain(new Parrot({}))
  expect(model.name).toBe('parrot:parrot')
  expect((await model.complete({ messages: hello })).text).toBe('Hi')
  expect((await model.stream({ messages: hello })).text).toBe('Hi')
  const failing = fromLangChain(new Parrot({}), { id: 'p', type: 'none', capabilities: { tools: 'yes' } })
  expect([failing.name, failing.capabilities.tools]).toEqual(['none:p', 'yes'])
})

test.each(chatModels)('$name: an answer in a schema is text that holds it', async ({ open }) => {
  await using server = await providerServer({
    script: (request) =>
      request.output === undefined && request.tools !== undefined
        ? { calls: [{ name: String((request.tools[0] as { name?: string }).name), args: { celsius: 18 } }] }
        : '{"celsius":18}',
  })
  const schema = {
    title: 'Weather',
    type: 'object',
    properties: { celsius: { type: 'number' } },
    required: ['celsius'],
  }
  for (const stream of [false, true]) {
    const model = fromLangChain(open(server.url))
    const request = { messages: hello, output: { schema, name: 'weather' } }
    const response = stream ? await model.stream(request) : await model.complete(request)
    expect(JSON.parse(response.text)).toEqual({ celsius: 18 })
    expect(response.toolCalls).toEqual([])
  }
})

test.each(chatModels)('$name: an answer that is any JSON object is text that holds it', async ({ open }) => {
  await using server = await providerServer({
    script: (request) =>
      request.output === undefined && request.tools !== undefined
        ? { calls: [{ name: String((request.tools[0] as { name?: string }).name), args: { celsius: 18 } }] }
        : '{"celsius":18}',
  })
  const response = await fromLangChain(open(server.url)).complete({ messages: hello, output: 'json_object' })
  expect(JSON.parse(response.text)).toEqual({ celsius: 18 })
  expect(response.toolCalls).toEqual([])
})

test('a toolwire model through LangChain and back is the same model', async () => {
  const turns = conversation as readonly (string | object)[]
  const direct = await run({ model: scriptedModel(turns), tools: [weather], prompt: 'Where?' })
  for (const stream of [false, true]) {
    const model = fromLangChain(toLangChain(scriptedModel(turns)))
    const options = { model, tools: [weather], prompt: 'Where?' }
    const result = stream ? await run.stream(options) : await run(options)
    const plain = (messages: readonly Message[]): unknown =>
      messages.map((message) => ({ ...message, origin: undefined }))
    expect(plain(result.messages)).toEqual(plain(direct.messages))
  }
})

test('results in another order than the calls are put in order before they are sent', async () => {
  await using server = await providerServer({ strict: true })
  const result = (callId: string): Message & { role: 'tool' } => ({
    role: 'tool',
    results: [{ callId, name: 'get_weather', content: [{ type: 'text', text: callId }], isError: false }],
  })
  const call = (id: string) => ({ type: 'tool_call', id, name: 'get_weather', arguments: '{"city":"Rome"}' }) as const
  const messages: readonly Message[] = [
    ...hello,
    { role: 'assistant', content: [call('a'), call('b')] },
    result('b'),
    result('a'),
  ]
  await fromLangChain(chatOllama(server.url)).complete({ messages, tools: [weather.spec] })
  const sent = JSON.parse(server.requests[0]?.raw.body ?? '{}') as {
    messages: readonly (BaseMessage & { tool_call_id?: string })[]
  }
  expect(sent.messages.slice(2).map((message) => [message.content, message.tool_call_id])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ])
})

test('a text file reaches a chat model that takes no files as its text, and that is reported', async () => {
  const part = { type: 'file', mediaType: 'text/plain', data: btoa('The code is 17.'), name: 'code.txt' } as const
  const response = await fromLangChain(new Parrot({})).complete({ messages: [{ role: 'user', content: [part] }] })
  expect(response.text).toBe('The code is 17.')
  expect(response.losses).toMatchObject([
    {
      code: 'file_as_text',
      path: '/messages/0/content/0',
      kind: 'changed',
      to: { type: 'text', text: 'The code is 17.' },
    },
  ])
})

/** A chat model that makes the same call in its first turns, and gives it no id. */
class Nameless extends BaseChatModel {
  _llmType(): string {
    return 'nameless'
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const isOver = messages.filter((message) => message.type === 'tool').length === 2
    const tool_calls = isOver ? [] : [{ name: 'get_weather', args: { city: 'Rome' } }]
    return { generations: [{ text: '', message: new AIMessage({ content: isOver ? 'Done.' : '', tool_calls }) }] }
  }
}

test('a call without an id that a later turn makes again has another id, the same in a replay', async () => {
  const ids = async (): Promise<readonly string[]> => {
    const result = await run({ model: fromLangChain(new Nameless({})), tools: [weather], prompt: 'Go' })
    expect(result).toMatchObject({ stop: { reason: 'answer' }, turns: 3 })
    return result.messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map(({ callId }) => callId) : [],
    )
  }
  const first = await ids()
  expect(new Set(first).size).toBe(2)
  expect(await ids()).toEqual(first)
})

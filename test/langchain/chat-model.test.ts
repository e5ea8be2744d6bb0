// Toolwire models as LangChain chat models: the checks that LangChain's standard tests make of every integration (tool
// calling, streaming, structured output, usage, message history), on all five wires over HTTP.
import { inspect } from 'node:util'
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { tool as langChainTool } from '@langchain/core/tools'
import { concat } from '@langchain/core/utils/stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AssistantMessage, anthropic, wires } from '../../src/index.js'
import { fromLangChainMessages, toLangChain } from '../../src/langchain/index.js'
import { providerServer, type ScriptedTurn, scriptedModel } from '../../src/testing/index.js'
import { langChainWeather, models } from './providers.js'

const cases = wires.map((wire) => ({ wire, open: models[wire] }))
const usage = { input: 10, cacheRead: 5, output: 3, total: 18 }

async function merged(stream: AsyncIterable<AIMessageChunk>): Promise<{ chunks: number; message: AIMessageChunk }> {
  let message: AIMessageChunk | undefined
  let chunks = 0
  for await (const chunk of stream) {
    chunks += 1
    message = message === undefined ? chunk : concat(message, chunk)
  }
  if (message === undefined) throw new Error('no chunk came')
  return { chunks, message }
}

describe.each(cases)('on $wire', ({ wire, open }) => {
  test('invoke, stream and batch answer', async () => {
    await using server = await providerServer({ strict: true, script: () => ({ text: 'Hello there, friend.', usage }) })
    const model = toLangChain(open(server.url))
    const answer = await model.invoke('Hi')
    expect(answer).toBeInstanceOf(AIMessage)
    expect(answer.content).toBe('Hello there, friend.')
    expect(answer.response_metadata).toMatchObject({ finish_reason: 'stop', model_provider: 'toolwire' })
    const { chunks, message } = await merged(await model.stream('Hi'))
    expect(chunks).toBeGreaterThan(2)
    expect(message.content).toBe('Hello there, friend.')
    const all = await model.batch(['Hi', 'Ho'])
    expect(all.map((item) => item.text)).toEqual(['Hello there, friend.', 'Hello there, friend.'])
  })

  test('usage is counted once, whole and streamed', async () => {
    await using server = await providerServer({ script: () => ({ text: 'Hello there, friend.', usage }) })
    const model = toLangChain(open(server.url))
    const whole = (await model.invoke('Hi')).usage_metadata as UsageMetadata | undefined
    expect(whole).toMatchObject({ input_tokens: 15, output_tokens: 3, total_tokens: 18 })
    if (wire !== 'ollama') expect(whole?.input_token_details?.cache_read).toBe(5)
    const { message } = await merged(await model.stream('Hi'))
    expect(message.usage_metadata).toMatchObject(whole ?? {})
  })

  test('tools are bound, called, and their results sent back', async () => {
    const ping = langChainTool(() => 'pong', { name: 'ping', description: 'Answers pong', schema: z.object({}) })
    const plain = {
      type: 'function',
      function: { name: 'look_up', description: 'Looks it up', parameters: { type: 'object', properties: {} } },
    }
    await using server = await providerServer({
      strict: true,
      script: [{ calls: [{ name: 'get_weather', args: { city: 'Rome' } }, { name: 'ping' }] }, 'Warm.'],
    })
    const model = toLangChain(open(server.url)).bindTools([langChainWeather, ping, plain])
    const question = [new SystemMessage('Be brief.'), new HumanMessage('Weather?')]
    const answer = await model.invoke(question)
    expect(answer.tool_calls).toEqual([
      { type: 'tool_call', id: expect.any(String), name: 'get_weather', args: { city: 'Rome' } },
      { type: 'tool_call', id: expect.any(String), name: 'ping', args: {} },
    ])
    const results = answer.tool_calls?.map(
      ({ id = '' }, index) =>
        new ToolMessage({ content: `result ${index}`, tool_call_id: id, status: index === 0 ? 'success' : 'error' }),
    )
    const last = await model.invoke([...question, answer, ...(results ?? [])])
    expect(last.text).toBe('Warm.')
    expect(server.requests[0]?.request.tools?.map((spec) => (spec.type === undefined ? spec.name : ''))).toEqual([
      'get_weather',
      'ping',
      'look_up',
    ])
    const told = server.requests[1]?.request.messages.at(-1)
    expect(told?.role === 'tool' ? told.results.map((result) => result.isError) : []).toEqual([false, true])
  })

  test('streamed calls come as chunks that merge into whole calls', async () => {
    const calls = [
      { name: 'get_weather', args: { city: 'Rome' } },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ]
    await using server = await providerServer({ script: () => ({ text: 'Looking.', calls }) })
    const model = toLangChain(open(server.url)).bindTools([langChainWeather])
    const { message } = await merged(await model.stream('Weather?'))
    expect(message.tool_call_chunks?.map(({ index, name, args }) => [index, name, JSON.parse(args ?? '')])).toEqual([
      [0, 'get_weather', { city: 'Rome' }],
      [1, 'get_weather', { city: 'Oslo' }],
    ])
    expect(message.tool_calls?.map((call) => call.args)).toEqual([{ city: 'Rome' }, { city: 'Oslo' }])
    expect(message.invalid_tool_calls).toEqual([])
    expect(message.text).toBe('Looking.')
  })

  test('a choice of tools reaches the provider where the wire has one', async () => {
    await using server = await providerServer({
      script: () => ({ calls: [{ name: 'get_weather', args: { city: 'Rome' } }] }),
    })
    const model = toLangChain(open(server.url))
    const choices = ['any', 'get_weather', { type: 'function', function: { name: 'get_weather' } }, 'auto', 'none']
    for (const tool_choice of choices) await model.bindTools([langChainWeather], { tool_choice }).invoke('Weather?')
    if (wire === 'ollama') return expect(server.requests.length).toBe(5)
    expect(server.requests.map(({ request }) => request.toolChoice ?? 'auto')).toEqual([
      'required',
      { tool: 'get_weather' },
      { tool: 'get_weather' },
      'auto',
      'none',
    ])
  })

  test('structured output, by schema and by a call, with the raw answer and streamed', async () => {
    const schema = z.object({ setup: z.string(), punchline: z.string() }).describe('A joke')
    const joke = { setup: 'Why?', punchline: 'Because.' }
    await using server = await providerServer({
      strict: true,
      script: ({ tools: [spec] = [] }) =>
        spec?.type === undefined && spec !== undefined
          ? { calls: [{ name: spec.name, args: joke }] }
          : JSON.stringify(joke),
    })
    const model = toLangChain(open(server.url))
    expect(await model.withStructuredOutput(schema, { name: 'joke' }).invoke('A joke')).toEqual(joke)
    expect(await model.withStructuredOutput(z.toJSONSchema(schema)).invoke('A joke')).toEqual(joke)
    expect(await model.withStructuredOutput(schema, { method: 'functionCalling' }).invoke('A joke')).toEqual(joke)
    const both = await model.withStructuredOutput(schema, { includeRaw: true }).invoke('A joke')
    expect(both.parsed).toEqual(joke)
    expect(both.raw).toBeInstanceOf(AIMessage)
    let last: unknown
    for await (const part of await model.withStructuredOutput(schema).stream('A joke')) last = part
    expect(last).toEqual(joke)
    expect(server.requests.map(({ refusal }) => refusal)).toEqual(Array.from({ length: 5 }, () => undefined))
    expect(server.requests[0]?.request.output).toMatchObject({
      schema: { required: ['setup', 'punchline'] },
    })
  })

  test('reasoning is a standard block and comes home when the history is sent again', async () => {
    await using server = await providerServer({
      strict: true,
      script: [{ reasoning: 'Let me think.', text: 'Hello.' }, 'Again.'],
    })
    const model = toLangChain(open(server.url))
    const question = new HumanMessage('Hi')
    const { message } = await merged(await model.stream([question]))
    expect(message.contentBlocks.map((block) => block.type)).toEqual(['reasoning', 'text'])
    expect(message.text).toBe('Hello.')
    await model.invoke([question, message, new HumanMessage('Again?')])
    expect(server.requests[1]?.refusal).toBeUndefined()
  })
})

describe('the message of a stream is the message of the whole answer', () => {
  const word = fc.string({ minLength: 1, maxLength: 30 })
  const call = fc.record({
    name: fc.constantFrom('f', 'g'),
    args: fc.constantFrom('{}', '{ "n": 12345678901234567890 }', '{"a":[1,{"b":null}]}'),
  })
  const broken = fc.record({
    name: fc.constantFrom('f', 'g'),
    arguments: fc.constantFrom('{"a":', '', '[1]', '{"a":1}'),
    reason: fc.constantFrom('truncated' as const, 'malformed' as const),
  })
  const turn: fc.Arbitrary<ScriptedTurn> = fc.record(
    {
      text: word,
      reasoning: word,
      calls: fc.array(call, { maxLength: 3 }),
      brokenCalls: fc.array(broken, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )

  test('for any turn, and what is read back is what the model said', async () => {
    await fc.assert(
      fc.asyncProperty(turn, async (said) => {
        const whole = await toLangChain(scriptedModel([said])).invoke('Go')
        const { message } = await merged(await toLangChain(scriptedModel([said])).stream('Go'))
        const direct = await scriptedModel([said]).complete({ messages: [] })
        const readBack = (given: AIMessage): AssistantMessage =>
          fromLangChainMessages([given]).messages[0] as AssistantMessage
        expect(readBack(whole)).toEqual(direct.message)
        expect(readBack(message)).toEqual(direct.message)
        expect(message.tool_calls).toEqual(whole.tool_calls)
        expect(message.invalid_tool_calls?.map((item) => item.name)).toEqual(
          whole.invalid_tool_calls?.map((item) => item.name),
        )
        expect(message.text).toBe(whole.text)
      }),
      { numRuns: 200 },
    )
  })
})

test('calls that are not whole are invalid, never guessed', async () => {
  const brokenCalls = [{ name: 'write', arguments: '{"path":"/etc","text":"hel', reason: 'truncated' as const }]
  const model = (): ReturnType<typeof toLangChain> =>
    toLangChain(scriptedModel([{ brokenCalls, finishReason: 'length' }]))
  const whole = await model().invoke('Go')
  const { message } = await merged(await model().stream('Go'))
  for (const answer of [whole, message]) {
    expect(answer.tool_calls).toEqual([])
    expect(answer.invalid_tool_calls).toMatchObject([{ name: 'write', args: '{"path":"/etc","text":"hel' }])
    expect(answer.response_metadata.finish_reason).toBe('length')
  }
})

test('an answer in a schema that was cut is an error, not half a value', async () => {
  const model = toLangChain(scriptedModel([{ text: '{"a":1,"b":"hal', finishReason: 'length' }]))
  const runnable = model.withStructuredOutput({ type: 'object', properties: { a: { type: 'number' } } })
  await expect(runnable.invoke('Go')).rejects.toMatchObject({ code: 'truncated' })
})

test('settings, stop words and losses', async () => {
  await using server = await providerServer({})
  const model = toLangChain(models.anthropic(server.url), {
    maxTokens: 100,
    temperature: 0.2,
    reasoning: { effort: 'low' },
  })
  const answer = await model.invoke('Hi', { stop: ['END'], temperature: 0.9 })
  expect(server.requests[0]?.request).toMatchObject({ maxTokens: 100, stop: ['END'] })
  const scripted = scriptedModel(['a'])
  await toLangChain(scripted, { maxTokens: 7 }).invoke('Hi', { temperature: 0.9 })
  expect(scripted.requests[0]).toMatchObject({ maxTokens: 7, temperature: 0.9 })
  const losses = answer.response_metadata.losses as readonly { path: string }[]
  expect(losses.map((loss) => loss.path)).toContain('/temperature')
})

test('a response format of any JSON object is asked for', async () => {
  const scripted = scriptedModel(['{}', 'a'])
  await toLangChain(scripted).invoke('Hi', { response_format: { type: 'json_object' } })
  await toLangChain(scripted).invoke('Hi', { response_format: { type: 'text' } })
  expect(scripted.requests.map(({ output }) => output)).toEqual(['json_object', undefined])
})

test('it works in a chain, tells its callbacks every token, and streams events', async () => {
  const tokens: string[] = []
  const model = toLangChain(
    scriptedModel(() => 'one two three'),
    {
      callbacks: [{ handleLLMNewToken: (token) => void tokens.push(token) }],
    },
  )
  const chain = ChatPromptTemplate.fromTemplate('Say {what}').pipe(model).pipe(new StringOutputParser())
  const pieces: string[] = []
  for await (const piece of await chain.stream({ what: 'it' })) pieces.push(piece)
  expect(pieces.join('')).toBe('one two three')
  expect(tokens.join('')).toBe('one two three')
  expect(await (await model.streamEvents('Hi')).text).toBe('one two three')
})

test('a failure is the coded error, and an abort stops the call', async () => {
  await using server = await providerServer({ misbehave: { status: 429 } })
  await expect(toLangChain(models.gemini(server.url)).invoke('Hi')).rejects.toMatchObject({ code: 'rate_limited' })
  const abort = new AbortController()
  const answer = toLangChain(scriptedModel([{ hang: true }])).invoke('Hi', { signal: abort.signal })
  abort.abort()
  await expect(answer).rejects.toThrow()
})

test('what cannot be read is misuse, before the network', async () => {
  expect(() => toLangChain({} as never)).toThrow(expect.objectContaining({ code: 'misuse' }))
  const model = toLangChain(scriptedModel(['a']))
  const bound = model.bindTools([{ type: 'web_search_20250305', name: 'web_search' }])
  await expect(bound.invoke('Hi')).rejects.toMatchObject({ code: 'invalid_tool_spec' })
  await expect(model.bindTools([langChainWeather], { tool_choice: {} }).invoke('Hi')).rejects.toMatchObject({
    code: 'misuse',
  })
  await expect(model.invoke('Hi', { response_format: { type: 'json_schema' } })).rejects.toMatchObject({
    code: 'misuse',
  })
})

test('the key is in nothing that LangChain prints, stores or traces', async () => {
  const secret = 'sk-very-secret-1234567890'
  const model = toLangChain(anthropic('claude-sonnet-5-5', { apiKey: secret }), { maxTokens: 5 })
  const shown = [inspect(model, { depth: 10 }), JSON.stringify(model), JSON.stringify(model._identifyingParams())]
  expect(shown.join('\n')).not.toContain(secret)
  expect(model._identifyingParams()).toMatchObject({ model: 'anthropic:claude-sonnet-5-5', maxTokens: 5 })
  expect(model.profile.toolCalling).toBe(true)
})

describe('what tracers are told', () => {
  const person = z.object({ name: z.string() })
  const scripted = () => scriptedModel(() => ({ text: '{"name":"Ada"}', calls: [] }))

  test('the temperature and the limit of a call, or those of the model', () => {
    const model = toLangChain(scripted(), { temperature: 0.2, maxTokens: 100 })
    expect(model.getLsParams({} as never)).toMatchObject({ ls_temperature: 0.2, ls_max_tokens: 100 })
    expect(model.getLsParams({ temperature: 0, stop: ['x'] } as never)).toMatchObject({
      ls_temperature: 0,
      ls_max_tokens: 100,
      ls_stop: ['x'],
    })
    expect(Object.keys(toLangChain(scripted()).getLsParams({} as never))).not.toContain('ls_temperature')
  })

  test('the model that answered, under both names that LangChain has for it, whole and streamed', async () => {
    const model = toLangChain(scriptedModel(() => ({ text: 'Hi' }), { id: 'm1' }))
    const { response_metadata: whole } = await model.invoke('Hi')
    const { message } = await merged(await model.stream('Hi'))
    for (const metadata of [whole, message.response_metadata]) {
      expect(metadata).toMatchObject({ model: 'm1', model_name: 'm1' })
    }
  })

  test.each([
    ['jsonSchema', 'json_schema'],
    ['functionCalling', 'function_calling'],
  ] as const)('the format of a structured answer by %s', async (method, word) => {
    const inner = scriptedModel(() =>
      method === 'jsonSchema' ? { text: '{"name":"Ada"}' } : { calls: [{ name: 'person', args: { name: 'Ada' } }] },
    )
    const seen: unknown[] = []
    const handler = {
      handleChatModelStart: (_llm: unknown, _messages: unknown, _id: string, _parent: unknown, extra: unknown) => {
        const { options } = extra as { options: { ls_structured_output_format?: unknown } }
        seen.push(options.ls_structured_output_format)
      },
    }
    const structured = toLangChain(inner).withStructuredOutput(person, { name: 'person', method })
    expect(await structured.invoke('Who?', { callbacks: [handler] })).toEqual({ name: 'Ada' })
    expect(seen).toMatchObject([
      { kwargs: { method: word }, schema: { title: 'person', properties: { name: { type: 'string' } } } },
    ])
  })
})

// Spans of runs, model calls and tool calls, with the real OpenTelemetry SDK and the provider server.
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import {
  anthropic,
  fallback,
  gemini,
  type ModelFactory,
  type RunOptions,
  run,
  ToolExecutionError,
  ToolExecutor,
  ToolwireError,
  tool,
} from '../../src/index.js'
import { telemetry } from '../../src/otel/index.js'
import { type ProviderScript, providerServer, scriptedModel } from '../../src/testing/index.js'
import { contextManager, record } from './spans.js'

const secret = 'sk-test-1234567890abcdefghij'
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async ({ city }) => {
    await new Promise((resolve) => setTimeout(resolve, city === 'Oslo' ? 1 : 15))
    return `weather of ${city}`
  },
})
const twoCities: ProviderScript = [
  {
    text: 'Let me look.',
    calls: [
      { name: 'get_weather', args: { city: 'Rome' } },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ],
    usage: { input: 10, cacheRead: 5, output: 3, reasoning: 2, total: 20 },
  },
  { text: 'Rome is warmer.', usage: { input: 30, output: 4, total: 34 } },
]
const wires: readonly { provider: string; factory: ModelFactory }[] = [
  { provider: 'anthropic', factory: anthropic },
  { provider: 'gcp.gemini', factory: gemini },
]
const ways = wires.flatMap((wire) => [
  { ...wire, stream: false },
  { ...wire, stream: true },
])

test.each(ways)('$provider, streamed $stream: a run with two parallel tools is one tree', async (way) => {
  await using server = await providerServer({ strict: true, script: twoCities })
  const recording = record()
  const traced = telemetry({ tracer: recording.tracer, agentName: 'forecaster', conversationId: 'c-1' })
  const model = way.factory('m-1', { baseUrl: server.url, apiKey: secret })
  const options: RunOptions = { model, tools: [weather], prompt: 'Where is it warmer?', temperature: 0.5 }
  const result = way.stream ? await traced.run.stream(options) : await traced.run(options)
  expect(result.stop).toEqual({ reason: 'answer' })
  expect(recording.tree()).toEqual([
    'invoke_agent forecaster',
    'invoke_agent forecaster > chat m-1',
    'invoke_agent forecaster > chat m-1',
    'invoke_agent forecaster > execute_tool get_weather',
    'invoke_agent forecaster > execute_tool get_weather',
  ])
  const root = recording.named('invoke_agent forecaster')
  expect(root.kind).toBe(SpanKind.INTERNAL)
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'forecaster',
    'gen_ai.conversation.id': 'c-1',
    'gen_ai.provider.name': way.provider,
    'gen_ai.request.model': 'm-1',
    'gen_ai.usage.input_tokens': 45,
    'gen_ai.response.finish_reasons': ['stop'],
    'toolwire.run.stop_reason': 'answer',
    'toolwire.run.turns': 2,
    'toolwire.run.calls': 2,
  })
  const chat = recording.named('chat m-1')
  expect(chat.kind).toBe(SpanKind.CLIENT)
  expect(chat.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': way.provider,
    'gen_ai.request.model': 'm-1',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.conversation.id': 'c-1',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': 15,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'gen_ai.usage.output_tokens': 5,
  })
  expect(chat.attributes['gen_ai.request.stream']).toBe(way.stream ? true : undefined)
  expect(typeof chat.attributes['gen_ai.response.time_to_first_chunk']).toBe(way.stream ? 'number' : 'undefined')
  const call = recording.named('execute_tool get_weather')
  expect(call.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get_weather',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.description': 'Current weather for a city',
    'gen_ai.tool.call.id': expect.any(String),
  })
})

test('what was said is in no attribute unless asked for, and a key never is', async () => {
  await using server = await providerServer({ script: twoCities })
  const plain = record()
  const full = record()
  for (const [recording, recordContent] of [
    [plain, false],
    [full, true],
  ] as const) {
    const model = scriptedModel([
      { calls: [{ name: 'get_weather', args: { city: `Rome ${secret}` } }] },
      `The key is ${secret}.`,
    ])
    const traced = telemetry({ tracer: recording.tracer, recordContent })
    await traced.run({ model, tools: [weather], system: 'Be brief.', prompt: `Warm? api_key=${secret}` })
    const wired = anthropic('m', { baseUrl: server.url, apiKey: secret })
    await traced.run({ model: wired, tools: [weather], prompt: 'Warm?' })
  }
  const textOf = (recording: typeof plain): string =>
    JSON.stringify(recording.spans().map((span) => [span.name, span.attributes, span.status, span.events]))
  expect(textOf(plain)).not.toMatch(/Rome|Warm|brief|key is|weather of/)
  expect(textOf(full)).toMatch(/Rome/)
  expect(textOf(plain) + textOf(full)).not.toContain(secret)
  const [chat] = full.spans().filter((span) => span.name === 'chat scripted')
  expect(JSON.parse(String(chat?.attributes['gen_ai.input.messages']))).toEqual([
    { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
    { role: 'user', parts: [{ type: 'text', content: 'Warm? api_key=[redacted]' }] },
  ])
  expect(JSON.parse(String(chat?.attributes['gen_ai.output.messages']))).toMatchObject([
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'get_weather' }], finish_reason: 'tool_calls' },
  ])
  expect(JSON.parse(String(chat?.attributes['gen_ai.tool.definitions']))).toMatchObject([{ name: 'get_weather' }])
  const call = full.named('execute_tool get_weather')
  expect(call.attributes['gen_ai.tool.call.result']).toBe('weather of Rome [redacted]')
  expect(call.attributes['gen_ai.tool.call.arguments']).toBe('{"city":"Rome [redacted]"}')
})

test('a failed model call fails its span and the run by the code of the error', async () => {
  await using server = await providerServer({
    misbehave: { status: 429, body: JSON.stringify({ error: { type: 'rate_limit_error', message: `no, ${secret}` } }) },
  })
  const recording = record()
  const model = anthropic('m', { baseUrl: server.url, apiKey: secret, retries: 0 })
  const result = await telemetry({ tracer: recording.tracer }).run({ model, prompt: 'Hi' })
  expect(result.stop.error?.code).toBe('rate_limited')
  for (const name of ['chat m', 'invoke_agent']) {
    const span = recording.named(name)
    expect(span.attributes['error.type']).toBe('rate_limited')
    expect(span.status.code).toBe(SpanStatusCode.ERROR)
    expect(span.status.message).not.toContain(secret)
  }
})

test('a stream that is aborted ends its spans as aborted', async () => {
  await using server = await providerServer({
    script: [{ text: 'a long answer that never ends' }],
    misbehave: { stallAfterEvents: 3 },
  })
  const recording = record()
  const abort = new AbortController()
  const model = anthropic('m', { baseUrl: server.url, apiKey: 'k' })
  const stream = telemetry({ tracer: recording.tracer }).run.stream({ model, prompt: 'Hi', signal: abort.signal })
  for await (const event of stream) if (event.type === 'text_delta') abort.abort()
  expect((await stream).stop.reason).toBe('aborted')
  expect(recording.tree()).toEqual(['invoke_agent', 'invoke_agent > chat m'])
  expect(recording.spans().map((span) => span.attributes['error.type'])).toEqual(['aborted', 'aborted'])
})

test('a reader who leaves ends every span', async () => {
  const recording = record()
  const traced = telemetry({ tracer: recording.tracer })
  const stream = traced.run.stream({ model: scriptedModel(['one two three four']), prompt: 'Hi' })
  for await (const event of stream) if (event.type === 'text_delta') break
  expect((await stream).stop.reason).toBe('aborted')
  for await (const event of traced.model(scriptedModel(['one two'])).stream({ messages: [] })) {
    if (event.type === 'text_delta') break
  }
  expect(recording.tree()).toEqual(['chat scripted', 'invoke_agent', 'invoke_agent > chat scripted'])
  expect(recording.spans().map((span) => span.attributes['error.type'])).toEqual(['aborted', 'aborted', 'aborted'])
})

test('a stream cut by the provider tells what had come', async () => {
  const recording = record()
  const model = telemetry({ tracer: recording.tracer }).model(scriptedModel([{ text: 'one two three', cutAfter: 2 }]))
  await expect(model.stream({ messages: [] }).then((response) => response)).rejects.toMatchObject({ code: 'truncated' })
  expect(recording.named('chat scripted').attributes).toMatchObject({
    'error.type': 'truncated',
    'gen_ai.response.id': 'response_1',
  })
})

test('failed, unknown, refused and waiting tools have spans of their own', async () => {
  const recording = record()
  const fail = tool({
    name: 'fail_it',
    description: 'Fails every time it is called',
    input: { type: 'object', properties: {} },
    execute: () => {
      throw new ToolExecutionError('network_error', 'no route')
    },
  })
  const calls = [{ name: 'fail_it' }, { name: 'nowhere' }, { name: 'get_weather', args: {} }]
  const traced = telemetry({ tracer: recording.tracer })
  const tools = [fail, weather]
  await traced.run({ model: scriptedModel([{ calls }, 'done']), tools, prompt: 'Go' })
  expect(recording.named('execute_tool fail_it').attributes['error.type']).toBe('network_error')
  expect(recording.named('execute_tool nowhere').attributes['error.type']).toBe('resource_not_found')
  expect(recording.named('execute_tool get_weather').attributes['error.type']).toBe('invalid_arguments')
  const waiting = record()
  const model = scriptedModel([{ calls: [{ name: 'get_weather', args: { city: 'Rome' } }] }])
  await telemetry({ tracer: waiting.tracer }).run({ model, tools, prompt: 'Go', approve: () => 'pause' })
  expect(waiting.named('execute_tool get_weather').attributes['toolwire.tool.state']).toBe('paused')
  expect(waiting.named('invoke_agent').status.code).toBe(SpanStatusCode.UNSET)
})

test('misuse rejects as without tracing, and fails the span', async () => {
  const recording = record()
  const traced = telemetry({ tracer: recording.tracer })
  await expect(traced.run({} as RunOptions)).rejects.toMatchObject({ code: 'misuse' })
  expect(() => traced.run.stream({} as RunOptions)).toThrow(expect.objectContaining({ code: 'misuse' }))
  expect(recording.spans().map((span) => span.attributes['error.type'])).toEqual(['misuse'])
})

test('what a tool or a fallback starts by itself is below the span it runs in', async () => {
  const recording = record()
  context.setGlobalContextManager(contextManager())
  try {
    const nested = tool({
      name: 'look_up',
      description: 'Looks something up elsewhere',
      input: { type: 'object', properties: {} },
      execute: async () => {
        await Promise.resolve()
        recording.tracer.startSpan('GET /things').end()
      },
    })
    const traced = telemetry({ tracer: recording.tracer })
    const first = traced.model(scriptedModel([{ error: new ToolwireError('server_error', 'down') }], { id: 'a' }))
    const second = traced.model(scriptedModel([{ calls: [{ name: 'look_up' }] }, 'done', 'instead'], { id: 'b' }))
    const model = fallback([first, second])
    const outer = recording.tracer.startSpan('request')
    const within = trace.setSpan(context.active(), outer)
    await context.with(within, () => run({ model: second, tools: [nested], prompt: 'Go', around: traced.around }))
    await context.with(within, async () => {
      for await (const _ of traced.run.stream({ model, prompt: 'Go' }));
    })
    outer.end()
  } finally {
    context.disable()
  }
  expect(recording.tree()).toEqual([
    'chat a > chat a',
    'chat a > chat b',
    'execute_tool look_up > GET /things',
    'invoke_agent > chat a',
    'request',
    'request > chat b',
    'request > chat b',
    'request > execute_tool look_up',
    'request > invoke_agent',
  ])
})

test('an executor alone can be traced, and a wrapper that fails changes nothing', async () => {
  const recording = record()
  const { around } = telemetry({ tracer: recording.tracer })
  const call = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' } as const
  const executor = new ToolExecutor([weather], { around })
  expect(await executor.execute([call])).toMatchObject([{ isError: false }])
  expect(recording.tree()).toEqual(['execute_tool get_weather'])
  let settled = 0
  const rough = new ToolExecutor([weather], {
    around: async (_call, settle) => {
      await Promise.all([settle(), settle()])
      settled += 1
      throw new Error('no matter')
    },
  })
  expect(await rough.execute([call])).toMatchObject([{ isError: false }])
  expect(await new ToolExecutor([weather], { around: () => {} }).execute([call])).toMatchObject([{ isError: false }])
  expect(settled).toBe(1)
})

test('without a registered SDK the wrappers cost nothing and change nothing', async () => {
  const result = await telemetry().run({ model: scriptedModel(['hello']), prompt: 'Hi' })
  expect(result.text).toBe('hello')
})

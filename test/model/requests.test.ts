// Requests as programs pass them: tools with their functions, and mistakes that are named before anything is sent.
import { describe, expect, onTestFinished, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { continueWithToolResults } from '../../src/model/continue.js'
import { compatible } from '../../src/model/factories.js'
import { fallback } from '../../src/model/fallback.js'
import type { Model, ModelRequest } from '../../src/model/model.js'
import { providerServer } from '../../src/testing/index.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { tool } from '../../src/tools/define.js'
import { importTool } from '../../src/tools/import-tool.js'
import { params } from '../../src/tools/params.js'
import { toolResult } from '../../src/tools/results.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const user = { role: 'user', content: [{ type: 'text', text: 'Weather in Boston?' }] } as const
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city.',
  input: params.object({ city: params.string() }),
  strict: true,
  execute: () => 'sunny',
})

async function opened(wire: Wire) {
  const provider = await providerServer({ script: [{ text: 'Hi' }, { text: 'Hi' }] })
  onTestFinished(() => provider.close())
  return { provider, model: compatible({ wire, model: 'm', baseUrl: provider.url, apiKey: 'k', retries: 0 }) }
}

async function failure(work: () => PromiseLike<unknown>): Promise<ToolwireError> {
  try {
    await work()
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw new Error(`expected a ToolwireError, got ${String(error)}`)
  }
  throw new Error('expected a failure')
}

describe.each(wires)('on %s', (wire) => {
  test('a tool is declared with its schema where only its definition is needed', async () => {
    const { model, provider } = await opened(wire)
    const whole = await model.complete({ messages: [user], tools: [weather] })
    const streamed = await model.stream({ messages: [user], tools: [weather.spec] })
    const [first, second] = provider.requests.map(({ raw }) => (JSON.parse(raw.body) as { tools: unknown }).tools)
    expect(first).toEqual(second)
    expect(JSON.stringify(first)).toContain('"city"')
    expect(whole.losses).toEqual(streamed.losses)
  })

  test('a codec encodes a tool as it encodes its definition', () => {
    const codec = codecs[wire]
    const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
    const encode = (tools: ModelRequest['tools'] & {}) =>
      codec.request.encode({ model: 'm', messages: [user], tools }, { stream: false }, env)
    const [given, spec] = [encode([weather]), encode([weather.spec])]
    expect([given.http, given.losses]).toEqual([spec.http, spec.losses])
  })
})

test('a model of a program gets the schema of a tool that a caller passes whole', async () => {
  const inner = scriptedModel([{ text: 'Hi' }])
  const seen: unknown[] = []
  const own: Model = {
    ...inner,
    complete: (request) => {
      seen.push(request.tools?.map((each) => (each.type === 'opaque' ? undefined : [each.inputSchema, each.strict])))
      return inner.complete(request)
    },
  }
  await own.complete({ messages: [user], tools: [weather] })
  expect(seen).toEqual([[[weather.spec.inputSchema, true]]])
  expect(inner.requests[0]?.tools).toEqual([weather.spec])
})

test('a defined tool can be imported under another name', () => {
  expect(importTool(weather, { name: 'forecast' }).tool.spec).toEqual({ ...weather.spec, name: 'forecast' })
})

const openai = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const text = [{ type: 'text', text: 'x' }]
const mistakes: readonly (readonly [what: string, request: object, path: string, message: string])[] = [
  [
    'text instead of parts',
    { messages: [{ role: 'user', content: 'Hi' }] },
    '/messages/0/content',
    `messages[0].content must be an array of parts, not "Hi"; write [{ type: 'text', text }]`,
  ],
  ['no messages', {}, '/messages', 'messages must be an array of messages, not undefined'],
  ['a prompt', { messages: [user], prompt: 'x' }, '/prompt', 'prompt is not a field of a request'],
  [
    'an unknown role',
    { messages: [{ role: 'developer', content: text }] },
    '/messages/0/role',
    `messages[0].role must be 'system', 'user', 'assistant' or 'tool', not "developer"`,
  ],
  [
    'a field of a provider in a message',
    { messages: [{ role: 'user', content: text, name: 'bob' }] },
    '/messages/0/name',
    'messages[0].name is not a field of a user message',
  ],
  [
    'a part of a provider',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    '/messages/0/content/0/type',
    `messages[0].content[0].type must be one of 'text', 'image', 'file', 'opaque', not "image_url"`,
  ],
  [
    'a number as text',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }] }] },
    '/messages/0/content/0/text',
    'messages[0].content[0].text must be a string, not a number',
  ],
  [
    "a provider's result",
    { messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] },
    '/messages/0/results',
    'messages[0].results must be an array of tool results, not undefined',
  ],
  [
    'a result without a flag',
    { messages: [{ role: 'tool', results: [{ callId: 'a', name: 'f', content: text }] }] },
    '/messages/0/results/0/isError',
    'messages[0].results[0].isError must be true or false, not undefined',
  ],
  [
    'the result of importTool',
    { messages: [user], tools: [importTool(openai)] },
    '/tools/0',
    'tools[0] is the result of importTool; pass its member "tool"',
  ],
  [
    "OpenAI's form of a tool",
    { messages: [user], tools: [openai] },
    '/tools/0',
    'tools[0] is an OpenAI-format tool definition; convert it with importTool(definition).tool',
  ],
  [
    "Anthropic's form of a tool",
    { messages: [user], tools: [{ name: 'f', input_schema: {} }] },
    '/tools/0',
    'tools[0] is an Anthropic-format tool definition; convert it with importTool(definition).tool',
  ],
  [
    "Gemini's form of a tool",
    { messages: [user], tools: [{ functionDeclarations: [] }] },
    '/tools/0',
    'tools[0] is a Gemini-format tool definition; convert it with importTool(definition).tool',
  ],
  [
    'a schema under another name',
    { messages: [user], tools: [{ name: 'f', parameters: {} }] },
    '/tools/0',
    'convert it with importTool(definition).tool',
  ],
  [
    'an unknown field of a tool',
    { messages: [user], tools: [{ name: 'f', schema: {} }] },
    '/tools/0/schema',
    'tools[0].schema is not a field of a tool',
  ],
  [
    'a tool without a name',
    { messages: [user], tools: [{ inputSchema: {} }] },
    '/tools/0/name',
    'tools[0].name must be a string, not undefined',
  ],
  [
    'tools as an object',
    { messages: [user], tools: { weather } },
    '/tools',
    'tools must be an array of tools, not an object',
  ],
  [
    'an unknown choice',
    { messages: [user], tools: [weather], toolChoice: 'any' },
    '/toolChoice',
    `toolChoice must be 'auto', 'none', 'required', { tool } or { allowed, mode }, not "any"`,
  ],
  [
    "a provider's choice",
    { messages: [user], tools: [weather], toolChoice: { type: 'tool', name: 'f' } },
    '/toolChoice',
    'toolChoice must be',
  ],
  [
    'a choice of a tool that is not there',
    { messages: [user], tools: [weather], toolChoice: { tool: 'f' } },
    '/toolChoice/tool',
    'toolChoice.tool names the tool "f", which the request does not have; it has get_weather',
  ],
  [
    'a choice among tools that are not there',
    { messages: [user], toolChoice: { allowed: ['f'], mode: 'auto' } },
    '/toolChoice/allowed',
    'toolChoice.allowed names the tool "f", which the request does not have; it has none',
  ],
  [
    'a choice without a mode',
    { messages: [user], tools: [weather], toolChoice: { allowed: ['get_weather'] } },
    '/toolChoice/mode',
    `toolChoice.mode must be 'auto' or 'required', not undefined`,
  ],
  [
    'a temperature as text',
    { messages: [user], temperature: '0.5' },
    '/temperature',
    'temperature must be a number, not "0.5"',
  ],
  [
    'a flag as text',
    { messages: [user], parallelToolCalls: 'no' },
    '/parallelToolCalls',
    'parallelToolCalls must be true or false, not "no"',
  ],
  [
    'an output without a schema',
    { messages: [user], output: {} },
    '/output/schema',
    'output.schema must be a JSON Schema object, not undefined',
  ],
  ['one stop sequence', { messages: [user], stop: 'END' }, '/stop', 'stop must be an array of strings, not "END"'],
]

describe('a mistake in a request', () => {
  const never = (): never => {
    throw new Error('nothing must be sent')
  }
  const models = {
    http: compatible({ wire: 'openai-chat', model: 'm', baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch: never }),
    scripted: scriptedModel(never),
  }

  test.each(mistakes)(
    '%s: named with its path, before anything is sent, and never sent to another model',
    async (_, request, path, message) => {
      const asked = request as ModelRequest
      for (const model of Object.values(models)) {
        const moved: unknown[] = []
        const several = fallback([model, scriptedModel([{ text: 'second' }])], {
          onFallback: (from) => moved.push(from),
        })
        for (const each of [model, several]) {
          for (const work of [() => each.complete(asked), () => each.stream(asked)]) {
            const error = await failure(work)
            expect(error).toMatchObject({ code: 'invalid_request', retryable: false, detail: { path } })
            expect(error.message).toContain(message)
          }
        }
        expect(moved).toEqual([])
      }
    },
  )

  test('what an encoder throws is told as a request that cannot be encoded', async () => {
    const unreadable = new Proxy(
      { type: 'text', text: 'x' },
      {
        get: (target, key) => {
          if (key === 'opaque') throw new TypeError('a getter failed')
          return Reflect.get(target, key) as unknown
        },
      },
    )
    const messages = [{ role: 'user', content: [unreadable] }] as unknown as ModelRequest['messages']
    const error = await failure(() => models.http.complete({ messages }))
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false })
    expect(error.message).toContain('a getter failed')
  })

  test.each([
    ['a line break in a key', { apiKey: 'sk-1\n' }, 'apiKey'],
    ['letters beyond Latin-1 in a header', { headers: { 'x-team': '東京' } }, 'x-team'],
    ['a space in the name of a header', { headers: { 'x team': 'a' } }, 'x team'],
  ])('%s is misuse when the model is made', (_, options, name) => {
    const make = () => compatible({ wire: 'openai-chat', model: 'm', baseUrl: 'http://127.0.0.1:9', ...options })
    expect(make).toThrow(expect.objectContaining({ code: 'misuse', message: expect.stringContaining(name) as string }))
  })

  test('what a transport throws is a failed connection, before the answer and inside it', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('data: {"id":"a"}\n\n')
      throw new TypeError('the cable broke')
    }
    const transports = [
      () => Promise.reject(new TypeError('the cable broke')),
      () => Promise.resolve({ status: 200, headers: {}, body: broken() }),
    ]
    for (const transport of transports) {
      const model = compatible({
        wire: 'openai-chat',
        model: 'm',
        baseUrl: 'http://x.invalid',
        apiKey: 'k',
        transport,
        retries: 0,
      })
      for (const work of [() => model.complete({ messages: [user] }), () => model.stream({ messages: [user] })]) {
        const error = await failure(work)
        expect(error).toMatchObject({
          code: 'network',
          retryable: true,
          message: 'the connection failed: the cable broke',
        })
      }
    }
  })

  test('what a hook of the caller throws is misuse, and is not retried', async () => {
    const { provider } = await opened('openai-chat')
    const model = compatible({
      wire: 'openai-chat',
      model: 'm',
      baseUrl: 'http://127.0.0.1:9',
      apiKey: 'k',
      onRetry: () => {
        throw new TypeError('the hook failed')
      },
    })
    const error = await failure(() => model.complete({ messages: [user] }))
    expect(error).toMatchObject({ code: 'misuse', retryable: false })
    expect(error.message).toContain('the hook failed')
    expect(provider.requests).toEqual([])
  })
})

describe('continueWithToolResults', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: '{"city":"Boston"}' } as const
  const start = new Conversation([user, { role: 'assistant', content: [call] }])
  const results = [toolResult.success(call, 'sunny')]

  test('sends the definitions of the tools it gets', async () => {
    const model = scriptedModel([{ text: 'Sunny.' }])
    const { response } = await continueWithToolResults(model, start, results, { tools: [weather] })
    expect(response.text).toBe('Sunny.')
    expect(model.requests[0]?.tools).toEqual([weather.spec])
  })

  test.each([undefined, []])('refuses to continue calls with the tools %j', async (tools) => {
    const model = scriptedModel([{ text: 'Sunny.' }])
    const settings = tools === undefined ? {} : { tools }
    const error = await failure(() => continueWithToolResults(model, start, results, settings))
    expect(error).toMatchObject({
      code: 'misuse',
      message: expect.stringContaining('pass them as { tools }') as string,
    })
    expect(model.requests).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import type { Message, ToolResult } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { calculatorTool, clockTool, offlineEngine, offlineFirstLine } from '../../src/offline/index.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { toolSet } from './tool-set.js'

const engine = offlineEngine()
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const ask = (text: string, more: Partial<CompletionRequest> = {}): CompletionResponse =>
  engine({ model: 'offline', messages: [user(text)], tools: toolSet, ...more })
const callsOf = (response: CompletionResponse): readonly unknown[] =>
  response.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])

/** Answers the calls of a response with texts, in order, and asks again. */
function goOn(
  text: string,
  results: readonly (string | { readonly failed: string })[],
  more: Partial<CompletionRequest> = {},
): CompletionResponse {
  const first = ask(text, more)
  expect(first.toolCalls).toHaveLength(results.length)
  const answered = first.toolCalls.map((call, index): ToolResult => {
    const result = results[index] ?? ''
    const failed = typeof result === 'object'
    const said = failed ? `Tool execution failed (unknown): ${result.failed}` : result
    return { callId: call.id, name: call.name, content: [{ type: 'text', text: said }], isError: failed }
  })
  const messages: Message[] = [user(text), first.message, { role: 'tool', results: answered }]
  return engine({ model: 'offline', messages, tools: toolSet, ...more })
}

describe('answers', () => {
  test('the first line says that it is not a language model', () => {
    expect(offlineFirstLine).toContain('not a language model')
    for (const response of [ask('Tell me a joke'), goOn('what is 17 * 23', ['391']), ask('hi', { tools: [] })]) {
      expect(response.text.split('\n')[0]).toBe(offlineFirstLine)
      expect(response.finishReason).toBe('stop')
    }
  })

  test('when nothing fits it names the tools and how to use a model', () => {
    const { text } = ask('Tell me a joke')
    for (const { name } of toolSet) expect(text).toContain(name)
    expect(text).toContain('ANTHROPIC_API_KEY')
    expect(text).toContain('--model')
  })

  test('a tool that fits without its required arguments is named with what is missing', () => {
    expect(ask('Send an email').text).toContain('send_email fits, but the request does not say: to, body')
  })

  test('the results of several calls are all in the answer', () => {
    const tokyo = '{"place":"Tokyo","timeZone":"Asia/Tokyo","time":"09:15","date":"2026-01-02","weekday":"Friday"}'
    const boston =
      '{"place":"Boston","timeZone":"America/New_York","time":"19:15","date":"2026-01-01","weekday":"Thursday"}'
    const { text, toolCalls } = goOn('What is 17 * 23, and what time is it in Tokyo and in Boston?', [
      '391',
      tokyo,
      boston,
    ])
    expect(toolCalls).toEqual([])
    expect(text.split('\n').slice(1)).toEqual([
      '17 * 23 = 391',
      'For Tokyo: time is 09:15.',
      'For Boston: time is 19:15.',
    ])
  })

  test('the field that was asked for is picked from a JSON result', () => {
    const file = JSON.stringify({
      name: 'demo',
      version: '1.2.3',
      scripts: { test: 'vitest run', build: 'tsc' },
      exports: { './package.json': './package.json' },
    })
    expect(goOn('read package.json and tell me the version', [file]).text).toContain(
      'For package.json: version is 1.2.3.',
    )
    expect(goOn('read package.json and tell me the test script', [file]).text).toContain('vitest run')
  })

  test('without a field named, every value but the echoed arguments is told', () => {
    const { text } = goOn("What's the weather in Paris?", ['{"city":"Paris","celsius":18,"sky":"clear"}'])
    expect(text).toContain('For Paris: celsius is 18, sky is clear.')
  })

  test('JSON inside a result is looked into', () => {
    const page = JSON.stringify({ status: 200, body: '{"build":{"version":"9.1"}}' })
    expect(goOn('fetch https://example.com/info and tell me the version', [page]).text).toContain('9.1')
  })

  test('a failure is told, next to what worked, and not tried again', () => {
    const response = goOn('what time is it in Tokyo and in Boston', ['{"time":"09:15"}', { failed: 'no such place' }])
    expect(response.toolCalls).toEqual([])
    expect(response.text).toContain('09:15')
    expect(response.text).toContain('clock for Boston failed: no such place')
  })

  test('long text is cut to the lines that matter, empty results are told', () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of nothing`)
    lines[200] = 'The licence of this project is Apache-2.0'
    const { text } = goOn('read README.md and tell me the licence', [lines.join('\n')])
    expect(text).toContain('Apache-2.0')
    expect(text.length).toBeLessThan(1_000)
    expect(goOn('read README.md', ['']).text).toContain('it returned nothing')
  })

  test('a follow-up question repeats the last call with the new value', () => {
    const text = "What's the weather in Paris in celsius?"
    const first = ask(text)
    const [call] = first.toolCalls
    const result: ToolResult = {
      callId: call?.id ?? '',
      name: 'get_weather',
      content: [{ type: 'text', text: '{"celsius":18}' }],
      isError: false,
    }
    const messages: Message[] = [
      user(text),
      first.message,
      { role: 'tool', results: [result] },
      { role: 'assistant', content: [{ type: 'text', text: '18' }] },
    ]
    const next = engine({ model: 'offline', messages: [...messages, user('And in Rome?')], tools: toolSet })
    expect(callsOf(next)).toEqual([['get_weather', { city: 'Rome', unit: 'celsius' }]])
  })
})

describe('what the request allows', () => {
  const twice = 'what time is it in Tokyo and in Boston'

  test('toolChoice none makes no call', () => {
    expect(ask('what is 17 * 23', { toolChoice: 'none' }).toolCalls).toEqual([])
  })

  test('toolChoice required makes a call whatever is said, with every required argument', () => {
    const { toolCalls, finishReason } = ask('Tell me a joke', { toolChoice: 'required' })
    expect(toolCalls).toHaveLength(1)
    expect(finishReason).toBe('tool_calls')
    expect(callsOf(ask('what is 17 * 23', { toolChoice: 'required' }))).toEqual([
      ['calculator', { expression: '17 * 23' }],
    ])
  })

  test('a named tool is called, with empty values for what the request does not say', () => {
    expect(callsOf(ask('Tell me a joke', { toolChoice: { tool: 'send_email' } }))).toMatchObject([
      ['send_email', { to: '' }],
    ])
    expect(callsOf(ask('weather in Rome and 1 + 1', { toolChoice: { tool: 'get_weather' } }))).toEqual([
      ['get_weather', { city: 'Rome' }],
    ])
    expect(ask('anything', { toolChoice: { tool: 'no_such_tool' } }).toolCalls).toEqual([])
  })

  test('only allowed tools are called', () => {
    const allowed = { allowed: ['clock'], mode: 'auto' } as const
    expect(callsOf(ask('What is 2 + 2, and what time is it in Oslo?', { toolChoice: allowed }))).toEqual([
      ['clock', { place: 'Oslo' }],
    ])
    expect(ask('what is 17 * 23', { toolChoice: allowed }).toolCalls).toEqual([])
    expect(callsOf(ask('tell me a joke', { toolChoice: { ...allowed, mode: 'required' } }))).toMatchObject([
      ['clock', {}],
    ])
  })

  test('without parallel calls they come one after the other, then the answer', () => {
    const serial = { parallelToolCalls: false }
    expect(callsOf(ask(twice, serial))).toEqual([['clock', { place: 'Tokyo' }]])
    expect(callsOf(goOn(twice, ['{"time":"09:15"}'], serial))).toEqual([['clock', { place: 'Boston' }]])
  })

  test('a forced choice is obeyed once: with results in, it answers', () => {
    expect(goOn('what is 17 * 23', ['391'], { toolChoice: 'required' }).text).toContain('391')
    expect(goOn('what is 17 * 23', ['391'], { toolChoice: { tool: 'calculator' } }).text).toContain('391')
  })
})

describe('structured answers', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      celsius: { type: 'number' },
      date: { type: 'string', format: 'date' },
      tags: { type: 'array', items: { type: 'string' } },
      mood: { enum: ['good', 'bad'] },
      note: { type: ['string', 'null'] },
      optional: { type: 'string' },
    },
    required: ['city', 'celsius', 'date', 'tags', 'mood', 'note'],
  }
  const filled = (text: string, output: JsonObject): Json =>
    JSON.parse(ask(text, { output: { schema: output }, tools: [] }).text) as Json

  test('are filled from the words, the rest with empty values', () => {
    expect(filled('It was 18.5 celsius in Paris on 2026-05-04, a good day', schema)).toEqual({
      city: 'Paris',
      celsius: 18.5,
      date: '2026-05-04',
      tags: [],
      mood: 'good',
      note: null,
    })
  })

  test('take the fields of results first', () => {
    const { text } = goOn("What's the weather in Paris?", ['{"city":"Paris","celsius":21}'], { output: { schema } })
    expect(JSON.parse(text)).toMatchObject({ city: 'Paris', celsius: 21 })
  })

  test('of any shape hold the answer in words', () => {
    const { text } = ask('Hello', { output: 'json_object', tools: [] })
    expect(JSON.parse(text)).toEqual({ answer: ask('Hello', { tools: [] }).text })
  })

  test('have the shape of the root whatever it is', () => {
    expect(filled('nothing', { type: 'array', items: { type: 'number' } })).toEqual([])
    expect(filled('nothing', { type: 'boolean' })).toBe(false)
    expect(filled('', {})).toBe('')
    const nested = {
      type: 'object',
      properties: {
        person: { type: 'object', properties: { age: { type: 'integer', minimum: 1 } }, required: ['age'] },
      },
      required: ['person'],
    }
    expect(filled('nothing', nested)).toEqual({ person: { age: 1 } })
  })
})

describe('as a function', () => {
  test('the same request gives the same response, another request another id', () => {
    expect(ask('what is 17 * 23')).toEqual(
      offlineEngine()({ model: 'offline', messages: [user('what is 17 * 23')], tools: [...toolSet] }),
    )
    const ids = ['a', 'b', 'what is 1 + 1', 'what is 1 + 2'].map((text) => ask(text).id)
    expect(new Set(ids).size).toBe(4)
    const { toolCalls } = ask('what time is it in Tokyo and in Boston')
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2)
  })

  test('usage counts words', () => {
    const { usage } = ask('what is 17 * 23', { tools: [] })
    expect(usage?.input).toBe(5)
    expect(usage?.total).toBe((usage?.input ?? 0) + (usage?.output ?? 0))
  })

  test('either half can be replaced', () => {
    const always = offlineEngine({
      scorer: (_, tool) => (tool.name === 'clock' ? 1 : 0),
      extractor: () => ({ args: { place: 'Mars' }, missing: [] }),
    })
    expect(callsOf(always({ model: 'm', messages: [user('hello')], tools: toolSet }))).toEqual([
      ['clock', { place: 'Mars' }],
    ])
  })

  test('odd conversations are answered', () => {
    expect(engine({ model: 'm', messages: [] }).text).toContain(offlineFirstLine)
    expect(
      engine({ model: 'm', messages: [{ role: 'system', content: [{ type: 'text', text: 'x' }] }], tools: toolSet })
        .toolCalls,
    ).toEqual([])
    const orphan: Message = { role: 'tool', results: [{ callId: 'x', name: 'clock', content: [], isError: true }] }
    expect(engine({ model: 'm', messages: [user('hi'), orphan], tools: toolSet }).text).toContain('clock failed')
  })

  test('it works with the real demo tools', async () => {
    const tools = [clockTool(() => Date.UTC(2026, 0, 2, 0, 15)), calculatorTool]
    const text = 'What is 17 * 23, and what time is it in Tokyo and in Boston?'
    const specs = tools.map(({ spec }) => spec)
    const first = engine({ model: 'm', messages: [user(text)], tools: specs })
    const results = await executeToolCalls(first.toolCalls, tools)
    const answer = engine({
      model: 'm',
      messages: [user(text), first.message, { role: 'tool', results }],
      tools: specs,
    })
    expect(answer.text).toBe(
      `${offlineFirstLine}\n17 * 23 = 391\nFor Tokyo: time is 09:15.\nFor Boston: time is 19:15.`,
    )
  })
})

// The Ollama wire: requests in both directions, choices, settings, errors, and what encoding one loses.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { AssistantMessage, Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { Env } from '../../src/wire/codec.js'
import { ollamaCodec as codec } from '../../src/wire/ollama/index.js'
import { profiles } from '../../src/wire/ollama/profiles.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'
import { comparableRequest, stored } from '../laws/comparable.js'

const env: Env = { profile: profiles.ollama ?? { name: 'ollama', wire: 'ollama' }, createdSeconds: 0, deltas: false }
const folder = new URL('../examples/ollama/', import.meta.url)

function example(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as JsonObject
}

function read(body: Json | string): CompletionRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return codec.request.decode({ method: 'POST', path: '/api/chat', headers: {}, body: text }, env).request
}

function write(
  request: CompletionRequest,
  stream = false,
): { body: JsonObject; losses: readonly string[]; text: string } {
  const { http, losses } = codec.request.encode(request, { stream }, env)
  const text = bodyText(http.body)
  return { body: JSON.parse(text) as JsonObject, losses: losses.map(({ code, path }) => `${code} ${path}`), text }
}

/** Law 1: what is read is the sealed request minus the losses. */
function expectRoundTrip(request: CompletionRequest): void {
  const sealed = codec.seal(request, env).request
  const { http, losses } = codec.request.encode(request, { stream: true }, env)
  const back = codec.request.decode(http, env).request
  expect(comparableRequest(back)).toEqual(comparableRequest(applyLosses(stored(sealed), losses)))
}

const user: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] }
const weather = { name: 'get_weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }
const base: CompletionRequest = { model: 'qwen3', messages: [user], tools: [weather] }
const png = 'iVBORw0KGgoAAAANSUhEUg=='

describe('ollama requests', () => {
  test.each(readdirSync(folder).filter((name) => name.startsWith('request.')))(
    '%s is read and written as it is',
    (name) => {
      const body = example(name)
      const { exchange, request } = codec.request.decode(
        { method: 'POST', path: '/api/chat', headers: {}, body: JSON.stringify(body) },
        env,
      )
      expect(write(request, exchange.stream).body).toEqual(body)
      expect(write(request, exchange.stream).losses).toEqual([])
      expectRoundTrip(request)
    },
  )

  test('a history is read with calls, exact arguments, named results and the error of the prefix', () => {
    const { messages } = read(example('request.history.json'))
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
    expect(messages[0]?.role === 'user' && messages[0].content[1]).toMatchObject({
      type: 'image',
      mediaType: 'image/png',
    })
    const results = messages[2]?.role === 'tool' ? messages[2].results : []
    expect(results).toEqual([
      {
        callId: 'call_abcd1234',
        name: 'get_weather',
        isError: false,
        content: [{ type: 'text', text: '{"temp_c":18}' }],
      },
      {
        callId: 'call_efgh5678',
        name: 'get_time',
        isError: true,
        content: [{ type: 'text', text: 'clock service unavailable' }],
      },
    ])
  })

  test('arguments keep every digit and space', () => {
    const text = '{"id": 12345678901234567890123, "n":1.0 }'
    const call = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: text } as const
    const request: CompletionRequest = { ...base, messages: [user, { role: 'assistant', content: [call] }] }
    const { text: body } = write(request)
    expect(body).toContain(`"arguments":${text}`)
    const turn = read(body).messages[1] as AssistantMessage
    expect(turn.content[0]).toEqual(call)
  })

  test('stream is on when nothing is said, and always said', () => {
    const decoded = codec.request.decode(
      { method: 'POST', path: '/api/chat', headers: {}, body: '{"model":"m","messages":[]}' },
      env,
    )
    expect(decoded.exchange.stream).toBe(true)
    expect(write(base).body.stream).toBe(false)
    expect(write(base, true).body.stream).toBe(true)
  })

  test('the forms of older and other clients are read', () => {
    const request = read({
      model: 'm',
      messages: [
        { role: 'control', content: 'thinking' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'look' }],
          images: [`data:image/gif;base64,R0lGOD`],
          tool_calls: null,
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ function: { name: 'a', arguments: '{"x":1}' } }, { function: { name: 'b' } }],
        },
        { role: 'tool', content: 'first' },
        { role: 'tool', name: 'b', content: 'Error: second' },
      ],
      tools: [],
      format: '',
      options: { stop: 'END', num_predict: -1, seed: 7, top_k: null },
      keep_alive: 0,
    })
    expect(request).toMatchObject({
      stop: ['END'],
      extra: { ollama: { keep_alive: 0, options: { num_predict: -1, seed: 7 } } },
      messages: [
        { role: 'system', extra: { ollama: { $role: 'control' } } },
        { content: [{ text: 'look' }, { type: 'image', mediaType: 'image/gif', data: 'R0lGOD' }] },
        {
          content: [
            { type: 'tool_call', name: 'a', arguments: '{"x":1}' },
            { name: 'b', arguments: '{}' },
          ],
        },
        {
          role: 'tool',
          results: [
            { name: 'a', isError: false },
            { name: 'b', isError: true },
          ],
        },
      ],
    })
    expect(request.tools).toBeUndefined()
    const [call] = (request.messages[2] as AssistantMessage).content
    const [result] = request.messages[3]?.role === 'tool' ? request.messages[3].results : []
    expect(result?.callId).toBe(call?.type === 'tool_call' ? call.id : undefined)
    const { body } = write(request)
    expect(body.messages).toMatchObject([
      { role: 'control' },
      {},
      {},
      { content: 'first' },
      { content: 'Error: second' },
    ])
  })

  test("tool text that answers no call is a user's elsewhere and the same here", () => {
    const told = { role: 'tool', content: '{"result":42}', tool_name: 'age' }
    const request = read({ model: 'm', messages: [{ role: 'user', content: 'how old?' }, told] })
    expect(request.messages[1]).toMatchObject({ role: 'user', content: [{ type: 'text', text: '{"result":42}' }] })
    expect(write(request)).toMatchObject({ body: { messages: [{}, told] }, losses: [] })
    expectRoundTrip(request)
  })

  test.each([
    ['no JSON', '{"model":'],
    ['an array', '[]'],
    ['no model', '{"messages":[]}'],
    ['a message that is no object', '{"model":"m","messages":[1]}'],
    ['content that is a number', '{"model":"m","messages":[{"role":"user","content":1}]}'],
    ['a role that is a number', '{"model":"m","messages":[{"role":1,"content":"x"}]}'],
    ['a call without a function', '{"model":"m","messages":[{"role":"assistant","tool_calls":[{}]}]}'],
    ['images that are no text', '{"model":"m","messages":[{"role":"user","images":[1]}]}'],
    ['tools that are no list', '{"model":"m","messages":[],"tools":{}}'],
    ['options that are no object', '{"model":"m","messages":[],"options":[]}'],
    ['a bomb', `{"model":"m","messages":${'['.repeat(100_000)}`],
  ])('%s is the mistake of the client', (_, body) => {
    const failure = (): unknown => {
      try {
        return read(body)
      } catch (error) {
        return error
      }
    }
    const error = failure()
    expect(ToolwireError.is(error) && error.code).toBe('invalid_request')
  })

  test('a frozen message is encoded once, and an edit of another leaves its bytes alone', () => {
    const first = freeze<Message>({ role: 'user', content: [{ type: 'text', text: 'one' }] })
    const before = write({ ...base, messages: [first, user] }).text
    const after = write({ ...base, messages: [first, { role: 'user', content: [{ type: 'text', text: 'two' }] }] }).text
    expect(before.slice(0, before.indexOf('"hi"'))).toBe(after.slice(0, after.indexOf('"two"')))
  })
})

describe('ollama settings', () => {
  test.each<[CompletionRequest['toolChoice'], readonly string[], boolean]>([
    ['auto', ['tool_choice_default /toolChoice'], true],
    ['none', ['tool_ruled_out /tools/0', 'tool_choice_declared /toolChoice'], false],
    ['required', ['tool_choice_as_format /toolChoice'], true],
    [{ tool: 'get_weather' }, ['tool_choice_declared /toolChoice', 'tool_choice_as_format /toolChoice'], true],
    [
      { allowed: ['get_weather'], mode: 'auto' },
      ['tool_choice_declared /toolChoice', 'tool_choice_default /toolChoice'],
      true,
    ],
  ])('the choice %j is declared as what it is here', (toolChoice, codes, sendsTools) => {
    const request: CompletionRequest = { ...base, ...(toolChoice === undefined ? {} : { toolChoice }) }
    const { body, losses } = write(request)
    expect(losses).toEqual(codes)
    expect('tools' in body).toBe(sendsTools)
    expect('tool_choice' in body).toBe(false)
    expectRoundTrip(request)
  })

  test.each<[CompletionRequest['reasoning'], Json | undefined]>([
    [undefined, undefined],
    [{}, undefined],
    [{ effort: 'medium' }, 'medium'],
    [{ budgetTokens: 100 }, undefined],
    [{ effort: 'none' }, false],
    [{ effort: 'low' }, 'low'],
    [{ effort: 'max' }, 'max'],
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'xhigh' }, 'high'],
    [{ effort: 'whatever', budgetTokens: 100 }, undefined],
    [{ effort: 'high', budgetTokens: 100 }, 'high'],
  ])('reasoning %j is thinking %j', (reasoning, think) => {
    const request: CompletionRequest = { ...base, ...(reasoning === undefined ? {} : { reasoning }) }
    expect(write(request).body.think).toEqual(think)
    expectRoundTrip(request)
  })

  test('thinking that is on without a level is a medium effort elsewhere, and on here until another effort is set', () => {
    const request = read({ model: 'm', messages: [], think: true })
    expect(request.reasoning).toEqual({ effort: 'medium' })
    expect(write(request).body.think).toBe(true)
    expect(write({ ...request, reasoning: { effort: 'low' } }).body.think).toBe('low')
    expectRoundTrip({ ...request, reasoning: { effort: 'low' } })
  })

  const all: readonly CompletionRequest[] = [
    { ...base, parallelToolCalls: false },
    { ...base, parallelToolCalls: true, maxTokens: 10, temperature: 0, topP: 0.5, stop: ['a', 'b'] },
    { ...base, output: { schema: { type: 'object' }, name: 'x', description: 'y', strict: true } },
    {
      ...base,
      extra: {
        ollama: { format: 'json', think: 'odd', options: { num_ctx: 1, temperature: 3 }, keep_alive: '5m', model: 'x' },
      },
    },
    { ...base, extra: { gemini: { a: 1 }, ollama: {} } },
    { ...base, temperature: 1, extra: { ollama: { options: 5, $note: 1, $$odd: 2, nothing: null } } },
    {
      ...base,
      tools: [
        { name: 'x' },
        {
          name: 'y',
          inputSchema: { anyOf: [] },
          strict: true,
          extra: { ollama: { function: { a: 1, name: 'z' }, b: 2 } },
        },
      ],
    },
    {
      ...base,
      tools: [
        { type: 'opaque', origin: { wire: 'ollama' }, data: { type: 'web_search' } },
        { type: 'opaque', origin: { wire: 'gemini' }, data: {} },
      ],
    },
    {
      model: 'm',
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'image', data: png, mediaType: 'image/png' },
            { type: 'text', text: 'x' },
          ],
        },
        { role: 'user', content: [{ type: 'image', data: 'AAAA', mediaType: 'image/png', url: 'https://x.test/a' }] },
        {
          role: 'user',
          content: [
            { type: 'image', url: 'https://x.test/a.png' },
            { type: 'file', data: 'AAAA', mediaType: 'application/pdf' },
          ],
        },
        { role: 'system', content: [{ type: 'text', text: 'later' }] },
        { role: 'assistant', content: [] },
      ],
    },
    {
      model: 'm',
      messages: [
        user,
        {
          role: 'assistant',
          origin: { wire: 'ollama' },
          extra: { ollama: { images: ['AAAA'], role: 'x' } },
          content: [
            { type: 'text', text: 'b', extra: { ollama: { a: 1 } } },
            { type: 'reasoning', text: 'a' },
            {
              type: 'tool_call',
              id: 'c',
              name: 'f',
              arguments: ' {"rawInvalidInput":"x"}',
              extra: { ollama: { type: 'q', z: 1, function: { index: 9, y: 2 } } },
            },
            { type: 'broken_call', id: 'd', name: 'g', arguments: '{"a":', reason: 'truncated' },
            { type: 'broken_call', id: 'e', name: '', arguments: '{"a":1}', reason: 'no_name' },
            { type: 'broken_call', id: 'f', name: 'h', arguments: '', reason: 'truncated' },
          ],
        },
        {
          role: 'tool',
          extra: { ollama: { a: 1 } },
          results: [
            { callId: 'c', name: 'f', isError: false, content: [{ type: 'text', text: 'Error: fine' }] },
            { callId: 'd', name: 'g', isError: false, content: [{ type: 'text', text: 'ERROR: ' }] },
            { callId: 'e', name: '', isError: true, content: [], extra: { ollama: { $errorPrefix: 'Error: ', b: 1 } } },
            {
              callId: 'f',
              name: 'h',
              isError: true,
              content: [
                { type: 'text', text: 'x' },
                { type: 'image', data: png },
                { type: 'text', text: 'y' },
              ],
            },
          ],
        },
      ],
    },
  ]
  test.each(all.map((request, index) => [index, request] as const))(
    'request %i comes back minus its losses',
    (_, request) => {
      expectRoundTrip(request)
    },
  )

  test('any conversation comes back minus its losses, and sealing it twice changes nothing', () => {
    const { messages } = conversationArbitraries()
    fc.assert(
      fc.property(messages, (list) => {
        const request: CompletionRequest = { model: 'm-1', messages: list }
        expectRoundTrip(request)
        const once = codec.seal(request, env).request
        expect(codec.seal(once, env).request).toEqual(once)
      }),
      { numRuns: 300 },
    )
  })
})

describe('ollama errors', () => {
  test.each([
    ['error.400.json', 400, 'unsupported_feature'],
    ['error.404.json', 404, 'not_found'],
  ])('%s has a code', (name, status, code) => {
    const error = codec.error.decode({ status, headers: {}, body: JSON.stringify(example(name)) })
    expect([error.code, error.message, error.status]).toEqual([code, example(name).error, status])
  })

  test.each(Object.keys(errorCodes) as ErrorCode[])('%s is written with its text and keeps its code', (code) => {
    const error = new ToolwireError(code, 'what went wrong', { retryAfterMs: 2000 })
    const http = codec.error.encode(error, { wire: 'ollama', model: 'm', stream: false })
    const body = JSON.parse(http.body) as JsonObject
    expect(body.error).toBe('what went wrong')
    expect(http.status).toBeGreaterThanOrEqual(400)
    const back = codec.error.decode(http)
    expect([back.code, back.retryAfterMs]).toEqual([code, 2000])
  })

  test.each(['', 'plain text', '<html><title>502 Bad Gateway</title></html>', '{}', '[1]', 'null', '{"error":{}}'])(
    'the body %j of a failure is a typed error',
    (body) => {
      expect(ToolwireError.is(codec.error.decode({ status: 502, headers: {}, body }))).toBe(true)
    },
  )
})

// Answers of the Ollama wire: bodies and streams read and written, cut anywhere, dirty, and truncated.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded, fold } from '../../src/conversation/fold.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { ollamaCodec as codec } from '../../src/wire/ollama/index.js'
import { profiles } from '../../src/wire/ollama/profiles.js'
import { comparableResponse, stored } from '../laws/comparable.js'

const env: Env = { profile: profiles.ollama ?? { name: 'ollama', wire: 'ollama' }, createdSeconds: 1e9, deltas: false }
const exchange: Exchange = { wire: 'ollama', model: 'qwen3', provider: 'ollama', stream: true }
const folder = new URL('../examples/ollama/', import.meta.url)
const streams = readdirSync(folder).filter((name) => name.endsWith('.ndjson'))

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, folder)))
}

function decode(...pieces: readonly (Uint8Array | string)[]): readonly CompletionEvent[] {
  const machine = codec.stream.decode(exchange, env)
  const encoder = new TextEncoder()
  const events = pieces.flatMap((piece) => machine.push(typeof piece === 'string' ? encoder.encode(piece) : piece))
  return [...events, ...machine.end()]
}

function folded(events: Iterable<CompletionEvent>): Folded {
  const collected = createFolder()
  for (const event of events) collected.push(event)
  return collected.done()
}

function readWhole(body: string | Json, status = 200): Folded {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return folded(codec.response.decode({ status, headers: {}, body: text }, exchange, env))
}

function line(message: JsonObject, rest: JsonObject = { done: false }): string {
  const created_at = '2026-11-15T09:00:00.123456Z'
  return `${JSON.stringify({ model: 'qwen3', created_at, message: { role: 'assistant', content: '', ...message }, ...rest })}\n`
}
const done = line({}, { done: true, done_reason: 'stop' })
const call = (name: string, args: Json, rest: JsonObject = {}): JsonObject => ({
  function: { name, arguments: args },
  ...rest,
})

const paris = { name: 'get_weather', arguments: '{"city":"Paris","unit":"c"}' }
const time = { name: 'get_time', arguments: '{"tz":"UTC"}' }
const usage = { input: 82, output: 41, total: 123 }

describe('ollama answers are read', () => {
  test.each<[string, object]>([
    ['stream.text.ndjson', { text: 'It is 18 degrees.', finishReason: 'stop', rawFinishReason: 'stop', usage }],
    [
      'stream.tool.ndjson',
      { text: '', toolCalls: [{ ...paris, id: 'call_abcd1234' }], finishReason: 'tool_calls', usage },
    ],
    [
      'stream.parallel.ndjson',
      {
        toolCalls: [
          { ...paris, id: 'call_abcd1234' },
          { ...time, id: 'call_efgh5678' },
        ],
      },
    ],
    ['stream.text-tool.ndjson', { text: 'Let me check.', toolCalls: [paris], finishReason: 'tool_calls' }],
    [
      'stream.thinking-tool.ndjson',
      { message: { content: [{ type: 'reasoning', text: 'Need the weather.' }, { type: 'tool_call' }] } },
    ],
    ['stream.length.ndjson', { text: 'It is', finishReason: 'length', rawFinishReason: 'length' }],
  ])('%s', (name, expected) => {
    const { response, error } = folded(decode(bytesOf(name)))
    expect(error).toBeUndefined()
    expect(response).toMatchObject(expected)
    expect(response.metadata.ollama).toMatchObject({ total_duration: 4883583458, load_duration: 1334875 })
    expect(response.message.origin).toEqual({ wire: 'ollama', provider: 'ollama', model: 'qwen3' })
  })

  test('calls of an old server get ids that are the same whenever they are read, and different ones', () => {
    const first = fold(decode(bytesOf('stream.old-server-no-id.ndjson')))
    const [one, two] = first.toolCalls
    expect(one?.id).toMatch(/^call_[a-z2-7]{12}$/)
    expect(one?.id).not.toBe(two?.id)
    expect(first.toolCalls).toEqual(fold(decode(bytesOf('stream.old-server-no-id.ndjson'))).toolCalls)
    expect(first.losses.map((loss) => loss.code)).toEqual(['call_id_missing', 'call_id_missing'])
  })

  test('an error in the middle is a typed error with what came before', () => {
    const { response, error } = folded(decode(bytesOf('stream.error-midway.ndjson')))
    expect([error?.code, error?.message]).toEqual(['server_error', 'an error was encountered while running the model'])
    expect(response.text).toBe('It is')
  })

  test('response.text.json and response.thinking-parallel.json are read whole', () => {
    const text = readWhole(readFileSync(new URL('response.text.json', folder), 'utf8')).response
    expect(text).toMatchObject({ text: 'It is 18 degrees.', finishReason: 'stop', usage, model: 'qwen3', id: '' })
    const calls = readWhole(readFileSync(new URL('response.thinking-parallel.json', folder), 'utf8')).response
    expect(calls.toolCalls.map((one) => [one.id, one.name])).toEqual([
      ['call_abcd1234', 'get_weather'],
      ['call_efgh5678', 'get_time'],
    ])
    expect(JSON.parse(calls.toolCalls[0]?.arguments ?? '')).toEqual({ city: 'Paris', unit: 'c' })
    expect(calls.message.content[0]).toEqual({ type: 'reasoning', text: 'Need the weather.' })
  })

  test('an answer without message, reason or counts is an empty stop', () => {
    const { response, error } = folded(
      decode(line({ content: 'The' }), '{"model":"llama2","done":true,"eval_count":3}\n'),
    )
    expect(error).toBeUndefined()
    expect(response).toMatchObject({ text: 'The', finishReason: 'stop', usage: { output: 3, total: 3 } })
    expect(response.rawFinishReason).toBeUndefined()
    expect(
      readWhole({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'unload' })
        .response,
    ).toMatchObject({
      finishReason: 'stop',
      rawFinishReason: 'unload',
    })
  })

  test('a stream sent although none was asked for is read', () => {
    const body = new TextDecoder().decode(bytesOf('stream.text-tool.ndjson'))
    expect(readWhole(body).response).toEqual(folded(decode(body)).response)
  })

  test.each<[string, string, number, string]>([
    ['an error inside a 200', '{"error":"model runner has unexpectedly stopped"}', 200, 'server_error'],
    ['an error status', '{"error":"model \'x\' not found"}', 404, 'not_found'],
    ['a page', '<html><body>hello</body></html>', 200, 'malformed_response'],
    ['nothing', '', 200, 'malformed_response'],
    ['half a body', '{"model":"m","message":{"ro', 200, 'malformed_response'],
    ['JSON of something else', '{"choices":[]}', 200, 'malformed_response'],
    ['a list', '[1,2]', 200, 'malformed_response'],
    ['an answer that is not done', line({ content: 'x' }), 200, 'truncated'],
  ])('%s is a typed error', (_, body, status, code) => {
    expect(readWhole(body, status).error?.code).toBe(code)
  })
})

describe('ollama streams are cut', () => {
  test.each(streams)('%s gives the same events at every cut', (name) => {
    const bytes = bytesOf(name)
    const whole = JSON.stringify(decode(bytes))
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(JSON.stringify(decode(bytes.subarray(0, at), bytes.subarray(at)))).toBe(whole)
    }
    expect(JSON.stringify(decode(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))))).toBe(whole)
  })

  test.each(streams.filter((name) => !name.includes('error')))('%s is truncated before its last line', (name) => {
    const bytes = bytesOf(name)
    const lastByte = bytes.lastIndexOf(0x7d)
    for (let at = 0; at <= lastByte; at += 1) {
      const events = decode(bytes.subarray(0, at))
      expect(events.some((event) => event.type === 'finish')).toBe(false)
      expect(folded(events).error?.code).toBe('truncated')
    }
    expect(folded(decode(bytes.subarray(0, lastByte + 1))).error).toBeUndefined()
  })
})

describe('ollama streams are dirty', () => {
  const read = (...lines: readonly string[]): Folded => folded(decode(lines.join('')))
  const two = [call('add', { a: 1 }, { id: 'x' }), call('add', { a: 2 }, { id: 'y' })]

  test.each<[string, readonly string[], readonly (readonly [string, string])[]]>([
    [
      'every index is 0',
      two.map((one) => line({ tool_calls: [{ ...one, function: { ...(one.function as JsonObject), index: 0 } }] })),
      [
        ['x', '{"a":1}'],
        ['y', '{"a":2}'],
      ],
    ],
    [
      'two calls share a line',
      [line({ tool_calls: two })],
      [
        ['x', '{"a":1}'],
        ['y', '{"a":2}'],
      ],
    ],
    [
      'text and call share a line',
      [line({ content: 'so', tool_calls: two })],
      [
        ['x', '{"a":1}'],
        ['y', '{"a":2}'],
      ],
    ],
    ['arguments are text', [line({ tool_calls: [call('add', '{"a": 1}', { id: 'x' })] })], [['x', '{"a": 1}']]],
    ['arguments are empty text', [line({ tool_calls: [call('add', '', { id: 'x' })] })], [['x', '{}']]],
    ['arguments are missing', [line({ tool_calls: [{ id: 'x', function: { name: 'add' } }] })], [['x', '{}']]],
    [
      'the calls come with the last line',
      [line({ content: 'a' }), line({ tool_calls: two }, { done: true })],
      [
        ['x', '{"a":1}'],
        ['y', '{"a":2}'],
      ],
    ],
  ])('%s', (_, lines, expected) => {
    const { response, error } = read(...lines, ...(lines.at(-1)?.includes('"done":true') ? [] : [done]))
    expect(error).toBeUndefined()
    expect(response.toolCalls.map((one) => [one.id, one.arguments])).toEqual(expected)
    expect(response.finishReason).toBe('tool_calls')
  })

  test('one id on two calls is made two', () => {
    const { response } = read(line({ tool_calls: [call('a', {}, { id: 'x' }), call('b', {}, { id: 'x' })] }), done)
    expect(new Set(response.toolCalls.map((one) => one.id)).size).toBe(2)
    expect(response.losses.map((loss) => loss.code)).toEqual(['call_id_repeated'])
  })

  test('the call at a length limit must not run, the one before it may', () => {
    const { response } = read(line({ tool_calls: two }), line({}, { done: true, done_reason: 'length' }))
    expect(response.toolCalls.map((one) => one.id)).toEqual(['x'])
    expect(response.brokenCalls).toMatchObject([{ id: 'y', reason: 'truncated' }])
    expect(response.finishReason).toBe('length')
  })

  test.each<[string, Json, string]>([
    ['a list', [1], 'not_an_object'],
    ['half a text', '{"a":', 'malformed'],
    ['nothing but a number', 5, 'not_an_object'],
  ])('arguments that are %s make a broken call', (_, value, reason) => {
    const { response } = read(line({ tool_calls: [call('add', value, { id: 'x' })] }), done)
    expect(response.toolCalls).toEqual([])
    expect(response.brokenCalls).toMatchObject([{ id: 'x', reason }])
  })

  test('an integer above 2^53 keeps its digits', () => {
    const raw = line({ tool_calls: [call('add', { a: 0 }, { id: 'x' })] }).replace('"a":0', '"a":9007199254740993')
    expect(read(raw, done).response.toolCalls[0]?.arguments).toBe('{"a":9007199254740993}')
  })

  test('blank lines, carriage returns, a missing last newline and an object over two lines are nothing special', () => {
    const split = done.trim().replace('"message":', '"message":\n')
    expect(read('\r\n\n', line({ content: 'a' }).replace('\n', '\r\n'), '  \n', split).response).toMatchObject({
      text: 'a',
      finishReason: 'stop',
    })
  })

  test('unknown lines and fields are kept, never a failure', () => {
    const events = decode(
      '{"status":"loading"}\n',
      line({ content: 'a', images: ['AAAA'] }),
      line({ novel: 1 }),
      line({}, { done: true, remote_model: 'x' }),
      '{"late":1}\n',
    )
    expect(events.flatMap((event) => (event.type === 'unknown' ? [event.raw] : []))).toEqual([
      { status: 'loading' },
      { message: { novel: 1 } },
      { late: 1 },
    ])
    const { response } = folded(events)
    expect(response.message.extra).toEqual({ ollama: { images: ['AAAA'] } })
    expect(response.metadata.ollama).toMatchObject({ remote_model: 'x' })
  })

  test('log probabilities of all lines are one list, as in a body', () => {
    const { response } = read(
      line({ content: 'a' }, { done: false, logprobs: [1] }),
      line({ content: 'b' }, { done: false, logprobs: [2] }),
      done,
    )
    expect(response).toMatchObject({ text: 'ab', metadata: { ollama: { logprobs: [1, 2] } } })
  })

  test.each<[string, string, string]>([
    ['garbage', 'oops\n', 'malformed_response'],
    ['a list', '[1]\n', 'malformed_response'],
    ['null', 'null\n', 'malformed_response'],
    ['an error object', '{"error":{"message":"slow down","code":429}}\n', 'rate_limited'],
    ['an error without a text', '{"error":{}}\n', 'server_error'],
    ['our own code', '{"error":"gone","code":"network"}\n', 'network'],
    ['nothing at all', '', 'truncated'],
  ])('%s in a stream is a typed error, and nothing follows it', (_, text, code) => {
    const events = decode(line({ content: 'a' }), text, ...(text === '' ? [] : [done]))
    expect(folded(events).error?.code).toBe(code)
    expect(events.some((event) => event.type === 'finish')).toBe(false)
    expect(folded(events).response.text).toBe('a')
  })

  test('a line longer than the limit is a typed error', () => {
    const machine = codec.stream.decode(exchange, { ...env, limits: { lineBytes: 100, totalBytes: 1000 } })
    const events = machine.push(new TextEncoder().encode(line({ content: 'x'.repeat(200) })))
    expect(events.map((event) => event.type === 'error' && event.error.code)).toEqual(['limit_exceeded'])
    expect(machine.end()).toEqual([])
  })
})

const response = (events: readonly CompletionEvent[]): CompletionResponse =>
  fold([{ type: 'start', id: 'r1', model: 'm' }, ...events])
const toolCall = (part: number, id: string, args = '{"a":1}'): CompletionEvent => ({
  type: 'tool_call',
  part,
  call: { type: 'tool_call', id, name: 'add', arguments: args },
})

describe('ollama answers are written', () => {
  const answers: readonly (readonly [string, readonly CompletionEvent[]])[] = [
    [
      'text',
      [
        { type: 'text_delta', part: 0, text: 'hi' },
        { type: 'usage', usage: { input: 3, output: 2, total: 5 } },
        { type: 'finish', reason: 'stop', raw: 'end_turn' },
      ],
    ],
    [
      'usage behind the finish',
      [
        { type: 'finish', reason: 'stop' },
        { type: 'usage', usage: { input: 3, cacheRead: 4, output: 0, reasoning: 2, total: 9 } },
      ],
    ],
    [
      'calls in any order',
      [toolCall(5, 'b'), toolCall(3, 'a', '{\n "a": 1\n}'), { type: 'finish', reason: 'tool_calls' }],
    ],
    [
      'text between calls',
      [
        toolCall(0, 'a'),
        { type: 'text_delta', part: 1, text: 'x' },
        toolCall(2, 'b'),
        { type: 'finish', reason: 'tool_calls' },
      ],
    ],
    [
      'parts that interleave',
      [
        { type: 'text_delta', part: 2, text: 'late' },
        { type: 'text_delta', part: 1, text: 'early' },
        { type: 'reasoning_delta', part: 0, text: 'r' },
        { type: 'finish', reason: 'stop' },
      ],
    ],
    [
      'a signature and a foreign block',
      [
        { type: 'reasoning_delta', part: 0, text: 'r' },
        {
          type: 'attach',
          part: 0,
          of: 'reasoning',
          opaque: { origin: { wire: 'anthropic' }, data: { signature: 's' } },
        },
        { type: 'opaque', part: 1, value: { type: 'opaque', origin: { wire: 'gemini' }, data: {} } },
        { type: 'finish', reason: 'content_filter' },
      ],
    ],
    [
      'a broken call',
      [
        {
          type: 'broken_call',
          part: 0,
          call: { type: 'broken_call', id: 'b', name: 'add', arguments: '{"a"', reason: 'malformed' },
        },
        { type: 'finish', reason: 'tool_calls' },
      ],
    ],
    [
      'an answer of its own',
      [
        { type: 'text_delta', part: 1, text: 'x' },
        {
          type: 'finish',
          reason: 'stop',
          raw: 'load',
          metadata: { ollama: { created_at: '2026-01-01T00:00:00Z', total_duration: 5 }, gemini: { a: 1 } },
        },
      ],
    ],
  ]
  test.each(answers)('%s: what is read is what was meant minus the losses, streamed or whole', (_, events) => {
    const meant = response(events)
    const { http, losses } = codec.response.encode(meant, exchange, env)
    expect(comparableResponse(readWhole(http.body).response)).toEqual(
      comparableResponse(applyLosses(stored(meant), losses)),
    )
    const machine = codec.stream.encode(exchange, env)
    let text = machine.push({ type: 'start', id: 'r1', model: 'm' })
    for (const event of events) text += machine.push(event)
    text += machine.end()
    const back = folded(decode(text))
    expect(back.error).toBeUndefined()
    const told = comparableResponse(applyLosses(stored(meant), machine.losses), { looseArguments: true })
    expect(comparableResponse(back.response, { looseArguments: true })).toEqual(told)
    expect(
      text
        .trim()
        .split('\n')
        .every((one) => one.startsWith('{') && one.endsWith('}')),
    ).toBe(true)
  })

  test('the last line has the time injected, the word stop for calls, and no zero counts', () => {
    const meant = response([
      toolCall(0, 'a'),
      { type: 'usage', usage: { input: 0, output: 2, total: 2 } },
      { type: 'finish', reason: 'tool_calls' },
    ])
    const body = JSON.parse(codec.response.encode(meant, exchange, env).http.body) as JsonObject
    expect(body).toEqual({
      model: 'm',
      created_at: '2001-09-09T01:46:40.000Z',
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', function: { index: 0, name: 'add', arguments: { a: 1 } } }],
      },
      done: true,
      done_reason: 'stop',
      eval_count: 2,
    })
  })

  test('deltas of a call are not sent, the call itself once', () => {
    const machine = codec.stream.encode(exchange, env)
    const delta: CompletionEvent = { type: 'tool_call_delta', part: 0, id: 'a', name: 'add', text: '{"a":1}' }
    const text =
      [delta, toolCall(0, 'a'), { type: 'finish', reason: 'tool_calls' } as const]
        .map((event) => machine.push(event))
        .join('') + machine.end()
    expect(text.match(/"tool_calls"/g)).toHaveLength(1)
    expect(machine.headers['content-type']).toBe('application/x-ndjson')
  })

  test('an error is a line of its own and the last one; no finish means no last line', () => {
    const failed = codec.stream.encode(exchange, env)
    const text =
      failed.push({ type: 'text_delta', part: 0, text: 'a' }) +
      failed.push({ type: 'error', error: new ToolwireError('overloaded', 'busy') }) +
      failed.end()
    expect(folded(decode(text)).error).toMatchObject({ code: 'overloaded', message: 'busy' })
    const cut = codec.stream.encode(exchange, env)
    const partial = cut.push({ type: 'text_delta', part: 0, text: 'a' }) + cut.end()
    expect(partial).not.toContain('"done":true')
    expect(folded(decode(partial)).error?.code).toBe('truncated')
  })
})

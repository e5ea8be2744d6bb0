// The Gemini wire: answers, whole and streamed, both ways, and errors.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { AnyCall } from '../../src/conversation/messages.js'
import { isCall } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { envOf, exchange, folded, streamed, streaming, strip } from './gemini-fixtures.js'

const folder = new URL('../examples/gemini/', import.meta.url)
const files = readdirSync(folder)
const env = envOf()

function example(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
function whole(body: string, status = 200, headers = {}): readonly CompletionEvent[] {
  return codec.response.decode({ status, headers, body }, exchange, env)
}
function callsOf(response: CompletionResponse): readonly string[] {
  return response.message.content.filter(isCall).map((call: AnyCall) => `${call.id} ${call.name} ${call.arguments}`)
}
function sse(...chunks: readonly (JsonObject | string)[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\r\n\r\n`).join('')
}
function chunk(parts: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], responseId: 'r1', modelVersion: 'm' }
}
const end = (parts: readonly JsonObject[] = [], finishReason = 'STOP'): JsonObject => chunk(parts, { finishReason })
const usage = { input: 82, cacheRead: 0, output: 25, reasoning: 16, total: 123 }
const weather = 'fc-w1 get_weather {"city":"Paris","unit":"c"}'
const time = 'fc-t1 get_time {"tz":"UTC"}'
const pretty = (call: string): string => {
  const [id = '', name = '', args = ''] = call.split(/ (?=[a-z{])/)
  return `${id} ${name} ${args.replaceAll(/\s/g, '')}`
}

describe('gemini: answer examples', () => {
  test.each([
    ['response.text.json', 'It is 18 degrees.', [], 'stop', 'STOP', usage],
    ['response.tool.json', '', [weather], 'tool_calls', 'STOP', usage],
    ['response.thinking-text-parallel.json', 'Checking both.', [weather, time], 'tool_calls', 'STOP', usage],
    ['response.blocked-prompt.json', '', [], 'content_filter', 'PROHIBITED_CONTENT', { input: 8, total: 8 }],
    ['response.malformed-call.json', '', [], 'error', 'MALFORMED_FUNCTION_CALL', usage],
  ])('%s', (name, text, calls, reason, raw, tokens) => {
    const { response, error } = folded(whole(example(name)))
    expect(error).toBeUndefined()
    expect([response.id, response.model]).toEqual(['r01', 'gemini-3.8-flash'])
    expect(response.text).toBe(text)
    expect(callsOf(response).map(pretty)).toEqual(calls)
    expect([response.finishReason, response.rawFinishReason]).toEqual([reason, raw])
    expect(response.usage).toEqual(tokens)
    const again = codec.response.encode(response, exchange, env)
    expect(again.losses).toEqual([])
    expect(strip(folded(whole(again.http.body)).response)).toEqual(strip(response))
  })

  test.each([
    ['stream.text.sse', 'It is 18 degrees.', []],
    ['stream.tool.sse', '', [weather]],
    ['stream.parallel.sse', '', [weather, time]],
    ['stream.parallel-split.sse', '', [weather, time]],
    ['stream.text-tool.sse', 'Let me check.', [weather]],
    ['stream.thinking-tool.sse', '', [weather]],
  ])('%s', (name, text, calls) => {
    const { response, error } = folded(streamed(example(name)))
    expect(error).toBeUndefined()
    expect(response.text).toBe(text)
    expect(callsOf(response)).toEqual(calls)
    expect(response.finishReason).toBe(calls.length === 0 ? 'stop' : 'tool_calls')
    expect(response.usage).toEqual(usage)
    expect(response.message.origin).toEqual({ wire: 'gemini', provider: 'gemini', model: 'gemini-3.8-flash' })
  })

  test('a signature that ends a text is a part of its own, and one on a call is on that call', () => {
    const { response } = folded(streamed(example('stream.text.sse')))
    expect(response.message.content).toMatchObject([
      { type: 'text', text: 'It is 18 degrees.' },
      { type: 'text', text: '', opaque: { data: { thoughtSignature: 'Q3VxQUJvcGFxdWU=' } } },
    ])
    const calls = folded(streamed(example('stream.parallel.sse'))).response.toolCalls
    expect(calls.map((call) => call.opaque?.data.thoughtSignature)).toEqual(['Q3VxQUJvcGFxdWU=', undefined])
  })

  const streams = files.filter((file) => file.startsWith('stream.'))
  test.each(streams)('%s gives the same events wherever it is cut', (name) => {
    const text = example(name)
    const events = JSON.stringify(streamed(text))
    const { length } = new TextEncoder().encode(text)
    for (let cut = 1; cut < length; cut += 1) expect(JSON.stringify(streamed(text, [cut]))).toBe(events)
  })

  test.each(streams)('%s cut short before its finish reason is an error and never finishes', (name) => {
    const text = example(name)
    const last = text.indexOf('"finishReason":"STOP"') + '"finishReason":"STOP"'.length
    for (let length = 0; length < (last < 30 ? text.length : last); length += 1) {
      const events = streamed(text.slice(0, length))
      expect(events.at(-1)?.type).toBe('error')
      expect(events.some((event) => event.type === 'finish')).toBe(false)
    }
  })
})

describe('gemini: parts of an answer', () => {
  test('text is joined with its neighbour only where neither is signed and both are of one kind', () => {
    const events = streamed(
      sse(
        chunk([{ text: 'a' }, { text: 'b' }]),
        chunk([{ text: 'c', thought: true }]),
        chunk([{ text: 'd', thought: true, thoughtSignature: 's' }]),
        chunk([{ text: 'e', thought: true }]),
        chunk([{ text: 'f' }]),
        chunk([{ text: 'g', thoughtSignature: 's' }]),
        chunk([{ text: '', thoughtSignature: 't' }]),
        end([{ text: 'h' }, { text: '' }]),
      ),
    )
    const { response } = folded(events)
    const shown = response.message.content.map((part) =>
      part.type === 'opaque' || isCall(part) ? '' : `${part.type}:${part.text}`,
    )
    expect(shown).toEqual([
      'text:ab',
      'reasoning:c',
      'reasoning:d',
      'reasoning:e',
      'text:f',
      'text:g',
      'text:',
      'text:h',
    ])
    expect(response.text).toBe('abfgh')
  })

  test('a stream folds to the same response as the same parts sent whole', () => {
    const parts = [
      { text: 'think', thought: true },
      { text: 'a' },
      { executableCode: { code: '1' }, thoughtSignature: 'x' },
      { functionCall: { name: 'f', args: { n: 1 } }, thoughtSignature: 's' },
      { functionCall: { name: 'f' } },
      { inlineData: { mimeType: 'image/png', data: 'aa' } },
      { text: 'b', partMetadata: { k: 1 } },
    ]
    const one = folded(whole(JSON.stringify(end(parts)))).response
    const many = folded(streamed(sse(...parts.map((part) => chunk([part])), end()))).response
    expect(many).toEqual(one)
    expect(one.message.content.map((part) => part.type)).toEqual([
      'reasoning',
      'text',
      'opaque',
      'tool_call',
      'tool_call',
      'opaque',
      'text',
    ])
    expect(new Set(one.toolCalls.map((call) => call.id)).size).toBe(2)
    expect(one.toolCalls.map((call) => call.arguments)).toEqual(['{"n":1}', '{}'])
    expect(one.losses).toEqual([])
  })

  test('digits of arguments survive, and the arguments keep the text they came with', () => {
    const text = JSON.stringify(end([{ functionCall: { id: 'a', name: 'f', args: { n: 7 } } }])).replace(
      '{"n":7}',
      '{ "n": 12345678901234567890, "x": 5.0 }',
    )
    expect(folded(whole(text)).response.toolCalls[0]?.arguments).toBe('{ "n": 12345678901234567890, "x": 5.0 }')
    expect(folded(streamed(sse(text))).response.toolCalls[0]?.arguments).toBe('{ "n": 12345678901234567890, "x": 5.0 }')
  })

  test('a repeated id is made different, the same name twice is two calls', () => {
    const call = { functionCall: { id: 'same', name: 'add', args: {} } }
    const { response } = folded(streamed(sse(chunk([call]), end([call]))))
    expect(response.toolCalls).toHaveLength(2)
    expect(new Set(response.toolCalls.map((item) => item.id)).size).toBe(2)
    expect(response.losses.map((loss) => loss.code)).toEqual(['call_id_repeated'])
  })

  test('a turn cut by its length breaks the call it ends with, and no other', () => {
    const call = (id: string): JsonObject => ({ functionCall: { id, name: 'write_file', args: { text: 'x' } } })
    const { response } = folded(streamed(sse(chunk([call('a')]), end([call('b')], 'MAX_TOKENS'))))
    expect(response.toolCalls.map((item) => item.id)).toEqual(['a'])
    expect(response.brokenCalls).toMatchObject([{ id: 'b', reason: 'truncated' }])
    expect(response.finishReason).toBe('length')
  })

  test('arguments that are no object, or a call without a name, are broken', () => {
    const { response } = folded(
      whole(
        JSON.stringify(
          end([{ functionCall: { id: 'a', name: 'f', args: [1] } }, { functionCall: { id: 'b', args: {} } }]),
        ),
      ),
    )
    expect(response.brokenCalls.map((call) => call.reason)).toEqual(['not_an_object', 'no_name'])
  })

  test('arguments streamed by JSON path are put together; cut ones are broken', () => {
    const piece = (partialArgs: readonly JsonObject[], willContinue = true): JsonObject =>
      chunk([{ functionCall: willContinue ? { partialArgs, willContinue } : { partialArgs } }])
    const start = chunk([{ functionCall: { name: 'write', willContinue: true }, thoughtSignature: 's' }])
    const pieces = [
      piece([{ jsonPath: '$.items[0].name', stringValue: 'ap', willContinue: true }]),
      piece([
        { jsonPath: '$.items[0].name', stringValue: 'ple' },
        { jsonPath: '$.items[0].price', numberValue: 0.5 },
      ]),
      piece([
        { jsonPath: "$['__proto__']", boolValue: true },
        { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
      ]),
    ]
    const text = '{"items":[{"name":"apple","price":0.5}],"__proto__":true,"none":null}'
    const done = folded(streamed(sse(start, ...pieces, chunk([{ functionCall: {} }]), end()))).response
    expect(done.toolCalls).toMatchObject([
      { name: 'write', arguments: text, opaque: { data: { thoughtSignature: 's' } } },
    ])
    expect(folded(streamed(sse(start, ...pieces, end()))).response.brokenCalls[0]?.reason).toBe('truncated')
    const lost = folded(streamed(sse(start, piece([{ jsonPath: '$..x', stringValue: 'y' }], false), end()))).response
    expect(lost.brokenCalls).toHaveLength(1)
  })

  test('what is not modelled is metadata; figures that say more than the buckets are kept', () => {
    const body = {
      ...end([{ text: 'a' }]),
      createTime: 't',
      usageMetadata: {
        promptTokenCount: 10,
        toolUsePromptTokenCount: 5,
        cachedContentTokenCount: 4,
        totalTokenCount: 15,
      },
    }
    const text = JSON.stringify(body).replace('"index":0', '"index":0,"groundingMetadata":{"q":1}')
    const { response } = folded(whole(text))
    expect(response.usage).toEqual({ input: 11, cacheRead: 4, total: 15 })
    expect(response.metadata.gemini).toEqual({
      createTime: 't',
      candidate: { groundingMetadata: { q: 1 } },
      usage: body.usageMetadata,
    })
    const again = codec.response.encode(response, exchange, env)
    expect(JSON.parse(again.http.body)).toEqual(JSON.parse(text))
    expect(again.losses).toEqual([])
  })

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['CONTINUATION', 'pause'],
    ['UNEXPECTED_TOOL_CALL', 'error'],
    ['SOMETHING_NEW', 'error'],
    [1, 'stop'],
    [2, 'length'],
  ])('the finish reason %s is %s', (raw, reason) => {
    const { response } = folded(whole(JSON.stringify(chunk([{ text: 'a' }], { finishReason: raw }))))
    expect([response.finishReason, response.rawFinishReason]).toEqual([reason, String(raw)])
  })
})

describe('gemini: dirty streams', () => {
  const good = [chunk([{ text: 'a' }]), end([{ text: 'b' }])]
  const text = (input: string): string => folded(streamed(input)).response.text
  const failure = (input: string): string | undefined => folded(streamed(input)).error?.code

  test('a JSON array, a bare answer, comments, [DONE], LF and no last newline are all read', () => {
    expect(text(JSON.stringify(good, undefined, 1))).toBe('ab')
    expect(text(`\ufeff \n${JSON.stringify(good)}`)).toBe('ab')
    expect(text(JSON.stringify(end([{ text: 'ab' }])))).toBe('ab')
    expect(text(`: ping\n\n${sse(...good)}`.replaceAll('\r', ''))).toBe('ab')
    expect(text(`${sse(...good)}data: [DONE]\n\n`)).toBe('ab')
    expect(text(sse(...good).trimEnd())).toBe('ab')
  })

  test('usage behind the finish reason still counts', () => {
    const late = sse(...good, { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 } })
    expect(folded(streamed(late)).response.usage).toEqual({ input: 3, output: 4, total: 7 })
  })

  test('errors inside a stream are typed and end it', () => {
    const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }
    expect(failure(sse(good[0] as JsonObject, error, good[1] as JsonObject))).toBe('overloaded')
    expect(failure(JSON.stringify([good[0], error]))).toBe('overloaded')
    expect(failure(JSON.stringify(error))).toBe('overloaded')
    expect(folded(streamed(sse(good[0] as JsonObject, error))).response.text).toBe('a')
    const events = streamed(sse(good[0] as JsonObject, error, good[1] as JsonObject))
    expect(events.filter((event) => event.type === 'finish' || event.type === 'text_delta')).toHaveLength(1)
  })

  test('what is no JSON, a page, nothing, and an endless line are errors', () => {
    expect(failure(sse('{bad', ...good))).toBe('malformed_response')
    expect(failure('<html><title>502</title></html>')).toBe('malformed_response')
    expect(failure('')).toBe('truncated')
    expect(failure(': keep-alive\n\n')).toBe('truncated')
    const decoder = codec.stream.decode(streaming, { ...env, limits: { lineBytes: 100, totalBytes: 1000 } })
    const events = decoder.push(new TextEncoder().encode(`data: ${'x'.repeat(500)}`))
    expect([...events, ...decoder.end()].map((event) => event.type === 'error' && event.error.code)).toEqual([
      'limit_exceeded',
    ])
  })

  test('unknown chunks, parts and second candidates are told, not dropped and not mixed in', () => {
    const second = { candidates: [{ content: { parts: [{ text: 'x' }] }, index: 1 }], responseId: 'r1' }
    const events = streamed(sse({ surprise: 1 }, chunk([{ text: 'a' }]), second, end()))
    expect(events.filter((event) => event.type === 'unknown')).toHaveLength(2)
    expect(folded(events).response.text).toBe('a')
  })

  test('deltas are shown when asked for, and the call still comes once', () => {
    const decoder = codec.stream.decode(streaming, envOf('gemini', true))
    const call = { functionCall: { id: 'a', name: 'f', args: { n: 1 } } }
    const events = [...decoder.push(new TextEncoder().encode(sse(chunk([call]), end()))), ...decoder.end()]
    expect(events.filter((event) => event.type === 'tool_call_delta')).toMatchObject([{ id: 'a', text: '{"n":1}' }])
    expect(events.filter((event) => event.type === 'tool_call')).toHaveLength(1)
  })
})

describe('gemini: written streams', () => {
  const written = (events: readonly CompletionEvent[], to = streaming): string => {
    const encoder = codec.stream.encode(to, env)
    return events.map((event) => encoder.push(event)).join('') + encoder.end()
  }
  const start: CompletionEvent = { type: 'start', id: 'r1', model: 'm' }
  const done: CompletionEvent = { type: 'finish', reason: 'stop', raw: 'stop' }

  test('every event begins with data: and ends with a blank line, on one line', () => {
    const call: CompletionEvent = {
      type: 'tool_call',
      part: 1,
      call: { type: 'tool_call', id: 'c', name: 'f', arguments: '{\n "a": 1\r\n}' },
    }
    const text = written([
      start,
      { type: 'text_delta', part: 0, text: 'a\nb' },
      call,
      { ...done, reason: 'tool_calls' },
    ])
    expect(text.endsWith('\r\n\r\n')).toBe(true)
    for (const block of text.split('\r\n\r\n').slice(0, -1)) {
      expect(block.startsWith('data: {')).toBe(true)
      expect(block).not.toMatch(/[\r\n]/)
    }
    expect(folded(streamed(text)).response.finishReason).toBe('tool_calls')
  })

  test('a client that did not ask for events gets a JSON array', () => {
    const to = { ...streaming, client: { alt: 'json' } }
    const events = [start, { type: 'text_delta', part: 0, text: 'a' } as const, done]
    expect(JSON.parse(written(events, to))).toHaveLength(2)
    expect(codec.stream.encode(to, env).headers['content-type']).toContain('application/json')
    const failed = written([start, { type: 'error', error: new ToolwireError('overloaded', 'busy') }], to)
    expect(JSON.parse(failed)).toMatchObject([{ error: { code: 503, status: 'UNAVAILABLE' } }])
    expect(JSON.parse(codec.error.encode(new ToolwireError('not_found', 'x'), to).body)).toHaveLength(1)
  })

  test('fragments are not sent, text behind an open call waits for it, and a call is sent once', () => {
    const call: CompletionEvent = {
      type: 'tool_call',
      part: 1,
      call: { type: 'tool_call', id: 'c', name: 'f', arguments: '{"a":1}' },
    }
    const events: CompletionEvent[] = [
      start,
      { type: 'text_delta', part: 0, text: 'a' },
      { type: 'tool_call_delta', part: 1, id: 'c', name: 'f', text: '{"a"' },
      { type: 'text_delta', part: 2, text: 'b' },
      { type: 'tool_call_delta', part: 1, id: 'c', name: 'f', text: ':1}' },
      call,
      { ...done, reason: 'tool_calls' },
    ]
    const encoder = codec.stream.encode(streaming, env)
    const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
    expect(encoder.losses.map((loss) => loss.path)).toEqual(['/rawFinishReason'])
    expect(strip(folded(streamed(text)).response.message)).toEqual(strip(folded(events).response.message))
  })

  test('without a finish no terminal chunk is written; after an error nothing is', () => {
    expect(written([start, { type: 'text_delta', part: 0, text: 'a' }])).not.toContain('finishReason')
    const text = written([start, { type: 'error', error: new ToolwireError('rate_limited', 'slow down') }, done])
    expect(folded(streamed(text)).error?.code).toBe('rate_limited')
    expect(text).not.toContain('finishReason')
  })

  test('foreign reasoning is shown without its signature, and the loss says so', () => {
    const opaque = { origin: { wire: 'anthropic' }, data: { signature: 's' } } as const
    const encoder = codec.stream.encode(streaming, env)
    const events: CompletionEvent[] = [
      start,
      { type: 'reasoning_delta', part: 0, text: 'hm' },
      { type: 'attach', part: 0, of: 'reasoning', opaque },
      { type: 'text_delta', part: 1, text: 'a' },
      done,
    ]
    const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
    expect(folded(streamed(text)).response.message.content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
    ])
    expect(encoder.losses.map((loss) => loss.path)).toContain('/message/content/0/opaque')
  })
})

describe('gemini: errors', () => {
  test.each([
    ['error.400.json', 400, 'invalid_request', undefined],
    ['error.400-key.json', 400, 'authentication', undefined],
    ['error.429.json', 429, 'rate_limited', 23_000],
  ])('%s', (name, status, code, wait) => {
    const [event] = whole(example(name), status)
    expect(event).toMatchObject({
      type: 'error',
      error: { code, status, ...(wait === undefined ? {} : { retryAfterMs: wait }) },
    })
    const [listed] = whole(`[${example(name)}]`, status)
    expect(listed).toMatchObject({ type: 'error', error: { code } })
  })

  test('a daily quota does not come back soon, a limit per minute does', () => {
    const body = (quotaId: string): string =>
      JSON.stringify({
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ violations: [{ quotaId }] }, { retryDelay: '34.4s' }],
        },
      })
    const read = (quotaId: string) => codec.error.decode({ status: 429, headers: {}, body: body(quotaId) })
    expect(read('GenerateRequestsPerDayPerProject')).toMatchObject({ code: 'quota_exceeded', retryable: false })
    expect(read('GenerateRequestsPerMinute')).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 34_400,
    })
  })

  test.each(Object.keys(errorCodes) as ErrorCode[])('%s survives being written and read', (code) => {
    const error = new ToolwireError(code, 'what happened', { retryAfterMs: 1500 })
    const http = codec.error.encode(error, exchange)
    expect(http.status).toBeGreaterThanOrEqual(400)
    expect(codec.error.decode(http)).toMatchObject({ code, message: 'what happened', retryAfterMs: 1500 })
  })

  test.each([
    ['', 200, 'malformed_response'],
    ['<html>', 200, 'malformed_response'],
    ['{"ok":true}', 200, 'malformed_response'],
    ['[1]', 200, 'malformed_response'],
    ['{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}', 200, 'malformed_response'],
    ['{"error":{"code":500,"message":"x","status":"INTERNAL"}}', 200, 'server_error'],
    ['<html><title>Bad gateway</title></html>', 502, 'server_error'],
    ['', 401, 'authentication'],
  ])('the body %j with status %i is %s', (body, status, code) => {
    const events = whole(body, status)
    const errors = events.filter((event) => event.type === 'error')
    expect(errors.map((event) => event.type === 'error' && event.error.code)).toEqual([code])
    expect(events.some((event) => event.type === 'finish')).toBe(false)
  })
})

// The Anthropic wire: answers, whole and streamed, both ways, and errors.
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { applyLosses } from '../../src/conversation/losses.js'
import { type AnyCall, isCall } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { envOf, example, examples, exchange, folded, streamed, strip, written } from './anthropic-fixtures.js'

const env = envOf()
const whole = (body: string, status = 200, headers = {}): readonly CompletionEvent[] =>
  codec.response.decode({ status, headers, body }, exchange, env)
const callsOf = (response: CompletionResponse): readonly string[] =>
  response.message.content.filter(isCall).map((call: AnyCall) => {
    const { id, name, arguments: text } = call
    return `${id} ${name} ${text}${call.type === 'broken_call' ? ` ${call.reason}` : ''}`
  })
const answer = (events: readonly CompletionEvent[]): CompletionResponse => folded(events).response
const typesOf = (response: CompletionResponse): readonly string[] => response.message.content.map((part) => part.type)
const weather = '{"city":"Paris","unit":"c"}'
const spaced = '{"city": "Paris", "unit": "c"}'
const usage = { input: 82, cacheRead: 0, cacheWrite: 0, output: 41, total: 123 }

describe('anthropic: answer examples', () => {
  test.each([
    ['response.text.json', 'It is 18 degrees.', [], 'stop', 'end_turn'],
    ['response.tool.json', '', [`toolu_w1 get_weather ${weather}`], 'tool_calls', 'tool_use'],
    [
      'response.thinking-text-parallel.json',
      'Checking both.',
      [`toolu_w1 get_weather ${weather}`, 'toolu_t1 get_time {"tz":"UTC"}'],
      'tool_calls',
      'tool_use',
    ],
    ['response.refusal.json', '', [], 'content_filter', 'refusal'],
  ])('%s', (name, text, calls, reason, raw) => {
    const body = JSON.parse(example(name)) as JsonObject
    const response = answer(whole(JSON.stringify(body)))
    expect([response.text, response.finishReason, response.rawFinishReason]).toEqual([text, reason, raw])
    expect(callsOf(response)).toEqual(calls)
    expect(response.usage).toEqual(usage)
    const again = codec.response.encode(response, exchange, env)
    expect(again.losses).toEqual([])
    expect(JSON.parse(again.http.body)).toEqual(body)
  })
  test.each([
    ['stream.text.sse', 'It is 18 degrees.', [], 'stop'],
    ['stream.tool.sse', '', [`toolu_w1 get_weather ${spaced}`], 'tool_calls'],
    ['stream.parallel.sse', '', [`toolu_w1 get_weather ${spaced}`, 'toolu_t1 get_time {"tz": "UTC"}'], 'tool_calls'],
    ['stream.text-tool.sse', 'Let me check.', [`toolu_w1 get_weather ${spaced}`], 'tool_calls'],
    ['stream.thinking-tool.sse', '', [`toolu_w1 get_weather ${spaced}`], 'tool_calls'],
    ['stream.thinking-omitted-tool.sse', '', [`toolu_w1 get_weather ${spaced}`], 'tool_calls'],
    ['stream.tool-no-args.sse', '', ['toolu_t1 get_time {}'], 'tool_calls'],
  ])('%s', (name, text, calls, reason) => {
    const { response, error } = folded(streamed(example(name)))
    expect(error).toBeUndefined()
    expect(response.finishReason).toBe(reason)
    expect(callsOf(response)).toEqual(calls)
    expect(response.usage).toEqual(usage)
    expect(response.text).toBe(text)
    const back = answer(streamed(written(streamed(example(name)))))
    expect(strip(back)).toEqual(strip(response))
    const body = codec.response.encode(response, exchange, env)
    expect(strip(answer(whole(body.http.body)))).toEqual(strip(response))
  })
  test('thinking keeps its signature and the redacted block its place', () => {
    const origin = { wire: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5-5' }
    const { content } = answer(streamed(example('stream.thinking-tool.sse'))).message
    const opaque = { origin, data: { signature: 'EqQBCgIYAhIopaque' } }
    expect(content[0]).toEqual({ type: 'reasoning', text: 'Need the weather.', opaque })
    expect(content[1]).toEqual({ type: 'opaque', origin, data: { type: 'redacted_thinking', data: 'EmwKAhgBopaque' } })
    const omitted = answer(streamed(example('stream.thinking-omitted-tool.sse'))).message.content
    expect(omitted[0]).toEqual({ type: 'reasoning', text: '', opaque })
  })
  test('an error in the middle of a stream is typed, and what came before is kept', () => {
    const { response, error } = folded(streamed(example('stream.error-midway.sse')))
    expect([error?.code, error?.retryable, error?.requestId]).toEqual(['overloaded', true, 'req_01'])
    expect(response.text).toBe('It is')
  })
})

describe('anthropic: bytes cut anywhere', () => {
  const streams = examples.filter((name) => name.endsWith('.sse'))
  test.each(streams)('%s gives the same events at every cut', (name) => {
    const text = example(name)
    const expected = JSON.stringify(streamed(text))
    for (let cut = 1; cut < new TextEncoder().encode(text).length; cut += 1) {
      if (JSON.stringify(streamed(text, [cut])) !== expected) expect.unreachable(`cut at ${cut}`)
    }
    expect(JSON.stringify(streamed(text.replaceAll('\n', '\r\n')))).toBe(expected)
  })
  test.each(streams)('%s that ends before its terminal marker is an error', (name) => {
    const text = example(name)
    const marker = text.search(/event: (message_stop|error)/)
    for (let cut = 0; cut <= marker; cut += 1) {
      const events = streamed(text.slice(0, cut))
      if (events.at(-1)?.type !== 'error' || events.some((event) => event.type === 'finish')) {
        expect.unreachable(`cut at ${cut}`)
      }
    }
    expect(folded(streamed(text.slice(0, marker))).error?.code).toBe('truncated')
  })
})

describe('anthropic: whole answers that are not as they should be', () => {
  test.each([
    ['', 200, 'malformed_response'],
    ['<html></html>', 200, 'malformed_response'],
    ['{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', 200, 'overloaded'],
    ['{"ok":true}', 200, 'malformed_response'],
    ['null', 200, 'malformed_response'],
    ['<html><title>Not here</title></html>', 404, 'not_found'],
    ['', 529, 'overloaded'],
  ])('%s with status %i', (body, status, code) => {
    expect(folded(whole(body, status)).error?.code).toBe(code)
  })
  test('the stop sequence, refusals and new words for the finish are kept', () => {
    const body = {
      id: 'm',
      type: 'message',
      model: 'x',
      content: [{ type: 'text', text: 'a' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    }
    const response = answer(whole(JSON.stringify(body)))
    expect([response.finishReason, response.rawFinishReason]).toEqual(['stop', 'stop_sequence'])
    expect(response.metadata.anthropic).toEqual({ stop_sequence: 'END' })
    expect(JSON.parse(codec.response.encode(response, exchange, env).http.body)).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    })
    const odd = answer(whole(JSON.stringify({ ...body, stop_reason: 'new_word' })))
    expect([odd.finishReason, odd.rawFinishReason]).toEqual(['error', 'new_word'])
  })
  test('a call that carries broken text comes back as the broken call', () => {
    const body = {
      id: 'm',
      type: 'message',
      content: [{ type: 'tool_use', id: 'a', name: 'f', input: { rawInvalidInput: '{"x' } }],
      stop_reason: 'tool_use',
    }
    const response = answer(whole(JSON.stringify(body)))
    expect(callsOf(response)).toEqual(['a f {"x malformed'])
    expect(JSON.parse(codec.response.encode(response, exchange, env).http.body)).toMatchObject({
      content: body.content,
    })
  })
})

describe('anthropic: the stream writer', () => {
  const start: CompletionEvent = { type: 'start', id: 'r', model: 'm', origin: { wire: 'openai-chat' } }
  const finish: CompletionEvent = { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' }
  const fragment = (part: number, text: string): CompletionEvent => ({
    type: 'tool_call_delta',
    part,
    id: `c${part}`,
    name: 'f',
    text,
  })
  const done = (part: number, text: string): CompletionEvent => ({
    type: 'tool_call',
    part,
    call: { type: 'tool_call', id: `c${part}`, name: 'f', arguments: text },
  })
  const law = (events: readonly CompletionEvent[]): CompletionResponse => {
    const encoder = codec.stream.encode(exchange, env)
    const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
    const read = answer(streamed(text))
    expect(strip({ ...read, losses: [] })).toEqual(
      strip({ ...applyLosses(answer(events), encoder.losses), losses: [] }),
    )
    const open = [...text.matchAll(/event: content_block_(start|stop)/g)].map((match) => match[1])
    expect(open.every((word, index) => word === (index % 2 === 0 ? 'start' : 'stop'))).toBe(true)
    return read
  }

  test('interleaved calls are written one after the other, each once', () => {
    const read = law([
      start,
      fragment(8, '{"a"'),
      fragment(9, '{"b"'),
      fragment(8, ':1}'),
      fragment(9, ':2}'),
      done(8, '{"a":1}'),
      done(9, '{"b":2}'),
      finish,
    ])
    expect(callsOf(read)).toEqual(['c8 f {"a":1}', 'c9 f {"b":2}'])
  })
  test('a second call goes out while the first is complete but not yet final', () => {
    const encoder = codec.stream.encode(exchange, env)
    for (const event of [start, fragment(8, '{"a":1}')]) encoder.push(event)
    expect(encoder.push(fragment(9, '{"b"'))).toContain('"partial_json":"{\\"b\\""')
  })
  test('calls that come only at the end, and text before them', () => {
    const read = law([
      start,
      { type: 'text_delta', part: 1, text: 'Hi' },
      done(8, '{}'),
      done(9, '{"x": 12345678901234567890}'),
      finish,
    ])
    expect([read.text, ...callsOf(read)]).toEqual(['Hi', 'c8 f {}', 'c9 f {"x": 12345678901234567890}'])
  })
  test('text that comes late stands behind, and the losses say where', () => {
    const read = law([
      start,
      fragment(8, '{"a":'),
      { type: 'text_delta', part: 1, text: 'late' },
      done(8, '{"a":1}'),
      finish,
    ])
    expect(typesOf(read)).toEqual(['tool_call', 'text'])
  })
  test('reasoning of another wire is shown without its signature', () => {
    const opaque = { origin: { wire: 'gemini' }, data: { thoughtSignature: 'x' } } as const
    const read = law([
      start,
      { type: 'reasoning_delta', part: 0, text: 'hm' },
      { type: 'attach', part: 0, of: 'reasoning', opaque },
      { type: 'text_delta', part: 1, text: 'yes' },
      { type: 'finish', reason: 'stop' },
    ])
    expect(read.message.content[0]).toEqual({ type: 'reasoning', text: 'hm' })
  })
  test('a broken call is streamed as it came', () => {
    const broken: CompletionEvent = {
      type: 'broken_call',
      part: 8,
      call: { type: 'broken_call', id: 'c8', name: 'f', arguments: '{"a":', reason: 'truncated' },
    }
    expect(
      callsOf(law([start, fragment(8, '{"a'), fragment(8, '":'), broken, { type: 'finish', reason: 'length' }])),
    ).toEqual(['c8 f {"a": truncated'])
    expect(callsOf(law([start, broken, finish]))).toEqual(['c8 f {"a": malformed'])
  })
  test('an error is written in its own form, and an unfinished answer has no end', () => {
    const error = new ToolwireError('overloaded', 'busy')
    const text = written([start, { type: 'text_delta', part: 0, text: 'Hi' }, { type: 'error', error }])
    expect(text).toContain('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"')
    expect(folded(streamed(text)).error?.code).toBe('overloaded')
    expect(written([start, { type: 'text_delta', part: 0, text: 'Hi' }])).not.toContain('message_stop')
  })
})

describe('anthropic: errors', () => {
  test.each([
    ['error.400.json', 400, 'invalid_request'],
    ['error.400-temperature.json', 400, 'invalid_request'],
    ['error.401.json', 401, 'authentication'],
    ['error.413.json', 413, 'context_too_long'],
    ['error.429.json', 429, 'rate_limited'],
    ['error.529.json', 529, 'overloaded'],
  ])('%s', (name, status, code) => {
    const error = codec.error.decode({ status, headers: { 'retry-after': '3' }, body: example(name) })
    expect([error.code, error.status, error.requestId, error.retryAfterMs]).toEqual([code, status, 'req_01', 3000])
  })
  test.each(Object.keys(errorCodes) as readonly ErrorCode[])('%s keeps its code', (code) => {
    const sent = codec.error.encode(
      new ToolwireError(code, 'it failed', { retryAfterMs: 1500, requestId: 'r' }),
      exchange,
    )
    const back = codec.error.decode(sent)
    expect([back.code, back.retryable, back.retryAfterMs, back.requestId]).toEqual([code, errorCodes[code], 1500, 'r'])
    expect(back.message).toContain('it failed')
  })
})

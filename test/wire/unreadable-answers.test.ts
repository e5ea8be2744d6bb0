// Answers of status 200 that hold nothing a model said: each is an error, never an empty success. Text in an unusual form is kept.
import { describe, expect, test } from 'vitest'
import { decodeLine } from '../../src/cli/decode.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { foldAll, nothing, streamEvents, summaryOf } from '../streams/streamed.js'

type Row = readonly [what: string, body: unknown]

function readBody(wire: Wire, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { codec, env } = partsOf(wire)
  const http = { status: 200, headers: {}, body: text }
  return summaryOf(foldAll(codec.response.decode(http, { wire, model: 'm', stream: false }, env)))
}

function readStream(wire: Wire, text: string) {
  const { codec, env } = partsOf(wire)
  return summaryOf(
    foldAll(streamEvents(codec, [new TextEncoder().encode(text)], { wire, model: 'm', stream: true }, env)),
  )
}

function partsOf(wire: Wire) {
  const codec = codecs[wire]
  return { codec, env: { profile: profileOf(codec), createdSeconds: 0, deltas: false } }
}

const sse = (events: readonly unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')

describe('openai-chat', () => {
  const rows: readonly Row[] = [
    ['a choice that is null', [null]],
    ['a choice that is a text', ['hi']],
    ['a choice without a message', [{ index: 0, finish_reason: 'stop' }]],
    ['a message that is null', [{ index: 0, message: null, finish_reason: 'stop' }]],
    ['a message that is a text', [{ index: 0, message: 'hi', finish_reason: 'stop' }]],
    ['no first choice', [{ index: 1, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }]],
    ['calls that are no list', [{ index: 0, message: { content: null, tool_calls: 'x' }, finish_reason: 'stop' }]],
    [
      'a call that is null',
      [{ index: 0, message: { content: null, tool_calls: [null] }, finish_reason: 'tool_calls' }],
    ],
    ['no choices', []],
    ['choices that are null', null],
  ]

  test.each(rows)('a body with %s is malformed', (_, choices) => {
    expect(readBody('openai-chat', { id: 'c', model: 'm', choices }).error).toBe('malformed_response')
  })

  test.each(rows)('a stream with %s is malformed', (_, choices) => {
    const said = JSON.parse(JSON.stringify({ id: 'c', model: 'm', choices }).replace('"message"', '"delta"')) as object
    expect(readStream('openai-chat', sse([said, '[DONE]'])).error).toBe('malformed_response')
  })

  test('an answer that was filtered or cut before its message says so', () => {
    for (const finish of ['content_filter', 'length'] as const) {
      const choices = [{ index: 0, finish_reason: finish }]
      expect(readBody('openai-chat', { id: 'c', choices })).toEqual({ ...nothing, finish })
      expect(readStream('openai-chat', sse([{ id: 'c', choices }, '[DONE]']))).toEqual({ ...nothing, finish })
    }
  })

  test('an empty message is an empty answer, and text beside an unreadable call is kept', () => {
    const empty = [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'stop' }]
    expect(readBody('openai-chat', { choices: empty })).toEqual({ ...nothing, finish: 'stop' })
    const mixed = [{ index: 0, message: { content: 'hi', tool_calls: [null] }, finish_reason: 'stop' }]
    expect(readBody('openai-chat', { choices: mixed })).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
  })
})

describe('openai-responses', () => {
  const rows: readonly Row[] = [
    ['an output that is null', null],
    ['an output that is an object', {}],
    ['an item that is null', [null]],
    ['an item that is a text', ['hi']],
    ['an item without a type', [{ id: 'x' }]],
    ['a message without content', [{ type: 'message', role: 'assistant', content: null }]],
    ['a content part that is null', [{ type: 'message', role: 'assistant', content: [null] }]],
    ['a text part without text', [{ type: 'message', role: 'assistant', content: [{ type: 'output_text' }] }]],
    [
      'reasoning and a message without content',
      [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', role: 'assistant' },
      ],
    ],
  ]
  const answer = (output: unknown): object => ({ id: 'resp_1', object: 'response', status: 'completed', output })

  test.each(rows)('a body with %s is malformed', (_, output) => {
    expect(readBody('openai-responses', answer(output)).error).toBe('malformed_response')
  })

  test.each(rows)('a stream that ends with %s is malformed', (_, output) => {
    const events = [{ type: 'response.completed', response: answer(output) }]
    expect(readStream('openai-responses', sse(events)).error).toBe('malformed_response')
  })

  test('an end that repeats nothing or nonsense does not take back what was streamed', () => {
    const events = (output: unknown): string =>
      sse([
        { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta: 'hi' },
        { type: 'response.completed', response: answer(output) },
      ])
    for (const output of [null, [], [null], [{}], [{ type: 'message', role: 'assistant', content: null }]]) {
      expect(readStream('openai-responses', events(output))).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
    }
  })

  test('an empty output is an empty answer', () => {
    expect(readBody('openai-responses', answer([]))).toEqual({ ...nothing, finish: 'stop' })
  })
})

describe('ollama', () => {
  const rows: readonly Row[] = [
    ['a message that is null', { model: 'm', message: null, done: true, done_reason: 'stop' }],
    ['no message', { model: 'm', done: true, done_reason: 'stop' }],
    ['a message that is a text', { model: 'm', message: 'hi', done: true }],
    ['an answer of /api/generate', { model: 'm', response: 'hi', done: true, done_reason: 'stop' }],
    ['calls that are no list', { model: 'm', message: { content: '', tool_calls: 'x' }, done: true }],
    ['a call that is null', { model: 'm', message: { content: '', tool_calls: [null] }, done: true }],
  ]

  test.each(rows)('a body or a stream with %s is malformed', (_, body) => {
    expect(readBody('ollama', body).error).toBe('malformed_response')
    expect(readStream('ollama', `${JSON.stringify(body)}\n`).error).toBe('malformed_response')
  })

  const line = JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'hi' }, done: true })
  test.each([
    ['text behind the object', `${line} oops`],
    ['text on the next line', `${line}\noops`],
    ['a second object', `${line}${line}`],
    ['a second object on the next line', `${line}\n${line}`],
    ['a closing bracket too many', `${line}\n}`],
  ])('a body with %s is malformed', (_, text) => {
    expect(readBody('ollama', text)).toMatchObject({ error: 'malformed_response' })
  })

  test('white space behind the object is no part of the body', () => {
    expect(readBody('ollama', `${line}\r\n \n`)).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
  })

  test('a model that was loaded or unloaded has nothing to say', () => {
    for (const done_reason of ['load', 'unload']) {
      expect(readBody('ollama', { model: 'm', done: true, done_reason })).toEqual({ ...nothing, finish: 'stop' })
    }
  })

  test('a last line without a message ends an answer that had one', () => {
    const lines = [
      { message: { role: 'assistant', content: 'hi' }, done: false },
      { done: true, done_reason: 'stop' },
    ]
    const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('')
    expect(readStream('ollama', text)).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
  })
})

describe('an error answer without a body', () => {
  const codes = {
    400: 'invalid_request',
    401: 'authentication',
    402: 'quota_exceeded',
    403: 'permission',
    404: 'not_found',
    408: 'timeout',
    413: 'context_too_long',
    429: 'rate_limited',
    500: 'server_error',
    502: 'server_error',
    503: 'overloaded',
    504: 'timeout',
    529: 'overloaded',
  }

  test.each(wires)('%s: the status alone says what it is, also in a recording', (wire) => {
    const { codec, env } = partsOf(wire)
    for (const [status, code] of Object.entries(codes)) {
      const http = { status: Number(status), headers: {}, body: '' }
      expect(codec.error.decode(http).code).toBe(code)
      const exchange = { wire, model: 'm', stream: false }
      expect(foldAll(codec.response.decode(http, exchange, env)).error?.code).toBe(code)
      for (const body of [{}, { body: null }, { body: '' }, { chunks: '' }, { chunks: [] }]) {
        const record = { id: 'r', status: Number(status), ...body }
        const line = { id: 'r', text: JSON.stringify(record), record }
        expect(decodeLine(line as never, { wire })).toMatchObject({ ok: false, error: { code } })
      }
    }
  })
})

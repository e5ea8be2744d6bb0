// Anthropic and Gemini answers of status 200 that hold nothing a model said: each is an error, never an empty success. What can
// be read beside them is kept, and what the APIs document as an empty answer is one.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { foldAll, nothing, streamEvents, summaryOf } from '../streams/streamed.js'

function readBody(wire: Wire, body: unknown) {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const http = { status: 200, headers: {}, body: JSON.stringify(body) }
  return summaryOf(foldAll(codec.response.decode(http, { wire, model: 'm', stream: false }, env)))
}

function readStream(wire: Wire, events: readonly object[]) {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return summaryOf(
    foldAll(streamEvents(codec, [new TextEncoder().encode(text)], { wire, model: 'm', stream: true }, env)),
  )
}

describe('anthropic', () => {
  const message = (content: unknown, stop_reason: unknown = 'end_turn') => ({ type: 'message', content, stop_reason })
  const start = { type: 'message_start', message: { ...message([]), id: 'm' } }
  const stop = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }]
  const delta = (value: unknown) => ({ type: 'content_block_delta', index: 0, delta: value })

  test.each<[string, unknown]>([
    ['content that is null', message(null)],
    ['no content', { type: 'message', stop_reason: 'end_turn' }],
    ['content that is an object', message({ type: 'text', text: 'x' })],
    ['a block that is null', message([null])],
    ['a block that is a text', message(['x'])],
    ['a text that is null', message([{ type: 'text', text: null }])],
    ['a text that is a number', message([{ type: 'text', text: 5 }])],
    ['a text block without text', message([{ type: 'text' }])],
    ['a text without a type', message([{ text: 'x' }])],
    ['no blocks and no stop reason', message([], null)],
    ['no message at all', {}],
  ])('a body with %s is malformed', (_, body) => {
    expect(readBody('anthropic', body).error).toBe('malformed_response')
  })

  test.each<[string, readonly object[]]>([
    ['a message that is null', [{ type: 'message_start', message: null }, ...stop]],
    ['a block that is null', [start, { type: 'content_block_start', index: 0, content_block: null }, ...stop]],
    ['a delta that is null', [start, delta(null), ...stop]],
    ['a text delta that is null', [start, delta({ type: 'text_delta', text: null }), ...stop]],
    ['no blocks and no stop reason', [start, { type: 'message_stop' }]],
  ])('a stream with %s is malformed', (_, events) => {
    expect(readStream('anthropic', events).error).toBe('malformed_response')
  })

  test('an empty answer with a stop reason is one, and text beside an unreadable block is kept', () => {
    expect(readBody('anthropic', message([]))).toEqual({ ...nothing, finish: 'stop' })
    expect(readStream('anthropic', [start, ...stop])).toEqual({ ...nothing, finish: 'stop' })
    const mixed = [null, { type: 'text', text: 'hi' }]
    expect(readBody('anthropic', message(mixed))).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
    const events = [start, delta(null), delta({ type: 'text_delta', text: 'hi' }), ...stop]
    expect(readStream('anthropic', events)).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
  })

  test('blocks in the opening count when no others come', () => {
    const whole = { type: 'message_start', message: message([{ type: 'text', text: 'All at once.' }]) }
    expect(readStream('anthropic', [whole, ...stop])).toEqual({ ...nothing, text: 'All at once.', finish: 'stop' })
    const more = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Later.' } }
    expect(readStream('anthropic', [whole, more, ...stop]).text).toBe('Later.')
  })
})

describe('gemini', () => {
  const candidate = (content: unknown, finishReason = 'STOP') => ({ candidates: [{ content, finishReason }] })
  const rows: readonly (readonly [string, unknown])[] = [
    ['a candidate that is null', { candidates: [null] }],
    ['a candidate that is a text', { candidates: ['hi'] }],
    ['no candidates', { candidates: [] }],
    ['candidates that are null', { candidates: null }],
    ['content that is a text', candidate('hi')],
    ['content that is a list', candidate([{ text: 'hi' }])],
    ['parts that are a text', candidate({ parts: 'hi' })],
    ['a part that is null', candidate({ parts: [null] })],
    ['a part that is a text', candidate({ parts: ['hi'] })],
    ['a text that is null', candidate({ parts: [{ text: null }] })],
    ['a text that is a number', candidate({ parts: [{ text: 5 }] })],
    ['a call that is a text', candidate({ parts: [{ functionCall: 'f' }] })],
  ]

  test.each(rows)('a body with %s is malformed', (_, body) => {
    expect(readBody('gemini', body).error).toBe('malformed_response')
  })

  test.each(rows)('a stream with %s is not an answer', (_, body) => {
    expect(readStream('gemini', [body as object]).error).toMatch(/malformed_response|truncated/)
  })

  test.each(['STOP', 'MAX_TOKENS', 'SAFETY'])(
    'a candidate without content that ends with %s is an empty answer',
    (reason) => {
      const finish = { STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'content_filter' }[reason] ?? ''
      for (const content of [undefined, null, {}, { role: 'model' }, { parts: null }, { parts: [] }, { parts: [{}] }]) {
        expect(readBody('gemini', candidate(content, reason))).toEqual({ ...nothing, finish })
        expect(readStream('gemini', [candidate(content, reason)])).toEqual({ ...nothing, finish })
      }
    },
  )

  test('a blocked prompt is an answer without candidates', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } }
    expect(readBody('gemini', blocked)).toEqual({ ...nothing, finish: 'content_filter' })
  })

  test('text beside an unreadable part is kept', () => {
    const mixed = candidate({ parts: [null, { functionCall: 'f' }, { text: 'hi' }] })
    expect(readBody('gemini', mixed)).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
    expect(readStream('gemini', [mixed])).toEqual({ ...nothing, text: 'hi', finish: 'stop' })
  })
})

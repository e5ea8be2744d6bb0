import { describe, expect, test } from 'vitest'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'
import {
  added,
  call,
  completed,
  decodeStream,
  delta,
  done,
  env,
  exchange,
  fold,
  read,
  sse,
  utf8,
} from './openai-responses-fixtures.js'

describe('dirty streams', () => {
  const calls = (text: string): readonly (readonly [string, string])[] =>
    fold(decodeStream([text])).response.toolCalls.map((one) => [one.id, one.arguments] as const)

  test('two calls at the same index with ids of their own are two calls', () => {
    const [a, b] = [call('fc_a', 'c1', ''), call('fc_b', 'c2', '')]
    const [fullA, fullB] = [call('fc_a', 'c1', '{"a":1}'), call('fc_b', 'c2', '{"a":2}')]
    const text = sse(
      added(a, 0),
      added(b, 0),
      delta('fc_a', 0, '{"a"'),
      delta('fc_b', 0, '{"a":'),
      delta('fc_a', 0, ':1}'),
      delta('fc_b', 0, '2}'),
      completed([fullA, fullB]),
    )
    expect(calls(text)).toEqual([
      ['c1', '{"a":1}'],
      ['c2', '{"a":2}'],
    ])
  })

  test('calls without indexes are told apart', () => {
    const one = { type: 'response.output_item.added', item: call('fc_a', 'c1', '') }
    const two = { type: 'response.output_item.added', item: call('fc_b', 'c2', '') }
    const text = sse(
      one,
      { type: 'response.function_call_arguments.delta', item_id: 'fc_a', delta: '{"a":1}' },
      two,
      { type: 'response.function_call_arguments.delta', item_id: 'fc_b', delta: '{"a":2}' },
      completed([call('fc_a', 'c1', '{"a":1}'), call('fc_b', 'c2', '{"a":2}')]),
    )
    expect(calls(text)).toEqual([
      ['c1', '{"a":1}'],
      ['c2', '{"a":2}'],
    ])
  })

  test('a missing call id is taken from the item, or made, the same every time', () => {
    const { call_id: _, ...bare } = call('fc_a', '', '{}')
    expect(calls(sse(done(bare, 0), completed([bare])))).toEqual([['fc_a', '{}']])
    const { id: __, ...nothing } = bare
    const made = calls(sse(done(nothing, 0), completed([nothing])))
    expect(made[0]?.[0]).toMatch(/^call_/)
    expect(calls(sse(completed([nothing])))).toEqual(made)
  })

  test('a repeated call id is made anew for the second call', () => {
    const text = sse(completed([call('fc_a', 'c1', '{"a":1}'), call('fc_b', 'c1', '{"a":2}')]))
    const found = calls(text)
    expect(found.map(([, args]) => args)).toEqual(['{"a":1}', '{"a":2}'])
    expect(new Set(found.map(([id]) => id)).size).toBe(2)
  })

  test('blank arguments are an empty object', () => {
    expect(calls(sse(completed([call('fc_a', 'c1', '')])))).toEqual([['c1', '{}']])
  })

  test('arguments that are an object are read', () => {
    expect(calls(sse(completed([{ ...call('fc_a', 'c1', ''), arguments: { a: 1 } }])))).toEqual([['c1', '{"a":1}']])
  })

  test('a call that was cut is broken, and the one before it runs', () => {
    const output = [call('fc_a', 'c1', '{"a":1}'), call('fc_b', 'c2', '{"a":')]
    const ending = {
      type: 'response.incomplete',
      response: { id: 'r', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output },
    }
    const { response } = fold(decodeStream([sse(ending)]))
    expect(response.finishReason).toBe('length')
    expect(response.toolCalls.map((one) => one.id)).toEqual(['c1'])
    expect(response.brokenCalls).toMatchObject([{ id: 'c2', arguments: '{"a":', reason: 'truncated' }])
  })

  test('a complete looking call that the end cut is broken too', () => {
    const output = [call('fc_b', 'c2', '{"path":"a"}')]
    const ending = {
      type: 'response.incomplete',
      response: { id: 'r', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output },
    }
    expect(fold(decodeStream([sse(ending)])).response.brokenCalls).toHaveLength(1)
  })

  test('cut arguments in a completed answer are broken', () => {
    const { response } = fold(decodeStream([sse(completed([call('fc_a', 'c1', '{"a":')]))]))
    expect(response.brokenCalls).toMatchObject([{ reason: 'malformed' }])
    expect(response.requiresToolExecution).toBe(true)
  })

  test('fragments followed by the whole arguments count once', () => {
    const text = sse(
      added(call('fc_a', 'c1', ''), 0),
      delta('fc_a', 0, '{"a":1}'),
      delta('fc_a', 0, '{"a":1}'),
      done(call('fc_a', 'c1', '{"a":1}'), 0),
      completed([call('fc_a', 'c1', '{"a":1}')]),
    )
    expect(calls(text)).toEqual([['c1', '{"a":1}']])
  })

  test('a call announced with its arguments and streamed again counts once', () => {
    const full = call('fc_a', 'c1', '{"a":1}')
    const text = sse(
      added(full, 0),
      delta('fc_a', 0, '{"a"'),
      delta('fc_a', 0, ':1}'),
      done(full, 0),
      completed([full]),
    )
    expect(calls(text)).toEqual([['c1', '{"a":1}']])
  })

  test('big integers keep their digits', () => {
    expect(calls(sse(completed([call('fc_a', 'c1', '{"id":12345678901234567890}')])))).toEqual([
      ['c1', '{"id":12345678901234567890}'],
    ])
  })

  test('ids that change from event to event still belong to their item', () => {
    const message = (id: string, text: string): JsonObject => ({
      type: 'message',
      id,
      role: 'assistant',
      content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
    })
    const word = (id: string, text: string): JsonObject => ({
      type: 'response.output_text.delta',
      item_id: id,
      output_index: 0,
      content_index: 0,
      delta: text,
    })
    const text = sse(
      added(message('m1', ''), 0),
      word('m2', 'Hel'),
      word('m3', 'lo'),
      done(message('m4', 'Hello'), 0),
      completed([message('m5', 'Hello')]),
    )
    expect(fold(decodeStream([text])).response.text).toBe('Hello')
  })

  test('an answer that comes only with the last event is complete', () => {
    const output = [
      { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
    ]
    expect(fold(decodeStream([sse(completed(output))])).response.text).toBe('Hi')
  })

  test('an error in the middle of arguments ends the answer, and no call is given', () => {
    for (const error of [
      { type: 'error', code: 'rate_limit_exceeded', message: 'slow down' },
      { type: 'error', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      { error: { code: 'rate_limit_exceeded', message: 'slow down' } },
    ]) {
      const events = decodeStream([
        sse(added(call('fc_a', 'c1', ''), 0), delta('fc_a', 0, '{"a"'), error as unknown as JsonObject),
      ])
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'rate_limited', retryable: true } })
      expect(events.some((event) => event.type === 'tool_call')).toBe(false)
    }
  })

  test('unknown events are kept, pings and [DONE] are not', () => {
    const text = `: comment\n\n${sse({ type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws' }, { type: 'keepalive' }, completed([]))}data: [DONE]\n\n`
    const events = decodeStream([text])
    expect(events.filter((event) => event.type === 'unknown')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('finish')
  })

  test('a frame that is no JSON is a malformed response', () => {
    expect(decodeStream([`${sse()}data: {oops\n\n`]).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'malformed_response' },
    })
  })

  test('events without names, without a last blank line, and names without types are read', () => {
    const data = JSON.stringify(
      completed([{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]),
    )
    expect(fold(decodeStream([`data: ${data}`])).response.text).toBe('Hi')
    const named = `event: response.completed\r\ndata: ${data.replace('"type":"response.completed",', '')}\r\n\r\n`
    expect(fold(decodeStream([named])).response.text).toBe('Hi')
  })

  test('a plain body instead of a stream is read', () => {
    expect(
      fold(decodeStream([' ', read('response.text.json').slice(0, 9), read('response.text.json').slice(9)])).response
        .text,
    ).toBe('It is 18 degrees.')
    expect(decodeStream(['{"error":{"message":"no","type":"invalid_request_error"}}'])).toMatchObject([
      { type: 'error', error: { code: 'invalid_request' } },
    ])
    expect(decodeStream(['<html><title>Bad gateway</title></html>'])).toMatchObject([
      { type: 'error', error: { code: 'malformed_response' } },
    ])
    expect(decodeStream([])).toMatchObject([{ type: 'error', error: { code: 'truncated' } }])
  })

  test('absurd indexes cost nothing', () => {
    const text = sse(
      { type: 'response.output_text.delta', item_id: 'm', output_index: 1e9, content_index: 1e9, delta: 'x' },
      completed([]),
    )
    expect(fold(decodeStream([text])).response.text).toBe('x')
  })

  test('too long a stream is a typed error', () => {
    const decoder = codec.stream.decode(exchange, { ...env(), limits: { lineBytes: 50, totalBytes: 100 } })
    const events = [...decoder.push(utf8(`data: ${'x'.repeat(200)}\n\n`)), ...decoder.end()]
    expect(events).toMatchObject([{ type: 'error', error: { code: 'limit_exceeded' } }])
  })

  test('refusals are text that ends the answer as filtered', () => {
    const item = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'refusal', refusal: 'I cannot.' }],
    }
    const text = sse(
      added({ ...item, content: [] }, 0),
      { type: 'response.refusal.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'I can' },
      { type: 'response.refusal.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'not.' },
      done(item, 0),
      completed([item]),
    )
    const { response } = fold(decodeStream([text]))
    expect(response).toMatchObject({ text: 'I cannot.', finishReason: 'content_filter', rawFinishReason: 'completed' })
    const whole = codec.response.decode(
      { status: 200, headers: {}, body: JSON.stringify(completed([item]).response) },
      exchange,
      env(),
    )
    expect(fold(whole).response.message).toEqual(response.message)
  })

  test('the encrypted reasoning is that of the finished item', () => {
    const item = (content: string): JsonObject => ({
      type: 'reasoning',
      id: 'rs',
      summary: [],
      encrypted_content: content,
    })
    const { response } = fold(
      decodeStream([sse(added(item('half'), 0), done(item('whole'), 0), completed([item('other')]))]),
    )
    expect(response.message.content).toMatchObject([
      { type: 'reasoning', text: '', opaque: { data: { id: 'rs', encrypted_content: 'whole' } } },
    ])
  })
})

describe('an end that contradicts the deltas', () => {
  const said = (type: string, id: string, fields: object): object => ({ type, id, ...fields })
  const message = (text: string): object =>
    said('message', 'm1', { role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] })
  const text = (delta: string): object => {
    return { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta }
  }

  test.each([
    ['the same text', 'Low tide.', 'Low tide.', []],
    ['more of it', 'Low tide. At six.', 'Low tide. At six.', []],
    ['nothing', '', 'Low tide.', []],
    ['less of it', 'Low', 'Low tide.', ['streamed_text_kept']],
    ['another text', 'High tide at noon.', 'Low tide.', ['streamed_text_kept']],
  ])('%s at the end: what was streamed is kept, and a difference is reported once', (_, end, expected, losses) => {
    const events = [
      text('Low '),
      text('tide.'),
      done(message(end) as JsonObject, 0),
      completed([message(end) as JsonObject]),
    ]
    const { response } = fold(decodeStream([sse(...(events as JsonObject[]))]))
    expect([response.text, response.losses.map((loss) => loss.code)]).toEqual([expected, losses])
  })

  test('reasoning that was streamed as a summary stays the summary when the item has its full text, too', () => {
    const item = said('reasoning', 'rs1', {
      summary: [{ type: 'summary_text', text: 'Short.' }],
      content: [{ type: 'reasoning_text', text: 'Long and winding.' }],
    }) as JsonObject
    const delta = {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs1',
      output_index: 0,
      summary_index: 0,
      delta: 'Short.',
    }
    const { response } = fold(
      decodeStream([sse(delta, done(item, 0), completed([item, message('Noon.') as JsonObject]))]),
    )
    const [part] = response.message.content
    expect(part).toMatchObject({ type: 'reasoning', text: 'Short.' })
    expect(response.losses).toEqual([])
    const user = { role: 'user', content: [{ type: 'text', text: 'When?' }] } as const
    const request = { model: exchange.model, messages: [user, response.message, user] }
    const { http } = codec.request.encode(request, { stream: false }, env())
    const { input } = JSON.parse(bodyText(http.body)) as { input: readonly { type?: string }[] }
    expect(input.find(({ type }) => type === 'reasoning')).toEqual(item)
  })
})

describe('messages that hold more than text', () => {
  const chart: JsonObject = { type: 'output_chart', data: [1, 2] }
  const text = (words: string): JsonObject => ({ type: 'output_text', text: words, annotations: [] })
  const message = (content: readonly JsonObject[]): JsonObject =>
    ({ type: 'message', id: 'm1', role: 'assistant', status: 'completed', content }) as JsonObject
  const delta = (index: number, words: string): JsonObject => {
    return {
      type: 'response.output_text.delta',
      item_id: 'm1',
      output_index: 0,
      content_index: index,
      delta: words,
    }
  }
  const kinds = (parts: readonly { readonly type: string; readonly text?: string }[]): unknown =>
    parts.map((part) => part.text ?? part.type)

  test.each([
    ['last', [text('Low tide.'), chart], ['Low tide.', 'opaque']],
    ['first', [chart, text('Low tide.')], ['opaque', 'Low tide.']],
    ['between', [text('Low '), chart, text('tide.')], ['Low ', 'opaque', 'tide.']],
  ])('an unknown part that is %s does not hide the text, whole or streamed', (_, content, expected) => {
    const whole = { id: 'resp_1', status: 'completed', output: [message(content)] }
    const http = { status: 200, headers: {}, body: JSON.stringify(whole) }
    const { response } = fold(codec.response.decode(http, exchange, env()))
    const deltas = content.flatMap((part, index) => (typeof part.text === 'string' ? [delta(index, part.text)] : []))
    const { response: streamed } = fold(
      decodeStream([sse(...deltas, done(message(content), 0), completed([message(content)]))]),
    )
    for (const { message: read } of [response, streamed]) expect(kinds(read.content as never)).toEqual(expected)
    expect(streamed.message).toEqual(response.message)
    const user = { role: 'user', content: [{ type: 'text', text: 'When?' }] } as const
    const request = { model: exchange.model, messages: [user, response.message, user] }
    const { http: again, losses } = codec.request.encode(request, { stream: false }, env())
    expect(losses).toEqual([])
    const { request: back } = codec.request.decode({ ...again, body: bodyText(again.body) }, env())
    expect(kinds(back.messages[1]?.role === 'assistant' ? (back.messages[1].content as never) : [])).toEqual(expected)
  })

  test('an item that is done without content does not take back its text', () => {
    const { response } = fold(
      decodeStream([sse(delta(0, 'Low tide.'), done(message([]), 0), completed([message([])]))]),
    )
    expect([response.text, response.message.content.length]).toEqual(['Low tide.', 1])
  })

  test('text that is sent only when it is done is read, and one that was streamed is not read twice', () => {
    const said = (index: number, words: string): JsonObject => {
      return { type: 'response.output_text.done', item_id: 'm1', output_index: 0, content_index: index, text: words }
    }
    const end = { ...(completed([]) as JsonObject) }
    const bare = { type: 'message', id: 'm1', role: 'assistant', status: 'in_progress' }
    const start = { type: 'response.output_item.added', output_index: 0, item: bare }
    for (const events of [
      [start, said(0, 'Low tide.'), end],
      [start, delta(0, 'Low '), said(0, 'Low tide.'), end],
      [start, delta(0, 'Low tide.'), said(0, 'Low tide.'), done(message([text('Low tide.')]), 0), end],
      [said(0, 'Low tide.'), completed([message([text('Low tide.')])])],
    ]) {
      const { response, error } = fold(decodeStream([sse(...(events as JsonObject[]))]))
      expect([error, response.text, response.losses]).toEqual([undefined, 'Low tide.', []])
    }
  })

  test('a message that is announced without content keeps its id', () => {
    const bare = { type: 'message', id: 'm1', role: 'assistant', status: 'in_progress' }
    const start = { type: 'response.output_item.added', output_index: 0, item: bare }
    const { response } = fold(decodeStream([sse(start, delta(0, 'Low tide.'), completed([]) as JsonObject)]))
    expect(response.message.content).toMatchObject([
      { type: 'text', text: 'Low tide.', opaque: { data: { id: 'm1' } } },
    ])
  })
})

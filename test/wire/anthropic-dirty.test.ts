// The Anthropic wire: streams of servers that do not keep to it.
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { type AnyCall, isCall } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import {
  begin,
  closing,
  delta,
  end,
  envOf,
  example,
  folded,
  json,
  opening,
  sse,
  stop,
  streamed,
  strip,
  use,
  written,
} from './anthropic-fixtures.js'

const env = envOf()
const callsOf = (response: CompletionResponse): readonly string[] =>
  response.message.content.filter(isCall).map((call: AnyCall) => {
    const { id, name, arguments: text } = call
    return `${id} ${name} ${text}${call.type === 'broken_call' ? ` ${call.reason}` : ''}`
  })
const answer = (events: readonly CompletionEvent[]): CompletionResponse => folded(events).response
const typesOf = (response: CompletionResponse): readonly string[] => response.message.content.map((part) => part.type)

describe('anthropic: streams that are not as they should be', () => {
  const cases: readonly (readonly [string, string, readonly string[], string])[] = [
    [
      'both calls have index 0',
      sse(
        opening,
        use(0, 'a', 'f'),
        json(0, '{"x":1}'),
        end(0),
        use(0, 'b', 'f'),
        json(0, '{"x":2}'),
        end(0),
        stop('tool_use'),
        closing,
      ),
      ['a f {"x":1}', 'b f {"x":2}'],
      'tool_calls',
    ],
    [
      'indexes begin at 5',
      sse(opening, use(5, 'a', 'f'), json(5, '{}'), end(5), stop('tool_use'), closing),
      ['a f {}'],
      'tool_calls',
    ],
    [
      'a huge index',
      sse(opening, use(4e9, 'a', 'f'), json(4e9, '{}'), stop('tool_use'), closing),
      ['a f {}'],
      'tool_calls',
    ],
    [
      'no index at all',
      sse(
        opening,
        { type: 'content_block_start', content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
        { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"x":1}' } },
        stop('tool_use'),
        closing,
      ),
      ['a f {"x":1}'],
      'tool_calls',
    ],
    [
      'the input comes whole, without fragments',
      sse(
        opening,
        begin(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }),
        end(0),
        stop('tool_use'),
        closing,
      ),
      ['a f {"x":1}'],
      'tool_calls',
    ],
    [
      'the input comes whole and again in fragments',
      sse(
        opening,
        begin(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }),
        json(0, '{"x"'),
        json(0, ':1}'),
        end(0),
        stop('tool_use'),
        closing,
      ),
      ['a f {"x":1}'],
      'tool_calls',
    ],
    [
      'the whole input follows its fragments',
      sse(
        opening,
        use(0, 'a', 'f'),
        json(0, '{"x"'),
        json(0, ':1}'),
        json(0, '{"x":1}'),
        end(0),
        stop('tool_use'),
        closing,
      ),
      ['a f {"x":1}'],
      'tool_calls',
    ],
    [
      'one id twice',
      sse(
        opening,
        use(0, 'a', 'f'),
        json(0, '{}'),
        end(0),
        use(1, 'a', 'f'),
        json(1, '{}'),
        end(1),
        stop('tool_use'),
        closing,
      ),
      ['a f {}', expect.stringMatching(/^call_[a-z2-7]{12} f \{\}$/) as string],
      'tool_calls',
    ],
    [
      'no ids',
      sse(opening, use(0, '', 'f'), json(0, '{}'), end(0), use(1, '', 'g'), stop('tool_use'), closing),
      [expect.stringMatching(/^call_.* f/) as string, expect.stringMatching(/^call_.* g/) as string],
      'tool_calls',
    ],
    [
      'no name',
      sse(opening, use(0, 'a', 'f'), json(0, '{}'), use(1, '', ''), json(1, '{}'), stop('tool_use'), closing),
      ['a f {}', expect.stringMatching(/no_name$/) as string],
      'tool_calls',
    ],
    [
      'arguments cut by the limit',
      sse(opening, use(0, 'a', 'f'), json(0, '{"x":'), stop('max_tokens'), closing),
      ['a f {"x": truncated'],
      'length',
    ],
    [
      'arguments complete, but at the limit',
      sse(opening, use(0, 'a', 'f'), json(0, '{"x":1}'), stop('max_tokens'), closing),
      ['a f {"x":1} truncated'],
      'length',
    ],
    [
      'the second call cut by the limit',
      sse(
        opening,
        use(0, 'a', 'f'),
        json(0, '{}'),
        end(0),
        use(1, 'b', 'f'),
        json(1, '{"x'),
        stop('max_tokens'),
        closing,
      ),
      ['a f {}', 'b f {"x truncated'],
      'length',
    ],
    [
      'arguments cut, though the reason says tool_use',
      sse(opening, use(0, 'a', 'f'), json(0, '{"x":'), stop('tool_use'), closing),
      ['a f {"x": malformed'],
      'tool_calls',
    ],
    [
      'arguments that are no object',
      sse(opening, use(0, 'a', 'f'), json(0, '[1]'), stop('tool_use'), closing),
      ['a f [1] not_an_object'],
      'tool_calls',
    ],
    [
      'a call, though the reason says end_turn',
      sse(opening, use(0, 'a', 'f'), json(0, '{}'), stop('end_turn'), closing),
      ['a f {}'],
      'tool_calls',
    ],
    [
      'an integer beyond 2^53',
      sse(opening, use(0, 'a', 'f'), json(0, '{"x":12345678901234567890}'), stop('tool_use'), closing),
      ['a f {"x":12345678901234567890}'],
      'tool_calls',
    ],
    [
      'no event lines, [DONE] and comments',
      `: hi\n\n${sse(opening, use(0, 'a', 'f'), json(0, '{}'), stop('tool_use'), closing).replaceAll(/event: .*\n/g, '')}data: [DONE]\n\n`,
      ['a f {}'],
      'tool_calls',
    ],
  ]
  test.each(cases)('%s', (_, text, calls, reason) => {
    const { response, error } = folded(streamed(text))
    expect(error).toBeUndefined()
    expect(callsOf(response)).toEqual(calls)
    expect(response.finishReason).toBe(reason)
  })
  test('an error in the middle of arguments gives no call', () => {
    const failure = { type: 'error', error: { type: 'api_error', message: 'broken' } }
    const { response, error } = folded(streamed(sse(opening, use(0, 'a', 'f'), json(0, '{"x"'), failure)))
    expect(error?.code).toBe('server_error')
    expect(response.requiresToolExecution).toBe(false)
  })
  test('unknown events, blocks and fragments are kept', () => {
    const frames = sse(
      opening,
      { type: 'news', x: 1 },
      begin(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      json(0, '{"q":'),
      json(0, '"x"}'),
      delta(0, { type: 'odd_delta' }),
      end(0),
      begin(1, { type: 'text', text: '', citations: [] }),
      delta(1, { type: 'text_delta', text: 'hi' }),
      delta(1, { type: 'citations_delta', citation: { url: 'u' } }),
      end(1),
      begin(2, { type: 'text', text: '' }),
      end(2),
      stop('pause_turn', { context_management: { edits: [] } }),
      closing,
    )
    const events = streamed(frames)
    expect(events.filter((event) => event.type === 'unknown')).toHaveLength(2)
    const response = answer(events)
    expect(typesOf(response)).toEqual(['opaque', 'text', 'text'])
    expect(response.message.content[0]).toMatchObject({ data: { type: 'server_tool_use', input: { q: 'x' } } })
    expect(response.message.content[1]).toMatchObject({ extra: { anthropic: { citations: [{ url: 'u' }] } } })
    expect([response.finishReason, response.metadata.anthropic]).toEqual([
      'pause',
      { context_management: { edits: [] } },
    ])
    expect(strip(answer(streamed(written(events))))).toEqual(strip(response))
  })
  test.each([
    [
      'a plain error body',
      '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}',
      'rate_limited',
    ],
    ['an HTML page', '<html><title>Bad gateway</title></html>', 'malformed_response'],
    ['a frame that is no JSON', 'event: message_start\ndata: {"type":\n\n', 'malformed_response'],
    ['nothing', '', 'truncated'],
    ['a stop without a start', sse(closing), 'malformed_response'],
    [
      'an error frame without a type',
      'data: {"error":{"message":"no","code":401,"type":"authentication_error"}}\n\n',
      'authentication',
    ],
  ])('%s instead of a stream', (_, text, code) => {
    expect(folded(streamed(text)).error?.code).toBe(code)
  })
  test('a whole answer instead of a stream is read', () => {
    expect(answer(streamed(example('response.text.json'))).text).toBe('It is 18 degrees.')
  })
  test('more than the limit allows is an error, not a crash', () => {
    const small = { ...env, limits: { lineBytes: 50, totalBytes: 100 } }
    expect(folded(streamed(example('stream.text.sse'), [], small)).error?.code).toBe('limit_exceeded')
  })
  test('counts are totals: the last one stands, and a null says nothing', () => {
    const late = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 7, input_tokens: null, output_tokens_details: { thinking_tokens: 2 } },
    }
    const first = { ...stop('end_turn'), delta: {} }
    const response = answer(streamed(sse(opening, begin(0, { type: 'text', text: 'x' }), first, late, closing)))
    expect(response.usage).toEqual({ input: 3, output: 5, reasoning: 2, total: 10 })
  })
})

describe('anthropic: a call that is announced with its input and streamed as well', () => {
  const announced = (fragments: readonly string[]) =>
    answer(
      streamed(
        sse(
          opening,
          begin(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }),
          ...fragments.map((text) => json(0, text)),
          end(0),
          stop('tool_use'),
          closing,
        ),
      ),
    )

  test('the same input twice is one call without a report', () => {
    const response = announced(['{"x"', ': 1}'])
    expect(callsOf(response)).toEqual(['a f {"x": 1}'])
    expect(response.losses).toEqual([])
  })

  test('another input is reported, and the streamed one counts', () => {
    const response = announced(['{"x"', ':2}'])
    expect(callsOf(response)).toEqual(['a f {"x":2}'])
    expect(response.losses.map((loss) => loss.code)).toEqual(['arguments_contradicted'])
  })
})

// What real servers of the Chat wire get wrong, as streams written by hand: each must give the answer that was meant, or an error.
import { describe, expect, test } from 'vitest'
import type { CompletionRequest } from '../../src/conversation/request.js'
import {
  answerOf,
  bytes,
  codec,
  deltas,
  encodeRequest,
  env,
  envOf,
  example,
  exchange,
  folded,
  readStream,
  sse,
  user,
} from './openai-chat-fixtures.js'

describe('streams of real servers', () => {
  const call = (index: number | undefined, id: string | undefined, args: string): object => {
    const place = index === undefined ? {} : { index }
    return {
      ...place,
      ...(id === undefined ? {} : { id }),
      type: 'function',
      function: { name: 'add', arguments: args },
    }
  }
  const piece = (args: string): object => ({ index: 0, function: { arguments: args } })
  const rows: [string, readonly object[], readonly string[], string?][] = [
    [
      'both calls have index 0',
      [{ tool_calls: [call(0, 'a', '{"a":1}')] }, { tool_calls: [call(0, 'b', '{"a":2}')] }],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'no index',
      [{ tool_calls: [call(undefined, 'a', '{"a":1}')] }, { tool_calls: [call(undefined, 'b', '{"a":2}')] }],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'both calls in one chunk, no index',
      [{ tool_calls: [call(undefined, 'a', '{"a":1}'), call(undefined, 'b', '{"a":2}')] }],
      ['{"a":1}', '{"a":2}'],
    ],
    ['one call without an id', [{ tool_calls: [call(0, undefined, '{"a":1}')] }], ['{"a":1}']],
    [
      'two calls without ids',
      [{ tool_calls: [call(0, undefined, '{"a":1}')] }, { tool_calls: [call(1, undefined, '{"a":2}')] }],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'the same id on two calls',
      [{ tool_calls: [call(0, 'a', '{"a":1}')] }, { tool_calls: [call(1, 'a', '{"a":2}')] }],
      ['{"a":1}', '{"a":2}'],
    ],
    ['no arguments', [{ tool_calls: [call(0, 'a', '')] }], ['{}']],
    ['a complete call with finish stop', [{ tool_calls: [call(0, 'a', '{"a":1}')] }], ['{"a":1}'], 'stop'],
    [
      'id and name on every fragment',
      [{ tool_calls: [call(0, 'a', '{"a"')] }, { tool_calls: [call(0, 'a', ':1}')] }],
      ['{"a":1}'],
    ],
    [
      'empty id and name on fragments',
      [
        { tool_calls: [call(0, 'a', '{"a"')] },
        { tool_calls: [{ index: 0, id: '', function: { name: '', arguments: ':1}' } }] },
      ],
      ['{"a":1}'],
    ],
    [
      'fragments and then all of it again',
      [{ tool_calls: [call(0, 'a', '{"a"')] }, { tool_calls: [piece(':1}')] }, { tool_calls: [piece('{"a":1}')] }],
      ['{"a":1}'],
    ],
    ['text and a call in one delta', [{ content: 'x', tool_calls: [call(0, 'a', '{"a":1}')] }], ['{"a":1}']],
    [
      'an integer beyond 2^53',
      [{ tool_calls: [call(0, 'a', '{"id":12345678901234567890}')] }],
      ['{"id":12345678901234567890}'],
    ],
  ]
  test.each(rows)('%s', (_: string, list: readonly object[], expected: readonly string[], finish = 'tool_calls') => {
    const { response, error } = answerOf(deltas(list, finish))
    expect(error).toBeUndefined()
    expect(response.brokenCalls).toEqual([])
    expect(response.toolCalls.map((made) => made.arguments)).toEqual(expected)
    expect(new Set(response.toolCalls.map((made) => made.id)).size).toBe(expected.length)
    expect(response.finishReason).toBe('tool_calls')
  })

  test('arguments that come as an object keep their digits', () => {
    const text = `data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":{"id":12345678901234567890}}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`
    expect(answerOf(text).response.toolCalls[0]?.arguments).toBe('{"id":12345678901234567890}')
  })

  test.each([
    ['cut by length', 'length', 'truncated'],
    ['cut although the server says tool_calls', 'tool_calls', 'malformed'],
  ])('arguments %s are never runnable', (_, finish, reason) => {
    const { response } = answerOf(deltas([{ tool_calls: [call(0, 'a', '{"path":"x","content":"half')] }], finish))
    expect(response.toolCalls).toEqual([])
    expect(response.brokenCalls).toMatchObject([{ arguments: '{"path":"x","content":"half', reason }])
    expect(response.requiresToolExecution).toBe(true)
  })

  test('of two calls only the last can be cut', () => {
    const { response } = answerOf(
      deltas([{ tool_calls: [call(0, 'a', '{"a":1}'), call(1, 'b', '{"a":2}')] }], 'length'),
    )
    expect(response.toolCalls.map((made) => made.id)).toEqual(['a'])
    expect(response.brokenCalls).toMatchObject([{ id: 'b', reason: 'truncated' }])
    expect(response.finishReason).toBe('length')
  })

  test('a marker without a finish reason ends the answer, with a report; no end at all does not', () => {
    const { response, error } = answerOf(deltas([{ content: 'hi' }], null))
    expect(error).toBeUndefined()
    expect([response.finishReason, response.losses[0]?.code]).toEqual(['stop', 'finish_reason_missing'])
    expect(answerOf(deltas([{ content: 'hi' }], null).replace('data: [DONE]\n\n', '')).error?.code).toBe('truncated')
    expect(answerOf(deltas([{ content: 'hi' }], 'stop').replace('data: [DONE]\n\n', '')).error).toBeUndefined()
  })

  test('the same reasoning in two fields is read once; details are put together and go back whole', () => {
    const both = answerOf(
      deltas(
        [
          { reasoning: 'a', reasoning_content: 'a' },
          { reasoning: 'b', reasoning_content: 'b' },
        ],
        'stop',
      ),
    )
    expect(both.response.message.content).toMatchObject([
      { text: 'ab', opaque: { data: { field: 'reasoning_content' } } },
    ])
    const detail = (text: string, more = {}): object => ({ type: 'reasoning.text', text, index: 0, ...more })
    const list = [
      { reasoning: 'a', reasoning_details: [detail('a')] },
      { reasoning: 'b', reasoning_details: [detail('b')] },
      { reasoning_details: [detail('', { signature: 'S' })] },
      { content: 'ok' },
    ]
    const { message } = answerOf(deltas(list, 'stop'), envOf('openrouter')).response
    expect(message.content[0]).toMatchObject({
      text: 'ab',
      opaque: { data: { field: 'reasoning', details: [detail('ab', { signature: 'S' })] } },
    })
    const { body } = encodeRequest({ model: 'gpt-6-sol', messages: [user, message, user] }, envOf('openrouter'))
    expect(body.messages[1]).toEqual({
      role: 'assistant',
      content: 'ok',
      reasoning: 'ab',
      reasoning_details: [detail('ab', { signature: 'S' })],
    })
  })

  test('usage is found in odd places, and totals decide whether reasoning is part of the output', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 }
    const choice = { index: 0, delta: { content: 'x' }, finish_reason: 'stop' }
    expect(answerOf(sse([{ id: 'c', choices: [choice], x_groq: { usage } }])).response.usage?.total).toBe(11)
    expect(answerOf(sse([{ id: 'c', choices: [{ ...choice, usage }] }])).response.usage?.total).toBe(11)
    const apart = { ...usage, total_tokens: 14, completion_tokens_details: { reasoning_tokens: 3 } }
    expect(answerOf(sse([{ id: 'c', choices: [choice], usage: apart }])).response.usage).toMatchObject({
      output: 6,
      reasoning: 3,
      total: 14,
    })
    const deepseek = { ...usage, prompt_cache_hit_tokens: 2 }
    expect(answerOf(sse([{ id: 'c', choices: [choice], usage: deepseek }])).response.usage).toMatchObject({
      input: 3,
      cacheRead: 2,
    })
  })

  test('plain bodies under the name of a stream are read: an answer, an error, a page', () => {
    expect(answerOf(example('response.text.json')).response.text).toBe('It is 18 degrees in Paris.')
    expect(answerOf(example('error.401.json')).error?.code).toBe('authentication')
    expect(answerOf('<html><title>Bad gateway</title></html>').error?.code).toBe('malformed_response')
  })

  test('what is no JSON is malformed, what is unknown is kept, comments and empty events are nothing', () => {
    expect(answerOf('data: {"id":\n\n').error?.code).toBe('malformed_response')
    const events = readStream([
      bytes(`: ping\n\ndata: {"type":"ping"}\n\ndata:\n\n${deltas([{ content: 'x' }], 'stop')}`),
    ])
    expect(events.filter((event) => event.type === 'unknown')).toEqual([{ type: 'unknown', raw: { type: 'ping' } }])
    expect(folded(events).response.text).toBe('x')
    expect(answerOf('data: [DONE]\n\n').error?.code).toBe('malformed_response')
  })

  test('an answer in a schema that comes as the value itself is read as its text, digit for digit', () => {
    const value = '{"city": "Bern", "id": 12345678901234567890, "type": "place"}'
    const first = `{"index":0,"MESSAGE":{"role":"assistant","content":${value}},"finish_reason":"stop"}`
    const other = '{"index":1,"MESSAGE":{"role":"assistant","content":{"no":1}},"finish_reason":"stop"}'
    for (const choices of [[first], [first, other], [other, first]]) {
      const body = `{"id":"c","model":"m","choices":[${choices.join(',')}]}`
      const http = { status: 200, headers: {}, body: body.replaceAll('MESSAGE', 'message') }
      const whole = folded(codec.response.decode(http, exchange, env))
      expect([whole.error, whole.response.text]).toEqual([undefined, value])
      const streamed = answerOf(`data: ${body.replaceAll('MESSAGE', 'delta')}\n\ndata: [DONE]\n\n`)
      expect([streamed.error, streamed.response.text]).toEqual([undefined, value])
    }
    for (const content of [42, true, [], { type: 'text', text: 'plain' }]) {
      const body = JSON.stringify({ id: 'c', choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] })
      const { response } = folded(codec.response.decode({ status: 200, headers: {}, body }, exchange, env))
      expect(response.text).toBe(typeof content !== 'object' ? String(content) : Array.isArray(content) ? '' : 'plain')
    }
  })

  test('arguments that are an object are those of the first choice, wherever it stands', () => {
    const choice = (index: number, args: string): string =>
      `{"index":${index},"message":{"tool_calls":[{"id":"a${index}","type":"function","function":{"name":"add","arguments":${args}}}]},"finish_reason":"tool_calls"}`
    const body = `{"id":"c","choices":[${choice(1, '{"id":1}')},${choice(0, '{"id": 12345678901234567890}')}]}`
    const { response } = folded(codec.response.decode({ status: 200, headers: {}, body }, exchange, env))
    expect(response.toolCalls.map((call) => call.arguments)).toEqual(['{"id": 12345678901234567890}'])
  })

  test('a choice with a message and a delta is read once: the message of a body, the deltas of a stream', () => {
    const role = 'assistant'
    const choice = (index: number, message: string, delta: string, finish: string | null = null): object => {
      return { index, finish_reason: finish, message: { role, content: message }, delta: { role, content: delta } }
    }
    const body = { id: 'c', model: 'm', choices: [choice(0, 'Red fox', '', 'stop'), choice(1, 'A hen', '', 'stop')] }
    const http = { status: 200, headers: {}, body: JSON.stringify(body) }
    const whole = folded(codec.response.decode(http, exchange, env)).response
    const chunks = [
      { id: 'c', model: 'm', choices: [choice(0, 'Red', 'Red'), choice(1, 'A', 'A')] },
      { id: 'c', model: 'm', choices: [choice(0, 'Red fox', ' fox'), choice(1, 'A hen', ' hen')] },
      { id: 'c', model: 'm', choices: [choice(0, 'Red fox', '', 'stop'), choice(1, 'A hen', '', 'stop')] },
    ]
    for (const { text, metadata } of [whole, answerOf(sse(chunks)).response]) {
      expect(text).toBe('Red fox')
      expect(metadata['openai-chat']).toMatchObject({ choices: [{ index: 1, message: { content: 'A hen' } }] })
    }
  })

  test('a message at the end of a stream adds nothing to the deltas but what they left out', () => {
    const chunk = (said: object, finish: string | null = null): object => {
      return { id: 'c', model: 'm', choices: [{ index: 0, ...said, finish_reason: finish }] }
    }
    const call = { id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
    const first = [chunk({ delta: { role: 'assistant', content: 'Red' } }), chunk({ delta: { content: ' fox' } })]
    const read = (content: string) => {
      const end = chunk({ message: { role: 'assistant', content, tool_calls: [call] } }, 'tool_calls')
      const { response } = answerOf(sse([...first, end]))
      return [response.text, response.toolCalls.length, response.losses.map((loss) => loss.code)]
    }
    expect(read('Red fox')).toEqual(['Red fox', 1, []])
    expect(read('A grey wolf')).toEqual(['Red fox', 1, ['streamed_text_kept']])
    const whole = [
      chunk({ message: { role: 'assistant', content: 'Red' } }),
      chunk({ message: { content: ' fox' } }, 'stop'),
    ]
    expect(answerOf(sse(whole)).response.text).toBe('Red fox')
  })

  test('the first of several choices counts, the others are kept, streamed or whole', () => {
    const message = (content: string): object => ({ role: 'assistant', content })
    const whole = {
      id: 'c',
      model: 'm',
      choices: [
        { index: 0, message: message('ab'), finish_reason: 'stop' },
        { index: 1, message: message('cd'), finish_reason: 'stop' },
      ],
    }
    const body = folded(codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(whole) }, exchange, env))
    const chunk = (index: number, delta: object, finish: string | null = null): object => {
      return { id: 'c', model: 'm', choices: [{ index, delta, finish_reason: finish }] }
    }
    const stream = answerOf(
      sse([
        chunk(0, message('a')),
        chunk(1, message('c')),
        chunk(0, { content: 'b' }),
        chunk(1, { content: 'd' }, 'stop'),
        chunk(0, {}, 'stop'),
      ]),
    )
    expect(body.response.text).toBe('ab')
    expect(body.response.metadata['openai-chat']).toMatchObject({ choices: [{ index: 1, message: message('cd') }] })
    expect(stream.response).toEqual(body.response)
  })

  test('the input of a custom tool is the only argument of its call, and goes back as it came', () => {
    const custom = { id: 'call_1', type: 'custom', custom: { name: 'run_sql', input: 'select 1' } }
    const { response } = answerOf(
      deltas([
        { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'run_sql', input: 'select' } }] },
        { tool_calls: [{ index: 0, custom: { input: ' 1' } }] },
      ]),
    )
    expect(response.toolCalls).toMatchObject([{ id: 'call_1', name: 'run_sql', arguments: '{"input":"select 1"}' }])
    const results: CompletionRequest['messages'] = [
      user,
      response.message,
      {
        role: 'tool',
        results: [{ callId: 'call_1', name: 'run_sql', content: [{ type: 'text', text: '1' }], isError: false }],
      },
    ]
    const { body, losses } = encodeRequest({ model: 'gpt-6-sol', messages: results })
    expect(body.messages[1].tool_calls).toEqual([custom])
    expect(losses).toEqual([])
  })
})

// The Chat wire against its examples, and its errors.
import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import {
  again,
  answerOf,
  bytes,
  codec,
  env,
  envOf,
  example,
  exchange,
  files,
  folded,
  readStream,
} from './openai-chat-fixtures.js'

describe('examples', () => {
  test.each(files.filter((name) => name.startsWith('request.')))('%s is written back as it came', (name) => {
    const body = JSON.parse(example(name))
    // One text block alone and a text are the same content; the text is written.
    const plain = JSON.parse(example(name), (key, value) =>
      key === 'content' && Array.isArray(value) && value.length === 1 && value[0].type === 'text'
        ? value[0].text
        : value,
    )
    expect(again(body)).toEqual(plain)
  })

  test.each([
    ['response.text.json', 'It is 18 degrees in Paris.', [], 'stop'],
    ['response.tool.json', '', ['call_w1 get_weather {"city":"Paris","unit":"c"}'], 'tool_calls'],
    [
      'response.parallel.json',
      'Checking both.',
      ['call_w1 get_weather {"city":"Paris","unit":"c"}', 'call_t1 get_time {"tz":"UTC"}'],
      'tool_calls',
    ],
    ['response.refusal.json', 'I cannot help with that.', [], 'content_filter'],
    ['stream.text.sse', 'It is 18 degrees.', [], 'stop'],
    ['stream.tool.sse', '', ['call_w1 get_weather {"city":"Paris","unit":"c"}'], 'tool_calls'],
    [
      'stream.parallel.sse',
      '',
      ['call_w1 get_weather {"city":"Paris","unit":"c"}', 'call_t1 get_time {"tz":"UTC"}'],
      'tool_calls',
    ],
    ['stream.text-tool.sse', 'Let me check.', ['call_w1 get_weather {"city":"Paris","unit":"c"}'], 'tool_calls'],
    ['stream.refusal.sse', 'I cannot help.', [], 'content_filter'],
  ] as const)('%s gives its text, calls, finish and usage', (name, text, calls, finish) => {
    const http = { status: 200, headers: {}, body: example(name) }
    const events = name.endsWith('.sse') ? readStream([bytes(http.body)]) : codec.response.decode(http, exchange, env)
    const { response, error } = folded(events)
    expect(error).toBeUndefined()
    expect(response.text).toBe(text)
    expect(response.toolCalls.map((call) => `${call.id} ${call.name} ${call.arguments}`)).toEqual(calls)
    expect(response.finishReason).toBe(finish)
    expect(response.usage).toEqual({ input: 82, cacheRead: 0, cacheWrite: 0, output: 25, reasoning: 16, total: 123 })
    expect(response.message.origin).toEqual({ wire: 'openai-chat', provider: 'openai', model: 'gpt-6-sol' })
    expect(response.metadata['openai-chat']).toMatchObject({ service_tier: 'default' })
  })

  test('reasoning of compatibles is read, and which field it came in is remembered', () => {
    const { response } = answerOf(example('stream.compat-reasoning_content-tool.sse'), envOf('deepseek'))
    expect(response.message.content[0]).toMatchObject({
      type: 'reasoning',
      text: 'Need the weather.',
      opaque: { data: { field: 'reasoning_content' } },
    })
    const dirty = answerOf(example('stream.compat-dirty.sse')).response
    expect(dirty.id).toBe('c1')
    expect(dirty.message.content[0]).toMatchObject({ text: 'hm', opaque: { data: { field: 'reasoning' } } })
    expect(dirty.toolCalls[0]).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' })
    expect(dirty.toolCalls[0]?.id).toMatch(/^call_[a-z2-7]{12}$/)
    expect(dirty.finishReason).toBe('tool_calls')
    expect(dirty.losses.map((loss) => loss.code)).toEqual(['call_id_missing'])
  })

  test.each(files.filter((name) => name.endsWith('.sse')))('%s: every cut gives the same events', (name) => {
    const all = bytes(example(name))
    const whole = JSON.stringify(readStream([all]))
    for (let at = 1; at < all.length; at += 1) {
      expect(JSON.stringify(readStream([all.subarray(0, at), all.subarray(at)]))).toBe(whole)
    }
  })

  test.each(['stream.text.sse', 'stream.tool.sse', 'stream.parallel.sse', 'stream.truncated.sse'])(
    '%s: an end before the finish reason is an error and never a finish',
    (name) => {
      const all = bytes(example(name))
      const marker = example(name).search(/"finish_reason":"/)
      const end = marker === -1 ? all.length : bytes(example(name).slice(0, marker)).length
      for (let at = 0; at <= end; at += 7) {
        const events = readStream([all.subarray(0, at)])
        expect(events.at(-1)?.type).toBe('error')
        expect(events.some((event) => event.type === 'finish')).toBe(false)
        const { error } = folded(events)
        expect(['truncated', 'malformed_response']).toContain(error?.code)
      }
    },
  )

  test('an error inside a stream is typed and keeps what came before', () => {
    const { response, error } = answerOf(example('stream.error-midway.sse'))
    expect(error?.code).toBe('server_error')
    expect(response.text).toBe('It is')
  })

  test('every choice of the examples comes back', () => {
    const tools = [
      { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
      { type: 'custom', custom: { name: 'run_sql' } },
    ]
    for (const choice of JSON.parse(example('tool_choice.json'))) {
      const body = { model: 'm', tools, tool_choice: choice, messages: [{ role: 'user', content: 'hi' }] }
      expect(again(body)).toEqual(body)
    }
  })

  test.each([
    ['error.400.json', 400, 'invalid_request'],
    ['error.401.json', 401, 'authentication'],
    ['error.404.json', 404, 'not_found'],
    ['error.429.json', 429, 'rate_limited'],
    ['error.429-quota.json', 429, 'quota_exceeded'],
    ['error.500.json', 500, 'server_error'],
  ] as const)('%s', (name, status, code) => {
    const error = codec.error.decode({ status, headers: { 'x-request-id': 'req_1' }, body: example(name) })
    expect([error.code, error.status, error.requestId]).toEqual([code, status, 'req_1'])
  })
})

describe('errors', () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])('%s goes out and comes back as itself', (code) => {
    const error = new ToolwireError(code, 'something went wrong', { retryAfterMs: 1500, requestId: 'req_1' })
    const back = codec.error.decode(codec.error.encode(error, exchange))
    expect(back.retryable).toBe(error.retryable)
    expect([back.code, back.message, back.retryAfterMs, back.requestId]).toEqual([code, error.message, 1500, 'req_1'])
    const machine = codec.stream.encode(exchange, env)
    const text =
      machine.push({ type: 'start', id: 'c', model: 'm' }) + machine.push({ type: 'error', error }) + machine.end()
    expect(text).not.toContain('[DONE]')
    expect(answerOf(text).error?.code).toBe(code)
  })

  test.each([
    [200, '{"error":{"message":"no","code":"content_filter"}}', 'content_filtered'],
    [200, '{"error":{"message":"Provider returned error","code":502}}', 'server_error'],
    [200, '{"object":"error","message":"bad","type":"invalid_request_error"}', 'invalid_request'],
    [200, '{"choices":[{"finish_reason":"error","error":{"message":"x","code":429},"message":{}}]}', 'rate_limited'],
    [200, '{"choices":[]}', 'malformed_response'],
    [200, '', 'malformed_response'],
    [200, '<html></html>', 'malformed_response'],
    [502, '<html><title>Bad gateway</title></html>', 'server_error'],
    [429, '', 'rate_limited'],
  ] as const)('status %s with %j', (status, body, code) => {
    const events = codec.response.decode({ status, headers: {}, body }, exchange, env)
    expect(events.at(-1)?.type).toBe('error')
    expect(events.some((event) => event.type === 'finish')).toBe(false)
    expect(folded(events).error?.code).toBe(code)
  })

  test('a generation that Groq refused is kept', () => {
    const body = JSON.stringify({
      error: { message: 'x', type: 'invalid_request_error', code: 'tool_use_failed', failed_generation: '<f>' },
    })
    expect(codec.error.decode({ status: 400, headers: {}, body }).detail).toMatchObject({ failedGeneration: '<f>' })
  })
})

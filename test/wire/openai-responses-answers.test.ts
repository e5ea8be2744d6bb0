import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import type { Json } from '../../src/json/types.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'
import { decodeStream, env, exchange, files, fold, read, wire } from './openai-responses-fixtures.js'

describe('examples: answers', () => {
  const expected: Record<string, { text: string; calls: string[]; reason: string }> = {
    text: { text: 'It is 18 degrees.', calls: [], reason: 'stop' },
    tool: { text: '', calls: ['call_w1'], reason: 'tool_calls' },
    'reasoning-text-parallel': { text: 'Checking both.', calls: ['call_w1', 'call_t1'], reason: 'tool_calls' },
    incomplete: { text: 'It is', calls: [], reason: 'length' },
    parallel: { text: '', calls: ['call_w1', 'call_t1'], reason: 'tool_calls' },
    'text-tool': { text: 'Let me check.', calls: ['call_w1'], reason: 'tool_calls' },
    'reasoning-tool': { text: '', calls: ['call_w1'], reason: 'tool_calls' },
  }
  const answers = files.filter((file) => /^(response|stream)\./.test(file) && !/failed|error/.test(file))

  test.each(answers)('%s decodes', (file) => {
    const text = read(file)
    const events = file.startsWith('response.')
      ? codec.response.decode({ status: 200, headers: {}, body: text }, exchange, env())
      : decodeStream([text])
    const { response, error } = fold(events)
    expect(error).toBeUndefined()
    const want = expected[file.split('.')[1] ?? '']
    if (want === undefined) throw new Error(`no expectation for ${file}`)
    expect(response.toolCalls.map((one) => one.id)).toEqual(want.calls)
    expect(response.finishReason).toBe(want.reason)
    if (want.text !== 'Let me check.') expect(response.text).toBe(want.text)
    else expect(response.text).not.toBe('')
    expect(response.usage).toEqual({ input: 82, cacheRead: 0, cacheWrite: 0, output: 25, reasoning: 16, total: 123 })
    expect(response.message.origin).toEqual({ wire, provider: 'openai', model: 'gpt-6-sol' })
    for (const one of response.toolCalls) expect(typeof JSON.parse(one.arguments)).toBe('object')
  })

  test.each(['response.failed.json', 'stream.failed.sse', 'stream.error-midway.sse'])('%s is an error', (file) => {
    const events = file.startsWith('response.')
      ? codec.response.decode({ status: 200, headers: {}, body: read(file) }, exchange, env())
      : decodeStream([read(file)])
    expect(fold(events).error).toBeInstanceOf(ToolwireError)
    expect(events.some((event) => event.type === 'finish')).toBe(false)
    expect(events.filter((event) => event.type === 'error')).toHaveLength(1)
  })

  test('error.400.json is an invalid request', () => {
    const [event] = codec.response.decode({ status: 400, headers: {}, body: read('error.400.json') }, exchange, env())
    expect(event).toMatchObject({ type: 'error', error: { code: 'invalid_request', status: 400 } })
  })

  const streams = files.filter((file) => file.endsWith('.sse'))

  test.each(streams)('%s cut short is never a success', (file) => {
    const text = read(file)
    const blocks = text.split('\n\n').slice(0, -1)
    for (let count = 0; count < blocks.length - 1; count += 1) {
      const events = decodeStream([`${blocks.slice(0, count).join('\n\n')}\n\n`])
      expect(events.at(-1)?.type).toBe('error')
      expect(events.some((event) => event.type === 'finish')).toBe(false)
    }
    const inside = decodeStream([text.slice(0, text.lastIndexOf('"response":{') + 20)])
    expect(inside.at(-1)).toMatchObject({ type: 'error' })
  })

  test.each(streams.filter((file) => !/failed|error/.test(file)))('%s folds to what its last event says', (file) => {
    const text = read(file)
    const data = text.trim().split('\n').at(-1)?.slice(6) ?? ''
    const { response } = JSON.parse(data) as { response: Json }
    const whole = codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(response) }, exchange, env())
    expect(fold(decodeStream([text])).response).toEqual(fold(whole).response)
  })
})

test('an answer repeats the functions of the request with all members that clients expect', () => {
  const tools = [
    { type: 'function', name: 'now' },
    { type: 'function', name: 'look', parameters: { type: 'object' }, strict: true },
    { type: 'web_search' },
  ]
  const asked = { ...exchange, client: { tools } }
  const { response } = fold(decodeStream([read('stream.text.sse')]))
  const expected = [
    { type: 'function', name: 'now', parameters: null, strict: false },
    { type: 'function', name: 'look', parameters: { type: 'object' }, strict: true },
    { type: 'web_search' },
  ]
  const whole = JSON.parse(codec.response.encode(response, asked, env()).http.body) as { tools: Json }
  expect(whole.tools).toEqual(expected)
  const encoder = codec.stream.encode(asked, env())
  const [created] = encoder.push({ type: 'start', id: 'resp_1', model: 'm' }).split('\n\n')
  const event = JSON.parse(created?.split('data: ')[1] ?? '') as { response: { tools: Json } }
  expect(event.response.tools).toEqual(expected)
})

describe('answers that are no answers', () => {
  test.each([
    ['empty', 200, '', 'malformed_response'],
    ['a page', 502, '<html><title>Bad gateway</title></html>', 'server_error'],
    ['another wire', 200, '{"choices":[]}', 'malformed_response'],
    ['an error in a 200', 200, '{"error":{"message":"x","code":"insufficient_quota"}}', 'quota_exceeded'],
    ['a text for an error', 429, '{"code":"x","error":"slow down"}', 'rate_limited'],
  ])('%s', (_, status, body, code) => {
    expect(codec.response.decode({ status, headers: {}, body }, exchange, env())).toMatchObject([
      { type: 'error', error: { code } },
    ])
  })

  test('a queued answer pauses', () => {
    const body = JSON.stringify({ id: 'r', model: 'm', status: 'queued', output: [] })
    expect(fold(codec.response.decode({ status: 200, headers: {}, body }, exchange, env())).response.finishReason).toBe(
      'pause',
    )
  })
})

describe('errors', () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])('%s keeps its code', (code) => {
    const http = codec.error.encode(new ToolwireError(code, 'it went wrong', { retryAfterMs: 1500 }), exchange)
    expect(http.status).toBeGreaterThanOrEqual(400)
    expect(codec.error.decode(http)).toMatchObject({ code, message: 'it went wrong', retryAfterMs: 1500 })
    const encoder = codec.stream.encode(exchange, env())
    const text =
      encoder.push({ type: 'start', id: 'r', model: 'm' }) +
      encoder.push({ type: 'error', error: new ToolwireError(code, 'x') }) +
      encoder.end()
    expect(decodeStream([text]).at(-1)).toMatchObject({ type: 'error', error: { code } })
  })
})

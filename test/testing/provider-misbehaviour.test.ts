// The server does wrong what it was told to, in bytes; and our models make a typed error of each.
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { partialOf } from '../../src/conversation/fold.js'
import { wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { compatible } from '../../src/model/factories.js'
import type { ModelRequest } from '../../src/model/model.js'
import {
  type ChatDefect,
  type Misbehaviour,
  type ProviderScript,
  providerServer,
  type ScriptedTurn,
} from '../../src/testing/index.js'

const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxTokens: 9,
}
const longText: ScriptedTurn = { text: 'A text of some length, in more than one delta.' }

async function failure(attempt: PromiseLike<unknown>): Promise<ToolwireError> {
  const error: unknown = await Promise.resolve(attempt).then(
    () => expect.unreachable('did not fail'),
    (caught: unknown) => caught,
  )
  if (!ToolwireError.is(error)) throw error
  return error
}

async function failed(wire: (typeof wires)[number], misbehave: Misbehaviour, limits = {}): Promise<ToolwireError> {
  await using server = await providerServer({ script: () => longText, misbehave })
  const model = compatible({ wire, model: 'm', baseUrl: server.url, apiKey: 'k', retries: 0, ...limits })
  return await failure(model.stream(question))
}

describe.each(wires)('%s', (wire) => {
  test.each<[number, string]>([
    [400, 'invalid_request'],
    [401, 'authentication'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'overloaded'],
  ])('status %i is an error of the wire, code %s', async (status, code) => {
    expect(await failed(wire, { status, headers: { 'retry-after': '7' } })).toMatchObject({
      code,
      status,
      retryAfterMs: 7000,
    })
  })

  test('a page of HTML and an empty body are typed errors', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><h1>Bad gateway</h1></html>' }
    expect(await failed(wire, page)).toMatchObject({ code: 'server_error' })
    expect((await failed(wire, { body: '<html>hi</html>' })).code).toMatch(/malformed_response|truncated/)
    expect((await failed(wire, { body: '' })).code).toMatch(/malformed_response|truncated/)
  })

  test('a stream that ends early, as bytes or as events, is truncated and keeps what came', async () => {
    const error = await failed(wire, { cutAfterEvents: wire === 'openai-responses' ? 7 : 3 })
    expect(error.code).toBe('truncated')
    expect(longText.text?.startsWith(partialOf(error)?.text ?? 'nothing')).toBe(true)
    expect((await failed(wire, { cutAtByte: 300 })).code).toBe('truncated')
  })

  test('a connection that breaks is a network error', async () => {
    expect((await failed(wire, { resetAfterBytes: 200 })).code).toBe('network')
  })

  test('an error in the middle of a stream has the form of the wire', async () => {
    const error = new ToolwireError('rate_limited', 'slow down please')
    expect(await failed(wire, { errorAfterEvents: 2, error })).toMatchObject({
      code: 'rate_limited',
      message: 'slow down please',
    })
  })

  test('a stream that stalls, and a server that waits too long, are timeouts', async () => {
    expect((await failed(wire, { stallAfterEvents: 2 }, { idleTimeoutMs: 60 })).code).toBe('timeout')
    expect((await failed(wire, { delayMs: 5000 }, { headersTimeoutMs: 60 })).code).toBe('timeout')
  })

  test('a turn that fails, breaks off or hangs does so over HTTP too', async () => {
    const script: ProviderScript = [
      { error: new ToolwireError('quota_exceeded', 'nothing left') },
      { ...longText, error: new ToolwireError('overloaded', 'too much'), cutAfter: 3 },
      { ...longText, cutAfter: 3 },
      { hang: true },
      { error: new Error('a plain one') },
    ]
    await using server = await providerServer({ script })
    const model = compatible({ wire, model: 'm', baseUrl: server.url, apiKey: 'k', retries: 0, headersTimeoutMs: 200 })
    const codes: string[] = []
    for (const _ of script as readonly unknown[]) codes.push((await failure(model.stream(question))).code)
    expect(codes).toEqual(['quota_exceeded', 'overloaded', 'truncated', 'timeout', 'server_error'])
    expect(await failure(model.complete(question))).toMatchObject({ code: 'misuse' })
  })
})

describe.each(wires)('%s: what a provider says of a key', (wire) => {
  const key = 'hunter-two-22-zq'
  const echoes: readonly Misbehaviour[] = [
    {
      status: 401,
      headers: { 'x-request-id': key, 'request-id': key },
      body: `{"error":{"message":"${key}","type":"${key}"}}`,
    },
    { status: 502, body: `<html>${key}</html>` },
    { body: `{"error":{"message":"bad ${key}"}}` },
    { body: `garbage ${key}` },
    { errorAfterEvents: 1, error: new ToolwireError('server_error', `oops ${key}`) },
    { status: 307, headers: { location: `http://127.0.0.1:9/?key=${key}` } },
  ]
  test.each([
    ['apiKey', { apiKey: key }],
    ['headers', { headers: { Authorization: `Bearer ${key}`, 'X-Api-Key': key } }],
  ])('given as %s, it is nowhere in the error', async (_, given) => {
    for (const misbehave of echoes) {
      await using server = await providerServer({ misbehave })
      const model = compatible({ wire, model: 'm', baseUrl: server.url, retries: 0, ...given })
      const error = await failure(model.stream(question))
      const told = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), error.stack, String(error)]
      expect(told.join()).not.toContain(key)
    }
  })
})

test('a redirect is neither followed nor asked for again', async () => {
  await using server = await providerServer({ misbehave: { status: 302, headers: { location: '/v1/messages' } } })
  const model = compatible({ wire: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'k' })
  const error = await failure(model.complete(question))
  expect(error).toMatchObject({ status: 302, retryable: false })
  expect(error.message).toContain('baseUrl')
  expect(server.requests).toHaveLength(1)
})

test('a request that was refused on demand does not use up a turn', async () => {
  await using server = await providerServer({
    script: ['first', 'second'],
    misbehave: (_, index) => (index === 0 ? { status: 429, headers: { 'retry-after-ms': '1' } } : undefined),
  })
  const model = compatible({ wire: 'openai-chat', model: 'm', baseUrl: server.url, apiKey: 'k' })
  expect((await model.complete(question)).text).toBe('first')
  expect((await model.complete(question)).text).toBe('second')
  expect(server.requests).toHaveLength(3)
})

test('a whole answer that breaks off is no answer', async () => {
  await using server = await providerServer({ script: () => ({ ...longText, cutAfter: 3 }) })
  for (const wire of wires) {
    const model = compatible({ wire, model: 'm', baseUrl: server.url, apiKey: 'k', retries: 0 })
    expect((await failure(model.complete(question))).code).toMatch(/malformed_response|truncated/)
  }
})

test('a client that leaves is written nothing more, and the server goes on', async () => {
  await using server = await providerServer({ script: () => ({ text: 'x'.repeat(200_000) }) })
  const model = compatible({ wire: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'k' })
  for await (const event of model.stream(question)) if (event.type === 'text_delta') break
  expect((await model.complete(question)).text).toHaveLength(200_000)
})

const script: ProviderScript = () => ({
  text: 'Hm.',
  calls: [
    { name: 'f', args: { city: 'Oslo' }, id: 'a' },
    { name: 'g', args: { city: 'Rome' }, id: 'b' },
  ],
})

/** The deltas of a stream with defects, and its finish reason. */
async function deltasOf(chat: readonly ChatDefect[]): Promise<{ deltas: string[]; finish: unknown; bytes: string }> {
  await using server = await providerServer({ script, misbehave: { chat } })
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] })
  const answer = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body })
  const bytes = await answer.text()
  const lines = bytes.split('\n\n').filter((line) => line.startsWith('data: {'))
  const choices = lines.map((line) => JSON.parse(line.slice(6)).choices[0] ?? {})
  return {
    deltas: choices.flatMap(({ delta }) => (delta === undefined ? [] : [JSON.stringify(delta)])),
    finish: choices.find(({ finish_reason }) => typeof finish_reason === 'string')?.finish_reason,
    bytes,
  }
}

describe('defects of Chat Completions streams', () => {
  test('without one the stream is as it should be', async () => {
    const { deltas, finish, bytes } = await deltasOf([])
    expect(deltas.join()).toContain(
      '{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\\"city',
    )
    expect(finish).toBe('tool_calls')
    expect(bytes.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test.each<[ChatDefect, (deltas: string) => boolean]>([
    ['index_zero', (text) => text.includes('"id":"b"') && !text.includes('"index":1')],
    ['index_absent', (text) => text.includes('"id":"b"') && !text.includes('"index"')],
    ['id_absent', (text) => text.includes('"name":"g"') && !text.includes('"id"')],
    ['id_empty', (text) => text.includes('"id":""') && !text.includes('"id":"b"')],
    ['id_repeated', (text) => !text.includes('"id":"b"') && text.split('"id":"a"').length === 3],
    ['head_repeated', (text) => text.split('"id":"b"').length > 2 && text.split('"name":"g"').length > 2],
    ['head_empty', (text) => text.includes('"id":""') && text.includes('"name":""') && text.includes('"id":"b"')],
    ['arguments_empty', (text) => text.includes('"arguments":""') && !text.includes('city')],
    ['arguments_object', (text) => text.includes('"arguments":{"city":"Rome"}')],
    ['arguments_again', (text) => text.includes('{"index":1,"function":{"arguments":"{\\"city\\":\\"Rome\\"}"}}')],
    ['arguments_cut', (text) => text.includes('{\\"city\\":\\"Oslo\\"}') && !text.includes('Rome')],
    ['fragments', (text) => text.includes('{"index":1,"function":{"arguments":"R"}}')],
    ['interleaved', (text) => text.indexOf('"index":1') < text.lastIndexOf('"index":0')],
    ['one_chunk', (text) => /"tool_calls":\[\{"index":0.*?\},\{"index":1/.test(text)],
    ['text_with_call', (text) => text.includes('{"content":"Hm.","tool_calls":[{"index":0,"id":"a"')],
    ['call_in_text', (text) => text.includes('<tool_call>') && !text.includes('tool_calls')],
  ])('%s', async (defect, shows) => {
    const { deltas } = await deltasOf([defect])
    expect(shows(deltas.join()), deltas.join('\n')).toBe(true)
  })

  test('finish reasons and the closing marker', async () => {
    expect((await deltasOf(['finish_stop'])).finish).toBe('stop')
    expect((await deltasOf(['finish_length'])).finish).toBe('length')
    expect((await deltasOf(['no_finish'])).finish).toBeUndefined()
    expect((await deltasOf(['no_done'])).bytes).not.toContain('[DONE]')
  })
})

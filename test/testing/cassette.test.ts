// What was recorded plays again byte for byte, without the network and without a credential on the tape.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import type { Model, ModelRequest } from '../../src/model/model.js'
import { cassette, providerServer } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { Transport, TransportRequest } from '../../src/transport/transport.js'

let folder = ''
let tape = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  tape = join(folder, 'tape.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const key = 'sk-abcdef0123456789abcdef'
const question = (text: string): ModelRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  maxTokens: 50,
})
const modelOn = (wire: (typeof wires)[number], baseUrl: string, transport: Transport): Model =>
  compatible({ wire, model: 'm', baseUrl, apiKey: key, transport, retries: 0 })

async function failure(attempt: Promise<unknown>): Promise<ToolwireError> {
  const error: unknown = await attempt.catch((caught: unknown) => caught)
  if (!ToolwireError.is(error)) throw new Error('did not fail with a coded error')
  return error
}

const weather = tool({
  name: 'get_weather',
  description: 'Current weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } } },
  execute: () => ({ celsius: 18 }),
})

test.each(wires)('%s: a whole run plays again from the tape, the server gone', async (wire) => {
  const ask = (baseUrl: string, transport: Transport) =>
    run.stream({ model: modelOn(wire, baseUrl, transport), tools: [weather], prompt: 'Weather in Zürich?' })
  const server = await providerServer({
    script: [{ calls: [{ name: 'get_weather', args: { city: 'Zürich' } }] }, 'Mild.'],
  })
  const recorded = await ask(server.url, cassette(tape, { mode: 'record' }))
  await server.close()
  expect(recorded.text).toBe('Mild.')
  const played = await ask('http://127.0.0.1:9', cassette(tape, { mode: 'replay' }))
  expect(played.messages).toEqual(recorded.messages)
  expect(played.usage).toEqual(recorded.usage)
  expect(readFileSync(tape, 'utf8')).not.toContain(key)
  // Two calls, and on Ollama what the model can do.
  expect(readFileSync(tape, 'utf8').trim().split('\n')).toHaveLength(wire === 'ollama' ? 3 : 2)
})

describe('a cassette', () => {
  test('records when there is no tape, and plays when there is one', async () => {
    await using server = await providerServer({ script: (_, index) => `answer ${index}` })
    const ask = (text: string): Promise<string> =>
      modelOn('openai-chat', server.url, cassette(tape))
        .complete(question(text))
        .then((response) => response.text)
    expect(await ask('hi')).toBe('answer 0')
    expect(await ask('hi')).toBe('answer 0')
    expect(server.requests).toHaveLength(1)
  })

  test('answers equal requests in the order they were recorded, and different ones in any order', async () => {
    await using server = await providerServer({ script: (_, index) => `answer ${index}` })
    const recording = modelOn('anthropic', server.url, cassette(tape, { mode: 'record' }))
    for (const text of ['same', 'same', 'other']) await recording.complete(question(text))
    const playing = modelOn('anthropic', 'http://127.0.0.1:9', cassette(tape, { mode: 'replay' }))
    const texts: string[] = []
    for (const text of ['other', 'same', 'same']) texts.push((await playing.complete(question(text))).text)
    expect(texts).toEqual(['answer 2', 'answer 0', 'answer 1'])
    const error = await failure(playing.complete(question('same')))
    expect(error).toMatchObject({ code: 'misuse', retryable: false })
    expect(error.message).toContain('no more answers')
  })

  test('a request that is not on the tape is told with the nearest difference', async () => {
    await using server = await providerServer()
    const recording = modelOn('openai-chat', server.url, cassette(tape, { mode: 'record' }))
    await recording.complete({ ...question('far away'), temperature: 1, stop: ['x'] })
    await recording.complete(question('hello'))
    const playing = modelOn('openai-chat', 'http://127.0.0.1:9', cassette(tape, { mode: 'replay' }))
    const { message } = await failure(playing.complete(question('hallo')))
    expect(message).toMatch(/exchange 2, differs at \/messages\/0\/content.*: recorded "hello", asked "hallo"/)
    const other = modelOn('anthropic', 'http://127.0.0.1:9', cassette(tape, { mode: 'replay' }))
    expect((await failure(other.complete(question('hi')))).message).toContain('only POST /v1/chat/completions')
  })

  test('a tape that is missing or damaged is told so', async () => {
    const ask = (): Promise<unknown> =>
      modelOn('ollama', 'http://127.0.0.1:9', cassette(tape, { mode: 'replay' })).complete(question('hi'))
    expect((await failure(ask())).message).toContain('record it first')
    for (const line of ['{', '[]', '{"request":{},"response":{}}', 'null']) {
      writeFileSync(tape, line)
      const error = await failure(ask())
      expect(error.code).toBe('misuse')
      expect(error.message).toContain('tape.jsonl:1')
    }
    writeFileSync(tape, '')
    expect((await failure(ask())).message).toContain('the tape is empty')
  })
})

const send = (transport: Transport, request: Partial<TransportRequest> = {}) =>
  transport({
    method: 'POST',
    url: 'http://h/v1/x',
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
    ...request,
  })
const answering =
  (pieces: readonly Uint8Array[], headers = {}): Transport =>
  async () => ({
    status: 200,
    headers,
    body: (async function* () {
      yield* pieces
    })(),
  })
async function bytesOf(transport: Transport, request: Partial<TransportRequest> = {}): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of (await send(transport, request)).body) pieces.push(piece)
  return Buffer.concat(pieces)
}

test('bytes of any kind come back exactly, in text where they are text', async () => {
  const kinds = [Buffer.from('\ufeffdata: é\r\n\r\n'), Buffer.from([0xff, 0x00, 0xc3]), Buffer.from('')]
  for (const bytes of kinds) {
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
    await bytesOf(cassette(tape, { mode: 'record', transport: answering(pieces) }))
    expect(await bytesOf(cassette(tape, { mode: 'replay' }))).toEqual(bytes)
  }
})

test('no credential reaches the tape: headers, query, bodies, answers, configured ones', async () => {
  const echo = Buffer.from(
    '{"error":"bad key hunter-two-22, cookie c00kie-value and my-own-secret; password=swordfish1"}',
  )
  const transport = answering([echo], { 'set-cookie': 'session=abc123def', 'x-echo': 'hunter-two-22', date: 'today' })
  const request = {
    url: 'http://h/v1beta/models/m:generateContent?key=AIzaSyA1234567890abcdefg&alt=sse',
    headers: { 'x-goog-api-key': 'hunter-two-22', authorization: `Bearer ${key}`, cookie: 'c00kie-value' },
    body: JSON.stringify({ text: `my key is ${key} and my-own-secret` }),
  }
  await bytesOf(cassette(tape, { mode: 'record', transport, secrets: ['my-own-secret'] }), request)
  const text = readFileSync(tape, 'utf8')
  for (const secret of [key, 'hunter-two-22', 'AIzaSyA', 'c00kie-value', 'abc123def', 'my-own-secret', 'swordfish1']) {
    expect(text).not.toContain(secret)
  }
  expect(text).toContain('today')
  const played = await bytesOf(cassette(tape, { mode: 'replay', secrets: ['my-own-secret'] }), request)
  expect(played.toString()).toContain('bad key [redacted]')
  const otherKey = { ...request, headers: { ...request.headers, authorization: 'Bearer sk-another1234567890abcdef' } }
  const body = JSON.stringify({ text: 'my key is sk-another1234567890abcdef and my-own-secret' })
  expect(await bytesOf(cassette(tape, { mode: 'replay', secrets: ['my-own-secret'] }), { ...otherKey, body })).toEqual(
    played,
  )
})

test('an answer that was left is recorded as far as it was read, and ends there when played', async () => {
  const transport = cassette(tape, { mode: 'record', transport: answering([Buffer.from('one'), Buffer.from('two')]) })
  for await (const _ of (await send(transport)).body) break
  const { body } = await send(cassette(tape, { mode: 'replay' }))
  const pieces: string[] = []
  const reading = (async () => {
    for await (const piece of body) pieces.push(Buffer.from(piece).toString())
  })()
  expect(await failure(reading)).toMatchObject({ code: 'network' })
  expect(pieces).toEqual(['one'])
})

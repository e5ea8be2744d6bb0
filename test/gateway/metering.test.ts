// What counts against tokensPerMinute: the usage that providers report, and an estimate where a client leaves before it came.
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { estimateInput } from '../../src/gateway/token-estimate.js'
import { usageChunkFilter } from '../../src/gateway/usage-chunk.js'
import type { TransportRequest } from '../../src/transport/transport.js'
import { ask, bodies, paths, statusOf } from './asking.js'

const key = 'key-of-the-team'
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const words = 'Some words of the answer. '.repeat(8)

/** The beginning of a streamed answer on each API, before anything tells of its usage. */
const beginnings: Readonly<Record<Wire, string>> = {
  'openai-chat': data({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: words } }] }),
  'openai-responses': `event: response.output_text.delta\n${data({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: words })}`,
  anthropic: [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } },
  ]
    .map((event) => `event: ${event.type}\n${data(event)}`)
    .join(''),
  ollama: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: words }, done: false })}\n`,
  gemini: data({ candidates: [{ content: { role: 'model', parts: [{ text: words }] } }] }),
}

interface Metered {
  readonly gateway: Gateway
  readonly sent: TransportRequest[]
  readonly records: GatewayLogRecord[]
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A provider that streams these pieces, and then nothing until it is left; `end` when it ends by itself. */
function gatewayTo(wire: Wire, pieces: readonly string[], { end = false, limit = 1 } = {}): Metered {
  const sent: TransportRequest[] = []
  const records: GatewayLogRecord[] = []
  const transport = async (request: TransportRequest) => {
    sent.push(request)
    const left = new Promise<never>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
    left.catch(() => {})
    const body = (async function* () {
      for (const piece of pieces) yield bytes(piece)
      if (!end) await left
    })()
    return { status: 200, headers: { 'content-type': 'text/event-stream', 'content-length': '9' }, body }
  }
  const target = { wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'upstream-key', model: 'm', transport, retries: 0 }
  const gateway = createGateway({
    routes: [{ match: '*', targets: [target] }],
    keys: [{ name: 'team', key, tokensPerMinute: limit }],
    log: (record) => records.push(record),
  })
  return { gateway, sent, records }
}

const asking = { key, body: { stream: true } }

describe.each(wires)('%s', (from) => {
  test.each(wires)('a client that leaves before the usage came is counted by what it got and sent: %s', async (to) => {
    const { gateway, records } = gatewayTo(to, [beginnings[to]])
    const response = await ask(gateway, from, asking)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => records).toHaveLength(1)
    const [record] = records
    // The request has at least 25 characters for the model, and the answer some 200: about 60 tokens together.
    expect(record?.estimatedTokens).toBeGreaterThan(words.length / 4)
    expect(record?.estimatedTokens).toBeLessThan(200)
    expect(await statusOf(ask(gateway, from, asking))).toBe(429)
  })

  test('a client that leaves while a whole answer is made is counted by what it sent', async () => {
    const { gateway } = gatewayTo(from, [])
    const leaving = new AbortController()
    const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(bodies[from]) }
    const request = (signal?: AbortSignal): Request =>
      new Request(`http://127.0.0.1${paths[from]}`, signal === undefined ? init : { ...init, signal })
    const answer = gateway(request(leaving.signal))
    setTimeout(() => leaving.abort(), 20)
    await answer
    expect(await statusOf(gateway(request()))).toBe(429)
  }, 5_000)
})

test('an answer whose provider never reports usage is estimated', async () => {
  const finish = data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const { gateway, records } = gatewayTo('openai-chat', [beginnings['openai-chat'], finish, 'data: [DONE]\n\n'], {
    end: true,
  })
  await statusOf(ask(gateway, 'openai-chat', asking))
  expect(records[0]?.estimatedTokens).toBeGreaterThan(words.length / 4)
  expect(await statusOf(ask(gateway, 'openai-chat', asking))).toBe(429)
})

test('a request that the provider rejects is not counted', async () => {
  const transport = async () => ({ status: 400, headers: {}, body: (async function* () {})() })
  const target = {
    wire: 'openai-chat',
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'x',
    model: 'm',
    transport,
    retries: 0,
  } as const
  const keys = [{ name: 'team', key, tokensPerMinute: 1 }]
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }], keys })
  for (let round = 0; round < 3; round += 1) expect(await statusOf(ask(gateway, 'openai-chat', asking))).toBe(400)
})

test('base64 counts as a fixed amount, and text by its length', () => {
  expect(estimateInput('word '.repeat(800))).toBe(1_000)
  expect(estimateInput(JSON.stringify({ text: 'word', data: 'aGVsbG8+/w=='.repeat(100_000) }))).toBeLessThan(1_020)
  expect(estimateInput('')).toBe(0)
})

describe('usage of a Chat Completions stream', () => {
  const content = data({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }], usage: null })
  const finish = data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null })
  const usage = data({ id: 'c', choices: [], usage: { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 } })
  const done = 'data: [DONE]\n\n'
  const pieces = [content, finish, usage, done]

  test.each([
    [undefined, { include_usage: true }],
    [null, { include_usage: true }],
    [{ include_usage: false }, { include_usage: true }],
    [{ include_obfuscation: false }, { include_obfuscation: false, include_usage: true }],
  ])('is asked for when the client sends %j, and hidden from it', async (options, expected) => {
    const { gateway, sent, records } = gatewayTo('openai-chat', pieces, { end: true, limit: 1_000 })
    const body = { stream: true, ...(options === undefined ? {} : { stream_options: options }) }
    const response = await ask(gateway, 'openai-chat', { key, body })
    expect(await response.text()).toBe(content + finish + done)
    expect(response.headers.get('content-length')).toBe(null)
    expect(JSON.parse(sent[0]?.body as string)).toMatchObject({ model: 'm', stream: true, stream_options: expected })
    expect(records).toMatchObject([{ passedThrough: true, inputTokens: 30, outputTokens: 10, finishReason: 'stop' }])
    expect(records[0]).not.toHaveProperty('estimatedTokens')
  })

  test('goes to a client that asked for it, and its request stays as it was', async () => {
    const { gateway, sent } = gatewayTo('openai-chat', pieces, { end: true })
    const body = { model: 'm', stream: true, stream_options: { include_usage: true } }
    const response = await ask(gateway, 'openai-chat', { key, body })
    expect(await response.text()).toBe(pieces.join(''))
    expect(JSON.parse(sent[0]?.body as string)).toMatchObject(body)
  })

  test('a request that is not streamed stays as it was', async () => {
    const { gateway, sent } = gatewayTo('openai-chat', ['{}'], { end: true })
    await ask(gateway, 'openai-chat', { key, body: { stream: false } })
    expect(sent[0]?.body).not.toContain('stream_options')
  })

  const filtered = (parts: readonly Uint8Array[]): string => {
    const filter = usageChunkFilter()
    const all = [...parts.map((part) => filter.push(part)), filter.end()]
    return Buffer.concat(all).toString()
  }

  test('is found wherever the stream is split, with either line end', () => {
    for (const text of [pieces.join(''), pieces.join('').replaceAll('\n', '\r\n'), `${content}${usage}`]) {
      const lineEnd = text.includes('\r') ? '\r\n' : '\n'
      const expected = text.replace(usage.replaceAll('\n', lineEnd), '')
      const whole = bytes(text)
      for (let at = 0; at <= whole.length; at += 1) {
        expect(filtered([whole.subarray(0, at), whole.subarray(at)])).toBe(expected)
      }
      expect(filtered([...whole].map((byte) => Uint8Array.of(byte)))).toBe(expected)
    }
  })

  test('what only looks like it stays: text about usage, long lines, usage beside choices', () => {
    const kept = [
      data({ choices: [{ delta: { content: '"usage":{"x":1},"choices":[]' } }] }),
      data({ choices: [{ delta: { content: 'é'.repeat(40_000) } }], usage: { total_tokens: 1 } }),
      data({ choices: [], prompt_filter_results: [] }),
      ': "usage":{} a comment\n\n',
    ]
    const whole = bytes(kept.join(''))
    for (const size of [1_000, 20_000, whole.length]) {
      const parts = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size),
      )
      expect(filtered(parts)).toBe(kept.join(''))
    }
  })
})

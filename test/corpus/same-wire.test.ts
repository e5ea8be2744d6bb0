// What a gateway tells of recorded answers that it sends on as they come is what reading them whole tells.
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { utf8 } from '../../src/frames/body.js'
import { createGateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import type { Transport } from '../../src/transport/transport.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { corpusFound, type Exchanged, recordsOf } from './records.js'

const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
}
type Told = Partial<Pick<GatewayLogRecord, 'finishReason' | 'inputTokens' | 'outputTokens' | 'error'>>

/** What the gateway logs of the answer. */
async function toldOf(wire: Wire, text: string): Promise<Told> {
  const path = text.startsWith('[') ? paths[wire].replace('?alt=sse', '') : paths[wire]
  const bytes = utf8(text)
  const transport: Transport = () => Promise.resolve({ status: 200, headers: {}, body: pieces(bytes) })
  const records: GatewayLogRecord[] = []
  const target = { wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', transport }
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }], log: (record) => records.push(record) })
  const body = JSON.stringify({ model: 'm', stream: true })
  const response = await gateway(new Request(`http://127.0.0.1${path}`, { method: 'POST', body }))
  await response.text().catch(() => {}) // one that broke off
  return records[0] ?? {}
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
}

/** What its events say. */
function readWhole(wire: Wire, text: string): Told {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const decoder = codec.stream.decode({ wire, model: 'm', stream: true }, env)
  const told: { -readonly [Name in keyof Told]: Told[Name] } = {}
  const note = (event: CompletionEvent): void => {
    if (event.type === 'finish') told.finishReason = event.reason
    if (event.type === 'error') told.error = event.error.code
    if (event.type !== 'usage') return
    const { input, cacheRead = 0, cacheWrite = 0, output } = event.usage
    if (input !== undefined) told.inputTokens = input + cacheRead + cacheWrite
    if (output !== undefined) told.outputTokens = output
  }
  for (const event of [...decoder.push(utf8(text)), ...decoder.end()]) note(event)
  return told
}

/** An object in two lines, which no server sends. */
const broken = new Set(['ol-langchainrb-62d17d'])

const streamOf = ({ response }: Exchanged): string => (typeof response.chunks === 'string' ? response.chunks : '')

test.runIf(corpusFound).each(wires)('%s: usage, end and errors of every recorded stream', async (wire) => {
  const streams = recordsOf(wire).filter(
    (record) => record.response.status < 400 && streamOf(record) !== '' && !broken.has(record.id),
  )
  expect(streams.length).toBeGreaterThan(0)
  for (const record of streams) {
    const text = streamOf(record)
    const { finishReason, inputTokens, outputTokens, error } = await toldOf(wire, text)
    expect({ id: record.id, finishReason, inputTokens, outputTokens, error }).toEqual({
      id: record.id,
      ...readWhole(wire, text),
    })
  }
})

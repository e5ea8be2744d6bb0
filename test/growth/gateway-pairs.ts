// A client on one wire, a gateway, and a provider on another, all in this process and without sockets.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold } from '../../src/conversation/fold.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { noRequestLimits } from '../../src/conversation/request-limits.js'
import { unfold } from '../../src/conversation/unfold.js'
import { bodyText, utf8 } from '../../src/frames/body.js'
import { isWhole, type Piece } from '../../src/gateway/arrival.js'
import { createGateway } from '../../src/gateway/index.js'
import { compatible } from '../../src/model/factories.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import type { Transport } from '../../src/transport/transport.js'
import { codecs } from '../../src/wire/index.js'
import type { AnswerShape, RawAnswerShape } from './answer-shapes.js'
import { historyBodies } from './client-bodies.js'
import { type RequestParts, salt } from './request-shapes.js'
import { envOf, written } from './sample-streams.js'

export interface Pair {
  readonly client: Wire
  readonly upstream: Wire
  /** Whether the bytes are forwarded unchanged: only where both wires are the same. */
  readonly isForwarded: boolean
}

/** Every wire with every other, and with itself both translated and forwarded. */
export const pairs: readonly Pair[] = wires.flatMap((client) =>
  wires.flatMap((upstream): readonly Pair[] => {
    const translated = { client, upstream, isForwarded: false }
    return client === upstream ? [translated, { ...translated, isForwarded: true }] : [translated]
  }),
)

export function pairName({ client, upstream, isForwarded }: Pair): string {
  return isForwarded ? `${client} forwarded` : `${client} to ${upstream}`
}

const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/m:generateContent',
}

/** Path and query of a request. */
export function addressOf(wire: Wire, isStreamed: boolean): { readonly path: string; readonly query: string } {
  if (wire !== 'gemini' || !isStreamed) return { path: paths[wire], query: '' }
  return { path: '/v1beta/models/m:streamGenerateContent', query: '?alt=sse' }
}

const hello = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const

/** The body of a client: settings as the codec writes them, messages one by one. */
export function clientBody(
  wire: Wire,
  { messages = hello, settings = {} }: Partial<RequestParts>,
  isStreamed: boolean,
): string {
  const codec = codecs[wire]
  const { http } = codec.request.encode(
    { model: 'm', messages: hello, ...settings },
    { stream: isStreamed },
    envOf(codec),
  )
  return JSON.stringify({ ...JSON.parse(bodyText(http.body)), ...historyBodies[wire](messages) })
}

const ends: Readonly<Record<string, CompletionEvent>> = {
  stop: { type: 'finish', reason: 'stop' },
  tool_calls: { type: 'finish', reason: 'tool_calls' },
}

/** The bytes of an answer as the wire's own server half writes them. */
export function answerBytes(
  wire: Wire,
  shape: Pick<AnswerShape, 'events'>,
  length: number,
  isStreamed: boolean,
): Uint8Array {
  const codec = codecs[wire]
  const content = shape.events(length)
  const end = ends[content.some(({ type }) => type.endsWith('_call')) ? 'tool_calls' : 'stop'] as CompletionEvent
  const events = [{ type: 'start', id: 'answer_1', model: 'm' } as const, ...content, end]
  if (isStreamed) return written(codec, events)
  const exchange = { wire, model: 'm', stream: false }
  return utf8(codec.response.encode(fold(events), exchange, envOf(codec)).http.body)
}

export function rawAnswerBytes({ lines }: RawAnswerShape, length: number): Uint8Array {
  return utf8(`${lines(length).join('\n')}\n`)
}

/** The bytes of a short answer. */
export function shortAnswer(wire: Wire, isStreamed: boolean): Uint8Array {
  return answerBytes(wire, { events: () => unfold(responseOf({ text: 'Done.' }, 0, 'm')).slice(1, -1) }, 0, isStreamed)
}

const pieceBytes = 16_384

function transportOf(bytes: Uint8Array, isStreamed: boolean): Transport {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  const headers = { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' }
  return async () => ({ status: 200, headers, body: pieces() })
}

let requests = 0

export interface GatewayAnswer {
  readonly status: number
  readonly bytes: number
  /** How it begins. */
  readonly head: string
}

/** Sends the body through a gateway and reads the answer to its end. */
export function gatewayCall(
  { client, upstream, isForwarded }: Pair,
  isStreamed: boolean,
  body: string,
  answer: Uint8Array,
): () => Promise<GatewayAnswer> {
  const transport = transportOf(answer, isStreamed)
  const endpoint = {
    wire: upstream,
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
    model: 'm',
    retries: 0,
    transport,
  } as const
  const target = isForwarded
    ? endpoint
    : compatible({ ...endpoint, capabilities: { tools: 'yes' }, requestLimits: noRequestLimits })
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }], limits: noRequestLimits })
  const headers = { host: '127.0.0.1', 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const fixed = body.includes(salt) ? undefined : utf8(body)
  return async () => {
    requests += 1
    const bytes = fixed ?? utf8(body.replaceAll(salt, String(requests)))
    const { status, body: told } = await gateway.handle({
      method: 'POST',
      ...addressOf(client, isStreamed),
      headers,
      async read(take) {
        for (let at = 0; at < bytes.length; at += 65_536) take(bytes.subarray(at, at + 65_536))
      },
      signal: new AbortController().signal,
    })
    const pieces: Piece[] = []
    if (isWhole(told)) pieces.push(told)
    else for (let next = await told.next(); next.done !== true; next = await told.next()) pieces.push(next.value)
    return { status, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0), head: headOf(pieces[0]) }
  }
}

function headOf(piece: Piece = ''): string {
  return (typeof piece === 'string' ? piece : new TextDecoder().decode(piece.subarray(0, 400))).slice(0, 400)
}

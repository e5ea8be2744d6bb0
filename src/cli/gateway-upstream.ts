// The gateway's way to its providers: undici's connections, driven at their lowest level, at less cost per call than Node's client.
// The trap: undici's own times are off; the deadlines of a call are the only ones, and they cover connecting too.
import { Readable } from 'node:stream'
import { bodyBytes } from '../frames/body.js'
import { type Deadlines, oversized } from '../transport/deadlines.js'
import { networkError } from '../transport/network-error.js'
import { readAddress } from '../transport/node.js'
import { decoderFor } from '../transport/node-body.js'
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.js'
import { UpstreamCall } from './gateway-upstream-call.js'

export interface Upstream {
  readonly transport: Transport
  /** Closes all connections; calls on their way fail. */
  close(): Promise<void>
}

const idleMs = 30_000
const maxAddresses = 256
const options = {
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  connectTimeout: 30_000, // ends an attempt that nobody may be waiting for any more
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  keepAliveTimeoutThreshold: 1_000, // a call sent as the server closes would fail
  maxHeaderSize: 64 * 1024,
}

/** A transport with connections of its own, as many at once as there are calls. */
export async function openUpstream(): Promise<Upstream> {
  const { Agent } = await import('undici')
  const agent = new Agent(options)
  const places = new Map<string, Place>()
  const placeOf = (url: string): Place => {
    const known = places.get(url)
    if (known !== undefined) return known
    if (places.size >= maxAddresses) places.clear()
    const made = readPlace(url)
    places.set(url, made)
    return made
  }
  const ask = async (request: TransportRequest, limits: Deadlines | undefined): Promise<TransportResponse> => {
    request.signal.throwIfAborted()
    const { origin, path, headers: own } = placeOf(request.url)
    const { method, body } = request
    const headers = { ...own, ...request.headers }
    const answer = await new Promise<TransportResponse>((resolve, reject) => {
      const call = new UpstreamCall(request, limits, resolve, reject)
      agent.dispatch({ origin, path, method, headers, body: body === undefined ? null : bodyBytes(body) }, call)
    })
    return decoded(answer, request, limits)
  }
  const limited =
    (limits: Deadlines): Transport =>
    (request) =>
      ask(request, limits)
  const transport = Object.assign((request: TransportRequest) => ask(request, undefined), { limited })
  return { transport, close: () => agent.destroy() }
}

/** Where a call goes. */
interface Place {
  readonly origin: string
  readonly path: string
  /** Sent unless the caller has others. */
  readonly headers: Readonly<Record<string, string>>
}

function readPlace(url: string): Place {
  const { path, auth } = readAddress(url).place
  const basic = typeof auth === 'string' && auth !== '' ? Buffer.from(auth).toString('base64') : undefined
  const authorization = basic === undefined ? {} : { authorization: `Basic ${basic}` }
  return {
    origin: new URL(url).origin,
    path: path ?? '/',
    headers: { 'accept-encoding': 'identity', ...authorization },
  }
}

/** The answer with its body uncoded, for servers that code it although nobody asked. */
function decoded(
  answer: TransportResponse,
  { signal, url }: TransportRequest,
  limits: Deadlines | undefined,
): TransportResponse {
  const decoder = decoderFor(answer.headers['content-encoding'])
  if (decoder === undefined) return answer
  const source = Readable.from(answer.body)
  source.on('error', (error) => decoder.destroy(error))
  return { ...answer, body: uncoded(source, source.pipe(decoder), signal, url, limits) }
}

async function* uncoded(
  source: Readable,
  decoder: Readable,
  signal: AbortSignal,
  url: string,
  limits: Deadlines | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (limits !== undefined && bytes > limits.maxBodyBytes) throw oversized(limits)
      yield piece
    }
  } catch (error) {
    throw networkError(error, signal, url)
  } finally {
    source.destroy()
  }
}

// The transport on Node: node:http(s) with a keep-alive pool, half the processor time of Node 20's fetch per call.
// The body is pulled (`read`), never pushed by 'data' events: waiting pieces are joined, and a slow reader slows the sender.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ToolwireError } from '../errors/error.js'
import { bodyPieces } from '../frames/body.js'
import { networkError, placeOf } from './network-error.js'
import type { Transport, TransportRequest, TransportResponse } from './transport.js'

const pool = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 30_000 } as const
let agents: { readonly http: HttpAgent; readonly https: HttpsAgent } | undefined

export const transport: Transport = async (request) => {
  request.signal.throwIfAborted()
  agents ??= { http: new HttpAgent(pool), https: new HttpsAgent(pool) }
  return send(request, agents)
}

function send(request: TransportRequest, { http, https }: NonNullable<typeof agents>): Promise<TransportResponse> {
  const { method, url, headers, body, signal } = request
  const target = addressOf(url)
  const pieces = body === undefined ? [] : bodyPieces(body)
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const options = {
    method,
    headers: { 'accept-encoding': 'identity', ...headers, 'content-length': length },
  }
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(networkError(error, signal, url))
    let outgoing: ClientRequest
    let answer: IncomingMessage | undefined
    // Once an answer is whole its connection may be another call's: then only what was not read of it is thrown away.
    const abort = (): void => {
      if (answer?.complete === true) answer.destroy()
      else outgoing.destroy(new DOMException('The operation was aborted', 'AbortError'))
    }
    const answered = (incoming: IncomingMessage): void => {
      answer = incoming
      outgoing.off('error', fail)
      outgoing.on('error', () => {}) // told by the body from here on
      incoming.on('error', () => {}) // and the body may have no reader yet when the call is aborted
      resolve({ status: incoming.statusCode ?? 0, headers: headersOf(incoming), body: bodyOf(incoming, request) })
    }
    try {
      outgoing =
        target.protocol === 'https:'
          ? httpsRequest(target, { ...options, agent: https }, answered)
          : httpRequest(target, { ...options, agent: http }, answered)
    } catch (error) {
      fail(error)
      return
    }
    outgoing.setNoDelay(true)
    outgoing.on('error', fail)
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('close', () => signal.removeEventListener('abort', abort))
    outgoing.cork() // head and pieces leave in one write
    for (const piece of pieces) outgoing.write(piece)
    outgoing.end()
  })
}

function addressOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target?.protocol === 'http:' || target?.protocol === 'https:') return target
  throw new ToolwireError('misuse', `"${placeOf(url)}" is not an http or https address; check baseUrl`)
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(entries) as Record<string, string>
}

async function* bodyOf(incoming: IncomingMessage, { signal, url }: TransportRequest): AsyncGenerator<Uint8Array> {
  const decoded = decodedFrom(incoming)
  try {
    for await (const piece of decoded) yield piece as Uint8Array
    if (!incoming.complete)
      throw new ToolwireError('network', `the connection to ${placeOf(url)} closed inside the answer`)
  } catch (error) {
    throw networkError(error, signal, url)
  } finally {
    if (decoded !== incoming) decoded.destroy()
    incoming.destroy() // a no-op once the answer was read to its end; the socket is back in the pool then
  }
}

function decodedFrom(incoming: IncomingMessage): Readable {
  const make = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (!Object.hasOwn(make, encoding)) return incoming
  const decoder = make[encoding as keyof typeof make]()
  incoming.on('error', (error) => decoder.destroy(error))
  return incoming.pipe(decoder)
}

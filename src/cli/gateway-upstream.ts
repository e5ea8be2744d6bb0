// The gateway's own way to its providers: HTTP/1.1 on sockets that are kept, at a third of what Node's client costs per call.
// The trap: a connection carries one call at a time and goes back only when its answer was whole and nothing follows it.
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { bodyPieces } from '../frames/body.js'
import { type Deadlines, oversized } from '../transport/deadlines.js'
import { networkError } from '../transport/network-error.js'
import { type Address, readAddress } from '../transport/node.js'
import { decoderFor } from '../transport/node-body.js'
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.js'
import { writeHead } from './gateway-http1.js'
import { type Line, UpstreamCall } from './gateway-upstream-call.js'

const maxFree = 256
const idleMs = 30_000
const maxAddresses = 256

/** A transport with connections of its own. */
export function upstreamTransport(): Transport {
  const places = new Map<string, Place>()
  const origins = new Map<string, Origin>()
  const placeOf = (url: string): Place => {
    const known = places.get(url)
    if (known !== undefined) return known
    const { place, isSecure } = readAddress(url)
    const port = Number(place.port) || (isSecure ? 443 : 80)
    const name = `${isSecure ? 'https' : 'http'}://${place.hostname}:${port}`
    const origin = origins.get(name) ?? new Origin(bareHost(place.hostname ?? ''), port, isSecure)
    origins.set(name, origin)
    if (places.size >= maxAddresses) places.clear()
    const made = { origin, path: place.path ?? '/', headers: ownHeaders(place) }
    places.set(url, made)
    return made
  }
  const ask = async (request: TransportRequest, limits: Deadlines | undefined): Promise<TransportResponse> => {
    request.signal.throwIfAborted()
    const { origin, path, headers } = placeOf(request.url)
    const connection = origin.taken() ?? (await origin.opened())
    return decoded(await connection.ask(request, limits, path, headers), request, limits)
  }
  const limited =
    (limits: Deadlines): Transport =>
    (request) =>
      ask(request, limits)
  return Object.assign((request: TransportRequest) => ask(request, undefined), { limited })
}

/** Where a call goes. */
interface Place {
  readonly origin: Origin
  readonly path: string
  /** Sent unless the caller has others. */
  readonly headers: Readonly<Record<string, string>>
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function ownHeaders({ hostname, port, auth }: Address['place']): Record<string, string> {
  const host = port === null || port === undefined || port === '' ? `${hostname}` : `${hostname}:${port}`
  const basic = typeof auth === 'string' && auth !== '' ? Buffer.from(auth).toString('base64') : undefined
  return { host, 'accept-encoding': 'identity', ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }) }
}

/** One server and the connections to it that nobody uses now, the last used first. */
class Origin {
  readonly #free: Connection[] = []
  readonly #host: string
  readonly #port: number
  readonly #isSecure: boolean
  #session: Buffer | undefined
  #sweeping: ReturnType<typeof setTimeout> | undefined

  constructor(host: string, port: number, isSecure: boolean) {
    this.#host = host
    this.#port = port
    this.#isSecure = isSecure
  }

  taken(): Connection | undefined {
    for (let next = this.#free.pop(); next !== undefined; next = this.#free.pop()) if (next.isUsable()) return next
    return undefined
  }

  async opened(): Promise<Connection> {
    const socket = this.#isSecure
      ? await this.#secure()
      : connect({ host: this.#host, port: this.#port, ...socketOptions })
    return new Connection(socket, this)
  }

  /** Of too many the oldest is closed; all are when nobody took them for a while. */
  keep(connection: Connection): void {
    this.#free.push(connection)
    if (this.#free.length > maxFree) this.#free.shift()?.close()
    this.#sweeping ??= setTimeout(() => this.#sweep(), idleMs).unref()
  }

  #sweep(): void {
    this.#sweeping = undefined
    const old = this.#free.filter((connection) => !connection.isUsable())
    for (const connection of old) connection.close()
    if (this.#free.length > old.length) this.#sweeping = setTimeout(() => this.#sweep(), idleMs).unref()
  }

  drop(connection: Connection): void {
    const index = this.#free.indexOf(connection)
    if (index >= 0) this.#free.splice(index, 1)
  }

  async #secure(): Promise<TLSSocket> {
    const { connect: connectSecurely } = await import('node:tls')
    const socket = connectSecurely({
      host: this.#host,
      port: this.#port,
      servername: /^[\d.]+$|:/.test(this.#host) ? '' : this.#host,
      ALPNProtocols: ['http/1.1'],
      ...socketOptions,
      ...(this.#session === undefined ? {} : { session: this.#session }),
    })
    return socket.on('session', (session: Buffer) => {
      this.#session = session
    })
  }
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000 } as const

/** A connection; at most one call is on it at a time. */
class Connection implements Line {
  readonly #socket: Socket
  readonly #origin: Origin
  #call: UpstreamCall | undefined
  #usableUntil = 0

  constructor(socket: Socket, origin: Origin) {
    this.#socket = socket
    this.#origin = origin
    socket.on('data', (bytes: Buffer) => {
      if (this.#call === undefined) this.close()
      else this.#call.take(bytes)
    })
    socket.on('end', () => this.#call?.ended())
    socket.on('error', (error) => this.#call?.failed(error))
    socket.on('close', () => {
      this.#origin.drop(this)
      this.#call?.failed(undefined)
    })
  }

  isUsable(): boolean {
    return this.#socket.writable && performance.now() < this.#usableUntil
  }

  ask(
    request: TransportRequest,
    limits: Deadlines | undefined,
    path: string,
    own: Readonly<Record<string, string>>,
  ): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const call = new UpstreamCall(this, request, limits, resolve, reject)
      this.#call = call
      if (limits !== undefined) watch.add(call, limits)
      try {
        request.signal.throwIfAborted()
        this.#write(request, path, own)
      } catch (error) {
        this.close()
        call.failed(error)
      }
    })
  }

  #write({ method, headers, body }: TransportRequest, path: string, own: Readonly<Record<string, string>>): void {
    const pieces = body === undefined ? [] : bodyPieces(body)
    let length = 0
    const encodings = pieces.map((piece): BufferEncoding => {
      const bytes = Buffer.byteLength(piece)
      length += bytes
      return bytes === piece.length ? 'latin1' : 'utf8' // plain ASCII is copied, not encoded
    })
    const head = writeHead(method, path, { ...own, ...headers, 'content-length': String(length) })
    const socket = this.#socket
    socket.ref()
    socket.cork() // head and pieces leave in one write
    socket.write(head, 'latin1')
    for (const [index, piece] of pieces.entries()) socket.write(piece, encodings[index])
    socket.uncork()
  }

  settled(call: UpstreamCall): void {
    watch.drop(call)
  }

  hold(): void {
    this.#socket.pause()
  }

  goOn(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#call = undefined
    this.#socket.destroy()
  }

  free(keepMs: number): void {
    this.#call = undefined
    if (keepMs <= 0 || this.#socket.writableLength > 0) {
      this.#socket.destroy()
      return
    }
    this.#usableUntil = performance.now() + Math.min(keepMs, idleMs)
    this.#socket.unref()
    this.#origin.keep(this)
  }
}

/** The calls on their way, looked at by one timer for their times. */
class Watch {
  readonly #calls = new Set<UpstreamCall>()
  #timer: ReturnType<typeof setInterval> | undefined
  #everyMs = Number.POSITIVE_INFINITY

  add(call: UpstreamCall, { headersTimeoutMs, idleTimeoutMs, timeoutMs }: Deadlines): void {
    this.#calls.add(call)
    const everyMs = Math.min(1_000, Math.max(5, Math.min(headersTimeoutMs, idleTimeoutMs, timeoutMs) / 8))
    if (everyMs >= this.#everyMs) return
    clearInterval(this.#timer)
    this.#everyMs = everyMs
    this.#timer = setInterval(() => this.#look(), everyMs).unref()
  }

  drop(call: UpstreamCall): void {
    this.#calls.delete(call)
  }

  #look(): void {
    const now = performance.now()
    for (const call of this.#calls) call.check(now)
    if (this.#calls.size > 0) return
    clearInterval(this.#timer)
    this.#everyMs = Number.POSITIVE_INFINITY
  }
}

const watch = new Watch()

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

// The gateway's way to its providers: undici's client, one for each connection, at less cost per call than Node's.
// The trap: a client connects again after an aborted call, so one whose call did not end well is thrown away.
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { buildConnector, Client } from 'undici'
import { type Deadlines, defaultDeadlines, oversized } from '../transport/deadlines.js'
import { headerList } from '../transport/header-list.js'
import { networkError } from '../transport/network-error.js'
import { readAddress } from '../transport/node.js'
import { decodersFor, decodeThrough } from '../transport/node-decoding.js'
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.js'
import { filled, giveBack } from './gateway-outbox.js'
import { type Line, UpstreamCall } from './gateway-upstream-call.js'

export interface Upstream {
  readonly transport: Transport
  /** Closes all connections; calls on their way fail. */
  close(): Promise<void>
}

const idleMs = 30_000
const maxAddresses = 256
/** The times of undici are off: the deadlines of a call are the only ones, and they cover connecting too. */
const options = {
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  keepAliveTimeoutThreshold: 1_000, // a call sent as the server closes would fail
  maxHeaderSize: 64 * 1024,
}
/** Ends an attempt to connect that nobody may be waiting for any more. */
const connectTimeoutMs = 10_000

/** A transport with connections of its own, as many at once as there are calls. */
export async function openUpstream(): Promise<Upstream> {
  const undici = await import('undici')
  const connect = undici.buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  const open = (origin: string, valve: Valve): Client => {
    const throughValve: buildConnector.connector = (place, done) =>
      connect(place, (...made) => {
        if (made[0] === null) valve.fit(made[1])
        done(...made)
      })
    return new undici.Client(origin, { ...options, connect: throughValve })
  }
  const origins = new Map<string, Origin>()
  const places = new Map<string, Place>()
  const placeOf = (url: string): Place => {
    const known = places.get(url)
    if (known !== undefined) return known
    if (places.size >= maxAddresses) places.clear()
    const made = readPlace(url)
    places.set(url, made)
    return made
  }
  const originOf = (name: string): Origin => {
    const known = origins.get(name) ?? new Origin((valve) => open(name, valve))
    origins.set(name, known)
    return known
  }
  const ask = (request: TransportRequest, limits: Deadlines | undefined): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      request.signal.throwIfAborted()
      const { origin, path, headers: own } = placeOf(request.url)
      const { method, body } = request
      const headers = headerList(request.headers, own)
      const { client, line } = originOf(origin).take()
      const bytes = body === undefined ? null : filled(body)
      const answer = (response: TransportResponse): void => {
        if (bytes !== null && line.isSent()) giveBack(bytes)
        try {
          resolve(decoded(response, request, limits))
        } catch (error) {
          reject(error)
          void call.return()
        }
      }
      const call = new UpstreamCall(line, request, limits, answer, reject)
      client.dispatch({ path, method, headers, body: bytes }, call)
    })
  const limited =
    (limits: Deadlines): Transport =>
    (request) =>
      ask(request, limits)
  const transport = Object.assign((request: TransportRequest) => ask(request, undefined), { limited })
  return {
    transport,
    async close() {
      await Promise.all([...origins.values()].map((origin) => origin.close()))
    },
  }
}

/**
 * Holds back the bytes of a connection before undici gets them. Its own way, to let its parser rest, must not be used: when the
 * server closes the connection meanwhile, an assertion fails and ends the process.
 */
class Valve {
  #socket: Socket | undefined
  #isShut = false
  #isBroken = false

  /** The socket has a connection of its own each time. */
  fit(socket: Socket): void {
    this.#socket = socket
    this.#isShut = false
    this.#isBroken = false
    socket.once('error', () => {
      this.#isBroken = true
    })
    const read = socket.read.bind(socket)
    socket.read = (size) => (this.#isShut ? null : read(size))
  }

  shut(): void {
    this.#isShut = true
  }

  open(): void {
    if (!this.#isShut) return
    this.#isShut = false
    this.#socket?.emit('readable')
  }

  isBroken(): boolean {
    return this.#isBroken
  }

  /** Nothing that was written waits to be sent. */
  isSent(): boolean {
    return this.#socket?.writableLength === 0
  }

  /** Open for the next call; what was read for this one is read. */
  reset(): void {
    this.#isShut = false
  }
}

/** A client and what its call says of it. */
interface Connection {
  readonly client: Client
  readonly line: Line
}

/** One server with the connections to it. */
class Origin {
  readonly #open: (valve: Valve) => Client
  readonly #all = new Set<Client>()
  /** Those that no call has, the last used at the end. */
  readonly #free: Connection[] = []

  constructor(open: (valve: Valve) => Client) {
    this.#open = open
  }

  take(): Connection {
    return this.#free.pop() ?? this.#made()
  }

  #made(): Connection {
    const valve = new Valve()
    const client = this.#open(valve)
    const drop = (): void => {
      this.#all.delete(client)
      client.destroy(() => {})
    }
    const free = (): void => {
      valve.reset()
      this.#free.push(made)
    }
    const line: Line = {
      free,
      hold: () => valve.shut(),
      goOn: () => valve.open(),
      isBroken: () => valve.isBroken(),
      isSent: () => valve.isSent(),
      close: drop,
    }
    const made: Connection = { client, line }
    this.#all.add(client)
    // Idle for too long, or closed by the server. One that a call has by now connects again.
    client.on('disconnect', () => {
      const index = this.#free.indexOf(made)
      if (index < 0) return
      this.#free.splice(index, 1)
      drop()
    })
    return made
  }

  async close(): Promise<void> {
    this.#free.length = 0
    await Promise.all([...this.#all].map((client) => client.destroy()))
  }
}

/** Where a call goes. */
interface Place {
  readonly origin: string
  readonly path: string
  /** Sent unless the caller has others. */
  readonly headers: Readonly<Record<string, string>>
}

function readPlace(url: string): Place {
  const { place, headers } = readAddress(url)
  return { origin: new URL(url).origin, path: place.path ?? '/', headers }
}

/** The answer with its body uncoded, for servers that code it although nobody asked. */
function decoded(
  answer: TransportResponse,
  { signal, url }: TransportRequest,
  limits: Deadlines | undefined,
): TransportResponse {
  const maxBytes = limits?.maxBodyBytes ?? defaultDeadlines.maxBodyBytes
  const decoders = decodersFor(answer.headers['content-encoding'], maxBytes)
  if (decoders === undefined) return answer
  const source = Readable.from(answer.body)
  return { ...answer, body: uncoded(source, decodeThrough(source, decoders), signal, url, limits) }
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

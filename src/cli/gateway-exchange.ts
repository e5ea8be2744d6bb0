// One exchange on Node's own HTTP: the request as the gateway wants it, the answer written at the client's pace.
// The trap: a client that leaves must end the call upstream at once, and one that does not read must hold it back.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ToolwireError } from '../errors/error.js'
import { type Answer, type Arrival, type Handler, isWhole, type Piece, type Pieces } from '../gateway/arrival.js'
import { refused, tooSlow, writeFailure } from '../gateway/failure.js'
import { headerList } from '../transport/header-list.js'
import { unwatched, watch } from '../transport/node-watch.js'
import { takeFrom } from '../transport/told.js'
import { routeOf } from '../wire/routes.js'
import { type Connection, connectionOf } from './gateway-connection.js'
import { Pace, takeTurn } from './gateway-pace.js'

/** Rejects when the answer broke off; the connection has to be cut then. */
export async function serveExchange(
  handle: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const connection = connectionOf(incoming.socket)
  const signal = connection.begin()
  try {
    const { status, headers, body } = await answerTo(handle, incoming, connection, signal)
    if (signal.aborted) {
      if (!isWhole(body)) await body.return()
      return
    }
    if (isWhole(body)) await writeWhole(outgoing, incoming, status, headers, body)
    else await writePieces(outgoing, status, headers, body)
  } finally {
    connection.end()
  }
}

const unreadable: Answer = { status: 400, headers: {}, body: '' }
const maxHeaderLines = 100

async function answerTo(
  handle: Handler,
  incoming: IncomingMessage,
  connection: Connection,
  signal: AbortSignal,
): Promise<Answer> {
  if (incoming.rawHeaders.length > 2 * maxHeaderLines) return tooManyHeaders(incoming)
  const arrival = arrivalOf(incoming, connection, signal)
  return arrival === undefined ? unreadable : handle(arrival)
}

function tooManyHeaders({ method = '', url = '', rawHeaders }: IncomingMessage): Answer {
  const message = `the request has ${rawHeaders.length / 2} header lines; at most ${maxHeaderLines} are accepted`
  return writeFailure(refused(431, 'invalid_request', message), routeOf(method, url).wire)
}

/** Nothing when the address cannot be read. */
function arrivalOf(incoming: IncomingMessage, connection: Connection, signal: AbortSignal): Arrival | undefined {
  const { method = '', url = '' } = incoming
  const place = placeOf(url)
  if (place === undefined) return undefined
  const headers = incoming.headers as Arrival['headers'] // `set-cookie`, the only list, is nothing that a client says
  const { path, query } = place
  const read: Arrival['read'] = (take, timeoutMs) =>
    new Promise((resolve, reject) => new Reading(incoming, connection, timeoutMs, resolve, reject).begin(take))
  return { method, path, query, headers, read, signal }
}

/** Plain addresses are taken as they are; dot segments and the like are for the platform to resolve. */
function placeOf(url: string): Pick<Arrival, 'path' | 'query'> | undefined {
  if (/^(?:\/[\w:-][\w:.-]*)+$/.test(url)) return { path: url, query: '' }
  const whole = url.startsWith('/') ? `http://localhost${url}` : url
  if (!URL.canParse(whole)) return undefined
  const { protocol, pathname, search } = new URL(whole)
  return protocol === 'http:' || protocol === 'https:' ? { path: pathname, query: search } : undefined
}

/** A body on its way. What comes after its end, whatever that is, is let go. */
class Reading {
  watchedAt: number = unwatched
  readonly #incoming: IncomingMessage
  readonly #connection: Connection
  readonly #timeoutMs: number
  readonly #startedAt = performance.now()
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void

  constructor(
    incoming: IncomingMessage,
    connection: Connection,
    timeoutMs: number,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#incoming = incoming
    this.#connection = connection
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(take: (piece: Uint8Array) => void): void {
    const incoming = this.#incoming
    watch.add(this, this.#timeoutMs)
    this.#connection.reading = this
    incoming.on('data', (piece: Uint8Array) => {
      if (this.watchedAt === unwatched) return
      try {
        take(piece)
      } catch (error) {
        this.fail(error)
      }
    })
    incoming.on('end', () => {
      this.#settle()
      this.#resolve()
    })
    incoming.on('error', () => {}) // told by 'close'
    incoming.on('close', () => {
      if (incoming.readableEnded) return
      this.fail(new ToolwireError('aborted', 'the client left before its request was whole'))
    })
  }

  check(now: number): void {
    if (now - this.#startedAt >= this.#timeoutMs) this.fail(tooSlow(this.#timeoutMs))
  }

  fail(error: unknown): void {
    this.#settle()
    this.#reject(error)
  }

  #settle(): void {
    watch.drop(this)
    if (this.#connection.reading === this) this.#connection.reading = undefined
  }
}

async function writeWhole(
  outgoing: ServerResponse,
  incoming: IncomingMessage,
  status: number,
  headers: Answer['headers'],
  body: Piece,
): Promise<void> {
  takeTurn(outgoing, performance.now())
  const head = headerList(headers)
  if (status !== 204) head.push('content-length', String(Buffer.byteLength(body)))
  if (incoming.complete) {
    outgoing.writeHead(status, head)
    outgoing.end(body)
    return
  }
  // Closing on a client that still sends would take the answer from it: what it sends is thrown away for a while.
  outgoing.shouldKeepAlive = false
  outgoing.writeHead(status, head)
  outgoing.write(body)
  await lingered(incoming)
  outgoing.end()
}

const lingerMs = 500

function lingered(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs)
    incoming.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    incoming.resume()
  })
}

async function writePieces(
  outgoing: ServerResponse,
  status: number,
  headers: Answer['headers'],
  pieces: Pieces,
): Promise<void> {
  let wake = (): void => {}
  outgoing.on('drain', () => wake())
  outgoing.on('close', () => {
    wake()
    if (!outgoing.writableFinished) pieces.return().catch(() => {}) // the call upstream was aborted
  })
  outgoing.writeHead(status, headerList(headers))
  const write = turnwise(outgoing)
  const pace = new Pace()
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      if (outgoing.destroyed) return
      const piece = takeFrom(next)
      const restMs = pace.restMs(piece.length, performance.now())
      if (!write(piece)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (restMs > 0) await wait(restMs)
    }
    outgoing.end()
  } finally {
    pace.end()
  }
}

/**
 * The first piece leaves at once, with the head: somebody waits for it. What is written then in one turn of the loop leaves
 * together at its end, the last piece with the end.
 * The socket is held, not the answer: Node forgets to tell that an answer held back has drained.
 */
function turnwise(outgoing: ServerResponse): (piece: Piece) => boolean {
  let isHeld = false
  let isBegun = false
  const letGo = (socket: Socket): void => {
    if (!isHeld) return
    isHeld = false
    if (outgoing.writableEnded || outgoing.socket !== socket) return // the end lets everything go
    if (!isBegun) outgoing.flushHeaders()
    socket.uncork()
  }
  const hold = (): void => {
    const { socket } = outgoing
    if (isHeld || socket === null) return
    isHeld = true
    socket.cork()
    setImmediate(letGo, socket)
  }
  hold()
  return (piece) => {
    hold()
    const goesOn = outgoing.write(piece)
    const { socket } = outgoing
    if (!isBegun && socket !== null) {
      isBegun = true
      letGo(socket)
    }
    return goesOn
  }
}

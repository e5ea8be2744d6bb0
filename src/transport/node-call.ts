// One call over node:http: the head of the answer, then its body, pulled piece by piece by who reads it.
// The traps: Node's own async iterator of a stream costs more than reading it, and once an answer is whole its connection may be
// another call's, so that nothing that happens here may reach it then.
import type { ClientRequest, IncomingMessage, RequestOptions, request } from 'node:http'
import type { Readable } from 'node:stream'
import { onOwnAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import { type Deadlines, defaultDeadlines, oversized } from './deadlines.js'
import { networkError, placeOf } from './network-error.js'
import { joinChunks } from './node-chunks.js'
import { decodersFor, decodeThrough } from './node-decoding.js'
import { overdue, shortestOf, unwatched, watch } from './node-watch.js'
import { Told } from './told.js'
import { neverAborted, type TransportRequest, type TransportResponse } from './transport.js'

type Next = IteratorResult<Uint8Array, undefined>
const over: Next = { done: true, value: undefined }

/**
 * The body of the answer is the call itself: decoded pieces, what waits as one. Nothing is read before it is asked for, or once
 * the reader has left.
 */
export class NodeCall implements AsyncIterableIterator<Uint8Array> {
  watchedAt: number = unwatched
  readonly #url: string
  readonly #signal: AbortSignal
  readonly #limits: Deadlines | undefined
  readonly #startedAt: number
  #outgoing: ClientRequest | undefined
  #incoming: IncomingMessage | undefined
  /** The answer, decoded. */
  #source: Readable | undefined
  #state: 'unread' | 'open' | 'ended' | 'left' = 'unread'
  #failure: { readonly error: unknown } | undefined
  #bytes = 0
  #wantedAt: number | undefined
  #wanted: { resolve(next: Next): void; reject(error: unknown): void } | undefined
  #forgetSignal: (() => void) | undefined

  constructor({ url, signal }: TransportRequest, limits: Deadlines | undefined) {
    this.#url = url
    this.#signal = signal
    this.#limits = limits
    this.#startedAt = limits === undefined ? 0 : performance.now()
  }

  /** Sends the request. Once there is an answer, its body tells of what goes wrong. */
  send(
    open: typeof request,
    options: RequestOptions,
    pieces: readonly (string | Uint8Array)[],
  ): Promise<TransportResponse> {
    const answer = this.#open(open, options)
    if (this.#outgoing !== undefined) write(this.#outgoing, pieces)
    return answer
  }

  /** Apart from what is sent: what listens here lives as long as the answer, and would keep it. */
  #open(open: typeof request, options: RequestOptions): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => {
        if (this.#incoming === undefined) reject(networkError(this.#failure?.error ?? error, this.#signal, this.#url))
      }
      let outgoing: ClientRequest
      try {
        outgoing = open(options, (incoming) => {
          try {
            resolve(this.#answered(incoming))
          } catch (error) {
            reject(error)
            incoming.destroy() // its coding is not known
          }
        })
      } catch (error) {
        refuse(error)
        return
      }
      this.#outgoing = outgoing
      outgoing.on('error', refuse)
      outgoing.on('close', () => this.#forget())
      if (this.#signal !== neverAborted) this.#forgetSignal = onOwnAbort(this.#signal, () => this.#stop())
      if (this.#limits !== undefined) watch.add(this, shortestOf(this.#limits))
    })
  }

  #answered(incoming: IncomingMessage): TransportResponse {
    if (incoming.headers['transfer-encoding'] === 'chunked') joinChunks(incoming.socket)
    const source = decodedFrom(incoming, this.#limits)
    this.#incoming = incoming
    this.#source = source
    // Listened to before there is a reader: the call may be aborted by then.
    source.on('error', (error) => {
      this.#failure ??= { error }
      if (this.#state === 'open') this.#end()
    })
    return { status: incoming.statusCode ?? 0, headers: headersOf(incoming), body: this }
  }

  /** Fails the call when one of its times is over. */
  check(now: number): void {
    if (this.#limits === undefined) return
    const wantedAt = this.#wanted === undefined ? undefined : this.#wantedAt
    const progress = { startedAt: this.#startedAt, hasHead: this.#incoming !== undefined, wantedAt }
    const error = overdue(progress, this.#limits, now)
    if (error === undefined) return
    this.#failure ??= { error }
    this.#stop()
  }

  #stop(): void {
    if (this.#incoming?.complete === true) this.#incoming.destroy()
    else this.#outgoing?.destroy(new DOMException('The operation was aborted', 'AbortError'))
  }

  #forget(): void {
    this.#forgetSignal?.()
    watch.drop(this)
  }

  next(): Promise<Next> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'unread') this.#listen()
      this.#wanted = { resolve, reject }
      this.#rouse()
      if (this.#wanted !== undefined && this.#limits !== undefined) this.#wantedAt = performance.now()
    })
  }

  #listen(): void {
    const source = this.#source
    if (source === undefined) return
    this.#state = source.readableEnded || source.destroyed ? 'ended' : 'open'
    const end = (): void => this.#end()
    source.on('readable', () => this.#rouse())
    source.on('end', end)
    source.on('close', end)
  }

  #end(): void {
    if (this.#state !== 'left') this.#state = 'ended'
    this.#rouse()
  }

  /** Answers the reader who waits, if there is something to answer. */
  #rouse(): void {
    const wanted = this.#wanted
    if (wanted === undefined) return
    try {
      const next = this.#take()
      if (next === undefined) return
      this.#wanted = undefined
      wanted.resolve(next)
    } catch (error) {
      this.#wanted = undefined
      wanted.reject(error)
    }
  }

  #take(): Next | undefined {
    if (this.#state === 'left') return over
    const source = this.#source
    const piece = source === undefined || source.destroyed ? null : (source.read() as Uint8Array | null)
    if (piece === null) return this.#state === 'ended' ? this.#finish() : undefined
    this.#bytes += piece.length
    if (this.#limits === undefined || this.#bytes <= this.#limits.maxBodyBytes) return new Told(piece)
    this.#leave()
    throw oversized(this.#limits)
  }

  #finish(): Next {
    const cut = this.#incoming?.complete === true ? undefined : cutOff(this.#url)
    const error = this.#failure?.error ?? this.#source?.errored ?? cut
    this.#leave()
    if (error !== undefined) throw networkError(error, this.#signal, this.#url)
    return over
  }

  async return(): Promise<Next> {
    if (this.#state !== 'left') this.#leave()
    this.#rouse()
    return over
  }

  #leave(): void {
    this.#state = 'left'
    if (this.#source !== this.#incoming) this.#source?.destroy()
    this.#incoming?.destroy() // a no-op once the answer was read to its end; the socket is back in the pool then
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** Head and pieces leave in one write. */
function write(outgoing: ClientRequest, pieces: readonly (string | Uint8Array)[]): void {
  const last = pieces.length - 1
  if (last > 0) outgoing.cork()
  for (let index = 0; index < last; index += 1) outgoing.write(pieces[index])
  outgoing.end(pieces[last])
}

export function cutOff(url: string): ToolwireError {
  return new ToolwireError('network', `the connection to ${placeOf(url)} closed inside the answer`)
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const cookies = headers['set-cookie'] // the only one that is a list
  return (cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }) as Record<string, string>
}

function decodedFrom(incoming: IncomingMessage, limits: Deadlines | undefined): Readable {
  const encoding = incoming.headers['content-encoding']
  const decoders =
    encoding === undefined ? undefined : decodersFor(encoding, limits?.maxBodyBytes ?? defaultDeadlines.maxBodyBytes)
  return decoders === undefined ? incoming : decodeThrough(incoming, decoders)
}

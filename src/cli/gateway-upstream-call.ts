// One call to a provider as undici drives it: the head of the answer, then its body, pulled by who reads it.
// The trap: once the answer is whole its connection is another call's; nothing that happens here may reach it then.
import type { Dispatcher } from 'undici'
import { ToolwireError } from '../errors/error.js'
import { type Deadlines, oversized } from '../transport/deadlines.js'
import { causeCode, networkError, placeOf } from '../transport/network-error.js'
import { cutOff } from '../transport/node-call.js'
import { overdue, shortestOf, unwatched, watch } from '../transport/node-watch.js'
import { Told } from '../transport/told.js'
import type { TransportRequest, TransportResponse } from '../transport/transport.js'

/** The connection as its call sees it. */
export interface Line {
  /** The answer was whole: another call may have it. */
  free(): void
  /** Reads nothing more for now. */
  hold(): void
  /** Reads on. */
  goOn(): void
  /** An error ended it. */
  isBroken(): boolean
  /** The request has left this process to its last byte. */
  isSent(): boolean
  /** At once, whatever is on its way. */
  close(): void
}

/** What may wait for its reader before the provider is held back. */
const maxWaitingBytes = 64 * 1024

type Controller = Dispatcher.DispatchController
type Next = IteratorResult<Uint8Array, undefined>
const over: Next = { done: true, value: undefined }

/** The body of the answer is the call itself. */
export class UpstreamCall implements AsyncIterableIterator<Uint8Array>, Dispatcher.DispatchHandler {
  watchedAt: number = unwatched
  readonly #line: Line
  readonly #url: string
  readonly #signal: AbortSignal
  readonly #limits: Deadlines | undefined
  readonly #startedAt = performance.now()
  readonly #answer: (response: TransportResponse) => void
  readonly #refuse: (error: unknown) => void
  readonly #abort = (): void => this.#fail(undefined)
  #hasHead = false
  /** The next piece is the first of an answer without a length, which may go on for long. */
  #isBeginning = false
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #state: 'open' | 'whole' | 'failed' | 'left' = 'open'
  #failure: unknown
  #takenBytes = 0
  #wantedAt = 0
  #wanted: { resolve(next: Next | Promise<Next>): void; reject(error: unknown): void } | undefined

  constructor(
    line: Line,
    { url, signal }: TransportRequest,
    limits: Deadlines | undefined,
    answer: (response: TransportResponse) => void,
    refuse: (error: unknown) => void,
  ) {
    this.#line = line
    this.#url = url
    this.#signal = signal
    this.#limits = limits
    this.#answer = answer
    this.#refuse = refuse
    signal.addEventListener('abort', this.#abort, { once: true })
    if (limits !== undefined) watch.add(this, shortestOf(limits))
  }

  /** By this undici knows which of its two forms a handler has. */
  onRequestStart(): void {}

  onResponseStart(
    _: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return
    this.#hasHead = true
    this.#isBeginning = headers['content-length'] === undefined
    this.#answer({ status, headers: joined(headers), body: this })
  }

  onResponseData(controller: Controller, piece: Uint8Array): void {
    if (this.#isBeginning) aheadOfOthers(controller)
    this.#isBeginning = false
    this.#waiting.push(piece)
    this.#waitingBytes += piece.length
    if (this.#waitingBytes > maxWaitingBytes) this.#line.hold()
    if (this.#wanted !== undefined && this.#waiting.length === 1) queueMicrotask(this.#deliver)
  }

  onResponseEnd(): void {
    if (this.#line.isBroken()) {
      this.#fail(undefined) // undici takes it for the end of an answer without a length
      return
    }
    this.#settle('whole')
    this.#line.free()
    if (this.#waiting.length === 0) this.#wanted?.resolve(over)
  }

  onResponseError(_: Controller, error: Error): void {
    this.#fail(error)
  }

  #fail(error: Error | undefined): void {
    if (this.#state !== 'open') return
    this.#failure = networkError(readable(error, this.#url), this.#signal, this.#url)
    this.#settle('failed')
    this.#refuse(this.#failure)
    if (this.#waiting.length === 0) this.#wanted?.reject(this.#failure)
    this.#line.close()
  }

  /** Fails the call when one of its times is over. */
  check(now: number): void {
    if (this.#limits === undefined) return
    const wantedAt = this.#wanted === undefined ? undefined : this.#wantedAt
    const error = overdue({ startedAt: this.#startedAt, hasHead: this.#hasHead, wantedAt }, this.#limits, now)
    if (error !== undefined) this.#fail(error)
  }

  #settle(state: 'whole' | 'failed' | 'left'): void {
    this.#state = state
    watch.drop(this)
    this.#signal.removeEventListener('abort', this.#abort)
  }

  next(): Promise<Next> {
    const signal = this.#signal
    if (this.#waiting.length > 0) return signal.aborted ? Promise.reject(signal.reason) : this.#counted(this.#taken())
    if (this.#state === 'failed') return Promise.reject(this.#failure)
    if (this.#state !== 'open') return Promise.resolve(over)
    this.#wantedAt = performance.now()
    return new Promise<Next>((resolve, reject) => {
      this.#wanted = { resolve, reject }
    })
  }

  /** Gives who wants it what has come meanwhile: all that was read at once. */
  readonly #deliver = (): void => {
    const wanted = this.#wanted
    if (wanted === undefined || this.#waiting.length === 0) return
    this.#wanted = undefined
    wanted.resolve(this.#counted(this.#taken()))
  }

  /** All that waits, as one. */
  #taken(): Uint8Array {
    const pieces = this.#waiting
    const [only] = pieces
    this.#waiting = []
    this.#waitingBytes = 0
    this.#line.goOn()
    return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
  }

  #counted(piece: Uint8Array): Promise<Next> {
    this.#takenBytes += piece.length
    if (this.#limits === undefined || this.#takenBytes <= this.#limits.maxBodyBytes)
      return Promise.resolve(new Told(piece))
    this.#leave()
    return Promise.reject(oversized(this.#limits))
  }

  return(): Promise<Next> {
    this.#leave()
    return Promise.resolve(over)
  }

  #leave(): void {
    const isOpen = this.#state === 'open'
    this.#settle('left')
    this.#waiting = []
    this.#wanted?.resolve(over)
    if (isOpen) this.#line.close()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/**
 * Somebody waits for the first piece: it goes its way before the rest is taken apart. Parsing goes on within the same turn of the
 * loop, whatever became of the piece: undici fails an assertion when a server closes the connection while it rests.
 */
function aheadOfOthers(controller: Controller): void {
  controller.pause()
  queueMicrotask(() => process.nextTick(() => controller.resume()))
}

type Headers = Readonly<Record<string, string>>

/** Several values of one name are joined by commas. */
function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  if (Object.values(headers).every((value) => typeof value === 'string')) return headers as Headers
  const known: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) known[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return known
}

/** An error of undici says more by its message than by its code; without one, or with one of the socket, it closed. */
function readable(error: Error | undefined, url: string): unknown {
  const code = causeCode(error)
  if (error === undefined || code === 'UND_ERR_SOCKET') return cutOff(url)
  if (code === undefined || !/^(?:UND_ERR|HPE)_/.test(code)) return error
  return new ToolwireError('network', `the connection to ${placeOf(url)} failed: ${error.message}`, { cause: error })
}

// One call on a connection to a provider: its answer as the bytes come, pulled by who reads it.
// The trap: once the answer is whole the connection is another call's; an abort must not reach it then.
import { ToolwireError } from '../errors/error.js'
import { type Deadlines, lateness, oversized, timedOut } from '../transport/deadlines.js'
import { networkError } from '../transport/network-error.js'
import { cutOff } from '../transport/node-body.js'
import type { TransportRequest, TransportResponse } from '../transport/transport.js'
import { type AnswerHead, type BodyReader, bodyReader, readHead } from './gateway-http1.js'

/** The connection as its call sees it. */
export interface Line {
  /** No more bytes, until it may go on. */
  hold(): void
  goOn(): void
  close(): void
  /** Nothing more is waited for. */
  settled(call: UpstreamCall): void
  /** The answer was whole: another call may have it for so long. */
  free(keepMs: number): void
}

const maxHeadBytes = 64 * 1024
/** What may wait for its reader before the provider is held back. */
const maxWaitingBytes = 64 * 1024
const usualKeepMs = 30_000

type Next = IteratorResult<Uint8Array, undefined>
const over: Next = { done: true, value: undefined }

/** The body of the answer is the call itself. */
export class UpstreamCall implements AsyncIterableIterator<Uint8Array> {
  readonly #line: Line
  readonly #request: TransportRequest
  readonly #limits: Deadlines | undefined
  readonly #startedAt = performance.now()
  readonly #answer: (response: TransportResponse) => void
  readonly #refuse: (error: unknown) => void
  readonly #abort = (): void => {
    this.#line.close()
    this.failed(undefined)
  }
  #head: AnswerHead | undefined
  #reader: BodyReader | undefined
  /** The beginning of a head that is not whole. */
  #begun: Buffer | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isHeld = false
  #state: 'open' | 'whole' | 'failed' | 'left' = 'open'
  #failure: unknown
  #takenBytes = 0
  #wantedAt = 0
  #wanted: { resolve(next: Next | Promise<Next>): void; reject(error: unknown): void } | undefined

  constructor(
    line: Line,
    request: TransportRequest,
    limits: Deadlines | undefined,
    answer: (response: TransportResponse) => void,
    refuse: (error: unknown) => void,
  ) {
    this.#line = line
    this.#request = request
    this.#limits = limits
    this.#answer = answer
    this.#refuse = refuse
    request.signal.addEventListener('abort', this.#abort, { once: true })
  }

  take(bytes: Buffer): void {
    try {
      if (this.#reader === undefined) this.#takeHead(bytes)
      else this.#takeBody(bytes, 0, this.#reader)
    } catch (error) {
      this.#line.close()
      this.failed(error)
    }
  }

  #takeHead(bytes: Buffer): void {
    const all = this.#begun === undefined ? bytes : Buffer.concat([this.#begun, bytes])
    const end = all.indexOf('\r\n\r\n')
    if (end > maxHeadBytes || (end < 0 && all.length > maxHeadBytes))
      throw new ToolwireError('network', `the head of the answer is larger than ${maxHeadBytes} bytes`)
    this.#begun = end < 0 ? all : undefined
    if (end < 0) return
    const head = readHead(all.toString('latin1', 0, end), this.#request.method)
    const past = end + 4
    if (head.status < 200) {
      if (past < all.length) this.#takeHead(all.subarray(past))
      return
    }
    const { status, headers, framing } = head
    this.#head = head
    this.#reader = bodyReader(framing)
    this.#answer({ status, headers, body: this })
    this.#takeBody(all, past, this.#reader)
  }

  #takeBody(bytes: Buffer, start: number, reader: BodyReader): void {
    let at = start
    while (at < bytes.length && !reader.isDone) {
      const { piece, next } = reader.read(bytes, at)
      if (piece.length > 0) this.#give(piece)
      at = next
    }
    if (reader.isDone) this.#whole(at < bytes.length)
    else if (this.#waitingBytes > maxWaitingBytes && !this.#isHeld) {
      this.#isHeld = true
      this.#line.hold()
    }
  }

  #give(piece: Uint8Array): void {
    const wanted = this.#wanted
    if (wanted === undefined) {
      this.#waiting.push(piece)
      this.#waitingBytes += piece.length
      return
    }
    this.#wanted = undefined
    wanted.resolve(this.#counted({ done: false, value: piece }))
  }

  #whole(hasMore: boolean): void {
    this.#settle('whole')
    this.#goOn()
    this.#line.free(hasMore || this.#head?.isPersistent !== true ? 0 : keepMs(this.#head))
    this.#wanted?.resolve(over)
  }

  /** The server has said all it will. */
  ended(): void {
    if (this.#state === 'open' && this.#head?.framing.type === 'until_close') this.#whole(true)
    else this.failed(undefined)
  }

  /** Nothing more comes; without an error the connection closed. */
  failed(error: unknown): void {
    if (this.#state !== 'open') return
    const { signal, url } = this.#request
    this.#failure = networkError(error ?? cutOff(url), signal, url)
    this.#settle('failed')
    this.#refuse(this.#failure)
    this.#wanted?.reject(this.#failure)
  }

  /** Fails the call when one of its times is over. The idle time runs only while the provider is waited for. */
  check(now: number): void {
    const limits = this.#limits
    if (limits === undefined) return
    const isIdle = this.#wanted !== undefined && now - this.#wantedAt >= limits.idleTimeoutMs
    if (now - this.#startedAt >= limits.timeoutMs) this.#late(lateness.whole, limits.timeoutMs)
    else if (this.#head === undefined && now - this.#startedAt >= limits.headersTimeoutMs)
      this.#late(lateness.headers, limits.headersTimeoutMs)
    else if (isIdle) this.#late(lateness.idle, limits.idleTimeoutMs)
  }

  #late(what: string, timeoutMs: number): void {
    this.#line.close()
    this.failed(timedOut(what, timeoutMs))
  }

  #settle(state: 'whole' | 'failed' | 'left'): void {
    this.#state = state
    this.#line.settled(this)
    this.#request.signal.removeEventListener('abort', this.#abort)
  }

  #goOn(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#line.goOn()
  }

  next(): Promise<Next> {
    const { signal } = this.#request
    if (signal.aborted && this.#waiting.length > 0) return Promise.reject(signal.reason)
    const piece = this.#waiting.shift()
    if (piece !== undefined) {
      this.#waitingBytes -= piece.length
      if (this.#waiting.length === 0) this.#goOn()
      return this.#counted({ done: false, value: piece })
    }
    if (this.#state === 'failed') return Promise.reject(this.#failure)
    if (this.#state !== 'open') return Promise.resolve(over)
    this.#wantedAt = performance.now()
    return new Promise<Next>((resolve, reject) => {
      this.#wanted = { resolve, reject }
    })
  }

  #counted(next: Next): Promise<Next> {
    if (next.done !== true) this.#takenBytes += next.value.length
    if (this.#limits === undefined || this.#takenBytes <= this.#limits.maxBodyBytes) return Promise.resolve(next)
    this.#leave()
    return Promise.reject(oversized(this.#limits))
  }

  return(): Promise<Next> {
    this.#leave()
    return Promise.resolve(over)
  }

  #leave(): void {
    if (this.#state === 'open') {
      this.#settle('left')
      this.#line.close()
    }
    this.#state = 'left'
    this.#waiting = []
    this.#wanted?.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** As long as the server says, with some time to spare: a call sent as it closes would fail. */
function keepMs({ headers }: AnswerHead): number {
  const seconds = /(?:^|[\s,;])timeout=(\d+)/.exec(headers['keep-alive'] ?? '')?.[1]
  return seconds === undefined ? usualKeepMs : Number(seconds) * 1000 - 1000
}

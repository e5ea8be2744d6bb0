// Time limits over any transport: until the headers, between two pieces of the body, and in all. Each covers the body too.
import { ToolwireError } from '../errors/error.js'
import { neverAborted, type Transport, type TransportResponse } from './transport.js'
import { overdue, unwatched, watch } from './watch.js'

export interface Deadlines {
  /** Until the headers of the answer; 60,000. */
  readonly headersTimeoutMs: number
  /** Between two pieces of the body; 60,000. */
  readonly idleTimeoutMs: number
  /** The whole call, from connecting to the last byte; 600,000. */
  readonly timeoutMs: number
  /** Decoded bytes of the body; 64 MiB. */
  readonly maxBodyBytes: number
}
export const defaultDeadlines: Deadlines = {
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  timeoutMs: 600_000,
  maxBodyBytes: 64 * 1024 * 1024,
}

/** The transport under these limits. No listener stays when the body was read, left, or failed. */
export function withDeadlines(transport: Transport, limits: Deadlines): Transport {
  if (transport.limited !== undefined) return transport.limited(limits)
  return async (request) => {
    const call = limitedCall(request.signal, limits)
    try {
      const response = await transport({ ...request, signal: call.signal })
      call.waiting(false)
      return { ...response, body: limited(response, call, limits) }
    } catch (error) {
      call.close()
      throw error
    }
  }
}

export function oversized({ maxBodyBytes }: Deadlines): ToolwireError {
  const message = `the answer is larger than ${maxBodyBytes} bytes; raise maxBodyBytes if that is wanted`
  return new ToolwireError('limit_exceeded', message)
}

interface LimitedCall {
  readonly signal: AbortSignal
  /** There is an answer, and its reader waits for the provider or not. */
  waiting(on: boolean): void
  close(): void
}

function limitedCall(outer: AbortSignal, limits: Deadlines): LimitedCall {
  const controller = new AbortController()
  const startedAt = performance.now()
  let hasHead = false
  let wantedAt: number | undefined
  const watched = {
    watchedAt: unwatched,
    check(now: number): void {
      const error = overdue({ startedAt, hasHead, wantedAt }, limits, now)
      if (error !== undefined) controller.abort(error)
    },
  }
  const abort = (): void => controller.abort(outer.reason)
  if (outer.aborted) abort()
  else if (outer !== neverAborted) outer.addEventListener('abort', abort, { once: true })
  watch.add(watched, limits)
  return {
    signal: controller.signal,
    waiting(on) {
      hasHead = true
      wantedAt = on ? performance.now() : undefined
    },
    close() {
      watch.drop(watched)
      if (outer !== neverAborted) outer.removeEventListener('abort', abort)
    },
  }
}

/** The body under its limits, by hand: an async generator between the socket and its reader costs several turns per piece. */
function limited({ body }: TransportResponse, call: LimitedCall, limits: Deadlines): AsyncIterableIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  let bytes = 0
  const taken = (next: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> | Promise<never> => {
    call.waiting(false)
    if (next.done === true) call.close()
    else bytes += next.value.byteLength
    return bytes > limits.maxBodyBytes ? tooLarge() : next
  }
  const failed = (error: unknown): never => {
    call.close()
    throw error
  }
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    call.close()
    await pieces.return?.()
    return { done: true, value: undefined }
  }
  const tooLarge = async (): Promise<never> => {
    await leave()
    throw oversized(limits)
  }
  return {
    next() {
      call.waiting(true)
      return pieces.next().then(taken, failed)
    },
    return: leave,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

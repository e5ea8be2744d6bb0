// Time limits over any transport: until the headers, between two pieces of the body, and in all. Each covers the body too.
import { ToolwireError } from '../errors/error.js'
import { neverAborted, type Transport, type TransportResponse } from './transport.js'

export interface Deadlines {
  /** Until the headers of the answer; a model that is given none has 60,000, or the longer of the two below where it is given those. */
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

/** The transport under these limits. Every timer and listener is gone when the body was read, left, or failed. */
export function withDeadlines(transport: Transport, limits: Deadlines): Transport {
  if (transport.limited !== undefined) return transport.limited(limits)
  return async (request) => {
    const watch = startWatch(request.signal, limits)
    try {
      const response = await transport({ ...request, signal: watch.signal })
      return { ...response, body: limited(response, watch, limits) }
    } catch (error) {
      watch.close()
      throw error
    }
  }
}

/** What did not happen in time. */
const lateness = {
  headersTimeoutMs: 'the provider did not answer',
  idleTimeoutMs: 'the provider sent nothing more',
  timeoutMs: 'the call did not finish',
} as const
type TimeLimit = keyof typeof lateness

export function timedOut(limit: TimeLimit, limits: Deadlines): ToolwireError {
  const timeoutMs = limits[limit]
  const message = `${lateness[limit]} within ${timeoutMs} ms; raise ${limit}`
  return new ToolwireError('timeout', message, { detail: { timeoutMs } })
}

export function oversized({ maxBodyBytes }: Deadlines): ToolwireError {
  const message = `the answer is larger than ${maxBodyBytes} bytes; raise maxBodyBytes if that is wanted`
  return new ToolwireError('limit_exceeded', message)
}

/** A longer delay overflows the platform's timer, which then fires at once. */
const longestTimerMs = 2_147_483_647

interface Wait {
  readonly limit: TimeLimit
  readonly since: number
}

interface Watch {
  readonly signal: AbortSignal
  /** The provider is waited for, or not: only then the idle time runs, so a slow reader is never a silent provider. */
  waiting(on: boolean): void
  close(): void
}

// One timer for all limits: it looks back when it fires, as a timer per stage or per piece would cost more than reading.
function startWatch(outer: AbortSignal, limits: Deadlines): Watch {
  const controller = new AbortController()
  const startedAt = performance.now()
  /** What is waited for now, since when and for how long; nothing while the reader takes its time. */
  let wait: Wait | undefined = { limit: 'headersTimeoutMs', since: startedAt }
  let timer: ReturnType<typeof setTimeout>
  let dueAt = 0
  const fail = (limit: TimeLimit): void => controller.abort(timedOut(limit, limits))
  const check = (): void => {
    const now = performance.now()
    const totalMs = limits.timeoutMs - (now - startedAt)
    const waitMs = wait === undefined ? limits.idleTimeoutMs : limits[wait.limit] - (now - wait.since)
    if (totalMs <= 0) fail('timeoutMs')
    else if (wait !== undefined && waitMs <= 0) fail(wait.limit)
    else schedule(now, Math.min(totalMs, waitMs))
  }
  const schedule = (now: number, ms: number): void => {
    dueAt = now + ms
    timer = setTimeout(check, Math.min(Math.ceil(ms), longestTimerMs))
  }
  const abort = (): void => controller.abort(outer.reason)
  if (outer.aborted) abort()
  else if (outer !== neverAborted) outer.addEventListener('abort', abort, { once: true })
  schedule(startedAt, Math.min(limits.headersTimeoutMs, limits.timeoutMs))
  return {
    signal: controller.signal,
    waiting(on) {
      if (!on) {
        wait = undefined
        return
      }
      const since = performance.now()
      wait = { limit: 'idleTimeoutMs', since }
      if (since + limits.idleTimeoutMs >= dueAt) return
      clearTimeout(timer)
      schedule(since, limits.idleTimeoutMs)
    },
    close() {
      clearTimeout(timer)
      if (outer !== neverAborted) outer.removeEventListener('abort', abort)
    },
  }
}

/** The body under its limits, by hand: an async generator between the socket and its reader costs several turns per piece. */
function limited({ body }: TransportResponse, watch: Watch, limits: Deadlines): AsyncIterableIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  let bytes = 0
  const taken = (next: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> | Promise<never> => {
    watch.waiting(false)
    if (next.done === true) watch.close()
    else bytes += next.value.byteLength
    return bytes > limits.maxBodyBytes ? tooLarge() : next
  }
  const failed = (error: unknown): never => {
    watch.close()
    throw error
  }
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    watch.close()
    await pieces.return?.()
    return { done: true, value: undefined }
  }
  const tooLarge = async (): Promise<never> => {
    await leave()
    throw oversized(limits)
  }
  return {
    next() {
      watch.waiting(true)
      return pieces.next().then(taken, failed)
    },
    return: leave,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

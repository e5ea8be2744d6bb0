// Time limits over any transport: until the headers, between two pieces of the body, and in all. Each covers the body too.
import { ToolwireError } from '../errors/error.js'
import type { Transport, TransportResponse } from './transport.js'

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

/** The transport under these limits. Every timer and listener is gone when the body was read, left, or failed. */
export function withDeadlines(transport: Transport, limits: Deadlines): Transport {
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

interface Watch {
  readonly signal: AbortSignal
  /** The provider is waited for, or not: only then the idle time runs, so a slow reader is never a silent provider. */
  waiting(on: boolean): void
  close(): void
}

function startWatch(outer: AbortSignal, limits: Deadlines): Watch {
  const controller = new AbortController()
  const fail = (what: string, ms: number): void =>
    controller.abort(new ToolwireError('timeout', `${what} within ${ms} ms`, { detail: { timeoutMs: ms } }))
  const total = setTimeout(() => fail('the call did not finish', limits.timeoutMs), limits.timeoutMs)
  let idle = setTimeout(() => fail('the provider did not answer', limits.headersTimeoutMs), limits.headersTimeoutMs)
  const abort = (): void => controller.abort(outer.reason)
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort, { once: true })
  let since: number | undefined
  // A timer per piece would cost more than reading it: one timer looks back when it fires.
  const check = (): void => {
    const waited = since === undefined ? 0 : performance.now() - since
    if (waited < limits.idleTimeoutMs) idle = setTimeout(check, limits.idleTimeoutMs - waited)
    else fail('the provider sent nothing more', limits.idleTimeoutMs)
  }
  let reading = false
  return {
    signal: controller.signal,
    waiting(on) {
      since = on ? performance.now() : undefined
      if (reading) return
      reading = true
      clearTimeout(idle)
      idle = setTimeout(check, limits.idleTimeoutMs)
    },
    close() {
      clearTimeout(total)
      clearTimeout(idle)
      outer.removeEventListener('abort', abort)
    },
  }
}

async function* limited(response: TransportResponse, watch: Watch, limits: Deadlines): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const pieces = response.body[Symbol.asyncIterator]()
  try {
    for (;;) {
      watch.waiting(true)
      const next = await pieces.next()
      watch.waiting(false)
      if (next.done === true) return
      bytes += next.value.byteLength
      if (bytes > limits.maxBodyBytes) {
        const message = `the answer is larger than ${limits.maxBodyBytes} bytes; raise maxBodyBytes if that is wanted`
        throw new ToolwireError('limit_exceeded', message)
      }
      yield next.value
    }
  } finally {
    watch.close()
    await pieces.return?.()
  }
}

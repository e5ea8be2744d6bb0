// The times of all calls, looked at by one timer: a timer for each would cost more than most of what a call does.
import { ToolwireError } from '../errors/error.js'
import type { Deadlines } from './deadlines.js'

/** A call on its way. */
interface Watched {
  /** Fails it when one of its times is over. */
  check(now: number): void
}

/** Node's timers hold the process, or let it end; those of a browser are numbers. */
type Timer = ReturnType<typeof setInterval> & { ref?(): unknown; unref?(): unknown }

class Watch {
  readonly #calls = new Set<Watched>()
  #timer: Timer | undefined
  #everyMs = Number.POSITIVE_INFINITY

  add(call: Watched, { headersTimeoutMs, idleTimeoutMs, timeoutMs }: Deadlines): void {
    this.#calls.add(call)
    const everyMs = Math.min(1_000, Math.max(5, Math.min(headersTimeoutMs, idleTimeoutMs, timeoutMs) / 8))
    if (everyMs < this.#everyMs) {
      clearInterval(this.#timer)
      this.#everyMs = everyMs
      this.#timer = setInterval(() => this.#look(), everyMs)
    } else if (this.#calls.size === 1) this.#timer?.ref?.()
  }

  drop(call: Watched): void {
    if (this.#calls.delete(call) && this.#calls.size === 0) this.#timer?.unref?.()
  }

  #look(): void {
    const now = performance.now()
    for (const call of this.#calls) call.check(now)
    if (this.#calls.size > 0) return
    clearInterval(this.#timer)
    this.#everyMs = Number.POSITIVE_INFINITY
  }
}

export const watch: Watch = new Watch()

/** Since when a call is on its way, and its reader waits for the provider, if it does. */
export interface Progress {
  readonly startedAt: number
  readonly hasHead: boolean
  readonly wantedAt: number | undefined
}

/** The time that is over. The idle time runs only while the provider is waited for: a slow reader is never a silent provider. */
export function overdue(
  { startedAt, hasHead, wantedAt }: Progress,
  { headersTimeoutMs, idleTimeoutMs, timeoutMs }: Deadlines,
  now: number,
): ToolwireError | undefined {
  if (now - startedAt >= timeoutMs) return timedOut('the call did not finish', timeoutMs)
  if (!hasHead && now - startedAt >= headersTimeoutMs) return timedOut('the provider did not answer', headersTimeoutMs)
  if (wantedAt !== undefined && now - wantedAt >= idleTimeoutMs)
    return timedOut('the provider sent nothing more', idleTimeoutMs)
  return undefined
}

function timedOut(what: string, timeoutMs: number): ToolwireError {
  return new ToolwireError('timeout', `${what} within ${timeoutMs} ms`, { detail: { timeoutMs } })
}

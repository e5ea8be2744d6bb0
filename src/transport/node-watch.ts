// The times of calls and requests on Node, looked at by one timer for all: one for each would cost more than most of what a call does.
// The trap: a Set that lives on while its members come and go leaves tables behind that hold them until the next full collection.
import type { ToolwireError } from '../errors/error.js'
import { type Deadlines, timedOut } from './deadlines.js'

/** Something on its way. */
interface Watched {
  /** Its place among the others; kept by the watch. */
  watchedAt: number
  /** Fails it when one of its times is over. */
  check(now: number): void
}

/** Where a call stands that is not watched. */
export const unwatched: number = -1

class Watch {
  readonly #calls: Watched[] = []
  #timer: ReturnType<typeof setInterval> | undefined
  #everyMs = Number.POSITIVE_INFINITY

  /** `shortestMs` is the shortest of its times. */
  add(call: Watched, shortestMs: number): void {
    call.watchedAt = this.#calls.push(call) - 1
    const everyMs = Math.min(1_000, Math.max(5, shortestMs / 8))
    if (everyMs >= this.#everyMs) return
    clearInterval(this.#timer)
    this.#everyMs = everyMs
    this.#timer = setInterval(() => this.#look(), everyMs).unref()
  }

  drop(call: Watched): void {
    const { watchedAt } = call
    if (watchedAt === unwatched) return
    call.watchedAt = unwatched
    const last = this.#calls.pop()
    if (last !== undefined && last !== call) {
      this.#calls[watchedAt] = last
      last.watchedAt = watchedAt
    }
  }

  #look(): void {
    const now = performance.now()
    // Those that fail are dropped, and may take others with them.
    for (const call of [...this.#calls]) if (call.watchedAt !== unwatched) call.check(now)
    if (this.#calls.length > 0) return
    clearInterval(this.#timer)
    this.#everyMs = Number.POSITIVE_INFINITY
  }
}

export const watch: Watch = new Watch()

export function shortestOf({ headersTimeoutMs, idleTimeoutMs, timeoutMs }: Deadlines): number {
  return Math.min(headersTimeoutMs, idleTimeoutMs, timeoutMs)
}

/** Since when a call is on its way, and its reader waits for the provider, if it does. */
export interface Progress {
  readonly startedAt: number
  readonly hasHead: boolean
  readonly wantedAt: number | undefined
}

/** The time that is over. The idle time runs only while the provider is waited for. */
export function overdue(
  { startedAt, hasHead, wantedAt }: Progress,
  limits: Deadlines,
  now: number,
): ToolwireError | undefined {
  if (now - startedAt >= limits.timeoutMs) return timedOut('timeoutMs', limits)
  if (!hasHead && now - startedAt >= limits.headersTimeoutMs) return timedOut('headersTimeoutMs', limits)
  if (wantedAt !== undefined && now - wantedAt >= limits.idleTimeoutMs) return timedOut('idleTimeoutMs', limits)
  return undefined
}

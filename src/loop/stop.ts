// Why a run ended, and the one way it is ended from outside: abort, time, or a reader who leaves.

import { onAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import { systemClock } from '../tools/clock.js'

/** Why a run ended: only `answer` means that the model was done. */
export type StopReason = 'answer' | 'max_turns' | 'budget' | 'aborted' | 'needs_approval' | 'error'
/** Of an answer: that it was cut or filtered. Of a budget: which one. */
export type StopDetail = 'length' | 'content_filter' | 'time' | 'tokens' | 'calls_per_turn' | 'identical_calls'
/** Why a run ended. */
export interface Stop {
  readonly reason: StopReason
  readonly detail?: StopDetail
  /** With `error` and `aborted`. A failed answer's beginning is in it (`partialOf`), not in the messages. */
  readonly error?: ToolwireError
}

/** What the model reads of a call that was not run, or whose end nobody waited for, because the run stopped. */
export function stopText(stop: Stop): string {
  switch (stop.reason) {
    case 'needs_approval':
      return 'the call was not run: it waits for approval'
    case 'aborted':
      return 'the run was aborted'
    case 'budget':
      return `the run stopped because a limit was reached (${stop.detail ?? 'budget'})`
    default:
      return 'the run stopped before the call was done'
  }
}

/** The time a run is alive. `stop` is set once, by whatever ends it from outside; `signal` is aborted then. */
export interface Lifetime {
  readonly signal: AbortSignal
  readonly stop: Stop | undefined
  end(stop: Stop): void
  /** Removes the timer and the listener. */
  close(): void
}

export function startLifetime(outer: AbortSignal | undefined, timeoutMs: number): Lifetime {
  const controller = new AbortController()
  const releases: (() => void)[] = []
  const close = (): void => {
    for (const release of releases) release()
  }
  const end = (why: Stop): void => {
    lifetime.stop ??= why
    close()
    controller.abort(lifetime.stop.error ?? new DOMException('the time of the run is over', 'TimeoutError'))
  }
  const lifetime = { signal: controller.signal, stop: undefined as Stop | undefined, end, close }
  if (outer?.aborted === true) end(aborted(outer.reason))
  else {
    releases.push(onAbort(controller.signal, () => {})) // one listener for all who wait for its end
    releases.push(systemClock.after(timeoutMs, () => end({ reason: 'budget', detail: 'time' })))
    if (outer !== undefined) releases.push(onAbort(outer, (reason) => end(aborted(reason))))
  }
  return lifetime
}

/** Throws the reason when the lifetime is over. */
export function checkAlive({ stop, signal }: Lifetime): void {
  if (stop !== undefined) throw signal.reason
}

export function aborted(cause?: unknown): Stop {
  return { reason: 'aborted', error: new ToolwireError('aborted', 'the run was aborted', { cause }) }
}

/** How long work that was told to stop may take to come to an end before it is left to itself. */
const graceMs = 10

/**
 * Waits for work that belongs to a lifetime. When that ends first, the work gets a moment to settle, and what it gives then
 * still counts; otherwise it is abandoned, and the error of the signal is thrown.
 */
export function within<T>(lifetime: Lifetime, work: () => Promise<T>): Promise<T> {
  const { signal } = lifetime
  if (lifetime.stop !== undefined) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    let stopGrace: (() => void) | undefined
    const release = onAbort(signal, () => {
      stopGrace = systemClock.after(graceMs, () => reject(signal.reason))
    })
    const done = (value: T): void => {
      release()
      stopGrace?.()
      resolve(value)
    }
    const failed = (error: unknown): void => {
      release()
      stopGrace?.()
      reject(error)
    }
    try {
      work().then(done, failed)
    } catch (error) {
      failed(error) // a journal may be anybody's
    }
  })
}

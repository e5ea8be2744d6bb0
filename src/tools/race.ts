// Runs foreign code against a time limit and abort signals. Trap: the code may ignore its signal, settle late or never;
// whoever waits here is answered once, on time, and no timer, listener or rejection is left behind.
import { onAbort } from './abort.js'
import type { Clock } from './clock.js'

export type Settled<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
export type Raced<T> = Settled<T> | { readonly state: 'timed_out' } | { readonly state: 'aborted' }

/** Made when it is asked for: most tools never look, and a signal costs more than most of them. */
export type LazySignal = () => AbortSignal

export interface RaceLimits<T> {
  readonly signals: readonly AbortSignal[]
  readonly timeoutMs: number
  readonly clock: Clock
  /** Told how the work ended when it ended after it was abandoned. Must not throw. */
  readonly onLate?: (settled: Settled<T>) => void
}

/**
 * The first of: the work settles, the time is up, a signal aborts. Work that loses is told through its own signal and
 * abandoned. Never rejects. Work is not begun when a signal is aborted or no time is left.
 */
export function race<T>(work: (signal: LazySignal) => T | PromiseLike<T>, limits: RaceLimits<T>): Promise<Raced<T>> {
  const { signals, timeoutMs, clock, onLate } = limits
  const isAborted = (): boolean => signals.some((signal) => signal.aborted)
  if (isAborted()) return Promise.resolve({ state: 'aborted' })
  if (timeoutMs <= 0) return Promise.resolve({ state: 'timed_out' })
  const own = lazyController()
  const begun = begin(() => work(own.signal))
  if ('state' in begun && !isAborted()) return Promise.resolve(begun) // nothing to wait for
  return new Promise((resolve) => {
    let open = true
    const releases: (() => void)[] = []
    const close = (raced: Raced<T>): void => {
      open = false
      for (const release of releases) release()
      resolve(raced)
    }
    const abort = (reason: unknown): void => {
      close({ state: 'aborted' })
      own.abort(reason)
    }
    const expire = (): void => {
      close({ state: 'timed_out' })
      own.abort(new DOMException(`The ${timeoutMs} ms for this call are over`, 'TimeoutError'))
    }
    const arrive = (settled: Settled<T>): void => (open ? close(settled) : onLate?.(settled))
    const gone = signals.find((signal) => signal.aborted) // by the work itself
    if (gone === undefined) releases.push(clock.after(timeoutMs, expire), ...signals.map((one) => onAbort(one, abort)))
    else abort(gone.reason)
    if ('state' in begun) arrive(begun)
    else
      begun.promise.then(
        (value) => arrive({ state: 'done', value }),
        (error: unknown) => arrive({ state: 'failed', error }),
      )
  })
}

/** What the work gave at once, or its promise. */
function begin<T>(work: () => T | PromiseLike<T>): Settled<T> | { readonly promise: PromiseLike<T> } {
  try {
    const value = work()
    return isPromiseLike(value) ? { promise: value } : { state: 'done', value }
  } catch (error) {
    return { state: 'failed', error }
  }
}

export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

interface LazyController {
  readonly signal: LazySignal
  abort(reason: unknown): void
}

function lazyController(): LazyController {
  let controller: AbortController | undefined
  let over: { readonly reason: unknown } | undefined
  return {
    signal() {
      if (controller === undefined) {
        controller = new AbortController()
        if (over !== undefined) controller.abort(over.reason)
      }
      return controller.signal
    },
    abort(reason) {
      over = { reason }
      controller?.abort(reason)
    },
  }
}

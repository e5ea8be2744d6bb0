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
  if (signals.some((signal) => signal.aborted)) return Promise.resolve({ state: 'aborted' })
  if (timeoutMs <= 0) return Promise.resolve({ state: 'timed_out' })
  return new Promise((resolve) => {
    let controller: AbortController | undefined
    let over: { readonly reason: unknown } | undefined
    const signal = (): AbortSignal => {
      controller ??= new AbortController()
      if (over !== undefined && !controller.signal.aborted) controller.abort(over.reason)
      return controller.signal
    }
    const stop = (reason: unknown): void => {
      over = { reason }
      controller?.abort(reason)
    }
    let open = true
    const close = (raced: Raced<T>): void => {
      open = false
      for (const release of releases) release()
      resolve(raced)
    }
    const abort = (reason: unknown): void => {
      close({ state: 'aborted' })
      stop(reason)
    }
    const expire = (): void => {
      close({ state: 'timed_out' })
      stop(new DOMException(`The ${timeoutMs} ms for this call are over`, 'TimeoutError'))
    }
    const releases = [clock.after(timeoutMs, expire), ...signals.map((signal) => onAbort(signal, abort))]
    const arrive = (settled: Settled<T>): void => (open ? close(settled) : onLate?.(settled))
    // Begun at once, so that nothing can abort between the check above and the work; a throw becomes a rejection.
    const begin = async (): Promise<T> => work(signal)
    begin().then(
      (value) => arrive({ state: 'done', value }),
      (error: unknown) => arrive({ state: 'failed', error }),
    )
  })
}

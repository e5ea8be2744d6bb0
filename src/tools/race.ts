// Runs foreign code against a time limit and abort signals. Trap: the code may ignore its signal, settle late or never;
// whoever waits here is answered once, on time, and no timer, listener or rejection is left behind.
import { onAbort } from '../errors/abort.js'
import type { Clock } from './clock.js'

export type Settled<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
export type Raced<T> = Settled<T> | { readonly state: 'timed_out' } | { readonly state: 'aborted' }

/** Made when it is asked for: most tools never look, and a signal costs more than most of them. */
export class LazySignal {
  // Set below: the initialisers of fields would cost as much as all the rest.
  declare private controller: AbortController | undefined
  declare private over: { readonly reason: unknown } | undefined

  constructor() {
    this.controller = undefined
    this.over = undefined
  }

  get(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.over !== undefined) this.controller.abort(this.over.reason)
    }
    return this.controller.signal
  }

  abort(reason: unknown): void {
    this.over = { reason }
    this.controller?.abort(reason)
  }
}

export interface RaceLimits<T> {
  readonly signals: readonly AbortSignal[]
  readonly timeoutMs: number
  readonly clock: Clock
  /** What tells the work that nobody waits for it any more. */
  readonly own?: LazySignal
  /** Told how the work ended when it ended after it was abandoned. Must not throw. */
  readonly onLate?: (settled: Settled<T>) => void
}

/** At once where there is nothing to wait for: a promise costs more than most of what is decided here. */
export type Soon<T> = T | Promise<T>

/**
 * The first of: the work settles, the time is up, a signal aborts. Work that loses is told through its own signal and
 * abandoned. Never throws or rejects. Work is not begun when a signal is aborted or no time is left.
 */
export function race<T>(work: () => T | PromiseLike<T>, limits: RaceLimits<T>): Soon<Raced<T>> {
  const { signals, timeoutMs } = limits
  if (firstAborted(signals) !== undefined) return { state: 'aborted' }
  if (timeoutMs <= 0) return { state: 'timed_out' }
  let settled: Settled<T> | undefined
  let promise: PromiseLike<T> | undefined
  try {
    const value = work()
    if (isPromiseLike(value)) promise = value
    else settled = { state: 'done', value }
  } catch (error) {
    settled = { state: 'failed', error }
  }
  if (promise !== undefined) return firstOf(promise, limits)
  const gone = limits.own === undefined ? undefined : firstAborted(signals) // by the work itself
  if (settled === undefined || gone === undefined) return settled ?? { state: 'aborted' }
  limits.own?.abort(gone.reason)
  limits.onLate?.(settled)
  return { state: 'aborted' }
}

function firstAborted(signals: readonly AbortSignal[]): AbortSignal | undefined {
  for (const signal of signals) if (signal.aborted) return signal
  return undefined
}

/** For all who need no promise of their own. */
const now = Promise.resolve()

// Most work is done by the next turn of the microtasks: only what is not gets a timer and listeners.
function firstOf<T>(promise: PromiseLike<T>, limits: RaceLimits<T>): Promise<Raced<T>> {
  const { signals, timeoutMs, clock, own, onLate } = limits
  return new Promise((resolve) => {
    let open = true
    let releases: (() => void)[] | undefined
    const close = (raced: Raced<T>): void => {
      open = false
      if (releases !== undefined) for (const release of releases) release()
      resolve(raced)
    }
    const abort = (reason: unknown): void => {
      close({ state: 'aborted' })
      own?.abort(reason)
    }
    const expire = (): void => {
      close({ state: 'timed_out' })
      own?.abort(new DOMException(`The ${timeoutMs} ms for this call are over`, 'TimeoutError'))
    }
    const watch = (): void => {
      if (!open) return
      const gone = firstAborted(signals)
      if (gone !== undefined) {
        abort(gone.reason)
        return
      }
      releases = signals.map((signal) => onAbort(signal, abort))
      releases.push(clock.after(timeoutMs, expire))
    }
    const unwatched = (error: unknown): void => close({ state: 'failed', error }) // the clock may be anybody's
    promise.then(
      (value) => (open ? close({ state: 'done', value }) : onLate?.({ state: 'done', value })),
      (error: unknown) => (open ? close({ state: 'failed', error }) : onLate?.({ state: 'failed', error })),
    )
    now.then(watch).catch(unwatched)
  })
}

export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

// Runs foreign code against a time limit and abort signals. Trap: the code may ignore its signal, settle late or never;
// whoever waits here is answered once, on time, and no timer, listener or rejection is left behind.
import { onAbort } from './abort.js'
import type { Clock } from './clock.js'

export type Settled<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
export type Raced<T> = Settled<T> | { readonly state: 'timed_out' } | { readonly state: 'aborted' }

/** Made when it is asked for: most tools never look, and a signal costs more than most of them. */
export class LazySignal {
  #controller: AbortController | undefined
  #over: { readonly reason: unknown } | undefined

  get(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#over !== undefined) this.#controller.abort(this.#over.reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#over = { reason }
    this.#controller?.abort(reason)
  }
}

export interface RaceLimits<T> {
  readonly signals: readonly AbortSignal[]
  readonly timeoutMs: number
  readonly clock: Clock
  /** Told how the work ended when it ended after it was abandoned. Must not throw. */
  readonly onLate?: (settled: Settled<T>) => void
}

/** At once where there is nothing to wait for: a promise costs more than most of what is decided here. */
export type Soon<T> = T | Promise<T>

/** Goes on with what is there, or with what comes. */
export function soon<A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * The first of: the work settles, the time is up, a signal aborts. Work that loses is told through its own signal and
 * abandoned. Never throws or rejects. Work is not begun when a signal is aborted or no time is left.
 */
export function race<T>(work: (signal: LazySignal) => T | PromiseLike<T>, limits: RaceLimits<T>): Soon<Raced<T>> {
  const { signals, timeoutMs, onLate } = limits
  if (signals.some(isAborted)) return { state: 'aborted' }
  if (timeoutMs <= 0) return { state: 'timed_out' }
  const own = new LazySignal()
  const begun = begin(work, own)
  const gone = signals.find(isAborted) // by the work itself
  if (gone === undefined) return 'state' in begun ? begun : firstOf(begun.promise, own, limits)
  own.abort(gone.reason)
  if ('state' in begun) onLate?.(begun)
  else whenSettled(begun.promise, (settled) => onLate?.(settled))
  return { state: 'aborted' }
}

const isAborted = ({ aborted }: AbortSignal): boolean => aborted

/** What the work gave at once, or its promise. */
function begin<T>(
  work: (signal: LazySignal) => T | PromiseLike<T>,
  signal: LazySignal,
): Settled<T> | { readonly promise: PromiseLike<T> } {
  try {
    const value = work(signal)
    return isPromiseLike(value) ? { promise: value } : { state: 'done', value }
  } catch (error) {
    return { state: 'failed', error }
  }
}

function whenSettled<T>(promise: PromiseLike<T>, arrive: (settled: Settled<T>) => void): void {
  promise.then(
    (value) => arrive({ state: 'done', value }),
    (error: unknown) => arrive({ state: 'failed', error }),
  )
}

function firstOf<T>(promise: PromiseLike<T>, own: LazySignal, limits: RaceLimits<T>): Promise<Raced<T>> {
  const { signals, timeoutMs, clock, onLate } = limits
  return new Promise((resolve) => {
    let open = true
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
    const releases = signals.map((signal) => onAbort(signal, abort))
    releases.push(clock.after(timeoutMs, expire))
    whenSettled(promise, (settled) => (open ? close(settled) : onLate?.(settled)))
  })
}

export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

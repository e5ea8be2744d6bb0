// Something that is iterated for its events or awaited for its outcome. Nothing starts before one of the two is done.
// The trap: a consumer may leave while an event is on its way, so leaving tells the source first and waits for it second.
import { ToolwireError } from '../errors/error.js'
import { takeFrom } from '../transport/told.js'

/** Events in a row and an outcome; what an async generator is, as far as it is needed here. */
export interface Events<Event, Outcome> extends Pick<AsyncGenerator<Event, Outcome>, 'next' | 'return'> {
  /** Settles this with the outcome as well, so that nobody has to look at each event for it. */
  settle?(outcome: Settled<Outcome>): void
}
interface Settled<T> {
  resolve(value: T | PromiseLike<T>): void
  reject(error: unknown): void
}

export interface Source<Event, Outcome> {
  readonly events: Events<Event, Outcome>
  /** Told when the consumer leaves early; must make a pending event settle soon. */
  leave(): void
  /** The outcome when the consumer left early; may throw. */
  left(): Outcome | PromiseLike<Outcome>
}

export type Awaitable<Event, Outcome> = AsyncIterable<Event> & PromiseLike<Outcome>

// The lint rule against `then` is there for objects that become awaitable by accident.
const then = 'then' as const

/** Opens the source at the first use. It may be iterated once; awaiting gives the outcome of that iteration, or drains it. */
export function awaitable<Event, Outcome>(open: () => Source<Event, Outcome>): Awaitable<Event, Outcome> {
  let iterator: AsyncIterableIterator<Event> | undefined
  const outcome = deferred<Outcome>()
  const start = (): AsyncIterableIterator<Event> => {
    iterator = iterate(open(), outcome)
    return iterator
  }
  return {
    [Symbol.asyncIterator]() {
      if (iterator === undefined) return start()
      throw new ToolwireError(
        'misuse',
        'this stream is being read already; iterate it once, before or instead of awaiting it',
      )
    },
    [then]<A = Outcome, B = never>(
      onValue?: ((value: Outcome) => A | PromiseLike<A>) | null,
      onError?: ((error: unknown) => B | PromiseLike<B>) | null,
    ): PromiseLike<A | B> {
      if (iterator === undefined) drain(start()).catch(() => {}) // the outcome tells of the failure
      return outcome.promise.then(onValue, onError)
    },
  }
}

/** A source of events that stop when the consumer leaves: `open` gets a signal that is aborted then, or with the given one. */
export function leavable<Event, Outcome>(
  signal: AbortSignal | undefined,
  open: (signal: AbortSignal) => Events<Event, Outcome>,
): Source<Event, Outcome> {
  const leaving = new AbortController()
  return {
    events: open(signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])),
    leave: () => leaving.abort(new ToolwireError('aborted', 'the reader of the events left')),
    left: () => {
      throw leaving.signal.reason
    },
  }
}

/** Runs a source to its end and gives its outcome. */
export async function drained<Event, Outcome>(events: Events<Event, Outcome>): Promise<Outcome> {
  for (;;) {
    const next = await events.next()
    if (next.done === true) return next.value
  }
}

const none: readonly never[] = []

/** Events one by one out of batches. Only a batch is waited for, not each event in it. */
export function oneByOne<Event, Outcome>(batches: Events<readonly Event[], Outcome>): Events<Event, Outcome> {
  let batch: readonly Event[] = none
  let index = 0
  let refill: Promise<IteratorResult<Event, Outcome>> | undefined
  let settled: Settled<Outcome> | undefined
  const take = (): IteratorYieldResult<Event> => {
    const value = batch[index] as Event
    index += 1
    if (index === batch.length) batch = none // who waits for the next batch holds nothing of the last one
    return { done: false, value }
  }
  const next = (): Promise<IteratorResult<Event, Outcome>> => {
    if (refill !== undefined) return refill.then(next, next) // asked again before the first was answered
    return index < batch.length ? Promise.resolve(take()) : nextBatch()
  }
  const filled = (
    found: IteratorResult<readonly Event[], Outcome>,
  ): IteratorResult<Event, Outcome> | Promise<IteratorResult<Event, Outcome>> => {
    refill = undefined
    if (found.done !== true) {
      batch = takeFrom(found)
      index = 0
      return batch.length === 0 ? nextBatch() : take()
    }
    settled?.resolve(found.value)
    return found
  }
  const failed = (error: unknown): never => {
    refill = undefined
    settled?.reject(error)
    throw error
  }
  const nextBatch = (): Promise<IteratorResult<Event, Outcome>> => {
    refill = batches.next().then(filled, failed)
    return refill
  }
  return {
    next,
    settle(outcome) {
      settled = outcome
    },
    return(outcome) {
      batch = none
      return batches.return(outcome) as Promise<IteratorResult<Event, Outcome>>
    },
  }
}

async function drain<Event>(events: AsyncIterable<Event>): Promise<void> {
  for await (const _ of events);
}

interface Deferred<T> extends Settled<T> {
  readonly promise: Promise<T>
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T | PromiseLike<T>) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  promise.catch(() => {}) // who only iterates is told there
  return { promise, resolve, reject }
}

function iterate<Event, Outcome>(
  source: Source<Event, Outcome>,
  outcome: Deferred<Outcome>,
): AsyncIterableIterator<Event> {
  const { events } = source
  events.settle?.(outcome)
  const told = (next: IteratorResult<Event, Outcome>): IteratorResult<Event, Outcome> => {
    if (next.done === true) outcome.resolve(next.value)
    return next
  }
  const failed = (error: unknown): never => {
    outcome.reject(error)
    throw error
  }
  return {
    next: events.settle ? () => events.next() : () => events.next().then(told, failed),
    async return() {
      source.leave()
      await events.return(undefined as never)
      try {
        outcome.resolve(source.left())
      } catch (error) {
        outcome.reject(error)
      }
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

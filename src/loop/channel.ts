// Events out of work that is still going on: the work emits, a generator hands them on. The pace is the reader's: `emit`
// settles when the next one is asked for, so that a slow reader slows the model's stream down and not memory up.

/** Where events are put. */
export interface Events<T> {
  emit(value: T): Promise<void>
  /** Like `emit`, for those who do not wait. */
  post(value: T): void
}

interface Channel<T> extends Events<T> {
  /** Nothing can be emitted any more; what was is still given out. */
  close(): void
  /** Closes, and lets go of what nobody will take. */
  drop(): void
  take(): Promise<T | undefined>
}

export function createChannel<T>(): Channel<T> {
  const waiting: { readonly value: T; readonly taken: () => void }[] = []
  let given = (): void => {}
  let reader: (() => void) | undefined
  let open = true
  const wake = (): void => {
    reader?.()
    reader = undefined
  }
  const put = (value: T, taken: () => void): void => {
    if (open) waiting.push({ value, taken })
    else taken()
    wake()
  }
  return {
    emit: (value) => new Promise((taken) => put(value, taken)),
    post: (value) => put(value, () => {}),
    close() {
      open = false
      wake()
    },
    drop() {
      open = false
      given()
      for (const { taken } of waiting.splice(0)) taken()
      wake()
    },
    async take() {
      given()
      while (waiting.length === 0 && open) {
        await new Promise<void>((resolve) => {
          reader = resolve
        })
      }
      const next = waiting.shift()
      given = next?.taken ?? given
      return next?.value
    },
  }
}

/** Runs the work, yields what it emits, and gives what it gives. A reader who leaves waits until the work has settled. */
export async function* eventsOf<E, T>(
  work: (events: Events<E>) => Promise<T>,
  channel: Channel<E> = createChannel(),
): AsyncGenerator<E, T> {
  const outcome = work(channel).finally(channel.close)
  outcome.catch(() => {}) // thrown below, or not at all when the reader has left
  try {
    for (let event = await channel.take(); event !== undefined; event = await channel.take()) yield event
    return await outcome
  } finally {
    channel.drop()
    await outcome.catch(() => {})
  }
}

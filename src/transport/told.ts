// What an iterator tells through a promise that may have been waited for long. The trap: such a promise is old by then, and what is
// old outlives its use by far in the memory of a runtime. Whatever it tells would live as long, for every wait of every stream.

/** A value that its taker can empty. */
export class Told<T> implements IteratorYieldResult<T> {
  readonly done = false
  value: T

  constructor(value: T) {
    this.value = value
  }
}

/** The value of a result, for its one taker: nobody finds it there again, if it was told this way. */
export function takeFrom<T>(result: IteratorYieldResult<T>): T {
  const { value } = result
  if (result instanceof Told) result.value = undefined
  return value
}

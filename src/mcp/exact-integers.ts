// Integers beyond ±(2^53−1) through code that serialises with JSON.stringify, which knows no bigint: each becomes a string
// that nobody else can write, and loses its quotes again in the text.

export class ExactIntegers {
  readonly #mark = `${crypto.randomUUID()}:`
  readonly #marked = new RegExp(`"${this.#mark}(-?\\d+)"`, 'g')

  /** The value itself when there is no bigint in it. */
  mark<T>(value: T): T {
    return this.#walk(value) as T
  }

  /** JSON text of a marked value, with the integers in their places. */
  unmark(text: string): string {
    return text.includes(this.#mark) ? text.replace(this.#marked, '$1') : text
  }

  #walk(value: unknown): unknown {
    if (typeof value === 'bigint') return `${this.#mark}${value}`
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.#walk(item))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    const before = Object.entries(value)
    const entries = before.map(([key, member]) => [key, this.#walk(member)] as const)
    return entries.some(([, member], index) => member !== before[index]?.[1]) ? Object.fromEntries(entries) : value
  }
}

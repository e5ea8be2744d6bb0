// Gemini writes a call as one piece, so events of later parts wait until the calls before them are complete. The cost of an event does not
// depend on how many wait.
interface InPart {
  readonly part: number
}

export class EventQueue<T extends InPart> {
  readonly #open = new PartList<InPart>()
  readonly #opened = new Set<number>()
  readonly #completed = new Set<number>()
  readonly #events = new PartList<T>()

  /** Whether nothing waits and no call is open. */
  get isEmpty(): boolean {
    return this.#events.first === undefined && this.#firstOpen() === undefined
  }

  /** Later parts wait for the call of this part. */
  open(part: number): void {
    if (this.#opened.has(part)) return
    this.#opened.add(part)
    this.#open.add({ part })
  }

  complete(part: number): void {
    this.#completed.add(part)
  }

  completeAll(): void {
    for (const part of this.#opened) this.#completed.add(part)
  }

  add(event: T): void {
    this.#events.add(event)
  }

  /** Takes the events that no open call stands before, in the order of their parts. */
  takeReady(): readonly T[] {
    const open = this.#firstOpen() ?? Number.POSITIVE_INFINITY
    const ready: T[] = []
    for (let event = this.#events.first; event !== undefined && event.part < open; event = this.#events.first) {
      ready.push(event)
      this.#events.removeFirst()
    }
    return ready
  }

  #firstOpen(): number | undefined {
    while (this.#open.first !== undefined && this.#completed.has(this.#open.first.part)) this.#open.removeFirst()
    return this.#open.first?.part
  }
}

/** Items in the order of their parts. Those of one part stay in the order they came in. */
class PartList<T extends InPart> {
  readonly #items: T[] = []
  #next = 0

  get first(): T | undefined {
    return this.#items[this.#next]
  }

  removeFirst(): void {
    this.#next += 1
    if (this.#next < this.#items.length) return
    this.#items.length = 0
    this.#next = 0
  }

  add(item: T): void {
    let low = this.#next
    let high = this.#items.length
    if (low === high || (this.#items[high - 1] as T).part <= item.part) {
      this.#items.push(item)
      return
    }
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#items[middle] as T).part <= item.part) low = middle + 1
      else high = middle
    }
    this.#items.splice(low, 0, item)
  }
}

// Items by their part, the lowest first; those of one part in the order they came. A binary heap: any order of arrival costs the same.

export interface PartQueue<T> {
  add(item: T): void
  first(): T | undefined
  removeFirst(): void
  /** All items that are left, in order. */
  rest(): readonly T[]
}

interface Entry<T> {
  readonly item: T
  readonly part: number
  readonly place: number
}

export function createPartQueue<T extends { readonly part: number }>(): PartQueue<T> {
  const heap: Entry<T>[] = []
  let added = 0

  const isBefore = (a: number, b: number): boolean => comparePlaces(heap[a] as Entry<T>, heap[b] as Entry<T>) < 0
  const swap = (a: number, b: number): void => {
    const entry = heap[a] as Entry<T>
    heap[a] = heap[b] as Entry<T>
    heap[b] = entry
  }
  const sink = (): void => {
    for (let at = 0; ; ) {
      let lowest = at
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length && isBefore(child, lowest)) lowest = child
      if (lowest === at) return
      swap(at, lowest)
      at = lowest
    }
  }
  return {
    add(item) {
      added += 1
      heap.push({ item, part: item.part, place: added })
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    first: () => heap[0]?.item,
    removeFirst() {
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return
      heap[0] = last
      sink()
    },
    rest: () => heap.toSorted(comparePlaces).map(({ item }) => item),
  }
}

function comparePlaces<T>(a: Entry<T>, b: Entry<T>): number {
  return a.part - b.part || a.place - b.place
}

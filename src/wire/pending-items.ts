// Items that wait in order until each is taken once, found by one of several keys. The cost of a take does not depend on how many wait.

/** `K` names the keys by which items are found. */
export interface PendingItems<T, K extends string> {
  add(item: T): void
  /** Takes the first waiting item whose key has this value. */
  take(key: K, value: string): T | undefined
  /** What still waits, in order. */
  left(): T[]
}

/** The positions of the items with one value. Those before `next` were taken. */
interface Queue {
  readonly positions: number[]
  next: number
}

/** The queues of one key. Items are added when the key is first used, and then as they come. */
interface Index {
  readonly queues: Map<string, Queue>
  indexed: number
}

/** An item for which `keys` returns nothing cannot be found by that key. */
export function createPendingItems<T, K extends string>(
  given: readonly T[],
  keys: Readonly<Record<K, (item: T) => string | undefined>>,
): PendingItems<T, K> {
  const items = [...given]
  const taken = new Set<number>()
  const indexes = new Map<K, Index>()
  const indexOf = (key: K): Index => {
    let index = indexes.get(key)
    if (index === undefined) {
      index = { queues: new Map(), indexed: 0 }
      indexes.set(key, index)
    }
    for (; index.indexed < items.length; index.indexed += 1) {
      const value = keys[key](items[index.indexed] as T)
      if (value !== undefined) addPosition(index.queues, value, index.indexed)
    }
    return index
  }
  return {
    add(item) {
      items.push(item)
    },
    take(key, value) {
      const queue = indexOf(key).queues.get(value)
      if (queue === undefined) return undefined
      while (taken.has(queue.positions[queue.next] ?? -1)) queue.next += 1
      const position = queue.positions[queue.next]
      if (position === undefined) return undefined
      taken.add(position)
      return items[position]
    },
    left: () => items.filter((_, position) => !taken.has(position)),
  }
}

function addPosition(queues: Map<string, Queue>, value: string, position: number): void {
  const queue = queues.get(value)
  if (queue === undefined) queues.set(value, { positions: [position], next: 0 })
  else queue.positions.push(position)
}

// Calls that wait for their results. Gemini matches a result to its call by id; without an id, by name and order.
// Pitfall: Google's SDKs send a streamed turn back as several contents, so a turn ends only where the other side speaks.

/** A call of the current model turn. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  /** Whether the request named the id. If not, the id was made while reading. */
  readonly hadId: boolean
}

interface Entry extends OpenCall {
  isAnswered: boolean
}

/** The calls of one turn. Each `take` returns a call at most once, the earliest that matches. */
export interface OpenCalls {
  add(call: OpenCall): void
  takeById(id: string): OpenCall | undefined
  takeByName(name: string): OpenCall | undefined
  /** Only among the calls that came without an id. */
  takeWithoutId(name: string): OpenCall | undefined
}

export function createOpenCalls(): OpenCalls {
  const entries: Entry[] = []
  return {
    add(call) {
      entries.push({ id: call.id, name: call.name, hadId: call.hadId, isAnswered: false })
    },
    takeById: createIndex(entries, ({ id, hadId }) => (hadId ? id : undefined)),
    takeByName: createIndex(entries, ({ name }) => name),
    takeWithoutId: createIndex(entries, ({ name, hadId }) => (hadId ? undefined : name)),
  }
}

interface Queue {
  readonly entries: Entry[]
  next: number
}

/** Takes entries by key, the earliest first. One that was taken by another key is skipped. Entries are indexed when one is asked for. */
function createIndex(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string | undefined,
): (key: string) => OpenCall | undefined {
  const queues = new Map<string, Queue>()
  let indexed = 0
  return (key) => {
    for (; indexed < entries.length; indexed += 1) {
      const entry = entries[indexed] as Entry
      const own = keyOf(entry)
      if (own === undefined) continue
      const queue = queues.get(own)
      if (queue === undefined) queues.set(own, { entries: [entry], next: 0 })
      else queue.entries.push(entry)
    }
    const queue = queues.get(key)
    if (queue === undefined) return undefined
    while (queue.entries[queue.next]?.isAnswered === true) queue.next += 1
    const entry = queue.entries[queue.next]
    if (entry !== undefined) entry.isAnswered = true
    return entry
  }
}

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
  const byId = createQueues()
  const byName = createQueues()
  const withoutId = createQueues()
  return {
    add(call) {
      const entry: Entry = { ...call, isAnswered: false }
      byName.add(call.name, entry)
      if (call.hadId) byId.add(call.id, entry)
      else withoutId.add(call.name, entry)
    },
    takeById: (id) => byId.take(id),
    takeByName: (name) => byName.take(name),
    takeWithoutId: (name) => withoutId.take(name),
  }
}

interface Queue {
  readonly entries: Entry[]
  next: number
}

/** Entries in order under each key. One that another queue gave out is skipped. */
function createQueues(): { add(key: string, entry: Entry): void; take(key: string): OpenCall | undefined } {
  const queues = new Map<string, Queue>()
  return {
    add(key, entry) {
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, { entries: [entry], next: 0 })
      else queue.entries.push(entry)
    },
    take(key) {
      const queue = queues.get(key)
      if (queue === undefined) return undefined
      while (queue.entries[queue.next]?.isAnswered === true) queue.next += 1
      const entry = queue.entries[queue.next]
      if (entry !== undefined) entry.isAnswered = true
      return entry
    },
  }
}

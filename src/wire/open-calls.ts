// The calls of a turn that wait for their results, found by id or by name however many they are.

/** A call that no result has answered yet. */
export interface OpenCall {
  readonly id: string
  readonly name: string
}

export interface OpenCalls<T extends OpenCall> {
  /** The open call that a result answers: the first with its id, else the first of its name, else the first. It is open no longer. */
  take(id: string | undefined, name: string | undefined): T | undefined
}

/** Calls with one id or name, in their order. Those before `next` are answered. */
interface CallQueue<T> {
  readonly calls: T[]
  next: number
}

export function openCalls<T extends OpenCall>(calls: readonly T[]): OpenCalls<T> {
  const answered = new Set<T>()
  const all: CallQueue<T> = { calls: [...calls], next: 0 }
  let byId: Map<string, CallQueue<T>> | undefined
  let byName: Map<string, CallQueue<T>> | undefined
  const first = (queue: CallQueue<T> | undefined): T | undefined => {
    if (queue === undefined) return undefined
    for (; queue.next < queue.calls.length; queue.next += 1) {
      const call = queue.calls[queue.next] as T
      if (answered.has(call)) continue
      answered.add(call)
      return call
    }
    return undefined
  }
  return {
    take(id, name) {
      if (id !== undefined) {
        byId ??= queuesBy(calls, (call) => call.id)
        return first(byId.get(id))
      }
      if (name === undefined) return first(all)
      byName ??= queuesBy(calls, (call) => call.name)
      return first(byName.get(name))
    },
  }
}

function queuesBy<T>(calls: readonly T[], keyOf: (call: T) => string): Map<string, CallQueue<T>> {
  const queues = new Map<string, CallQueue<T>>()
  for (const call of calls) {
    const queue = queues.get(keyOf(call))
    if (queue === undefined) queues.set(keyOf(call), { calls: [call], next: 0 })
    else queue.calls.push(call)
  }
  return queues
}

// What was said up to an answer, by its name, and the items of the answer by theirs: an item goes with its answer.
// Bounded, the longest unused goes first.
import type { Message } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { type Writable, writeJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'

/** What a later request continues. Threads are continued without the tools they were begun with. */
export interface Spoken {
  readonly messages: readonly Message[]
  readonly tools?: CompletionRequest['tools']
}

export interface KeptAnswers {
  find(name: string): Spoken | undefined
  findItem(name: string): JsonObject | undefined
  add(name: string, spoken: Spoken, items: ReadonlyMap<string, JsonObject>): void
}

interface Kept extends Spoken {
  readonly bytes: number
  readonly items: ReadonlyMap<string, JsonObject>
}

export function keptAnswers(maxCount: number, maxBytes: number): KeptAnswers {
  const kept = new Map<string, Kept>()
  /** The name of the answer that an item is of. */
  const answerOf = new Map<string, string>()
  let bytes = 0
  const drop = (name: string): void => {
    const { items = [], bytes: freed = 0 } = kept.get(name) ?? {}
    bytes -= freed
    kept.delete(name)
    for (const [item] of items) if (answerOf.get(item) === name) answerOf.delete(item)
  }
  const find = (name: string): Kept | undefined => {
    const found = kept.get(name)
    if (found === undefined) return undefined
    kept.delete(name)
    kept.set(name, found)
    return found
  }
  return {
    find,
    findItem: (name) => find(answerOf.get(name) ?? '')?.items.get(name),
    add(name, spoken, items) {
      const size = writeJson([spoken.messages, spoken.tools, [...items]] as Writable).length
      drop(name)
      kept.set(name, { ...spoken, items, bytes: size })
      for (const item of items.keys()) answerOf.set(item, name)
      bytes += size
      for (const oldest of kept.keys()) {
        if (kept.size <= maxCount && bytes <= maxBytes) break
        drop(oldest)
      }
    },
  }
}

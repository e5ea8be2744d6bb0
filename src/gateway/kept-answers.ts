// What was said up to an answer, by its name, and the items of the answer by theirs: an item goes with its answer.
// Bounded, the longest unused goes first.
import type { Message } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { type Writable, writeJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import { entryOverhead, type StoredBytes, type StoredEntry } from './stored-bytes.js'

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
  readonly entry: StoredEntry
  readonly items: ReadonlyMap<string, JsonObject>
}

export function keptAnswers(maxCount: number, memory: StoredBytes): KeptAnswers {
  const kept = new Map<string, Kept>()
  /** The name of the answer that an item is of. */
  const answerOf = new Map<string, string>()
  const drop = (name: string): void => {
    const known = kept.get(name)
    if (known === undefined) return
    memory.remove(known.entry)
    kept.delete(name)
    for (const [item] of known.items) if (answerOf.get(item) === name) answerOf.delete(item)
  }
  const find = (name: string): Kept | undefined => {
    const found = kept.get(name)
    if (found === undefined) return undefined
    kept.delete(name)
    kept.set(name, found)
    memory.touch(found.entry)
    return found
  }
  return {
    find,
    findItem: (name) => find(answerOf.get(name) ?? '')?.items.get(name),
    add(name, spoken, items) {
      const size = writeJson([spoken.messages, spoken.tools, [...items]] as Writable).length
      drop(name)
      const entry: StoredEntry = { bytes: size + entryOverhead, drop: () => drop(name) }
      kept.set(name, { ...spoken, items, entry })
      for (const item of items.keys()) answerOf.set(item, name)
      memory.add(entry)
      const [oldest] = kept.keys()
      if (kept.size > maxCount && oldest !== undefined) drop(oldest)
    },
  }
}

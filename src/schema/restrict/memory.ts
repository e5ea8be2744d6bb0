// Compiled schemas by their text, for those that come as new objects with every request. Strangers send them too: the memory is
// bounded by what it holds, not by how many there are, and what was not used for longest goes first.
import type { Json, JsonObject } from '../../json/types.js'
import type { Restricted } from './compile.js'
import type { DialectName } from './dialects.js'

export interface BoundedMemory<T> {
  get(key: string): T | undefined
  /** Keeps the value; one too heavy by itself is not kept. */
  set(key: string, value: T, weight: number): void
  /** The weight of all that is kept. */
  held(): number
}

export function boundedMemory<T>(limits: { readonly total: number; readonly each: number }): BoundedMemory<T> {
  const entries = new Map<string, { readonly value: T; readonly weight: number }>()
  let held = 0
  const forget = (key: string): void => {
    held -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, weight) {
      forget(key)
      if (weight > limits.each) return
      entries.set(key, { value, weight })
      held += weight
      for (const oldest of entries.keys()) {
        if (held <= limits.total) return
        forget(oldest)
      }
    },
    held: () => held,
  }
}

/** Weights are characters of schemas and losses. */
const limits = { total: 2_000_000, each: 100_000 } as const
const known = boundedMemory<{ readonly result: Restricted; readonly isSame: boolean }>(limits)

/** `compile` of the schema, remembered by its text. The schema must be of a size that can be written. */
export function recall(
  schema: JsonObject,
  dialect: DialectName,
  compile: (schema: JsonObject, dialect: DialectName) => Restricted,
): Restricted {
  const text = JSON.stringify(schema)
  if (text.length > limits.each) return compile(schema, dialect)
  const key = `${dialect} ${text}`
  let entry = known.get(key)
  if (entry === undefined) {
    // From a copy that nobody else holds, and frozen: the next one to ask gets the same objects.
    const copy = JSON.parse(text) as JsonObject
    const result = compile(copy, dialect)
    const isSame = result.schema === copy
    freezeAll(result.schema)
    entry = { result, isSame }
    known.set(key, entry, key.length + JSON.stringify([result.losses, isSame ? '' : result.schema]).length)
  }
  return entry.isSame ? { ...entry.result, schema } : entry.result
}

function freezeAll(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value)) freezeAll(member)
}

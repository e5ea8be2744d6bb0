// Objects and lists that grow with the deltas of a stream. Each delta costs what it is long: what was there before is not copied.
// Pitfall: a parsed chunk may be read again, so only what was made here is changed.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

/** A value that later deltas may add to. An object that grows is a `Map`. */
export type Growing = Json | GrowingObject | GrowingList
export type GrowingObject = Map<string, Growing>

/** A list that grows. */
export class GrowingList {
  readonly items: Growing[]

  constructor(items: readonly Growing[]) {
    this.items = [...items]
  }
}

export function toJson(value: Growing): Json {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, toJson(member)]))
  return value instanceof GrowingList ? value.items.map(toJson) : value
}

/** Two objects of pieces as one: texts and lists are joined, anything else is overwritten. */
export function joinPieces(known: Growing | undefined, value: Json): Growing {
  const joined = growingObject(known)
  if (joined === undefined || !isJsonObject(value)) return value
  for (const [key, piece] of Object.entries(value)) {
    const before = joined.get(key)
    if (piece === null) continue
    if (Array.isArray(piece)) joined.set(key, joinLists(before, piece))
    else if (typeof before === 'string' && typeof piece === 'string' && key !== 'id') joined.set(key, before + piece)
    else joined.set(key, piece)
  }
  return joined
}

/** A list with more members; the members alone where there was no list. */
export function joinLists(known: Growing | undefined, more: readonly Json[]): Growing {
  const list = growingList(known)
  if (list === undefined) return more
  for (const item of more) list.items.push(item)
  return list
}

/** The message of a choice with one more delta. Calls are joined by their index, texts in `growingTexts` at their ends. */
export function joinMessage(
  known: Growing | undefined,
  delta: JsonObject,
  growingTexts: ReadonlySet<string>,
): GrowingObject {
  const message = growingObject(known) ?? new Map()
  for (const [key, value] of Object.entries(delta)) {
    const before = message.get(key)
    if (value === null || (Array.isArray(value) && value.length === 0)) continue
    if (key === 'tool_calls') message.set(key, joinCalls(before, value))
    else if (growingTexts.has(key) && typeof before === 'string' && typeof value === 'string')
      message.set(key, before + value)
    else message.set(key, value)
  }
  return message
}

function joinCalls(known: Growing | undefined, more: Json): GrowingList {
  const calls = growingList(known) ?? new GrowingList([])
  for (const piece of Array.isArray(more) ? more : []) {
    if (!isJsonObject(piece)) continue
    const { index, ...call } = piece
    const at = typeof index === 'number' && index < calls.items.length ? index : calls.items.length
    const before = growingObject(calls.items[at])
    if (before === undefined) {
      calls.items[at] = call
      continue
    }
    const target = before.get('function')
    for (const [key, value] of Object.entries(call)) before.set(key, value)
    before.set('function', joinPieces(target, call.function ?? {}))
    calls.items[at] = before
  }
  return calls
}

function growingObject(value: Growing | undefined): GrowingObject | undefined {
  if (value instanceof Map) return value
  return value instanceof GrowingList || !isJsonObject(value) ? undefined : new Map(Object.entries(value))
}

function growingList(value: Growing | undefined): GrowingList | undefined {
  if (value instanceof GrowingList) return value
  return Array.isArray(value) ? new GrowingList(value as readonly Json[]) : undefined
}

// What an answer says beside its content: unmodelled members of the body, the choice and the message, further choices, usage.
// It becomes `metadata`, the same for a stream as for the whole: texts and lists of deltas grow, the last word counts else.
import type { Metadata } from '../../conversation/response.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { wire } from './types.js'

/** `created` and `object` are facts of the server half; `obfuscation` is padding. */
const bodyMembers: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'obfuscation',
  'error',
])
const choiceMembers: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'text', 'finish_reason', 'usage'])
const growingTexts: ReadonlySet<string> = new Set([
  'content',
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_text',
])

export interface Facts {
  readonly body: Map<string, Json>
  readonly choice: Map<string, Json>
  readonly message: Map<string, Json>
  readonly others: Map<number, Map<string, Json>>
  usage: JsonObject | undefined
}

export function noFacts(): Facts {
  return { body: new Map(), choice: new Map(), message: new Map(), others: new Map(), usage: undefined }
}

export function addBody(facts: Facts, body: JsonObject): void {
  for (const [key, value] of Object.entries(body)) {
    if (value !== null && !bodyMembers.has(key)) facts.body.set(key, value)
  }
}

export function addChoice(facts: Facts, choice: JsonObject): void {
  for (const [key, value] of Object.entries(choice)) {
    if (value === null || choiceMembers.has(key)) continue
    facts.choice.set(key, key === 'logprobs' ? grown(facts.choice.get(key), value) : value)
  }
}

/** A member of the message that is not modelled. Lists grow; `audio` comes in pieces. */
export function addMember(facts: Facts, key: string, value: Json): void {
  if (Array.isArray(value)) {
    if (value.length === 0) return
    const known = facts.message.get(key)
    facts.message.set(key, Array.isArray(known) ? [...known, ...value] : value)
  } else facts.message.set(key, key === 'audio' ? grown(facts.message.get(key), value) : value)
}

/** Two objects of pieces as one: texts and lists are joined, anything else is overwritten. */
function grown(known: Json | undefined, value: Json): Json {
  if (!isJsonObject(known) || !isJsonObject(value)) return value
  const joined = new Map<string, Json>(Object.entries(known))
  for (const [key, piece] of Object.entries(value)) {
    const before = joined.get(key)
    if (piece === null) continue
    if (Array.isArray(before) && Array.isArray(piece)) joined.set(key, [...before, ...piece])
    else if (typeof before === 'string' && typeof piece === 'string' && key !== 'id') joined.set(key, before + piece)
    else joined.set(key, piece)
  }
  return Object.fromEntries(joined)
}

/** Figures so far; a chunk that leaves some out does not take them back. */
export function addUsage(facts: Facts, usage: JsonObject): void {
  const merged = new Map(Object.entries(facts.usage ?? {}))
  for (const [key, value] of Object.entries(usage)) if (value !== null) merged.set(key, value)
  facts.usage = Object.fromEntries(merged)
}

/** What of a choice after the first is its place, or read as its message. */
const otherMembers: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'text', 'usage'])

/** A choice after the first: kept, put together from its deltas. `message` is its message, or one delta of it. */
export function addOther(facts: Facts, choice: JsonObject, index: number, message: JsonObject | undefined): void {
  const known = facts.others.get(index) ?? new Map<string, Json>([['index', index]])
  facts.others.set(index, known)
  for (const [key, value] of Object.entries(choice)) {
    if (value === null || otherMembers.has(key)) continue
    known.set(key, key === 'logprobs' ? grown(known.get(key), value) : value)
  }
  if (message !== undefined) known.set('message', joinMessage(known.get('message'), message))
}

function joinMessage(known: Json | undefined, delta: JsonObject): Json {
  const message = new Map(isJsonObject(known) ? Object.entries(known) : [])
  for (const [key, value] of Object.entries(delta)) {
    const before = message.get(key)
    if (value === null || (Array.isArray(value) && value.length === 0)) continue
    if (key === 'tool_calls') message.set(key, joinCalls(before, value))
    else if (growingTexts.has(key) && typeof before === 'string' && typeof value === 'string')
      message.set(key, before + value)
    else message.set(key, value)
  }
  return Object.fromEntries(message)
}

function joinCalls(known: Json | undefined, more: Json): Json {
  const calls: Json[] = Array.isArray(known) ? [...known] : []
  for (const piece of Array.isArray(more) ? more : []) {
    if (!isJsonObject(piece)) continue
    const { index, ...call } = piece
    const at = typeof index === 'number' && index < calls.length ? index : calls.length
    const before = calls[at]
    calls[at] = isJsonObject(before)
      ? { ...before, ...call, function: grown(before.function, call.function ?? {}) }
      : call
  }
  return calls
}

/** All of it as metadata of this wire; nothing when there is none. `usage` is the raw object, where it must be kept. */
export function metadataOf(facts: Facts, usage: JsonObject | undefined): Metadata | undefined {
  const members: [string, Json][] = [...facts.body]
  if (facts.choice.size > 0) members.push(['choice', Object.fromEntries(facts.choice)])
  if (facts.message.size > 0) members.push(['message', Object.fromEntries(facts.message)])
  if (facts.others.size > 0) {
    const others = [...facts.others].sort(([a], [b]) => a - b).map(([, choice]) => Object.fromEntries(choice))
    members.push(['choices', others])
  }
  if (usage !== undefined) members.push(['usage', usage])
  return members.length === 0 ? undefined : { [wire]: Object.fromEntries(members) }
}

// What an answer says beside its content: unmodelled members of the body, the choice and the message, further choices, usage.
// It becomes `metadata`, the same for a stream as for the whole: texts and lists of deltas grow, the last word counts else.
import type { Metadata } from '../../conversation/response.js'
import type { Json, JsonObject } from '../../json/types.js'
import { type Growing, type GrowingObject, joinLists, joinMessage, joinPieces, toJson } from './growing-facts.js'
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
  readonly choice: GrowingObject
  readonly message: GrowingObject
  readonly others: Map<number, GrowingObject>
  /** Figures so far; nothing when there were none. */
  usage: Map<string, Json> | undefined
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
    facts.choice.set(key, key === 'logprobs' ? joinPieces(facts.choice.get(key), value) : value)
  }
}

/** A member of the message that is not modelled. Lists grow; `audio` comes in pieces. */
export function addMember(facts: Facts, key: string, value: Json): void {
  if (Array.isArray(value)) {
    if (value.length === 0) return
    facts.message.set(key, joinLists(facts.message.get(key), value))
  } else facts.message.set(key, key === 'audio' ? joinPieces(facts.message.get(key), value) : value)
}

/** Figures so far; a chunk that leaves some out does not take them back. */
export function addUsage(facts: Facts, usage: JsonObject): void {
  facts.usage ??= new Map()
  for (const [key, value] of Object.entries(usage)) if (value !== null) facts.usage.set(key, value)
}

/** What of a choice after the first is its place, or read as its message. */
const otherMembers: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'text', 'usage'])

/** A choice after the first: kept, put together from its deltas. `message` is its message, or one delta of it. */
export function addOther(facts: Facts, choice: JsonObject, index: number, message: JsonObject | undefined): void {
  const known = facts.others.get(index) ?? new Map<string, Growing>([['index', index]])
  facts.others.set(index, known)
  for (const [key, value] of Object.entries(choice)) {
    if (value === null || otherMembers.has(key)) continue
    known.set(key, key === 'logprobs' ? joinPieces(known.get(key), value) : value)
  }
  if (message !== undefined) known.set('message', joinMessage(known.get('message'), message, growingTexts))
}

/** All of it as metadata of this wire; nothing when there is none. `usage` is the raw object, where it must be kept. */
export function metadataOf(facts: Facts, usage: JsonObject | undefined): Metadata | undefined {
  const members: [string, Json][] = [...facts.body]
  if (facts.choice.size > 0) members.push(['choice', toJson(facts.choice)])
  if (facts.message.size > 0) members.push(['message', toJson(facts.message)])
  if (facts.others.size > 0) {
    const others = [...facts.others].sort(([a], [b]) => a - b).map(([, choice]) => toJson(choice))
    members.push(['choices', others])
  }
  if (usage !== undefined) members.push(['usage', usage])
  return members.length === 0 ? undefined : { [wire]: Object.fromEntries(members) }
}

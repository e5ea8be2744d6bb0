// Losses found by comparing what was encoded with what decoding it gives back, so that they are exact whatever the input was.
// The trap: some fields never cross a wire by design (who signed an opaque value, why a call is broken, that one was recovered, a tool's own error);
// they are not compared.
import { at, type Loss } from '../conversation/losses.js'
import { type Wire, wires } from '../conversation/messages.js'
import { isJsonObject, isList } from '../json/parse.js'
import { pointerKeys } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { saysNothing } from './defaults.js'

/** Appends the losses that turn `before` into `after`. `path` is where `before` stands in the value that was encoded. */
export function differences(wire: Wire, before: unknown, after: unknown, path: string, losses: Loss[]): void {
  compare(before as Json, after as Json | undefined, path, (place, to, from) =>
    losses.push(lossAt(wire, place, to, from)),
  )
}

/** Whether two plain values say the same; an undefined member is an absent one. */
export function sameValue(before: unknown, after: unknown): boolean {
  let same = true
  compare(before as Json, after as Json | undefined, '', () => {
    same = false
  })
  return same
}

type Report = (path: string, to: Json | undefined, from: Json | undefined) => void

function compare(before: Json | undefined, after: Json | undefined, path: string, report: Report): void {
  if (before === after) return
  if (isList(before) && isList(after) && before.length === after.length) {
    for (let index = 0; index < before.length; index += 1) {
      if (before[index] !== after[index]) compare(before[index], after[index], at(path, index), report)
    }
    return
  }
  if (path.endsWith('/extra') && isCarrier(before) && isCarrier(after)) {
    compareCarried(before ?? nothing, after ?? nothing, path, report)
    return
  }
  if (!isJsonObject(before) || !isJsonObject(after) || kindOf(before) !== kindOf(after)) {
    report(path, after, before)
    return
  }
  compareMembers(before, after, path, report)
}

function compareMembers(before: JsonObject, after: JsonObject, path: string, report: Report): void {
  for (const key of Object.keys(before)) compareMember(before, after, key, path, report)
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key)) compareMember(before, after, key, path, report)
  }
}

const nothing: JsonObject = {}
const known: ReadonlySet<string> = new Set(wires)

/** Whether it is what a node carries for wires: absent, or an object for each of some of them. */
function isCarrier(value: Json | undefined): value is JsonObject | undefined {
  return (
    value === undefined ||
    (isJsonObject(value) && Object.entries(value).every(([key, own]) => known.has(key) && isJsonObject(own)))
  )
}

/** More fields of a wire than this are lost as one, so that no request makes losses without end. */
const mostFields = 64

/** Field by field, also of a wire of which nothing is left: a loss says which field it was. */
function compareCarried(before: JsonObject, after: JsonObject, path: string, report: Report): void {
  for (const wire of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const own = member(before, wire) as JsonObject | undefined
    const left = member(after, wire) as JsonObject | undefined
    const count = own === undefined || left !== undefined ? 1 : Object.keys(own).length
    if (count === 0 || count > mostFields) report(at(path, wire), left, own)
    else compareMembers(own ?? nothing, left ?? nothing, at(path, wire), report)
  }
}

function compareMember(before: JsonObject, after: JsonObject, key: string, path: string, report: Report): void {
  const one = member(before, key)
  const other = member(after, key)
  if (one === other || neverCrosses(before, after, key)) return
  // A continuation means something as a whole only.
  if (key !== 'opaque') compare(one, other, at(path, key), report)
  else if (!sameValue(one, other)) report(at(path, key), other, one)
}

/** The tag of a part. A `type` that is no string belongs to a schema and is compared like any member. */
function kindOf(node: JsonObject): string | undefined {
  return typeof node.type === 'string' ? node.type : undefined
}

function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function neverCrosses(node: JsonObject, other: JsonObject, key: string): boolean {
  switch (key) {
    case 'origin':
      return node.role === 'assistant' || ('data' in node && wireOf(node.origin) === wireOf(other.origin))
    case 'reason':
      return node.type === 'broken_call'
    case 'recovered':
      return node.type === 'tool_call'
    case 'error':
    case 'artifacts':
      return 'callId' in node
    default:
      return false
  }
}

function wireOf(origin: Json | undefined): Json | undefined {
  return isJsonObject(origin) ? origin.wire : undefined
}

/**
 * What a loss is called, by where it is, and what the wire cannot do there. A name that ends in `_` goes on with what
 * happened: `dropped` or `changed`.
 */
const names: readonly (readonly [place: RegExp, name: string, why: string])[] = [
  [/\/opaque$/, 'signature_', 'has no place for this continuation'],
  [/^\/metadata\b/, 'metadata_', 'does not carry what another wire says of an answer'],
  [/\/inputSchema\b/, 'schema_', 'takes only the schema of an object here'],
  [/^\/output\/(?:name|description|strict)$/, 'output_field_', 'does not take this beside a schema'],
  [/^\/output\b/, 'output_', 'cannot ask for this output'],
  [/^\/toolChoice\/(?:tool|allowed\/\d+)$/, 'name_', 'refuses this name'],
  [/^\/toolChoice\b/, 'tool_choice_widened', 'cannot ask for this choice of tools'],
  [/^\/parallelToolCalls$/, 'parallel_', 'has no switch for parallel calls'],
  [/^\/reasoning\b/, 'reasoning_setting_', 'has no such setting of reasoning'],
  [/^\/stop\b/, 'stop_', 'has no such stop sequences'],
  [/^\/usage\b/, 'usage_', 'reports usage in other figures'],
  [/^\/finishReason$/, 'finish_', 'has no word for this end of an answer'],
  [/^\/rawFinishReason$/, 'finish_renamed', 'has its own words for the end of an answer'],
  [/\/strict$/, 'strict_', 'has no strict flag here'],
  [/\/results\/\d+\/(?:isError|content\/\d+\/text)$/, 'error_prefix_ambiguous', 'has no error flag; the text says so'],
  [/\/(?:mediaType|url|data)$/, 'media_', 'describes media in its own way'],
  [/\/name$/, 'name_', 'does not take this name'],
  [/\/(?:callId|id)$/, 'call_id_', 'refuses this id'],
]

function lossAt(wire: Wire, path: string, to: Json | undefined, from: Json | undefined): Loss {
  const [name, why] = carriedAt(path, to, from) ?? named(path)
  const happened = to === undefined ? 'dropped' : 'changed'
  const code = name.endsWith('_') ? name + happened : name
  const kind = name === 'tool_choice_widened' && to !== undefined ? 'widened' : happened
  const message = `${wire} ${why}`
  return to === undefined ? { code, wire, path, kind, message } : { code, wire, path, kind, message, to }
}

type Name = readonly [name: string, why: string]

function named(path: string): Name {
  const [, name, why] = names.find(([place]) => place.test(path)) ?? [path, 'field_', 'cannot say this exactly']
  return [name, why]
}

const carried = /\/extra\/([^/]+)\/([^/]+)/

/**
 * What the loss of a carried field is called. A field that says what its wire means anyway, and a note of how something was
 * spelt, have names of their own: nothing that was asked for is lost with them.
 */
function carriedAt(path: string, to: Json | undefined, from: Json | undefined): Name | undefined {
  const found = carried.exec(path)
  if (found === null) return /\/extra\b/.test(path) ? ['extra_', 'has no place for fields here'] : undefined
  const [, owner = '', token = ''] = found
  const [field = ''] = pointerKeys(`/${token}`)
  if (isSpelling(field)) return ['note_', 'has its own spelling']
  if (to === undefined && saysNothing(owner as Wire, field, from))
    return ['default_', `has no place for ${field}, which said nothing`]
  return ['extra_', `has no place for ${field}`]
}

/** Notes that say more than how something was spelt. */
const telling: ReadonlySet<string> = new Set(['$beta', '$item', '$mode', '$refusal', '$type'])

function isSpelling(field: string): boolean {
  return field.startsWith('$') && !field.startsWith('$$') && !telling.has(field)
}

// Losses found by comparing what was encoded with what decoding it gives back, so that they are exact whatever the input was.
// The trap: some fields never cross a wire by design (who signed an opaque value, why a call is broken, that one was recovered, a tool's own error);
// they are not compared.
import { at, type Loss } from '../conversation/losses.js'
import type { Wire } from '../conversation/messages.js'
import { isJsonObject, isList } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

/** Appends the losses that turn `before` into `after`. `path` is where `before` stands in the value that was encoded. */
export function differences(wire: Wire, before: unknown, after: unknown, path: string, losses: Loss[]): void {
  compare(before as Json, after as Json | undefined, path, (place, to) => losses.push(lossAt(wire, place, to)))
}

/** Whether two plain values say the same; an undefined member is an absent one. */
export function sameValue(before: unknown, after: unknown): boolean {
  let same = true
  compare(before as Json, after as Json | undefined, '', () => {
    same = false
  })
  return same
}

type Report = (path: string, to: Json | undefined) => void

function compare(before: Json | undefined, after: Json | undefined, path: string, report: Report): void {
  if (before === after) return
  if (isList(before) && isList(after) && before.length === after.length) {
    for (let index = 0; index < before.length; index += 1) {
      if (before[index] !== after[index]) compare(before[index], after[index], at(path, index), report)
    }
    return
  }
  if (!isJsonObject(before) || !isJsonObject(after) || kindOf(before) !== kindOf(after)) {
    report(path, after)
    return
  }
  for (const key of Object.keys(before)) compareMember(before, after, key, path, report)
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key)) compareMember(before, after, key, path, report)
  }
}

function compareMember(before: JsonObject, after: JsonObject, key: string, path: string, report: Report): void {
  const one = member(before, key)
  const other = member(after, key)
  if (one === other || neverCrosses(before, after, key)) return
  // A continuation means something as a whole only.
  if (key !== 'opaque') compare(one, other, at(path, key), report)
  else if (!sameValue(one, other)) report(at(path, key), other)
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
  [/\/extra\b/, 'extra_', 'has no such field here'],
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

function lossAt(wire: Wire, path: string, to: Json | undefined): Loss {
  const [, name, why] = names.find(([place]) => place.test(path)) ?? [path, 'field_', 'cannot say this exactly']
  const happened = to === undefined ? 'dropped' : 'changed'
  const code = name.endsWith('_') ? name + happened : name
  const kind = name === 'tool_choice_widened' && to !== undefined ? 'widened' : happened
  const message = `${wire} ${why}`
  return to === undefined ? { code, wire, path, kind, message } : { code, wire, path, kind, message, to }
}

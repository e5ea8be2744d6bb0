// The parts of an assistant turn as items, both ways. Each text part is a message item, with its other fields in the note
// `$item`; a part with the note `$joined` stands in the item of the text before it.
import type { AnyCall, AssistantPart, Carried, OpaquePart, Origin, TextPart } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callOf, customInput, customNotes, inputArguments } from '../arguments.js'
import { hasMember, leftover, noteOf, unmodelled } from '../extra.js'
import { type NameRule, wireCallId, wireName } from '../names.js'
import { refusalNotes } from '../refusals.js'
import { decodeReasoning, encodeReasoning } from './reasoning.js'
import {
  callIdRule,
  clientOrigin,
  fieldsToWrite,
  identityFields,
  identityOf,
  isDefault,
  modelled,
  ownOf,
  wire,
} from './types.js'

/** The items of an assistant turn, for a request. */
export function encodeItems(content: readonly AssistantPart[], names: NameRule): readonly JsonObject[] {
  const items: JsonObject[] = []
  let texts: TextPart[] = []
  const flush = (): void => {
    if (texts.length > 0) items.push(encodeMessage(texts))
    texts = []
  }
  for (const part of content) {
    if (part.type === 'text') {
      if (!joinsItem(part)) flush()
      texts.push(part)
      continue
    }
    flush()
    if (part.type === 'reasoning') items.push(encodeReasoning(part))
    else if (part.type === 'opaque') {
      if (isOpaqueItem(part.data)) items.push(part.data)
    } else items.push(encodeCall(part, names))
  }
  flush()
  return items
}

/** Whether a text part stands in the message item of the text before it. */
export function joinsItem(part: Pick<TextPart, 'extra'>): boolean {
  return noteOf(ownOf(part), 'joined') === true
}

/** The item's own fields beside id and status (`phase`, …), from the part that begins it. */
export function itemFields(part: Pick<TextPart, 'extra'>): JsonObject {
  const note = noteOf(ownOf(part), 'item')
  if (!isJsonObject(note)) return {}
  return Object.fromEntries(Object.entries(note).filter(([key]) => !modelled.item.has(key)))
}

/** One plain text is written in the short form every server knows; all else as an output message. */
function encodeMessage(parts: readonly TextPart[]): JsonObject {
  const [first] = parts as readonly [TextPart, ...TextPart[]]
  if (parts.length === 1 && first.extra === undefined && first.opaque === undefined) {
    return { role: 'assistant', content: first.text }
  }
  const identity = identityFields(first.opaque)
  const content = parts.map(encodeText)
  const fields = itemFields(first)
  const [only] = content
  const plain = content.length === 1 && only?.type === 'output_text' && Object.keys(only).length === 3
  if (plain && Object.keys(identity).length === 0 && isEmptyList(only?.annotations)) {
    return { role: 'assistant', content: first.text, ...fields }
  }
  return { type: 'message', role: 'assistant', ...identity, ...fields, content }
}

/** A text part as the content of an output message. */
export function encodeText(part: TextPart): JsonObject {
  if (noteOf(ownOf(part), 'refusal') === true) {
    return { type: 'refusal', refusal: part.text, ...fieldsToWrite(part, modelled.refusal) }
  }
  return { type: 'output_text', text: part.text, annotations: [], ...fieldsToWrite(part, modelled.text) }
}

/** A broken call says so by its status, whatever its text is. */
export function encodeCall(call: AnyCall, names?: NameRule): JsonObject {
  const input = customInput(wire, call)
  const custom = input !== undefined
  const isCut = call.type === 'broken_call'
  const call_id = names === undefined ? call.id : wireCallId(call.id, callIdRule)
  const name = names === undefined ? call.name : wireName(call.name, names)
  if (call.type === 'tool_call' && call.opaque === undefined && call.extra === undefined) {
    return { type: 'function_call', call_id, name, arguments: call.arguments }
  }
  const { id, status = isCut ? 'incomplete' : undefined } = identityFields(call.opaque)
  return {
    type: custom ? 'custom_tool_call' : 'function_call',
    ...(id === undefined ? {} : { id }),
    call_id,
    name,
    ...(custom ? { input } : { arguments: call.arguments }),
    ...(status === undefined ? {} : { status }),
    ...fieldsToWrite(call, custom ? modelled.custom : modelled.call),
  }
}

/** The parts of one item of an assistant turn. */
export function decodeItem(item: JsonObject, origin: Origin): readonly AssistantPart[] {
  switch (item.type) {
    case 'reasoning':
      return [decodeReasoning(item, origin)]
    case 'function_call':
    case 'custom_tool_call':
      return [decodeCall(item, origin) ?? opaqueItem(item, origin)]
    default:
      return decodeMessage(item, origin) ?? [opaqueItem(item, origin)]
  }
}

export function opaqueItem(item: JsonObject, origin: Origin): OpaquePart {
  return { type: 'opaque', origin, data: item }
}

/**
 * The parts of an assistant message, one for each of its content: text and refusals, and whatever else it holds as a message of its own.
 * Nothing for a message without any text.
 */
export function decodeMessage(item: JsonObject, origin: Origin): readonly (TextPart | OpaquePart)[] | undefined {
  if (!isMessage(item) || (item.role ?? 'assistant') !== 'assistant') return undefined
  const content = typeof item.content === 'string' ? [{ type: 'output_text', text: item.content }] : item.content
  if (!Array.isArray(content) || !content.some(isText)) return undefined
  const first = content.findIndex(isText)
  return content.map((part: Json, index) => {
    if (!isText(part)) return opaqueItem({ type: 'message', role: 'assistant', content: [part] }, origin)
    const joins = index > 0 && isText(content[index - 1])
    return decodeText(part, index === first ? item : joins ? undefined : noFields, origin)
  })
}

const noFields: JsonObject = {}

/** A message item, in its full form or in the short one without a type. */
export function isMessage(item: JsonObject): boolean {
  return item.type === 'message' || (item.type === undefined && item.role !== undefined)
}

function isText(part: Json | undefined): part is JsonObject {
  if (!isJsonObject(part)) return false
  return part.type === 'refusal'
    ? typeof part.refusal === 'string'
    : (part.type === 'output_text' || part.type === 'input_text') && typeof part.text === 'string'
}

/** Whether a value of the output is an item: it says what it is, and a message has content that can be read. */
export function isReadableItem(item: Json | undefined): item is JsonObject {
  if (!isJsonObject(item)) return false
  if (!isMessage(item)) return typeof item.type === 'string'
  const { content } = item
  return typeof content === 'string' || (Array.isArray(content) && content.every(isReadableContent))
}

function isReadableContent(part: Json): boolean {
  return isJsonObject(part) && typeof part.type === 'string' && (!textTypes.has(part.type) || isText(part))
}

const textTypes: ReadonlySet<string> = new Set(['output_text', 'input_text', 'refusal'])

/** One content part as text; `item` is the message it begins, if it does not join one. */
export function decodeText(part: JsonObject, item: JsonObject | undefined, origin: Origin): TextPart {
  const refused = part.type === 'refusal'
  const fields = item === undefined ? undefined : unmodelled(item, modelled.item)
  const notes = {
    ...(item === undefined ? { joined: true } : {}),
    ...(fields !== undefined && hasMember(fields) ? { item: fields } : {}),
    ...(refused ? { refusal: true } : {}),
  }
  const known = refused ? modelled.refusal : modelled.text
  const text = (refused ? part.refusal : part.text) as string
  const identity = item === undefined ? {} : identityOf(item, origin)
  return {
    type: 'text',
    text,
    ...identity,
    ...leftover(wire, part, known, { isDefault, notes, also: refused ? refusalNotes : undefined }),
  }
}

function decodeCall(item: JsonObject, origin: Origin): AnyCall | undefined {
  const { call_id: id = item.id, name } = item
  if (typeof id !== 'string' || typeof name !== 'string') return undefined
  const text = argumentsOf(item)
  const carried = { ...identityOf(item, origin, 'incomplete'), ...callFields(item) }
  const reason = brokenReason(item)
  const isInput = item.type === 'custom_tool_call'
  return reason === undefined
    ? callOf({ id, name, text: isInput ? inputArguments(text) : text, ...carried })
    : { type: 'broken_call', id, name, arguments: text, reason, ...carried }
}

/** Why the item itself says that its call is broken: it was cut. */
export function brokenReason(item: JsonObject): 'truncated' | undefined {
  return item.status === 'incomplete' ? 'truncated' : undefined
}

/** What of the item of a call is not modelled, and the kind of its tool. */
export function callFields(item: JsonObject): Carried {
  if (item.type !== 'custom_tool_call') return leftover(wire, item, modelled.call, { isDefault })
  return leftover(wire, item, modelled.custom, { isDefault, notes: customNotes })
}

/** The argument text of a call, or the input of a custom one; some servers send the object itself. */
export function argumentsOf(item: JsonObject): string {
  const value = item.type === 'custom_tool_call' ? item.input : item.arguments
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const resultTypes: ReadonlySet<Json | undefined> = new Set(['function_call_output', 'custom_tool_call_output'])

export function isResult(item: JsonObject): boolean {
  return resultTypes.has(item.type)
}

/** Whether an item would be read back as the opaque part it is. A call of the provider itself looks like any other: see `readItems`. */
export function isOpaqueItem(item: JsonObject): boolean {
  if (isResult(item)) return false
  if (item.type === 'custom_tool_call') return true
  if (isMessage(item) && isReadableRole(item)) return false
  return decodeItem(item, clientOrigin)[0]?.type === 'opaque'
}

/** A message that is read as a user's or as system text. */
export function isReadableRole(item: JsonObject): boolean {
  if (item.role === 'user') return typeof item.content === 'string' || isObjects(item.content)
  if (item.role !== 'system' && item.role !== 'developer') return false
  return typeof item.content === 'string' || (isObjects(item.content) && item.content.every(isInputText))
}

function isObjects(list: Json | undefined): list is readonly JsonObject[] {
  return Array.isArray(list) && list.every((part) => isJsonObject(part))
}

function isInputText(part: JsonObject): boolean {
  return part.type === 'input_text' && typeof part.text === 'string'
}

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}

// Reasoning, which the wire's owner never shows and every compatible spells differently: `reasoning_content`, `reasoning`,
// `reasoning_text`, opaque `reasoning_details`, or a `thinking` block of the content.
// The trap: some servers send the same text in two of them. The first that is not empty counts; they are never added up.
import { at, type Loss } from '../../conversation/losses.js'
import type { ReasoningPart } from '../../conversation/messages.js'
import { canonicalJson } from '../../json/canonical.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Flags } from './profiles.js'
import { wire } from './types.js'

const textFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
type TextField = (typeof textFields)[number]

/** Reasoning as read: its text, and what brings it back the way it came. */
export interface ReadReasoning {
  readonly text: string
  readonly data: JsonObject
}

/** The reasoning of a message object, or of one delta of it. */
export function readReasoning(message: JsonObject): ReadReasoning | undefined {
  const details = message.reasoning_details
  const list = Array.isArray(details) && details.length > 0 ? { details } : {}
  for (const field of textFields) {
    const text = message[field]
    if (typeof text === 'string' && text !== '') return { text, data: { field, ...list } }
  }
  return 'details' in list ? { text: detailsText(list.details), data: list } : undefined
}

/** The reasoning of a `thinking` block, when it holds nothing but text. */
export function readThinking(block: JsonObject): ReadReasoning | undefined {
  if (block.type !== 'thinking') return undefined
  const { type: _, thinking, ...rest } = block
  if (typeof thinking === 'string') return { text: thinking, data: { ...rest, field: 'thinking' } }
  if (!Array.isArray(thinking)) return undefined
  let text = ''
  for (const piece of thinking) {
    if (!isJsonObject(piece) || piece.type !== 'text' || typeof piece.text !== 'string') return undefined
    text += piece.text
  }
  return { text, data: { ...rest, field: 'thinking' } }
}

/** Whether a member of a message says what `readReasoning` has said already. */
export function repeatsReasoning(read: ReadReasoning | undefined, key: string, value: Json): boolean {
  if (key === 'reasoning_details') return read?.data.details === value || (Array.isArray(value) && value.length === 0)
  return isTextField(key) && (value === '' || value === read?.text)
}

function isTextField(key: string): key is TextField {
  return (textFields as readonly string[]).includes(key)
}

/** All text of `reasoning_details`: of summaries too, nothing of what is encrypted. */
function detailsText(details: readonly Json[]): string {
  let text = ''
  for (const detail of details) {
    if (!isJsonObject(detail)) continue
    if (typeof detail.text === 'string') text += detail.text
    else if (typeof detail.summary === 'string') text += detail.summary
  }
  return text
}

/** Adds the `reasoning_details` of one delta to a list: pieces of one entry are joined, new entries appended. */
export function mergeDetails(merged: Json[], more: readonly Json[]): void {
  for (const piece of more) {
    const last = merged.at(-1)
    if (isJsonObject(piece) && isJsonObject(last) && continuesDetail(last, piece))
      merged[merged.length - 1] = joinDetail(last, piece)
    else merged.push(piece)
  }
}

function continuesDetail(last: JsonObject, piece: JsonObject): boolean {
  const { index, id } = piece
  return (
    typeof index === 'number' &&
    index === last.index &&
    piece.type === last.type &&
    (typeof id !== 'string' || typeof last.id !== 'string' || id === last.id)
  )
}

function joinDetail(last: JsonObject, piece: JsonObject): JsonObject {
  const joined = new Map<string, Json>(Object.entries(last))
  for (const [key, value] of Object.entries(piece)) {
    const known = joined.get(key)
    const grows = key === 'text' || key === 'summary' || key === 'data'
    if (grows && typeof known === 'string' && typeof value === 'string') joined.set(key, known + value)
    else if (value !== null) joined.set(key, value)
  }
  return Object.fromEntries(joined)
}

/** Reasoning as it is written: members of the message, or the first block of its content. */
export interface WrittenReasoning {
  readonly fields: JsonObject
  readonly block?: JsonObject
  /** What reading it back gives. */
  readonly back: ReadReasoning | undefined
}

/** Where it came from when that is known, else where the profile puts it. */
export function writeReasoning(text: string, data: JsonObject | undefined, flags: Flags): WrittenReasoning {
  const details =
    data !== undefined && Array.isArray(data.details) && data.details.length > 0 ? data.details : undefined
  const list = details === undefined ? {} : { reasoning_details: details }
  const field = fieldOf(data, flags)
  if (field === 'thinking') {
    if (text === '') return { fields: {}, back: undefined }
    const { field: _, details: __, type: ___, thinking: ____, ...rest } = data ?? {}
    const block = { type: 'thinking', thinking: [{ type: 'text', text }], ...(data?.field === 'thinking' ? rest : {}) }
    return { fields: {}, block, back: readThinking(block) }
  }
  const derived = details !== undefined && data?.field === undefined && text === detailsText(details)
  const fields = text === '' || derived ? list : { [field]: text, ...list }
  return { fields, back: readReasoning(fields) }
}

function fieldOf(data: JsonObject | undefined, flags: Flags): TextField | 'thinking' {
  const field = data?.field
  return field === 'thinking' || (typeof field === 'string' && isTextField(field)) ? field : flags.reasoningField
}

/** What of a reasoning part does not come back as it is. */
export function reportReasoning(
  part: ReasoningPart,
  back: ReadReasoning | undefined,
  path: string,
  losses: Loss[],
): void {
  if (back === undefined) {
    losses.push({ code: 'reasoning_dropped', wire, path, kind: 'dropped', message: 'empty reasoning has no place' })
    return
  }
  const changed = (key: string, to: Json, message: string): void => {
    losses.push({ code: 'reasoning_changed', wire, path: at(path, key), kind: 'changed', to, message })
  }
  if (back.text !== part.text) changed('text', back.text, 'the text of the reasoning is that of its details')
  if (part.opaque === undefined || canonicalJson(part.opaque.data) !== canonicalJson(back.data)) {
    const message = 'reasoning is sent in the field of this server, and readers take it for its own'
    changed('opaque', { origin: { wire }, data: back.data }, message)
  }
}

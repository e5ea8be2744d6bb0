// Content blocks and canonical parts, one by one, in both directions. Blocks without a canonical form stay whole (opaque).
// The trap: what is written must read back as what it was, so an opaque block that looks like a modelled one is not written.
import { at, type Loss } from '../../conversation/losses.js'
import type {
  AssistantPart,
  FilePart,
  ImagePart,
  OpaquePart,
  Origin,
  ReasoningPart,
  TextPart,
  UserPart,
} from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Writable } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { objectCallOf } from '../arguments.js'
import { carriedFields, leftover } from '../extra.js'
import { readDocument, readImage, writeSource } from './media.js'
import { defaults, isDefault, lossOf, modelled, wire } from './types.js'

export type Block = { readonly [key: string]: Writable }

const client: Origin = { wire }

function opaqueOf(block: JsonObject, origin: Origin = client): OpaquePart {
  return { type: 'opaque', origin, data: block }
}

/** A block of a user turn or of a result. */
export function readUserBlock(block: JsonObject): UserPart {
  switch (block.type) {
    case 'text':
      return readText(block) ?? opaqueOf(block)
    case 'image':
      return readImage(block) ?? opaqueOf(block)
    case 'document':
      return readDocument(block) ?? opaqueOf(block)
    default:
      return opaqueOf(block)
  }
}

/** A block of an assistant turn; `input` gives the raw text of a call's arguments, where it is known. */
export function readAssistantBlock(block: JsonObject, input?: () => string | undefined): AssistantPart {
  if (block.type !== 'tool_use') return readAnswerBlock(block, client)
  const { id, name, input: value } = block
  return objectCallOf({
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    text: input?.() ?? (value === undefined ? '' : JSON.stringify(value)),
    value,
    ...leftover(wire, block, modelled.toolUse, defaults),
  })
}

/** A block of an answer that is not a call. `origin` says where its signature may go back to. */
export function readAnswerBlock(block: JsonObject, origin: Origin): TextPart | ReasoningPart | OpaquePart {
  if (block.type === 'text') return readText(block) ?? opaqueOf(block, origin)
  if (block.type === 'thinking') return readThinking(block, origin) ?? opaqueOf(block, origin)
  return opaqueOf(block, origin)
}

/** Whether a block of an answer is an object, and has a text if it is a text block. */
export function isReadable(block: Json): block is JsonObject {
  if (!isJsonObject(block)) return false
  return block.type === 'text' ? typeof block.text === 'string' : block.type !== undefined || block.text === undefined
}

function readText(block: JsonObject): TextPart | undefined {
  if (typeof block.text !== 'string') return undefined
  return { type: 'text', text: block.text, ...leftover(wire, block, modelled.text, defaults) }
}

function readThinking(block: JsonObject, origin: Origin): ReasoningPart | undefined {
  const { thinking, signature } = block
  if (typeof thinking !== 'string') return undefined
  const signed = typeof signature === 'string' && signature !== '' ? { opaque: { origin, data: { signature } } } : {}
  return { type: 'reasoning', text: thinking, ...signed, ...leftover(wire, block, modelled.thinking, defaults) }
}

/** A part of a user turn or of a result; nothing when it cannot be sent, with the loss that says so. */
export function writeUserPart(part: UserPart, path: string, losses: Loss[]): Block | undefined {
  switch (part.type) {
    case 'text':
      return writeText(part, path, losses)
    case 'image':
      return writeImage(part, path, losses)
    case 'file':
      return writeFile(part, path, losses)
    case 'opaque':
      return writeOpaque(part, path, losses, part.data.type !== 'tool_result' && isOpaque(readUserBlock(part.data)))
  }
}

export function writeText(part: TextPart, path: string, losses: Loss[]): Block {
  if (part.opaque !== undefined) {
    losses.push(lossOf('signature_dropped', at(path, 'opaque'), 'dropped', 'text carries no signature on this wire'))
  }
  return {
    type: 'text',
    text: part.text,
    ...carriedFields(wire, part, path, losses, { taken: modelled.text, isDefault }),
  }
}

function writeImage(part: ImagePart, path: string, losses: Loss[]): Block {
  const fields = carriedFields(wire, part, path, losses, { taken: modelled.image, isDefault })
  return { type: 'image', source: writeSource(part, path, losses), ...fields }
}

function writeFile(part: FilePart, path: string, losses: Loss[]): Block {
  const fields = carriedFields(wire, part, path, losses, { taken: modelled.document, isDefault })
  return { type: 'document', source: writeSource(part, path, losses), title: part.name, ...fields }
}

/** Thinking as it came, byte for byte; without a signature when that is another wire's. */
export function writeThinking(part: ReasoningPart, path: string, losses: Loss[]): Block {
  const signature = signatureOf(part, path, losses)
  const fields = carriedFields(wire, part, path, losses, { taken: modelled.thinking, isDefault })
  return { type: 'thinking', thinking: part.text, signature, ...fields }
}

function signatureOf(part: ReasoningPart, path: string, losses: Loss[]): string {
  if (part.opaque === undefined) return ''
  const { origin, data } = part.opaque
  const { signature } = data
  if (origin.wire !== wire || typeof signature !== 'string' || signature === '') {
    const message = `a signature of ${origin.wire} means nothing on ${wire}`
    losses.push(lossOf('signature_dropped', at(path, 'opaque'), 'dropped', message))
    return ''
  }
  if (Object.keys(data).length > 1) {
    const message = 'only the signature of a thinking block is sent'
    losses.push(lossOf('signature_changed', at(at(path, 'opaque'), 'data'), 'changed', message, { signature }))
  }
  return signature
}

/** A block of this wire as it came; nothing when it is another wire's, or would read back as something else. */
export function writeAssistantOpaque(part: OpaquePart, path: string, losses: Loss[]): Block | undefined {
  const isSafe = part.data.type !== 'tool_use' && isReadable(part.data) && isOpaque(readAnswerBlock(part.data, client))
  return writeOpaque(part, path, losses, isSafe)
}

function writeOpaque(part: OpaquePart, path: string, losses: Loss[], isSafe: boolean): Block | undefined {
  if (isSafe && part.origin.wire === wire) return part.data
  const message = isSafe
    ? `a block of ${part.origin.wire} cannot be sent on ${wire}`
    : 'a block kept as it came must be one that has no form of its own; build the part instead'
  losses.push(lossOf('opaque_dropped', path, 'dropped', message))
  return undefined
}

function isOpaque(part: UserPart | AssistantPart): boolean {
  return part.type === 'opaque'
}

/** Thinking in either form, shown or redacted. */
export function isThinking(part: AssistantPart): boolean {
  return part.type === 'reasoning' || (part.type === 'opaque' && part.data.type === 'redacted_thinking')
}

/** The blocks of a content list: a string is one text block. Nothing for anything else. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] | undefined {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (content === null || content === undefined) return []
  return Array.isArray(content) && content.every(isJsonObject) ? content : undefined
}

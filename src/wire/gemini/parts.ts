// The parts of a content, written. A signature is written on exactly the part it came on.
import { assertNever } from '../../conversation/events.js'
import type {
  AnyCall,
  AssistantPart,
  Carried,
  FilePart,
  ImagePart,
  Opaque,
  ReasoningPart,
  TextPart,
  UserPart,
} from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Writable } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import { argumentsObject } from '../arguments.js'
import { fieldsOf, noteOf } from '../extra.js'
import { parseDataUrl } from '../media.js'
import { type NameRule, wireCallId, wireName } from '../names.js'
import type { GeminiProfile } from './profiles.js'
import {
  callKeys,
  isSnakeSpelling,
  mediaKeys,
  missingSignature,
  modelTextKeys,
  partKeys,
  textKeys,
  wire,
} from './types.js'

export const nameRule: NameRule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, max: 128 }
export const idRule: NameRule & { readonly prefix: string } = {
  pattern: /^[a-zA-Z0-9_-]+$/,
  max: 64,
  prefix: 'call_',
}

export type WritableObject = { readonly [key: string]: Writable }
const noFields: JsonObject = {}
const callPartKeys: ReadonlySet<string> = new Set([...partKeys, 'thoughtSignature'])

/** The unmodelled fields a node carries for this wire, without those that would be read as something else. */
export function ownFields(node: Carried, reserved: ReadonlySet<string>): JsonObject {
  const own = node.extra?.[wire]
  return own === undefined ? noFields : withoutKeys(fieldsOf(own), reserved)
}

/** The unmodelled fields of the object inside a part. */
export function insideFields(node: Carried, reserved: ReadonlySet<string>): JsonObject {
  const inner = noteOf(node.extra?.[wire], 'inner')
  return isJsonObject(inner) ? withoutKeys(inner, reserved) : noFields
}

export function withoutKeys(fields: JsonObject, reserved: ReadonlySet<string>): JsonObject {
  const refused = (key: string): boolean => reserved.has(key) || isSnakeSpelling(key)
  for (const name in fields) {
    if (refused(name)) return Object.fromEntries(Object.entries(fields).filter(([key]) => !refused(key)))
  }
  return fields
}

/** A signature of this wire as the part carries it, or nothing. */
export function signatureIn(opaque: Opaque | undefined): string | undefined {
  if (opaque === undefined || opaque.origin.wire !== wire) return undefined
  const signature = opaque.data.thoughtSignature
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

export interface CallOptions {
  /** The id was made here, because the wire gave none: it is not sent back. */
  readonly unsent: boolean
  /** What stands in for a signature that is foreign or lost, where one is demanded. */
  readonly sentinel: boolean
}

export function writeText(part: TextPart | ReasoningPart, place: 'model' | 'user'): WritableObject {
  return {
    text: part.text,
    thought: part.type === 'reasoning' ? true : undefined,
    thoughtSignature: signatureIn(part.opaque),
    ...ownFields(part, place === 'model' ? modelTextKeys : textKeys),
  }
}

export function writeCall(call: AnyCall, options: CallOptions): WritableObject {
  const id = options.unsent ? undefined : wireCallId(call.id, idRule)
  const name = wireName(call.name, nameRule)
  return {
    functionCall: { id, name, args: argumentsObject(call), ...insideFields(call, callKeys) },
    thoughtSignature: signatureIn(call.opaque) ?? (options.sentinel ? missingSignature : undefined),
    ...ownFields(call, callPartKeys),
  }
}

export function writeMedia(part: ImagePart | FilePart, profile: GeminiProfile): WritableObject {
  const inline =
    part.data === undefined ? parseDataUrl(part.url ?? '') : { data: part.data, mediaType: part.mediaType ?? '' }
  const named = part.type === 'file' && profile.displayNames === true ? { displayName: part.name } : noFields
  const more = insideFields(part, mediaKeys)
  const name = part.type === 'image' ? displayNameOf(part) : noFields
  const fields = ownFields(part, partKeys)
  if (inline !== undefined) {
    const mimeType = inline.mediaType || 'application/octet-stream'
    return { inlineData: { mimeType, data: inline.data, ...named, ...name, ...more }, ...fields }
  }
  const mimeType = part.mediaType ?? (part.type === 'image' ? imageType(part.url ?? '') : undefined)
  return { fileData: { mimeType, fileUri: part.url ?? '', ...named, ...name, ...more }, ...fields }
}

function displayNameOf(part: ImagePart): JsonObject {
  const inner = noteOf(part.extra?.[wire], 'inner')
  return isJsonObject(inner) && typeof inner.displayName === 'string' ? { displayName: inner.displayName } : noFields
}

const imageTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
])

/** The type an address ends in: a file without a type is refused by some models. */
function imageType(url: string): string | undefined {
  const [, ending = ''] = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url.slice(0, 2000)) ?? []
  return imageTypes.get(ending.toLowerCase())
}

export function writeModelPart(part: AssistantPart, options: CallOptions): WritableObject {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return writeText(part, 'model')
    case 'tool_call':
    case 'broken_call':
      return writeCall(part, options)
    case 'opaque':
      return part.data
    default:
      return assertNever(part)
  }
}

export function writeUserPart(part: UserPart, profile: GeminiProfile): WritableObject {
  switch (part.type) {
    case 'text':
      return writeText(part, 'user')
    case 'image':
    case 'file':
      return writeMedia(part, profile)
    case 'opaque':
      return part.data
    default:
      return assertNever(part)
  }
}

/** Whether a call is written and read back with nothing changed, so that nothing needs to be compared. */
export function isPlainCall(call: AnyCall): boolean {
  return (
    call.type === 'tool_call' &&
    call.extra === undefined &&
    isPlainOpaque(call.opaque) &&
    isLegal(call.id, idRule) &&
    isLegal(call.name, nameRule) &&
    call.arguments.startsWith('{') &&
    call.arguments.endsWith('}') &&
    !call.arguments.includes('rawInvalidInput')
  )
}

/** Whether a text is written and read back with nothing changed. */
export function isPlainText(part: TextPart | ReasoningPart): boolean {
  return part.extra === undefined && isPlainOpaque(part.opaque)
}

function isPlainOpaque(opaque: Opaque | undefined): boolean {
  if (opaque === undefined) return true
  const signature = signatureIn(opaque)
  return signature !== undefined && signature !== missingSignature && Object.keys(opaque.data).length === 1
}

export function isLegal(name: string, rule: NameRule): boolean {
  return name.length <= rule.max && rule.pattern.test(name)
}

// The parts of a content, read. What decides the kind of a part is which member it has; anything unknown stays as it is.
import type {
  AssistantPart,
  FilePart,
  ImagePart,
  Opaque,
  OpaquePart,
  Origin,
  TextPart,
  UserPart,
} from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { objectCallOf } from '../arguments.js'
import { leftover, type Notes } from '../extra.js'
import { standardBase64 } from '../media.js'
import { madeCallId } from '../names.js'
import { callKeys, camelKeys, mediaKeys, missingSignature, objectOf, partKeys, wire } from './types.js'

/** Decoded from a client: whoever speaks this wire. */
export const clientOrigin: Origin = { wire }

const textMembers: ReadonlySet<string> = new Set(['text', 'thoughtSignature'])
const thoughtMembers: ReadonlySet<string> = new Set(['text', 'thoughtSignature', 'thought'])
const callMembers: ReadonlySet<string> = new Set(['functionCall', 'thoughtSignature'])
const inlineMembers: ReadonlySet<string> = new Set(['inlineData'])
const fileMembers: ReadonlySet<string> = new Set(['fileData'])

const isDefault = (key: string, value: Json): boolean =>
  key === 'thought' ? value !== true : value === null && partKeys.has(key)

const positions: string[] = []

/** The id of the n-th call of a request that names no ids. Encode knows it again, so it needs no note. */
export function positionalId(position: number): string {
  positions[position] ??= madeCallId('request', position)
  return positions[position]
}

/** The signature of a part. The sentinel stands for none. */
export function signatureOf(part: JsonObject, origin: Origin = clientOrigin): Opaque | undefined {
  const signature = part.thoughtSignature
  if (typeof signature !== 'string' || signature === '' || signature === missingSignature) return undefined
  return { origin, data: { thoughtSignature: signature } }
}

/** The members that hold what a part says. A part has one of them. */
const dataMembers = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
] as const

/**
 * One part for each thing that a part says. The real API never puts two into one, but compatible servers and clients do.
 * The signature and all other members go to the call, or to the first thing if there is no call.
 */
export function splitPart(raw: JsonObject): readonly JsonObject[] {
  if (Object.keys(raw).length < 2) return [raw]
  const part = camelKeys(raw)
  const said = dataMembers.filter((key) => (key === 'text' ? typeof part.text === 'string' : isJsonObject(part[key])))
  if (said.length < 2) return [raw]
  const filled = said.filter((key) => part[key] !== '')
  const owner = filled.includes('functionCall') ? 'functionCall' : filled[0]
  const { thought, ...others } = withoutKeys(part, new Set(dataMembers))
  return filled.map((key) => ({
    [key]: part[key] as Json,
    ...(key === 'text' && thought !== undefined ? { thought } : {}),
    ...(key === owner ? others : {}),
  }))
}

function withoutKeys(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)))
}

/** Whether what a part says can't be read: its data has the wrong type, or it is null and nothing else is there. */
export function isUnreadable(part: JsonObject): boolean {
  const given = Object.entries(part).filter(([, value]) => value !== null)
  if (given.length === 0) return Object.keys(part).length > 0
  const said = given.filter(([key]) => (dataMembers as readonly string[]).includes(key))
  return (
    said.length > 0 && said.every(([key, value]) => (key === 'text' ? typeof value !== 'string' : !isJsonObject(value)))
  )
}

/** A part of the model. `args` gives the raw text of the arguments; `makeId` names a call that has no id. */
export function decodeModelPart(
  raw: JsonObject,
  args: (value: Json) => string | undefined,
  makeId: () => string,
): AssistantPart {
  const part = camelKeys(raw)
  const call = objectOf(part.functionCall)
  if (call !== undefined) {
    const value = call.args ?? undefined
    return objectCallOf({
      id: textIn(call.id) || makeId(),
      name: textIn(call.name),
      text: value === undefined ? '{}' : (args(value) ?? JSON.stringify(value)),
      value,
      opaque: signatureOf(part),
      ...callExtra(part, call),
    })
  }
  if (typeof part.text !== 'string') return { type: 'opaque', origin: clientOrigin, data: raw }
  const opaque = signatureOf(part)
  return {
    type: part.thought === true ? 'reasoning' : 'text',
    text: part.text,
    ...(opaque === undefined ? {} : { opaque }),
    ...textExtra(part),
  }
}

/** Fields beside a function call, and inside it, that are not modelled. */
export function callExtra(part: JsonObject, call: JsonObject): ReturnType<typeof leftover> {
  return leftover(wire, part, callMembers, { isDefault, notes: innerNote(call, callKeys) })
}

export function textExtra(part: JsonObject): ReturnType<typeof leftover> {
  return leftover(wire, part, thoughtMembers, { isDefault })
}

/** A part of a user: text, media, or whatever else it is. */
export function decodeUserPart(raw: JsonObject): UserPart {
  const part = camelKeys(raw)
  if (typeof part.text === 'string') return decodeUserText(part)
  return decodeMedia(part) ?? { type: 'opaque', origin: clientOrigin, data: raw }
}

export function decodeUserText(part: JsonObject): TextPart {
  const opaque = signatureOf(part)
  return {
    type: 'text',
    text: textIn(part.text),
    ...(opaque === undefined ? {} : { opaque }),
    ...leftover(wire, part, textMembers, { isDefault }),
  }
}

function decodeMedia(part: JsonObject): ImagePart | FilePart | undefined {
  const inline = objectOf(part.inlineData)
  const media = inline ?? objectOf(part.fileData)
  if (media === undefined) return undefined
  const place = inline === undefined ? media.fileUri : media.data
  if (typeof place !== 'string') return undefined
  const type = textIn(media.mimeType)
  const image = type.startsWith('image/')
  const name = media.displayName
  const inner = image && name !== undefined ? new Set([...mediaKeys].filter((key) => key !== 'displayName')) : mediaKeys
  return {
    type: image ? 'image' : 'file',
    ...(type === '' ? {} : { mediaType: type }),
    ...(inline === undefined ? { url: place } : { data: standardBase64(place) }),
    ...(!image && typeof name === 'string' ? { name } : {}),
    ...leftover(wire, part, inline === undefined ? fileMembers : inlineMembers, {
      isDefault,
      notes: innerNote(media, inner),
    }),
  }
}

const noNotes: Notes = {}

/** Unmodelled fields of the object inside a part, as a note: the fields beside it are the part's own. */
export function innerNote(object: JsonObject, modelled: ReadonlySet<string>): Notes {
  for (const name in object) {
    if (!modelled.has(name)) {
      return { inner: Object.fromEntries(Object.entries(object).filter(([key]) => !modelled.has(key))) }
    }
  }
  return noNotes
}

export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a block is one that decoding keeps as it is, so that it may be sent as it is. */
export function isOwnBlock(part: OpaquePart, place: 'model' | 'user'): boolean {
  const data = camelKeys(part.data)
  if (splitPart(data).length > 1) return false
  if (typeof data.text === 'string') return false
  if (place === 'model') return !isJsonObject(data.functionCall)
  return !isJsonObject(data.functionResponse) && decodeMedia(data) === undefined
}

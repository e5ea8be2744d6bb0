// Content blocks of a message in both directions: text, images, files, audio, refusals, and whatever else a client sends.
import { at, type Loss } from '../../conversation/losses.js'
import type { AssistantPart, FilePart, ImagePart, OpaquePart, TextPart, UserPart } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { carriedFields, innerFields, leftover, noteOf, unmodelled } from '../extra.js'
import { mediaOf, urlOf } from '../media.js'
import { refusalNotes } from '../refusals.js'
import { audioFormats, isNull, modelled, wire } from './types.js'

/** What a block of the content can be: everything but reasoning and calls, which stand beside it. */
export type BlockPart = TextPart | ImagePart | FilePart | OpaquePart

export function isBlockPart(part: AssistantPart | UserPart): part is BlockPart {
  return part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'opaque'
}

/** Whether the wire has a block for this image or file. */
export function carriesMedia(part: ImagePart | FilePart): boolean {
  if (part.type === 'image') return part.data !== undefined || part.url !== undefined
  return part.data !== undefined
}

/** One part as a block; only an assistant's has `refusals`. Nothing for an empty text that only carries a continuation, which has no place here. */
export function encodeBlock(part: BlockPart, path: string, losses: Loss[], refusals = false): JsonObject | undefined {
  switch (part.type) {
    case 'opaque':
      reportOpaque(part, path, losses, refusals)
      return part.data
    case 'image':
      return imageBlock(part, path, losses)
    case 'file':
      return fileBlock(part, path, losses)
    default:
      return textBlock(part, path, losses, refusals)
  }
}

/** A block kept as it was may be one that is known after all; then it comes back as what it is. */
function reportOpaque(part: OpaquePart, path: string, losses: Loss[], refusals: boolean): void {
  const back = decodeBlock(part.data, refusals)
  if (back.type === 'opaque') return
  const to = { ...back } as unknown as JsonObject
  losses.push({ code: 'opaque_known', wire, path, kind: 'changed', to, message: 'this block has a canonical form' })
}

function textBlock(part: TextPart, path: string, losses: Loss[], refusals: boolean): JsonObject | undefined {
  if (part.opaque !== undefined) {
    const message = `${wire} has no place for a continuation on text`
    const place = part.text === '' ? path : at(path, 'opaque')
    losses.push({ code: 'signature_dropped', wire, path: place, kind: 'dropped', message })
    if (part.text === '') return undefined
  }
  if (refusals && isRefusal(part)) {
    const fields = carriedFields(wire, part, path, losses, {
      taken: modelled.refusal,
      notes: { refusal: 'block' },
      also: refusalNotes,
    })
    return { type: 'refusal', refusal: part.text, ...fields }
  }
  return { type: 'text', text: part.text, ...carriedFields(wire, part, path, losses, { taken: modelled.text }) }
}

/** Whether a text is a refusal. On the wire that is a member of the message, or a block when its note says so. */
export function isRefusal(part: TextPart): boolean {
  const note = noteOf(part.extra?.[wire], 'refusal')
  return note === true || note === 'block'
}

function imageBlock(part: ImagePart, path: string, losses: Loss[]): JsonObject {
  const url = urlOf(part) ?? ''
  reportMedia(part, mediaOf(url), path, losses)
  const inner = innerFields(part.extra?.[wire], 'image_url', modelled.imageUrl)
  const fields = carriedFields(wire, part, path, losses, { taken: modelled.image, inner: { image_url: inner } })
  return { type: 'image_url', image_url: { url, ...inner }, ...fields }
}

function fileBlock(part: FilePart, path: string, losses: Loss[]): JsonObject {
  const format = audioFormats.get(part.mediaType ?? '')
  if (format !== undefined && part.data !== undefined) {
    reportMedia(part, { mediaType: part.mediaType ?? '', data: part.data }, path, losses)
    if (part.name !== undefined) dropped(at(path, 'name'), 'audio has no name', losses)
    const inner = innerFields(part.extra?.[wire], 'input_audio', modelled.audioData)
    const fields = carriedFields(wire, part, path, losses, { taken: modelled.audio, inner: { input_audio: inner } })
    return { type: 'input_audio', input_audio: { data: part.data, format, ...inner }, ...fields }
  }
  const file_data = urlOf(part) ?? ''
  reportMedia(part, mediaOf(file_data), path, losses)
  const inner = innerFields(part.extra?.[wire], 'file', modelled.fileData)
  const fields = carriedFields(wire, part, path, losses, { taken: modelled.file, inner: { file: inner } })
  const filename = part.name === undefined ? {} : { filename: part.name }
  return { type: 'file', file: { file_data, ...filename, ...inner }, ...fields }
}

/** The wire has one address for a medium; what else the part says of it does not come back. */
function reportMedia(part: ImagePart | FilePart, back: object, path: string, losses: Loss[]): void {
  const read = back as { readonly url?: string; readonly mediaType?: string; readonly data?: string }
  for (const key of ['url', 'mediaType', 'data'] as const) {
    if (part[key] === read[key]) continue
    const to = read[key]
    if (to === undefined) dropped(at(path, key), `${wire} has one address for a medium`, losses)
    else losses.push({ code: 'media_changed', wire, path: at(path, key), kind: 'changed', to, message: 'read back so' })
  }
}

function dropped(path: string, message: string, losses: Loss[]): void {
  losses.push({ code: 'media_changed', wire, path, kind: 'dropped', message })
}

/** One block as a part; a block of no known kind is kept as it is. */
export function decodeBlock(block: Json, refusals = false): BlockPart {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isJsonObject(block)) return { type: 'opaque', origin: { wire }, data: { value: block } }
  return knownBlock(block, refusals) ?? { type: 'opaque', origin: { wire }, data: block }
}

function knownBlock(block: JsonObject, refusals: boolean): BlockPart | undefined {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') return undefined
      return { type: 'text', text: block.text, ...leftover(wire, block, modelled.text, { isDefault: isNull }) }
    case 'refusal': {
      if (!refusals || typeof block.refusal !== 'string') return undefined
      const notes = { refusal: 'block' }
      return {
        type: 'text',
        text: block.refusal,
        ...leftover(wire, block, modelled.refusal, { isDefault: isNull, notes, also: refusalNotes }),
      }
    }
    case 'image_url':
      return decodeImage(block)
    case 'file':
      return decodeFile(block)
    case 'input_audio':
      return decodeAudio(block)
    default:
      return undefined
  }
}

function decodeImage(block: JsonObject): ImagePart | undefined {
  const image = typeof block.image_url === 'string' ? { url: block.image_url } : block.image_url
  if (!isJsonObject(image) || typeof image.url !== 'string') return undefined
  const inner = { image_url: unmodelled(image, modelled.imageUrl) }
  return {
    type: 'image',
    ...mediaOf(image.url),
    ...leftover(wire, block, modelled.image, { isDefault: isNull, inner }),
  }
}

function decodeFile(block: JsonObject): FilePart | undefined {
  const { file } = block
  if (!isJsonObject(file) || typeof file.file_data !== 'string') return undefined
  const media = mediaOf(file.file_data)
  if (!('data' in media) || audioFormats.has(media.mediaType)) return undefined
  const name = typeof file.filename === 'string' ? { name: file.filename } : {}
  const inner = { file: unmodelled(file, modelled.fileData) }
  return { type: 'file', ...media, ...name, ...leftover(wire, block, modelled.file, { isDefault: isNull, inner }) }
}

function decodeAudio(block: JsonObject): FilePart | undefined {
  const audio = block.input_audio
  if (!isJsonObject(audio) || typeof audio.data !== 'string') return undefined
  const mediaType = [...audioFormats].find(([, format]) => format === audio.format)?.[0]
  if (mediaType === undefined) return undefined
  const inner = { input_audio: unmodelled(audio, modelled.audioData) }
  const rest = leftover(wire, block, modelled.audio, { isDefault: isNull, inner })
  return { type: 'file', mediaType, data: audio.data, ...rest }
}

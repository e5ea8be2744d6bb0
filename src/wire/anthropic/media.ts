// Images and documents between canonical parts and the wire's `source` objects.
// The trap: a text document's `data` is the text itself, everywhere else it is base64.
import { at, type Loss } from '../../conversation/losses.js'
import type { FilePart, ImagePart } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { leftover } from '../extra.js'
import { mediaOf, parseDataUrl } from '../media.js'
import { defaults, imageTypes, lossOf, modelled, wire } from './types.js'

type Source =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64' | 'text'; readonly media_type: string; readonly data: string }
type Place = Pick<FilePart, 'url' | 'mediaType' | 'data'>

export function carriesImage(part: ImagePart): boolean {
  const inline = inlineOf(part)
  return inline === undefined ? isFetched(part) : imageTypes.has(inline.mediaType)
}

/** PDF and plain text inline; anything by an address that the server can fetch. */
export function carriesFile(part: FilePart): boolean {
  const inline = inlineOf(part)
  if (inline === undefined) return isFetched(part)
  if (inline.mediaType === 'text/plain') return textOfBase64(inline.data) !== undefined
  return inline.mediaType === 'application/pdf'
}

/** Whether it has an address on the web; those of a vendor's own store (gs://) are refused. */
function isFetched(part: Place): boolean {
  return part.data === undefined && part.url !== undefined && /^https?:\/\//.test(part.url)
}

/** Inline data with its type, also when it came as a data: URL. */
function inlineOf(part: Place): { readonly mediaType: string; readonly data: string } | undefined {
  const { data, mediaType, url } = part
  if (data !== undefined) return mediaType === undefined ? undefined : { mediaType, data }
  return url === undefined ? undefined : parseDataUrl(url)
}

/** The `source` of an image or document that `seal` let pass, with losses for what it cannot say. */
export function writeSource(part: ImagePart | FilePart, path: string, losses: Loss[]): Source {
  const inline = inlineOf(part)
  if (inline === undefined) {
    if (part.mediaType !== undefined) {
      const message = 'the type of something sent by its address is not sent'
      losses.push(lossOf('media_type_dropped', at(path, 'mediaType'), 'dropped', message))
    }
    return { type: 'url', url: part.url ?? '' }
  }
  if (part.url !== undefined) {
    const message = 'the data is sent inline, not by its address'
    losses.push(
      lossOf('url_inlined', at(path, 'url'), 'dropped', message),
      lossOf('url_inlined', at(path, 'mediaType'), 'changed', message, inline.mediaType),
      lossOf('url_inlined', at(path, 'data'), 'changed', message, inline.data),
    )
  }
  const text = part.type === 'file' && inline.mediaType === 'text/plain' ? textOfBase64(inline.data) : undefined
  return text === undefined
    ? { type: 'base64', media_type: inline.mediaType, data: inline.data }
    : { type: 'text', media_type: inline.mediaType, data: text }
}

/** An image block, or nothing when its source has no canonical form (a file id). */
export function readImage(block: JsonObject): ImagePart | undefined {
  const place = readSource(block.source, 'image')
  return place === undefined
    ? undefined
    : { type: 'image', ...place, ...leftover(wire, block, modelled.image, defaults) }
}

/** A document block, or nothing when its source has no canonical form (a file id, nested content). */
export function readDocument(block: JsonObject): FilePart | undefined {
  const place = readSource(block.source, 'document')
  const { title } = block
  if (place === undefined || (typeof title !== 'string' && title !== undefined && title !== null)) return undefined
  const name = typeof title === 'string' ? { name: title } : {}
  return { type: 'file', ...place, ...name, ...leftover(wire, block, modelled.document, defaults) }
}

function readSource(source: Json | undefined, of: 'image' | 'document'): Place | undefined {
  if (!isJsonObject(source)) return undefined
  const { type, url, media_type: mediaType, data } = source
  const members = Object.keys(source).length
  if (type === 'url' && typeof url === 'string' && members === 2) {
    return mediaOf(url)
  }
  if (typeof mediaType !== 'string' || typeof data !== 'string' || members !== 3) return undefined
  if (type === 'base64') return { mediaType, data }
  const isText = type === 'text' && of === 'document' && mediaType === 'text/plain'
  return isText ? { mediaType, data: base64OfText(data) } : undefined
}

function base64OfText(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The text that this base64 stands for, when exactly it does. */
function textOfBase64(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return base64OfText(text) === data ? text : undefined
  } catch {
    return undefined
  }
}

// Content blocks of user messages and results. Written in the one form all chat models take; read in every form LangChain
// has had: its standard blocks, its older data blocks, and those of OpenAI and Anthropic.
import { assertNever } from '../conversation/events.js'
import type { FilePart, ImagePart, OpaquePart, TextPart, UserPart } from '../conversation/messages.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'

/** A block as LangChain types it: anything with a type. */
export type Block = { readonly type: string; readonly [key: string]: unknown }

export function writeBlock(part: UserPart): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      return { type: 'image_url', image_url: { url: part.url ?? dataUrl(part) } }
    case 'file':
      return writeFile(part)
    case 'opaque':
      return writeOpaque(part)
    default:
      return assertNever(part)
  }
}

export function writeOpaque({ origin, data }: OpaquePart): Block {
  return { type: 'non_standard', value: { toolwire: JSON.stringify({ origin, data }) } }
}

/** The part a block stands for; undefined when there is none. */
export function readBlock(block: unknown): UserPart | undefined {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isRecord(block)) return undefined
  switch (block.type) {
    case 'text':
    case 'input_text':
      return readText(block)
    case 'image_url':
    case 'input_image':
      return readImageUrl(block.image_url)
    case 'image':
      return readMedia(block, 'image')
    case 'file':
    case 'document':
    case 'audio':
    case 'video':
    case 'text-plain':
    case 'input_file':
      return readDocument(block) ?? readMedia(block, 'file')
    case 'non_standard':
      return readOpaque(block)
    default:
      return undefined
  }
}

export function readText({ text }: { readonly [key: string]: unknown }): TextPart | undefined {
  return typeof text === 'string' ? { type: 'text', text } : undefined
}

export function readOpaque({ value }: { readonly [key: string]: unknown }): OpaquePart | undefined {
  const text = isRecord(value) ? value.toolwire : undefined
  const made = typeof text === 'string' ? objectIn(text) : undefined
  const { origin, data } = made ?? {}
  if (!isJsonObject(origin) || !isJsonObject(data)) return undefined
  return { type: 'opaque', origin: origin as unknown as OpaquePart['origin'], data } // decoded with its message
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function dataUrl({ mediaType = 'application/octet-stream', data = '' }: ImagePart): string {
  return `data:${mediaType};base64,${data}`
}

function writeFile({ url, data, mediaType, name }: FilePart): Block {
  return {
    type: 'file',
    ...(url === undefined ? {} : { url }),
    ...(data === undefined ? {} : { data }),
    ...(mediaType === undefined ? {} : { mimeType: mediaType }),
    ...(name === undefined ? {} : { metadata: { filename: name } }),
  }
}

function readImageUrl(value: unknown): ImagePart | undefined {
  const url = isRecord(value) ? value.url : value
  if (typeof url !== 'string') return undefined
  const inline = /^data:([^;,]*);base64,(.*)$/s.exec(url)
  return inline === null
    ? { type: 'image', url }
    : { type: 'image', mediaType: inline[1] as string, data: inline[2] as string }
}

/** Standard `{ url | data, mimeType }`, the older `{ source_type, mime_type, … }`, Anthropic's `{ source }`, OpenAI's `{ file }`. */
function readMedia(
  block: { readonly [key: string]: unknown },
  type: 'image' | 'file',
): ImagePart | FilePart | undefined {
  const source = isRecord(block.source) ? block.source : isRecord(block.file) ? block.file : block
  const given = textIn(source, 'file_data')
  if (given !== undefined) {
    const read = readImageUrl(given)
    return read === undefined ? undefined : { ...read, type, ...nameIn(block, source) }
  }
  const url = textIn(source, 'url') ?? textIn(source, 'file_url')
  const data = dataIn(source.data)
  if (url === undefined && data === undefined) return undefined
  const mediaType = mediaTypeIn(source) ?? (block.type === 'text-plain' ? 'text/plain' : undefined)
  return {
    type,
    ...(url === undefined ? {} : { url }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(data === undefined ? {} : { data }),
    ...(type === 'file' ? nameIn(block, source) : {}),
  }
}

/** A document whose text stands in the block: LangChain's `text-plain`, its older `source_type: 'text'`, Anthropic's text source. */
function readDocument(block: { readonly [key: string]: unknown }): FilePart | undefined {
  const { source } = block
  const own = isRecord(source) && source.type === 'text' ? { ...source, text: source.data } : block
  const text = textIn(own, 'text')
  if (text === undefined) return undefined
  const data = dataIn(new TextEncoder().encode(text)) ?? ''
  return { type: 'file', mediaType: mediaTypeIn(own) ?? 'text/plain', data, ...nameIn(block, own) }
}

function nameIn(
  block: { readonly [key: string]: unknown },
  source: { readonly [key: string]: unknown },
): { name?: string } {
  const metadata = isRecord(block.metadata) ? block.metadata : {}
  const places = [textIn(metadata, 'filename'), textIn(metadata, 'name'), textIn(source, 'filename')]
  const titles = [textIn(block, 'title'), textIn(metadata, 'title')]
  const name = [...places, ...titles].find((each) => each !== undefined)
  return name === undefined ? {} : { name }
}

function mediaTypeIn(source: { readonly [key: string]: unknown }): string | undefined {
  return textIn(source, 'mimeType') ?? textIn(source, 'mime_type') ?? textIn(source, 'media_type')
}

function textIn(record: { readonly [key: string]: unknown }, name: string): string | undefined {
  const value = record[name]
  return typeof value === 'string' ? value : undefined
}

function dataIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  if (!(data instanceof Uint8Array)) return undefined
  let text = ''
  for (const byte of data) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The object in a JSON text; undefined when there is none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseBody(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

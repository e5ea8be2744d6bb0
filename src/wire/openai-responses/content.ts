// Content parts of user messages, system text and results, both ways.
import type { FilePart, ImagePart, ResultPart, TextPart, UserPart } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { leftover, noteOf } from '../extra.js'
import { dataUrl, mediaOf, parseDataUrl, urlOf } from '../media.js'
import { invalidAt } from '../request-body.js'
import { clientOrigin, fieldsToWrite, isDefault, modelled, ownOf, wire } from './types.js'

const defaultDetail = 'auto'

/** A part as a wire object; nothing for an opaque one that would be read as something else. */
export function encodeContent(part: UserPart | ResultPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text, ...fieldsToWrite(part, modelled.text) }
    case 'image':
      return encodeImage(part)
    case 'file':
      return encodeFile(part)
    case 'opaque':
      return decodeContent(part.data, '').type === 'opaque' ? part.data : undefined
  }
}

/** Clients' types demand `detail`; an image that came without it goes back without it. */
function encodeImage(part: ImagePart): JsonObject {
  const url = urlOf(part)
  return {
    type: 'input_image',
    ...(url === undefined ? {} : { image_url: url }),
    ...(noteOf(ownOf(part), 'detail') === 'unsaid' ? {} : { detail: defaultDetail }),
    ...fieldsToWrite(part, modelled.image),
  }
}

function encodeFile(part: FilePart): JsonObject {
  const { name, url, data, mediaType } = part
  return {
    type: 'input_file',
    ...(name === undefined ? {} : { filename: name }),
    ...(data === undefined ? {} : { file_data: mediaType === undefined ? data : dataUrl(mediaType, data) }),
    ...(url === undefined ? {} : { file_url: url }),
    ...fieldsToWrite(part, modelled.file),
  }
}

/** Whether an image or file says where it is in a way this wire can repeat. */
export function isCarried(part: ImagePart | FilePart): boolean {
  return part.url !== undefined || part.data !== undefined || typeof ownOf(part)?.file_id === 'string'
}

/** A content list or its short form, one string. */
export function decodeContentList(content: Json | undefined, path: string): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidAt(path, 'a string or a list of content parts')
  return content.map((part: Json, index) => decodeContent(part, `${path}/${index}`))
}

export function decodeContent(part: Json, path: string): UserPart {
  if (!isJsonObject(part)) throw invalidAt(path, 'a content part: an object with a type')
  return readText(part) ?? readImage(part) ?? readFile(part) ?? { type: 'opaque', origin: clientOrigin, data: part }
}

function readText(part: JsonObject): TextPart | undefined {
  if (part.type !== 'input_text' || typeof part.text !== 'string') return undefined
  return { type: 'text', text: part.text, ...leftover(wire, part, modelled.text, { isDefault }) }
}

function readImage(part: JsonObject): ImagePart | undefined {
  const { type, image_url: url, file_id: id } = part
  if (type !== 'input_image' || !(typeof url === 'string' || (isAbsent(url) && typeof id === 'string')))
    return undefined
  const media = typeof url === 'string' ? mediaOf(url) : {}
  const notes = isAbsent(part.detail) ? { detail: 'unsaid' } : {}
  return { type: 'image', ...media, ...leftover(wire, part, modelled.image, { isDefault: isImageDefault, notes }) }
}

function isImageDefault(key: string, value: Json): boolean {
  return (key === 'detail' && value === defaultDetail) || isDefault(key, value)
}

function readFile(part: JsonObject): FilePart | undefined {
  const { type, file_url: url, file_data: data, filename: name, file_id: id } = part
  if (type !== 'input_file' || ![url, data, name].every((value) => isAbsent(value) || typeof value === 'string'))
    return undefined
  if (isAbsent(url) && isAbsent(data) && typeof id !== 'string') return undefined
  return {
    type: 'file',
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof data === 'string' ? (parseDataUrl(data) ?? { data }) : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...leftover(wire, part, modelled.file, { isDefault }),
  }
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null
}

/** The text when the list is one plain text, which the wire may write as a string. */
export function plainText(parts: readonly JsonObject[]): string | undefined {
  const [part] = parts
  if (part === undefined || parts.length > 1 || part.type !== 'input_text' || Object.keys(part).length > 2) {
    return undefined
  }
  return part.text as string
}

// A client's messages as a conversation. Lenient: content as blocks, images as data: URLs, arguments as text, results
// without a name or an id are read too.
// The trap: older clients answer calls by order alone, so a result without an id is the next open call's.
import type { AssistantPart, ImagePart, Message, TextPart, ToolResult, UserPart } from '../../conversation/messages.js'
import { isCall } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { FindSpan } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { objectCallOf } from '../arguments.js'
import { readErrorPrefix } from '../error-prefix.js'
import { leftover, type Notes } from '../extra.js'
import { mediaOf } from '../media.js'
import { madeCallId } from '../names.js'
import { createOpenCalls, type OpenCall, type OpenCalls } from '../open-calls.js'
import { invalidAt } from '../request-body.js'
import { type CallHead, readCallHead } from './calls.js'
import { defaults, isDefault, modelled, wire } from './types.js'

/** `spans` are the raw arguments of calls by their place; `calls` are the ones open before the first message. */
export function readMessages(
  list: readonly Json[],
  spans: FindSpan,
  calls: readonly OpenCall[] = [],
): readonly Message[] {
  const messages: Message[] = []
  let open = createOpenCalls(calls)
  list.forEach((item, index) => {
    const path = `/messages/${index}`
    if (!isJsonObject(item)) throw invalidAt(path, 'an object')
    if (item.role === 'tool' || item.role === 'function') {
      const id = wordIn(item, 'tool_call_id')
      const call = takeCall(open, id, toolIn(item))
      if (call === undefined && id === undefined) messages.push(readTold(item, path))
      else addResult(messages, readResult(item, path, call))
      return
    }
    const message = readMessage(item, index, path, spans)
    messages.push(message)
    if (message.role === 'assistant') open = createOpenCalls(message.content.filter(isCall))
  })
  return messages
}

function takeCall(open: OpenCalls, id: string | undefined, name: string | undefined): OpenCall | undefined {
  if (id !== undefined) return open.takeById(id)
  return name === undefined ? open.takeFirst() : open.takeByName(name)
}

/** Results in a row answer one turn. Their list was made here. */
function addResult(messages: Message[], result: ToolResult): void {
  const last = messages.at(-1)
  if (last?.role === 'tool') (last.results as ToolResult[]).push(result)
  else messages.push({ role: 'tool', results: [result] })
}

function readMessage(item: JsonObject, index: number, path: string, spans: FindSpan): Message {
  switch (item.role) {
    case 'user': {
      const content = [...readContent(item.content, `${path}/content`), ...readImages(item.images, `${path}/images`)]
      return { role: 'user', content, ...leftover(wire, item, modelled.user, defaults) }
    }
    case 'assistant': {
      const content: AssistantPart[] = [
        ...readThinking(item.thinking, `${path}/thinking`),
        ...readTexts(item.content, `${path}/content`),
        ...readCalls(item.tool_calls, index, spans),
      ]
      return { role: 'assistant', content, origin: { wire }, ...leftover(wire, item, modelled.assistant, defaults) }
    }
    default: {
      // quirk(ollama): templates know more roles (Granite's `control`): all of them instruct the model.
      if (typeof item.role !== 'string') throw invalidAt(`${path}/role`, 'a string')
      const content = readTexts(item.content, `${path}/content`)
      const options = item.role === 'system' ? defaults : { isDefault, notes: { role: item.role } }
      return { role: 'system', content, ...leftover(wire, item, modelled.system, options) }
    }
  }
}

/** The text of a message: a string, nothing, or blocks as other wires have them. */
function readContent(content: Json | undefined, path: string): readonly UserPart[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidAt(path, 'a string')
  return content.map((block: Json, index) => readBlock(block, `${path}/${index}`))
}

function readBlock(block: Json, path: string): UserPart {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (isJsonObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text }
    const image = isJsonObject(block.image_url) ? block.image_url.url : block.image_url
    if (block.type === 'image_url' && typeof image === 'string') return { type: 'image', ...mediaOf(image) }
  }
  throw invalidAt(path, 'a text block')
}

function readTexts(content: Json | undefined, path: string): readonly TextPart[] {
  return readContent(content, path).map((part) => {
    if (part.type !== 'text') throw invalidAt(path, 'text alone')
    return part
  })
}

function readImages(images: Json | undefined, path: string): readonly ImagePart[] {
  if (images === undefined || images === null) return []
  if (!Array.isArray(images)) throw invalidAt(path, 'a list')
  return images.map((image: Json, index): ImagePart => {
    if (typeof image !== 'string') throw invalidAt(`${path}/${index}`, 'base64 text')
    return readImage(image)
  })
}

/** The wire carries bare base64; its first characters tell the type. */
export function readImage(image: string): ImagePart {
  if (/^(?:data:|https?:\/\/)/.test(image)) return { type: 'image', ...mediaOf(image) }
  const mediaType = imageTypes.find(([start]) => image.startsWith(start))?.[1]
  return mediaType === undefined ? { type: 'image', data: image } : { type: 'image', mediaType, data: image }
}

const imageTypes: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function readThinking(thinking: Json | undefined, path: string): readonly AssistantPart[] {
  if (thinking === undefined || thinking === null || thinking === '') return []
  if (typeof thinking !== 'string') throw invalidAt(path, 'a string')
  return [{ type: 'reasoning', text: thinking }]
}

function readCalls(calls: Json | undefined, index: number, spans: FindSpan): readonly AssistantPart[] {
  if (calls === undefined || calls === null) return []
  const path = `/messages/${index}/tool_calls`
  if (!Array.isArray(calls)) throw invalidAt(path, 'a list')
  return calls.map((call: Json, ordinal) => {
    const place = `${path}/${ordinal}`
    const head = readCallHead(call)
    if (head === undefined) throw invalidAt(place, 'a call with a function')
    const id = head.id === '' ? madeCallId(`messages/${index}`, ordinal) : head.id
    return callFrom(head, id, () => spans(`${place}/function/arguments`, head.value))
  })
}

/** A call of a history. `span` gives the raw text of its arguments. */
function callFrom(head: CallHead, id: string, span: () => string | undefined): AssistantPart {
  const { name, value, extra } = head
  const text = typeof value === 'string' ? value : value === undefined ? '' : (span() ?? JSON.stringify(value))
  return objectCallOf({ id, name, text, value, ...(extra === undefined ? {} : { extra }) })
}

/** Tool text that answers no call, in clients that write calls as text too: a user's words, with a note of its role. */
function readTold(item: JsonObject, path: string): Message {
  const content = [...readContent(item.content, `${path}/content`), ...readImages(item.images, `${path}/images`)]
  return { role: 'user', content, ...leftover(wire, item, modelled.user, { isDefault, notes: { role: 'tool' } }) }
}

function readResult(item: JsonObject, path: string, call: OpenCall | undefined): ToolResult {
  const parts = readContent(item.content, `${path}/content`)
  const [first, ...rest] = parts
  const read = first?.type === 'text' ? readErrorPrefix(first.text) : undefined
  const told: readonly UserPart[] =
    read === undefined ? parts : read.text === '' ? rest : [{ type: 'text', text: read.text }, ...rest]
  const notes: Notes = read?.spelling === undefined ? {} : { errorPrefix: read.spelling }
  return {
    callId: wordIn(item, 'tool_call_id') ?? call?.id ?? '',
    name: toolIn(item) ?? call?.name ?? '',
    content: [...told, ...readImages(item.images, `${path}/images`)],
    isError: read?.isError ?? false,
    ...leftover(wire, item, modelled.result, { isDefault, notes }),
  }
}

function toolIn(item: JsonObject): string | undefined {
  return wordIn(item, 'tool_name') ?? wordIn(item, 'name')
}

function wordIn(item: JsonObject, key: string): string | undefined {
  const value = item[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

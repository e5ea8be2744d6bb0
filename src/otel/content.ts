// What was said, in the JSON form of the GenAI conventions. Only recorded when asked for; credentials are masked even then,
// and the bytes of images and files are left out.
import { assertNever } from '../conversation/events.js'
import type { AssistantPart, FilePart, ImagePart, Message, UserPart } from '../conversation/messages.js'
import { textOf } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { redact } from '../json/redact.js'
import type { Json, JsonObject } from '../json/types.js'

/** A value for an attribute that holds content. */
export function contentText(value: Json): string {
  return redact(JSON.stringify(value))
}

export function inputMessages(messages: readonly Message[]): Json {
  return messages.map((message) => {
    const { role } = message
    if (role !== 'tool') return { role, parts: message.content.map(partOf) }
    const parts = message.results.map((result) => ({
      type: 'tool_call_response',
      id: result.callId,
      response: textOf(result.content),
    }))
    return { role, parts }
  })
}

export function outputMessages({ message, finishReason }: CompletionResponse): Json {
  return [{ role: 'assistant', parts: message.content.map(partOf), finish_reason: finishReason }]
}

function partOf(part: UserPart | AssistantPart): JsonObject {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text }
    case 'tool_call':
    case 'broken_call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.arguments }
    case 'image':
    case 'file':
      return mediaOf(part)
    case 'opaque':
      return { type: 'opaque' }
    default:
      return assertNever(part)
  }
}

function mediaOf(part: ImagePart | FilePart): JsonObject {
  const kind = part.mediaType === undefined ? {} : { mime_type: part.mediaType }
  const source = part.url === undefined ? { type: 'blob' } : { type: 'uri', uri: part.url }
  return { ...source, modality: part.type, ...kind }
}

// Sealed messages as JSON. Each is encoded on its own, so that frozen ones are encoded once; the results of a turn are one
// piece of several wire messages. Losses are what reading the text back would change: plain messages are not compared.
import { assertNever } from '../../conversation/events.js'
import { at, type Loss } from '../../conversation/losses.js'
import type { AssistantMessage, Message, ToolResult, UserMessage, UserPart } from '../../conversation/messages.js'
import { isCall, textOf } from '../../conversation/messages.js'
import { parseBody } from '../../json/parse.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json } from '../../json/types.js'
import { differences } from '../differences.js'
import { readErrorPrefix, withErrorPrefix } from '../error-prefix.js'
import { noteOf } from '../extra.js'
import { historyItems } from '../history.js'
import { cachedPiece, type HistoryItems, joinItems, type Piece, plainMessage, relocate } from '../pieces.js'
import { isPlainCall, ownFields, type WritableObject, writeCall } from './calls.js'
import { readImage, readMessages } from './history-decode.js'
import { modelled, rawArguments, wire } from './types.js'

/** The items of `messages`. */
export function writeHistory(list: readonly Message[], losses: Loss[]): HistoryItems {
  return historyItems(list, wire, losses, (from, to, count, items, found) => {
    for (let index = from; index < to; index += 1) {
      const piece = cachedPiece(list[index] as Message, wire, writeMessage)
      if (piece.losses.length > 0) relocate(piece.losses, at('/messages', index), found)
      items.push(piece.text)
    }
    return count
  })
}

function writeMessage(message: Message): Piece {
  const plain = plainMessage(message)
  if (plain !== undefined) return plain
  const text = joinItems(objectsOf(message).map(writeUnicode))
  const losses: Loss[] = []
  if (!isPlain(message)) differences(wire, message, readBack(message, text), '', losses)
  return { text, losses }
}

/** The message as decoding gives it back. */
function readBack(message: Message, text: string): Message | undefined {
  const body = `{"messages":[${text}]}`
  const { messages } = parseBody(body) as { readonly messages: readonly Json[] }
  const spans = rawArguments(body)
  const calls = message.role === 'tool' ? message.results.map(({ callId, name }) => ({ id: callId, name })) : []
  return readMessages(messages, spans, calls)[0]
}

function objectsOf(message: Message): readonly WritableObject[] {
  switch (message.role) {
    case 'system': {
      const fields = ownFields(message, modelled.system)
      return [{ role: roleOf(message), content: textOf(message.content), ...fields }]
    }
    case 'user':
      return [writeUser(message)]
    case 'assistant':
      return [{ role: 'assistant', ...writeTurn(message), ...ownFields(message, modelled.assistant) }]
    case 'tool':
      return message.results.map(writeResult)
    default:
      return assertNever(message)
  }
}

const ownRoles: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool', 'function'])

/** The role a system message came with, when it was one that only some templates know. */
function roleOf(message: Message): string {
  const role = noteOf(message.extra?.[wire], 'role')
  return typeof role === 'string' && !ownRoles.has(role) ? role : 'system'
}

function writeUser(message: UserMessage): WritableObject {
  const images: string[] = []
  for (const part of message.content) if (part.type === 'image') images.push(part.data ?? '')
  const fields = ownFields(message, modelled.user)
  const isTold = noteOf(message.extra?.[wire], 'role') === 'tool' && fields.tool_call_id === undefined
  const content = textOf(message.content)
  return { role: isTold ? 'tool' : 'user', content, images: images.length === 0 ? undefined : images, ...fields }
}

/** Text, thinking and calls of a turn, in the places the wire has for them. */
export function writeTurn({ content }: Pick<AssistantMessage, 'content'>): WritableObject {
  let thinking = ''
  for (const part of content) if (part.type === 'reasoning') thinking += part.text
  const calls = content.filter(isCall).map(writeCall)
  return {
    content: textOf(content),
    thinking: thinking === '' ? undefined : thinking,
    tool_calls: calls.length === 0 ? undefined : calls,
  }
}

function writeResult(result: ToolResult): WritableObject {
  const content = withErrorPrefix(textOf(result.content), result.isError, spellingOf(result))
  const { name: tool_name, callId: tool_call_id } = result
  return { role: 'tool', tool_name, tool_call_id, content, ...ownFields(result, modelled.result) }
}

/** The prefix a failed result came with, when it was not the usual one. */
function spellingOf(result: ToolResult): string | undefined {
  const note = noteOf(result.extra?.[wire], 'errorPrefix')
  return typeof note === 'string' && readErrorPrefix(note).spelling === note ? note : undefined
}

/** Whether a message is written and read back with nothing changed. */
function isPlain(message: Message): boolean {
  if (message.extra !== undefined) return false
  switch (message.role) {
    case 'system':
      return message.content.every((part) => part.extra === undefined && part.opaque === undefined)
    case 'user':
      return message.content.every(isPlainPart)
    case 'assistant':
      return isPlainTurn(message)
    case 'tool':
      return message.results.every(isPlainResult)
    default:
      return assertNever(message)
  }
}

export function isPlainTurn({ content }: Pick<AssistantMessage, 'content'>): boolean {
  return content.every((part) => {
    if (isCall(part)) return isPlainCall(part)
    return part.type !== 'opaque' && part.extra === undefined && part.opaque === undefined && part.text !== ''
  })
}

function isPlainPart(part: UserPart): boolean {
  if (part.type === 'text') return part.extra === undefined
  if (part.type !== 'image' || part.extra !== undefined || part.data === undefined || part.url !== undefined)
    return false
  const back = readImage(part.data)
  return back.data === part.data && back.mediaType === part.mediaType
}

function isPlainResult(result: ToolResult): boolean {
  const isText = result.content.every((part) => part.type === 'text' && part.extra === undefined)
  return result.extra === undefined && isText && (result.isError || !readErrorPrefix(textOf(result.content)).isError)
}

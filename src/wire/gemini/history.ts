// Messages as contents, in JSON. A content depends on its message and, where ids were made here, on the place of its calls.
// Trap: results are told from each other by id or, without ids, by name and order; call and result must agree on which.
import { assertNever } from '../../conversation/events.js'
import { at, type Loss } from '../../conversation/losses.js'
import type {
  AnyCall,
  AssistantMessage,
  AssistantPart,
  Carried,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from '../../conversation/messages.js'
import { isCall } from '../../conversation/messages.js'
import { parseBody } from '../../json/parse.js'
import { rawSpans } from '../../json/spans.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { differences } from '../differences.js'
import { noteOf } from '../extra.js'
import { historyItems } from '../history.js'
import { madeIdLength, wireCallId, wireName } from '../names.js'
import { cachedPiece, type HistoryItems, loneText, noLosses, type Piece, relocate } from '../pieces.js'
import { contentExtra, decodeSystem } from './contents.js'
import {
  type CallOptions,
  idRule,
  isPlainCall,
  isPlainText,
  nameRule,
  ownFields,
  signatureIn,
  type WritableObject,
  writeModelPart,
  writeText,
  writeUserPart,
} from './parts.js'
import { decodeModelPart, decodeUserPart, isOwnBlock, positionalId } from './parts-decode.js'
import type { GeminiProfile } from './profiles.js'
import { type Answered, decodeResult, isPlainResult, writeResult } from './results.js'
import { contentKeys, wire } from './types.js'

/** Who reads the history, as far as its bytes depend on it. */
export interface Reader {
  readonly profile: GeminiProfile
  /** Whether the first call of a turn must carry a signature. */
  readonly signed: boolean
  /** Names both, for the cache. */
  readonly key: string
}

const allSent: ReadonlyMap<string, string> = new Map()
const userHead = '{"role":"user","parts":['

/** One piece per content. System text is not among them. Little is done for a message that is known already. */
export function writeContents(messages: readonly Message[], reader: Reader, losses: Loss[]): HistoryItems {
  return historyItems(messages, reader.key, losses, (from, to, count, contents, found) => {
    let calls = count
    let unsent = allSent
    let key = reader.key
    const makeUser = (node: UserMessage): Piece => writeUser(node, reader)
    const makeAssistant = (node: AssistantMessage): Piece => writeAssistant(node, unsent, reader)
    const makeTool = (node: ToolMessage): Piece => writeTool(node, unsent, reader)
    for (let index = from; index < to; index += 1) {
      const message = messages[index] as Message
      let piece: Piece
      switch (message.role) {
        case 'system':
          continue
        case 'user':
          piece = cachedPiece(message, reader.key, makeUser)
          break
        case 'assistant':
          unsent = unsentIn(message, calls)
          calls += countCalls(message)
          key = unsent === allSent ? reader.key : reader.key + JSON.stringify([...unsent])
          piece = cachedPiece(message, key, makeAssistant)
          break
        case 'tool':
          piece = cachedPiece(message, key, makeTool)
          break
        default:
          return assertNever(message)
      }
      if (piece.losses.length > 0) relocate(piece.losses, at('/messages', index), found)
      if (message.role !== 'user' || !isJoined(message)) contents.push(piece.text)
      else joinContent(contents, piece.text, messages[index - 1], at('/messages', index), found)
    }
    return calls
  })
}

/** Puts a user turn into the content of the results before it, where it came from. */
function joinContent(
  contents: string[],
  text: string,
  before: Message | undefined,
  path: string,
  losses: Loss[],
): void {
  const last = contents.at(-1)
  if (last !== undefined && before?.role === 'tool') {
    contents[contents.length - 1] = `${last.slice(0, -2)},${text.slice(userHead.length)}`
    return
  }
  contents.push(text)
  const message = 'no results stand before this turn any more; it has a content of its own'
  losses.push({ code: 'note_dropped', wire, path: at(path, 'extra'), kind: 'dropped', message })
}

/** A user turn that came in the same content as the results before it, and has nothing else to carry. */
function isJoined(message: UserMessage): boolean {
  if (message.extra === undefined) return false
  const own = message.extra[wire]
  return (
    noteOf(own, 'joined') === true && Object.keys(own ?? {}).length === 1 && Object.keys(message.extra).length === 1
  )
}

function countCalls(message: AssistantMessage): number {
  let calls = 0
  for (const part of message.content) if (isCall(part)) calls += 1
  return calls
}

/** The calls of a turn whose ids are not sent: id → the id that reading the request makes. `position` is the first call's. */
function unsentIn(message: AssistantMessage, position: number): ReadonlyMap<string, string> {
  let unsent: Map<string, string> | undefined
  let calls = position
  for (const part of message.content) {
    if (!isCall(part)) continue
    if (isUnsent(part, calls)) {
      unsent ??= new Map()
      unsent.set(part.id, positionalId(calls))
    }
    calls += 1
  }
  return unsent ?? allSent
}

function isUnsent(call: AnyCall, position: number): boolean {
  if (call.extra !== undefined && noteOf(call.extra[wire], 'made') === true) return true
  return call.id.length === madeIdLength && call.id === positionalId(position)
}

function writeUser(message: UserMessage, reader: Reader): Piece {
  const text = loneText(message)
  if (text !== undefined) return { text: `${userHead}{"text":${JSON.stringify(text)}}]}`, losses: noLosses }
  const losses: Loss[] = []
  const parts: WritableObject[] = []
  message.content.forEach((part, index) => {
    const path = at('/content', index)
    if (part.type === 'opaque' && !isOwnBlock(part, 'user')) {
      dropBlock(losses, path)
      return
    }
    const written = writeUserPart(part, reader.profile)
    parts.push(written)
    if (part.type === 'text' && isPlainText(part)) return
    differences(wire, part, decodeUserPart(parsed(writeUnicode(written))), path, losses)
  })
  return content('user', message, parts, losses)
}

function writeAssistant(message: AssistantMessage, unsent: ReadonlyMap<string, string>, reader: Reader): Piece {
  const losses: Loss[] = []
  const parts: WritableObject[] = []
  let signed = reader.signed
  message.content.forEach((part, index) => {
    const path = at('/content', index)
    if (part.type === 'opaque' && !isOwnBlock(part, 'model')) {
      dropBlock(losses, path)
      return
    }
    let options: CallOptions = { unsent: false, sentinel: false }
    if (isCall(part)) {
      options = { unsent: unsent.has(part.id), sentinel: signed && signatureIn(part.opaque) === undefined }
      signed = false
    }
    const written = writeModelPart(part, options)
    parts.push(written)
    if (!isPlain(part, unsent)) {
      const text = writeUnicode(written)
      const args = (): string | undefined => rawSpans(text, ['/functionCall/args']).get('/functionCall/args')
      const makeId = (): string => unsent.get((part as AnyCall).id) ?? ''
      differences(wire, part, decodeModelPart(parsed(text), args, makeId), path, losses)
    }
  })
  return content('model', message, parts, losses)
}

function isPlain(part: AssistantPart, unsent: ReadonlyMap<string, string>): boolean {
  if (isCall(part)) return isPlainCall(part) && (unsent.get(part.id) ?? part.id) === part.id
  return part.type !== 'opaque' && isPlainText(part)
}

function writeTool(message: ToolMessage, unsent: ReadonlyMap<string, string>, reader: Reader): Piece {
  const losses: Loss[] = []
  const parts = message.results.map((result, index) => {
    const made = unsent.get(result.callId)
    const noted = result.extra === undefined ? undefined : noteOf(result.extra[wire], 'id')
    const sent = sentId(result.callId, made, noted)
    const written = writeResult(result, sent, reader.profile)
    if (!isPlainResult(result) || (made ?? result.callId) !== result.callId) {
      const text = writeUnicode(written)
      const span = (): string | undefined =>
        rawSpans(text, ['/functionResponse/response']).get('/functionResponse/response')
      const note = made === undefined ? (sent === undefined ? false : undefined) : sent
      const answered: Answered = {
        callId: made ?? wireCallId(result.callId, idRule),
        name: wireName(result.name, nameRule),
        ...(note === undefined ? {} : { note }),
      }
      differences(wire, result, decodeResult(parsed(text), span, answered), at('/results', index), losses)
    }
    return written
  })
  return content('user', message, parts, losses)
}

function sentId(callId: string, made: string | undefined, noted: Json | undefined): string | undefined {
  if (made !== undefined) return typeof noted === 'string' ? noted : undefined
  return noted === false ? undefined : wireCallId(callId, idRule)
}

/** `{"role":…,"parts":[…]}` with the fields the message carries; `parts` is last, so that another turn can join it. */
function content(role: 'user' | 'model', message: Carried, parts: readonly WritableObject[], losses: Loss[]): Piece {
  if (message.extra === undefined) return { text: writeUnicode({ role, parts }), losses }
  const noted = role === 'user' ? noteOf(message.extra[wire], 'role') : undefined
  const fields = { ...ownFields(message, contentKeys), role: isUserRole(noted) ? noted : role }
  const { role: name, ...others } = fields
  const head = { role: name, ...others }
  if (role !== 'user' || !isJoined(message as UserMessage)) {
    differences(wire, message.extra, contentExtra(parsed(writeUnicode(head)), role).extra, '/extra', losses)
  }
  return { text: writeUnicode({ ...head, parts }), losses }
}

/** A role that is read as a user's, though it is spelt otherwise. */
function isUserRole(role: Json | undefined): role is string {
  return typeof role === 'string' && role !== 'model' && role !== 'assistant' && role !== 'system'
}

/** The system instruction of the leading system message, as JSON text. */
export function writeSystem(message: SystemMessage, losses: Loss[]): string {
  const lone = loneText(message)
  if (lone !== undefined) return `{"parts":[{"text":${JSON.stringify(lone)}}]}`
  const parts = message.content.map((part) => writeText(part, 'user'))
  const text = writeUnicode({ ...ownFields(message, contentKeys), parts })
  if (message.extra !== undefined || !message.content.every(isPlainText)) {
    differences(wire, message, decodeSystem(parseBody(text), []), '/messages/0', losses)
  }
  return text
}

function dropBlock(losses: Loss[], path: string): void {
  const message = 'this block is none of Gemini although it says so; it was left out'
  losses.push({ code: 'opaque_dropped', wire, path, kind: 'dropped', message })
}

function parsed(text: string): JsonObject {
  return parseBody(text) as JsonObject
}

// Sealed messages as JSON. Each message is written once; results and the user text behind them share one
// wire message, so their blocks are kept apart from the message around them.
import { assertNever } from '../../conversation/events.js'
import { at, type Loss } from '../../conversation/losses.js'
import type { AnyCall, AssistantPart, Message, SystemMessage, ToolResult } from '../../conversation/messages.js'
import { RawJson, writeUnicode } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import { argumentsObject } from '../arguments.js'
import { differences } from '../differences.js'
import { carriedFields, noteOf } from '../extra.js'
import { historyItems } from '../history.js'
import { wireCallId, wireName } from '../names.js'
import { cachedPiece, type HistoryItems, type Piece, plainMessage, relocate } from '../pieces.js'
import {
  type Block,
  readAssistantBlock,
  writeAssistantOpaque,
  writeText,
  writeThinking,
  writeUserPart,
} from './blocks.js'
import { callIdRule, isDefault, lossOf, modelled, toolNameRule, wire } from './types.js'

/** Canonical tool name → canonical property → wire property, of the tools whose keys the wire refuses. */
export type PropertyNames = ReadonlyMap<string, ReadonlyMap<string, string>>

interface History {
  readonly system?: string
  readonly messages: HistoryItems
}

/** The `system` member and the items of `messages`. */
export function writeHistory(list: readonly Message[], properties: PropertyNames | undefined, losses: Loss[]): History {
  const key = properties === undefined ? wire : `${wire}/${propertiesKey(properties)}`
  const whole = (message: Message): Piece => plainMessage(message) ?? writeMessage(message, properties)
  const inner = (message: Message): Piece => writeBlocks(message, properties)
  const take = (index: number, joined: boolean, found: Loss[]): string => {
    const message = list[index] as Message
    const piece = joined ? cachedPiece(message, `${key}/blocks`, inner) : cachedPiece(message, key, whole)
    if (piece.losses.length > 0) relocate(piece.losses, at('/messages', index), found)
    return piece.text
  }
  const system = list[0]?.role === 'system' ? takeSystem(list[0], losses) : undefined
  const messages = historyItems(list, key, losses, (from, to, count, items, found) => {
    for (let index = from === 0 && system !== undefined ? 1 : from; index < to; index += 1) {
      const message = list[index] as Message
      if (message.role === 'tool' && sharesMessage(list[index + 1])) {
        const blocks = `${take(index, true, found)},${take(index + 1, true, found)}`
        items.push(`{"role":"user","content":[${blocks}]${tailOf(message)}}`)
        index += 1
      } else items.push(take(index, false, found))
    }
    return count
  })
  return system === undefined ? { messages } : { system, messages }
}

function takeSystem(message: SystemMessage, losses: Loss[]): string {
  const piece = cachedPiece(message, `${wire}/system`, writeSystem)
  if (piece.losses.length > 0) relocate(piece.losses, '/messages/0', losses)
  return piece.text
}

/** A user turn behind results goes into their wire message, unless it has fields that belong to a message of its own. */
function sharesMessage(next: Message | undefined): boolean {
  if (next?.role !== 'user') return false
  if (next.extra?.[wire] !== undefined && (wasSystem(next) || Object.keys(fieldsOfMessage(next, [])).length > 0)) {
    return false
  }
  return next.content.some((part) => part.type !== 'opaque' || writeUserPart(part, '', []) !== undefined)
}

function propertiesKey(properties: PropertyNames): string {
  return JSON.stringify([...properties].map(([tool, keys]) => [tool, [...keys]]))
}

/** Message-level fields as the text behind `content`. */
function tailOf(message: Message): string {
  if (message.extra === undefined) return ''
  const text = writeUnicode(fieldsOfMessage(message, []))
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}

function fieldsOfMessage(message: Message, losses: Loss[]): JsonObject {
  const notes = wasSystem(message) ? { notes: { role: 'system' } } : {}
  return carriedFields(wire, message, '', losses, { taken: modelled.message, isDefault, ...notes })
}

/** System messages with blocks other than text are user messages with a note of their role. */
function wasSystem(message: Message): boolean {
  if (message.role !== 'user' || noteOf(message.extra?.[wire], 'role') !== 'system') return false
  return message.content.some((part) => part.type !== 'text')
}

/** The leading system text. It has no message object on the wire, so fields of the message have no place. */
function writeSystem(message: SystemMessage): Piece {
  const losses: Loss[] = []
  differences(wire, message.extra, undefined, '/extra', losses)
  const blocks = message.content.map((part, index) => writeText(part, at('/content', index), losses))
  return { text: writeUnicode(stringOr(blocks)), losses }
}

/** One plain text block as a string. */
function stringOr(blocks: readonly Block[]): Block[string] {
  const [only] = blocks
  if (blocks.length !== 1 || only === undefined || only.type !== 'text') return blocks
  return Object.keys(only).length === 2 && typeof only.text === 'string' ? only.text : blocks
}

function writeMessage(message: Message, properties: PropertyNames | undefined): Piece {
  const losses: Loss[] = []
  const blocks = blocksOfMessage(message, properties, losses)
  const fields = fieldsOfMessage(message, losses)
  const role = wasSystem(message) ? 'system' : message.role === 'tool' ? 'user' : message.role
  const content = message.role === 'tool' ? blocks : stringOr(blocks)
  return { text: writeUnicode({ role, content, ...fields }), losses }
}

/** The blocks alone, joined by commas, for a wire message that two canonical ones share. */
function writeBlocks(message: Message, properties: PropertyNames | undefined): Piece {
  const losses: Loss[] = []
  const blocks = blocksOfMessage(message, properties, losses)
  fieldsOfMessage(message, losses)
  return { text: writeUnicode(blocks).slice(1, -1), losses }
}

function blocksOfMessage(message: Message, properties: PropertyNames | undefined, losses: Loss[]): readonly Block[] {
  switch (message.role) {
    case 'system':
      return message.content.map((part, index) => writeText(part, at('/content', index), losses))
    case 'user':
      return written(message.content.map((part, index) => writeUserPart(part, at('/content', index), losses)))
    case 'assistant':
      return written(
        message.content.map((part, index) => writeAssistantPart(part, at('/content', index), properties, losses)),
      )
    case 'tool':
      return message.results.map((result, index) => writeResult(result, at('/results', index), losses))
    default:
      return assertNever(message)
  }
}

function written(blocks: readonly (Block | undefined)[]): readonly Block[] {
  return blocks.filter((block) => block !== undefined)
}

function writeAssistantPart(
  part: AssistantPart,
  path: string,
  properties: PropertyNames | undefined,
  losses: Loss[],
): Block | undefined {
  switch (part.type) {
    case 'text':
      return writeText(part, path, losses)
    case 'reasoning':
      return writeThinking(part, path, losses)
    case 'tool_call':
    case 'broken_call':
      return writeCall(part, path, properties?.get(part.name), losses)
    case 'opaque':
      return writeAssistantOpaque(part, path, losses)
    default:
      return assertNever(part)
  }
}

function writeCall(call: AnyCall, path: string, keys: ReadonlyMap<string, string> | undefined, losses: Loss[]): Block {
  const id = wireCallId(call.id, callIdRule)
  const name = wireName(call.name, toolNameRule)
  if (id !== call.id) losses.push(lossOf('call_id_changed', at(path, 'id'), 'changed', idMessage(call.id), id))
  if (name !== call.name) losses.push(lossOf('name_changed', at(path, 'name'), 'changed', nameMessage(call.name), name))
  if (call.opaque !== undefined) {
    losses.push(lossOf('signature_dropped', at(path, 'opaque'), 'dropped', 'a call carries no signature on this wire'))
  }
  const fields = carriedFields(wire, call, path, losses, { taken: modelled.toolUse, isDefault })
  const input = argumentsObject(call, keys)
  if (call.type === 'tool_call' && input.text !== call.arguments) {
    const message = `some keys of the arguments of "${call.name}" are spelt as the wire allows`
    losses.push(lossOf('keys_changed', at(path, 'arguments'), 'changed', message, input.text))
  }
  const block = { type: 'tool_use', id, name, input, ...fields }
  if (call.type === 'broken_call') reportReadable(block, path, losses)
  return block
}

/** Text that reads as complete arguments again cannot be told from a call that may run. */
function reportReadable(block: Block, path: string, losses: Loss[]): void {
  const read = readAssistantBlock(JSON.parse(writeUnicode(block)))
  if (read.type === 'broken_call' || !(block.input instanceof RawJson)) return
  const message = 'the arguments of this broken call are complete JSON; a reader takes it for a call that may run'
  losses.push(lossOf('broken_call_readable', path, 'changed', message, read))
}

function writeResult(result: ToolResult, path: string, losses: Loss[]): Block {
  const id = wireCallId(result.callId, callIdRule)
  const name = wireName(result.name, toolNameRule)
  if (id !== result.callId) {
    losses.push(lossOf('call_id_changed', at(path, 'callId'), 'changed', idMessage(result.callId), id))
  }
  if (name !== result.name) {
    losses.push(lossOf('name_changed', at(path, 'name'), 'changed', nameMessage(result.name), name))
  }
  const blocks = written(
    result.content.map((part, index) => writeUserPart(part, at(at(path, 'content'), index), losses)),
  )
  const fields = carriedFields(wire, result, path, losses, { taken: modelled.toolResult, isDefault })
  const content = blocks.length === 0 ? undefined : stringOr(blocks)
  return { type: 'tool_result', tool_use_id: id, content, is_error: result.isError || undefined, ...fields }
}

function idMessage(id: string): string {
  return `the call id "${id}" is spelt as the wire allows`
}

function nameMessage(name: string): string {
  return `the tool name "${name}" is spelt as the wire allows`
}

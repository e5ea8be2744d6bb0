// Input items as messages. Items of the assistant that follow each other are one turn, and so are results; what is no message,
// call, result or reasoning stays an opaque part in its place, on whichever side wrote it.
import {
  type AssistantPart,
  isCall,
  type Message,
  type ResultPart,
  type SystemMessage,
  type TextPart,
  type ToolResult,
} from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { customNotes, isCustomCall } from '../arguments.js'
import { readErrorPrefix } from '../error-prefix.js'
import { leftover, noteOf } from '../extra.js'
import { invalidAt } from '../request-body.js'
import { decodeContent, decodeContentList } from './content.js'
import { decodeItem, isMessage, isReadableRole, isResult, opaqueItem } from './items.js'
import { clientOrigin, fieldsToWrite, isDefault, modelled, ownOf, wire } from './types.js'

export interface ReadOptions {
  /** Call id → tool name, of the calls already seen; results take their names from it. */
  readonly names: Map<string, string>
  /** Ids of the calls of custom tools already seen. */
  readonly customs: Set<string>
  /** Whether an item is a call that the provider made and answered itself. */
  readonly isProviderCall: (item: JsonObject) => boolean
  /** Whether a system message at the beginning of the items might have been `instructions`. */
  readonly isFirst: boolean
}

export function readItems(items: readonly Json[], options: ReadOptions): readonly Message[] {
  const messages: Message[] = []
  let turn: AssistantPart[] | undefined
  let results: ToolResult[] | undefined
  items.forEach((item, index) => {
    const path = `/input/${index}`
    if (!isJsonObject(item)) throw invalidAt(path, 'an item: an object with a type or a role')
    if (isResult(item)) {
      turn = undefined
      if (results === undefined) {
        results = []
        messages.push({ role: 'tool', results })
      }
      results.push(decodeResult(item, path, options))
      return
    }
    results = undefined
    const message = readMessage(item, path, options.isFirst && messages.length === 0)
    if (message !== undefined) {
      turn = undefined
      messages.push(message)
      return
    }
    if (turn === undefined) {
      turn = []
      messages.push({ role: 'assistant', content: turn, origin: clientOrigin })
    }
    const parts = options.isProviderCall(item) ? [opaqueItem(item, clientOrigin)] : decodeItem(item, clientOrigin)
    for (const part of parts) {
      if (isCall(part)) options.names.set(part.id, part.name)
      if (isCall(part) && isCustomCall(wire, part)) options.customs.add(part.id)
      turn.push(part)
    }
  })
  return messages
}

/** A message of the user or system text; nothing for what belongs to the assistant or is not modelled. */
function readMessage(item: JsonObject, path: string, isFirst: boolean): Message | undefined {
  if (!isMessage(item) || item.role === 'assistant') return undefined
  if (item.role === 'user') {
    const content = decodeContentList(item.content, `${path}/content`)
    return { role: 'user', content, ...leftover(wire, item, modelled.message, { isDefault }) }
  }
  if (!isReadableRole(item)) return undefined
  const content = decodeContentList(item.content, `${path}/content`) as readonly TextPart[]
  const plain: SystemMessage = { role: 'system', content, ...leftover(wire, item, modelled.message, { isDefault }) }
  // The short way is `instructions`; a first item that could have gone there says that it did not.
  if (item.role === 'system' && !(isFirst && isInstructions(plain, false))) return plain
  const notes = { role: item.role as string }
  return { role: 'system', content, ...leftover(wire, item, modelled.message, { isDefault, notes }) }
}

/** Of system text that was met as instructions where that is not its usual place. */
const instructionsNotes = { role: 'instructions' }

/** What `instructions` gives back. */
export function decodeInstructions(text: string, isJson: boolean): SystemMessage {
  const notes = isJson ? instructionsNotes : {}
  return { role: 'system', content: [{ type: 'text', text }], ...leftover(wire, {}, modelled.message, { notes }) }
}

/**
 * Whether a system message stands in `instructions`: one plain text that was not met as an item. Where any JSON object is asked
 * for (`isJson`), only what was met as instructions: the server wants that word in the input, and it is mostly said in system text.
 */
export function isInstructions(message: SystemMessage, isJson: boolean): boolean {
  const [part] = message.content
  if (part === undefined || message.content.length > 1) return false
  const role = noteOf(ownOf(message), 'role')
  if (role === undefined ? isJson : role !== instructionsNotes.role) return false
  return isBare(fieldsToWrite(part, modelled.text)) && isBare(fieldsToWrite(message, modelled.message))
}

function isBare(fields: JsonObject): boolean {
  return Object.keys(fields).length === 0
}

/** The kind of a result follows from its call; one whose call is not here says it itself. */
function decodeResult(item: JsonObject, path: string, { names, customs }: ReadOptions): ToolResult {
  const { call_id: id, output, name: said } = item
  const callId = typeof id === 'string' ? id : ''
  const name = names.get(callId) ?? (typeof said === 'string' ? said : '')
  const { content, isError, spelling } = decodeOutput(output, `${path}/output`)
  const isApart = item.type === 'custom_tool_call_output' && !customs.has(callId)
  const notes = { ...(isApart ? customNotes : {}), ...(spelling === undefined ? {} : { prefix: spelling }) }
  return { callId, name, content, isError, ...leftover(wire, item, modelled.result, { isDefault, notes }) }
}

interface Output {
  readonly content: readonly ResultPart[]
  readonly isError: boolean
  readonly spelling?: string | undefined
}

function decodeOutput(output: Json | undefined, path: string): Output {
  if (output === undefined || output === null || output === '') return { content: [], isError: false }
  if (typeof output === 'string') {
    const read = readErrorPrefix(output)
    const content: readonly TextPart[] = read.text === '' ? [] : [{ type: 'text', text: read.text }]
    return { content, isError: read.isError, spelling: read.spelling }
  }
  if (!Array.isArray(output)) throw invalidAt(path, 'a string or a list of content parts')
  const parts = output.map((part: Json, index) => decodeContent(part, `${path}/${index}`))
  const first = parts.findIndex((part) => part.type === 'text')
  const part = parts[first]
  if (part?.type !== 'text') return { content: parts, isError: false }
  const read = readErrorPrefix(part.text)
  if (!read.isError) return { content: parts, isError: false }
  // A text that is nothing but the prefix was put in front of content that has no text of its own.
  const isAlone = first === 0 && parts.length > 1 && !parts.some((other, index) => index > 0 && other.type === 'text')
  const isOnlyPrefix = read.text === '' && isAlone && part.extra === undefined
  const content = isOnlyPrefix ? parts.slice(1) : parts.with(first, { ...part, text: read.text })
  return { content, isError: read.isError, spelling: read.spelling }
}

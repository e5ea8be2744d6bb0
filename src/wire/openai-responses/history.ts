// Messages as input items, for a request. Fields only: `seal` has put the structure right before.
// The trap: text that only looks like a failure, names and ids the wire refuses, fields of other wires. A message with anything
// unusual is read back from its own items, and what differs is its losses.
import type { Loss } from '../../conversation/losses.js'
import type { Message, SystemMessage, TextPart, ToolResult } from '../../conversation/messages.js'
import type { Json, JsonObject } from '../../json/types.js'
import { customNotes } from '../arguments.js'
import { differences } from '../differences.js'
import { withErrorPrefix } from '../error-prefix.js'
import { hasMember, noteOf } from '../extra.js'
import { type NameRule, wireCallId, wireName } from '../names.js'
import { encodeContent, plainText } from './content.js'
import { decodeInstructions, isInstructions, readItems } from './history-decode.js'
import { encodeItems } from './items.js'
import { callIdRule, fieldsToWrite, modelled, ownOf, wire } from './types.js'

export interface HistoryRules {
  readonly names: NameRule
  /** Whether the server knows the role `developer`; without it the text goes as `system`. */
  readonly developerRole: boolean
  /** Whether any JSON object is asked for: see `isInstructions`. */
  readonly isJson: boolean
}

/** The items of one message. `isFirst`: it is the first of the conversation. `customs`: ids of calls of custom tools it answers. */
export function encodeMessage(
  message: Message,
  rules: HistoryRules,
  isFirst: boolean,
  customs: ReadonlySet<string>,
): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
      return isFirst && isInstructions(message, rules.isJson) ? [] : [encodeSystem(message, rules)]
    case 'user': {
      const parts = message.content.map(encodeContent).filter((part) => part !== undefined)
      return [withContent('user', fieldsToWrite(message, modelled.message), parts)]
    }
    case 'assistant':
      return encodeItems(message.content, rules.names)
    case 'tool':
      return message.results.map((result) => encodeResult(result, customs))
  }
}

function encodeSystem(message: SystemMessage, rules: HistoryRules): JsonObject {
  const role = noteOf(ownOf(message), 'role') === 'developer' && rules.developerRole ? 'developer' : 'system'
  const parts = message.content.map((part: TextPart) => encodeContent(part)).filter((part) => part !== undefined)
  return withContent(role, fieldsToWrite(message, modelled.message), parts)
}

/** One plain text is written as a string, in the short form without a type. */
function withContent(role: string, fields: JsonObject, parts: readonly JsonObject[]): JsonObject {
  const text = plainText(parts)
  if (text === undefined) return { type: 'message', role, ...fields, content: parts }
  return hasMember(fields) ? { role, ...fields, content: text } : { role, content: text }
}

function encodeResult(result: ToolResult, customs: ReadonlySet<string>): JsonObject {
  const id = wireCallId(result.callId, callIdRule)
  const custom = customs.has(id) || noteOf(ownOf(result), 'type') === customNotes.type
  return {
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: id,
    output: outputOf(result),
    ...fieldsToWrite(result, modelled.result),
  }
}

/** An empty list is an empty string; a single empty text keeps its list, so that the two stay apart. */
function outputOf(result: ToolResult): Json {
  const note = noteOf(ownOf(result), 'prefix')
  const prefix = withErrorPrefix('', result.isError, note === 'Error: ' ? note : undefined)
  if (result.content.length === 0) return prefix
  const first = result.content.findIndex((part) => part.type === 'text')
  const parts: JsonObject[] = prefix !== '' && first < 0 ? [{ type: 'input_text', text: prefix }] : []
  result.content.forEach((part, index) => {
    const isTold = index === first && part.type === 'text' && prefix !== ''
    const encoded = encodeContent(isTold ? { ...part, text: prefix + part.text } : part)
    if (encoded !== undefined) parts.push(encoded)
  })
  const text = plainText(parts)
  return text === undefined || text === '' || text === prefix || text === 'ERROR: ' || text === 'Error: ' ? parts : text
}

/** The losses of a message: what reading its items again does not give back. Paths are relative to the message. */
export function messageLosses(
  message: Message,
  items: readonly JsonObject[],
  rules: HistoryRules,
  isFirst: boolean,
  customs: ReadonlySet<string>,
  knownNames?: ReadonlyMap<string, string>,
): readonly Loss[] {
  if (isPlain(message, rules.names) && knownNames === undefined) return none
  const names = new Map(knownNames ?? [])
  if (message.role === 'tool' && knownNames === undefined) {
    for (const result of message.results) {
      names.set(wireCallId(result.callId, callIdRule), wireName(result.name, rules.names))
    }
  }
  const losses: Loss[] = []
  const [read] =
    items.length === 0 && message.role === 'system'
      ? [decodeInstructions(message.content[0]?.text ?? '', rules.isJson)]
      : readItems(items, {
          names,
          customs: new Set(customs),
          isProviderCall: isOpaqueIn(message),
          isFirst: isFirst && !rules.isJson,
        })
  differences(wire, message, read, '', losses)
  return losses
}

/** Whether an item was written from an opaque part: a call of the provider itself looks like any other, and is read back as it was. */
function isOpaqueIn(message: Message): (item: JsonObject) => boolean {
  const parts = message.role === 'assistant' ? message.content : []
  const written = new Set(parts.map((part) => (part.type === 'opaque' ? part.data : undefined)))
  return (item) => item.type === 'custom_tool_call' && written.has(item)
}

const none: readonly Loss[] = []

/** Whether a message has nothing that could be lost: no carried fields, no media, legal names and ids, no look of failure. */
function isPlain(message: Message, names: NameRule): boolean {
  if (message.extra !== undefined) return false
  if (message.role === 'tool') return message.results.every((result) => isPlainResult(result, names))
  for (const part of message.content) {
    if (part.type === 'tool_call') {
      if (part.opaque !== undefined || part.extra !== undefined || !isLegal(part.id, part.name, names)) return false
    } else if (part.type !== 'text' || part.extra !== undefined || part.opaque !== undefined) return false
  }
  return true
}

function isPlainResult(result: ToolResult, names: NameRule): boolean {
  const [part] = result.content
  if (result.isError || result.extra !== undefined || result.content.length !== 1 || part?.type !== 'text') return false
  if (part.extra !== undefined || part.opaque !== undefined || !isLegal(result.callId, result.name, names)) return false
  return !part.text.startsWith('E')
}

function isLegal(id: string, name: string, names: NameRule): boolean {
  return wireCallId(id, callIdRule) === id && wireName(name, names) === name
}

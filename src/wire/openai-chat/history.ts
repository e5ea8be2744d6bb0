// Canonical messages as wire messages. Each is one piece of JSON (all results of a turn share one piece), encoded on its
// own so that frozen messages are encoded once; only whether a turn is in the legacy form is known from outside.
import { at, type Loss } from '../../conversation/losses.js'
import {
  type AnyCall,
  type AssistantMessage,
  isCall,
  type Message,
  type ReasoningPart,
  type SystemMessage,
  type TextPart,
  type ToolMessage,
  type ToolResult,
  type UserMessage,
} from '../../conversation/messages.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callOf, customInput, customNotes, inputArguments, readArguments } from '../arguments.js'
import { readErrorPrefix, reportAmbiguousPrefix, withErrorPrefix } from '../error-prefix.js'
import { carriedFields, hasMember, innerFields, type Notes, noteOf } from '../extra.js'
import { wireCallId, wireName } from '../names.js'
import { joinItems, type Piece, plainMessage } from '../pieces.js'
import { refusalNotes } from '../refusals.js'
import { type BlockPart, encodeBlock, isBlockPart, isRefusal } from './blocks.js'
import type { Flags } from './profiles.js'
import { reportReasoning, writeReasoning } from './reasoning.js'
import { callIdRules, legacyCallId, modelled, nameRule, wire } from './types.js'

/** Everything the text of a message depend on besides the message. */
export function historyKey(flags: Flags, answersLegacy: boolean): string {
  const { callIds, developerRole, resultName, reasoningField, reasoningRequired } = flags
  return `${wire} ${callIds} ${developerRole} ${resultName} ${reasoningField} ${reasoningRequired} ${answersLegacy}`
}

/** A message as JSON, and whether its results must follow in the legacy form. */
export interface MessagePiece extends Piece {
  readonly legacy: boolean
}

/** Whether a turn makes its one call in the legacy `function_call` form; its results then follow as role `function`. */
function isLegacyTurn(message: AssistantMessage): boolean {
  let calls = 0
  for (const part of message.content) {
    if (!isCall(part)) continue
    if (noteOf(part.extra?.[wire], 'legacy') !== true) return false
    calls += 1
  }
  return calls === 1
}

/** `answersLegacy` says, of results, that the turn they answer was a legacy one. */
export function encodeMessage(message: Message, flags: Flags, answersLegacy: boolean): MessagePiece {
  const plain = plainMessage(message)
  if (plain !== undefined)
    return { text: plain.text, losses: plain.losses, legacy: message.role !== 'assistant' && answersLegacy }
  const losses: Loss[] = []
  const legacy = message.role === 'assistant' ? isLegacyTurn(message) : answersLegacy
  const objects = messageObjects(message, flags, legacy, losses)
  return { text: joinItems(objects.map(writeUnicode)), losses, legacy }
}

function messageObjects(message: Message, flags: Flags, legacy: boolean, losses: Loss[]): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
      return [systemMessage(message, flags, losses)]
    case 'user':
      return [userMessage(message, losses)]
    case 'assistant':
      return [assistantMessage(message, flags, legacy, losses)]
    default:
      return toolMessages(message, flags, legacy, losses)
  }
}

function systemMessage(message: SystemMessage, flags: Flags, losses: Loss[]): JsonObject {
  const developer = flags.developerRole && noteOf(message.extra?.[wire], 'role') === 'developer'
  const content = encodeContent(message.content, losses)
  const notes = developer ? { role: 'developer' } : {}
  const fields = carriedFields(wire, message, '', losses, { taken: modelled.message, notes })
  return { role: developer ? 'developer' : 'system', content, ...fields }
}

function userMessage(message: UserMessage, losses: Loss[]): JsonObject {
  const content = encodeContent(message.content, losses)
  return { role: 'user', content, ...carriedFields(wire, message, '', losses, { taken: modelled.message }) }
}

function encodeContent(parts: readonly BlockPart[], losses: Loss[]): Json {
  const blocks: JsonObject[] = []
  parts.forEach((part, index) => {
    const block = encodeBlock(part, at('/content', index), losses)
    if (block !== undefined) blocks.push(block)
  })
  return compact(blocks)
}

/** A lone plain text is a string, and no block at all an empty one. */
function compact(blocks: readonly JsonObject[]): Json {
  if (blocks.length === 0) return ''
  const [first] = blocks
  const plain = blocks.length === 1 && first?.type === 'text' && typeof first.text === 'string' && first.text !== ''
  return plain && first !== undefined && Object.keys(first).length === 2 ? (first.text ?? '') : blocks
}

function assistantMessage(message: AssistantMessage, flags: Flags, legacy: boolean, losses: Loss[]): JsonObject {
  const own = message.extra?.[wire]
  const blocks: JsonObject[] = []
  const calls: JsonObject[] = []
  let reasoning: JsonObject = {}
  let refusal: string | undefined
  const refusalAt = refusalIndex(message)
  message.content.forEach((part, index) => {
    const path = at('/content', index)
    if (part.type === 'reasoning') {
      const written = encodeReasoning(part, flags, path, losses)
      reasoning = written.fields
      if (written.block !== undefined) blocks.push(written.block)
    } else if (isCall(part)) {
      calls.push(legacy ? legacyCall(part, path, losses) : encodeCall(part, flags, path, losses))
    } else if (index === refusalAt && part.type === 'text') {
      refusal = refusalText(part, path, losses)
    } else if (isBlockPart(part)) {
      const block = encodeBlock(part, path, losses, true)
      if (block !== undefined) blocks.push(block)
    }
  })
  const alone = blocks.length === 0 && (calls.length > 0 || refusal !== undefined)
  const blank = alone && noteOf(own, 'content') === ''
  const notes = blank ? { content: '' } : {}
  const fields = carriedFields(wire, message, '', losses, { taken: modelled.assistant, notes })
  const required = flags.reasoningRequired && calls.length > 0 && Object.keys(reasoning).length === 0
  const content = alone && !blank ? null : compact(blocks)
  const turn: { [key: string]: Json } = {
    role: 'assistant',
    content,
    ...(required ? { reasoning_content: '' } : reasoning),
  }
  if (refusal !== undefined) turn.refusal = refusal
  if (calls.length > 0 && legacy) turn.function_call = calls[0] ?? {}
  else if (calls.length > 0) turn.tool_calls = calls
  return hasMember(fields) ? { ...turn, ...fields } : turn
}

function encodeReasoning(
  part: ReasoningPart,
  flags: Flags,
  path: string,
  losses: Loss[],
): { readonly fields: JsonObject; readonly block?: JsonObject } {
  const written = writeReasoning(part.text, part.opaque?.data, flags)
  reportReasoning(part, written.back, path, losses)
  carriedFields(wire, part, path, losses, { taken: 'all' })
  return written
}

/** The refusal that is a member of the message: the last text before the calls, when its note says so. */
function refusalIndex(message: AssistantMessage): number {
  const index = message.content.findLastIndex((part) => !isCall(part))
  const part = message.content[index]
  if (part?.type !== 'text' || part.text === '' || part.opaque !== undefined || !isRefusal(part)) return -1
  return noteOf(part.extra?.[wire], 'refusal') === true ? index : -1
}

function refusalText(part: TextPart, path: string, losses: Loss[]): string {
  carriedFields(wire, part, path, losses, { taken: 'all', notes: { refusal: true }, also: refusalNotes })
  return part.text
}

function encodeCall(call: AnyCall, flags: Flags, path: string, losses: Loss[]): JsonObject {
  const own = call.extra?.[wire]
  const id = wireCallId(call.id, callIdRules[flags.callIds])
  const name = wireName(call.name, nameRule)
  if (isPlainCall(call) && id === call.id && name === call.name) {
    return { id, type: 'function', function: { name, arguments: call.arguments } }
  }
  const input = customInput(wire, call)
  const custom = input !== undefined
  const inner = custom ? innerFields(own, 'custom', modelled.custom) : innerFields(own, 'function', modelled.function)
  const fields = carriedFields(wire, call, path, losses, {
    taken: modelled.call,
    notes: custom ? customNotes : {},
    inner: custom ? { custom: inner } : { function: inner },
  })
  const content = call.opaque === undefined ? {} : { extra_content: call.opaque.data }
  if (custom) {
    reportCall(call, callOf({ id, name, text: inputArguments(input) }), path, losses)
    return { id, type: 'custom', custom: { name, input, ...inner }, ...content, ...fields }
  }
  const back = callOf({ id, name, text: call.arguments })
  reportCall(call, back, path, losses)
  return { id, type: 'function', function: { name, arguments: back.arguments, ...inner }, ...content, ...fields }
}

/** Whether nothing of a call but its name and id could be read back otherwise. */
function isPlainCall(call: AnyCall): boolean {
  if (call.type !== 'tool_call' || call.extra !== undefined || call.opaque !== undefined || call.name === '')
    return false
  return readArguments(call.arguments) === 'object'
}

function legacyCall(call: AnyCall, path: string, losses: Loss[]): JsonObject {
  const name = wireName(call.name, nameRule)
  const inner = innerFields(call.extra?.[wire], 'function', modelled.function)
  carriedFields(wire, call, path, losses, { taken: 'all', notes: { legacy: true }, inner: { function: inner } })
  if (call.opaque !== undefined) {
    const message = 'a function_call has no place for a continuation'
    losses.push({ code: 'signature_dropped', wire, path: at(path, 'opaque'), kind: 'dropped', message })
  }
  const back = callOf({ id: legacyCallId(name), name, text: call.arguments })
  reportCall(call, back, path, losses)
  return { name, arguments: back.arguments, ...inner }
}

/** What of a call does not come back as it is; a broken one may come back runnable, since history has no finish reason. */
function reportCall(call: AnyCall, back: AnyCall, path: string, losses: Loss[]): void {
  if (call.id !== back.id) changed('call_id_changed', at(path, 'id'), back.id, 'the server refuses this id', losses)
  if (call.name !== back.name) changed('name_changed', at(path, 'name'), back.name, `${wire} refuses this name`, losses)
  if (call.type !== back.type) {
    changed('call_type_changed', at(path, 'type'), back.type, 'a reader judges a call by its text', losses)
    if (back.type === 'broken_call') changed('call_type_changed', at(path, 'reason'), back.reason, 'read so', losses)
    else losses.push({ code: 'call_type_changed', wire, path: at(path, 'reason'), kind: 'dropped', message: 'read so' })
  }
  if (call.arguments !== back.arguments)
    changed('arguments_changed', at(path, 'arguments'), back.arguments, 'no text is read as {}', losses)
}

function changed(code: string, path: string, to: Json, message: string, losses: Loss[]): void {
  losses.push({ code, wire, path, kind: 'changed', to, message })
}

function toolMessages(message: ToolMessage, flags: Flags, legacy: boolean, losses: Loss[]): readonly JsonObject[] {
  carriedFields(wire, message, '', losses, { taken: 'all' })
  return message.results.map((result, index) => toolMessage(result, flags, legacy, at('/results', index), losses))
}

function toolMessage(result: ToolResult, flags: Flags, legacy: boolean, path: string, losses: Loss[]): JsonObject {
  const own = result.extra?.[wire]
  const name = wireName(result.name, nameRule)
  const id = legacy ? legacyCallId(name) : wireCallId(result.callId, callIdRules[flags.callIds])
  if (name !== result.name) changed('name_changed', at(path, 'name'), name, `${wire} refuses this name`, losses)
  if (id !== result.callId) changed('call_id_changed', at(path, 'callId'), id, 'the server refuses this id', losses)
  const noted = !flags.resultName && !legacy && noteOf(own, 'name') === true
  const named = legacy || flags.resultName || noted
  const spelling = resultSpelling(result)
  const content = resultContent(result, spelling, path, losses)
  const fields = carriedFields(wire, result, path, losses, {
    taken: named ? modelled.namedResult : modelled.result,
    notes: resultNotes(noted, spelling),
  })
  if (legacy) return { role: 'function', name, content, ...fields }
  if (named) return { role: 'tool', tool_call_id: id, name, content, ...fields }
  return { role: 'tool', tool_call_id: id, content, ...fields }
}

function resultNotes(named: boolean, spelling: string | undefined): Notes {
  if (spelling === undefined) return named ? { name: true } : {}
  return named ? { name: true, errorPrefix: spelling } : { errorPrefix: spelling }
}

/** The prefix a reader will find, when it is not the usual one. */
function resultSpelling(result: ToolResult): string | undefined {
  if (!result.isError) {
    const first = result.content.find((part) => part.type === 'text')
    return first === undefined ? undefined : readErrorPrefix(first.text).spelling
  }
  const note = noteOf(result.extra?.[wire], 'errorPrefix')
  return typeof note === 'string' && readErrorPrefix(note).spelling === note ? note : undefined
}

function resultContent(result: ToolResult, spelling: string | undefined, path: string, losses: Loss[]): Json {
  const text = plainText(result)
  if (text !== undefined && !readErrorPrefix(text).isError) return text
  reportAmbiguousPrefix(wire, result, path, losses)
  const blocks: JsonObject[] = []
  const firstText = result.content.findIndex((part) => part.type === 'text')
  let told = !result.isError
  result.content.forEach((part, index) => {
    const place = at(at(path, 'content'), index)
    const block = encodeBlock(part, place, losses)
    if (block === undefined) return
    if (!result.isError && part.type === 'text' && index === firstText && readsAsNothing(part.text)) {
      losses.push({ code: 'error_prefix_ambiguous', wire, path: place, kind: 'dropped', message: 'only a prefix' })
    }
    const first = !told && part.type === 'text'
    told ||= first
    blocks.push(first ? { ...block, text: withErrorPrefix(part.text, true, spelling) } : block)
  })
  if (!told) blocks.unshift({ type: 'text', text: withErrorPrefix('', true, spelling) })
  return compact(blocks)
}

/** The text of a success that is one plain text and nothing else. */
function plainText({ isError, content }: ToolResult): string | undefined {
  const [part] = content
  if (isError || content.length !== 1 || part?.type !== 'text' || part.text === '') return undefined
  return part.extra === undefined && part.opaque === undefined ? part.text : undefined
}

/** Whether the first text of a success is nothing but an error prefix: a reader is left with no text. */
function readsAsNothing(text: string): boolean {
  const read = readErrorPrefix(text)
  return read.isError && read.text === ''
}

// An assistant turn as LangChain's message: a string and `tool_calls` where that says it all, standard content blocks where
// it does not (reasoning, several texts, text behind a call). What neither can hold goes into notes.
import { AIMessage, type AIMessageFields } from '@langchain/core/messages'
import { assertNever } from '../conversation/events.js'
import type { AnyCall, AssistantMessage, AssistantPart, BrokenCall, ToolCall } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import { parseBody } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'
import { callOf } from '../wire/arguments.js'
import { type Block, writeOpaque } from './blocks.js'
import { idMaker } from './call-reading.js'
import { type Kwargs, kwargsOf, notesOf, type Pair } from './notes.js'

interface WrittenCall {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

/** What LangChain's message holds besides the turn itself. */
export type AnswerFields = Pick<AIMessageFields, 'id' | 'usage_metadata' | 'response_metadata'>

export function writeTurn(message: AssistantMessage, fields: AnswerFields = {}): AIMessage {
  const { content } = message
  const { calls, broken } = callsOf(content)
  const asText = isText(content)
  return new AIMessage({
    content: asText ? textOfTurn(content) : content.map(blockOf),
    tool_calls: calls.map(writeCall),
    invalid_tool_calls: broken.map(writeBroken),
    ...fields,
    additional_kwargs: turnKwargs(message),
    response_metadata: { ...fields.response_metadata, ...(asText ? {} : { output_version: 'v1' }) },
  })
}

/** Notes of the parts and of the message itself. `idOf` gives the id a call is written with. */
export function turnKwargs(
  message: AssistantMessage,
  idOf: (call: AnyCall) => string | undefined = (call) => call.id,
): Kwargs {
  const { role: _, content, ...own } = message
  const madeId = idMaker()
  const readId = (call: AnyCall, text: string): string => madeId(idOf(call), call.name, text)
  const notes = notesOf(content.map((part): Pair => [plainPart(part, readId), part]))
  return kwargsOf({ notes, message: own as unknown as JsonObject })
}

/** The parsed arguments. Trap: LangChain has JavaScript numbers only; every digit stays in the text, which a note keeps. */
function argsOfCall(call: ToolCall): JsonObject {
  return parseBody(call.arguments) as JsonObject // the text of a whole call is an object
}

function brokenText(call: BrokenCall): string {
  return `the call is not whole (${call.reason}) and must not be run`
}

/** Whether a string and a list of calls say it all: at most one text, in front of the calls. */
function isText(content: readonly AssistantPart[]): boolean {
  const [first, ...others] = content
  if (first === undefined || isCall(first)) return inOrder(content)
  return first.type === 'text' && first.text !== '' && inOrder(others)
}

/** Calls alone, whole ones before broken ones: LangChain has two lists. */
function inOrder(parts: readonly AssistantPart[]): boolean {
  const firstBroken = parts.findIndex((part) => part.type === 'broken_call')
  return parts.every(
    (part, index) => isCall(part) && (part.type === 'broken_call') === (firstBroken !== -1 && index >= firstBroken),
  )
}

function textOfTurn([first]: readonly AssistantPart[]): string {
  return first?.type === 'text' ? first.text : ''
}

function callsOf(content: readonly AssistantPart[]): { calls: readonly ToolCall[]; broken: readonly BrokenCall[] } {
  return {
    calls: content.filter((part) => part.type === 'tool_call'),
    broken: content.filter((part) => part.type === 'broken_call'),
  }
}

function writeCall(call: ToolCall): WrittenCall {
  return { type: 'tool_call', id: call.id, name: call.name, args: argsOfCall(call) }
}

function writeBroken(
  call: BrokenCall,
): Block & { id: string; name: string; args: string; error: string; type: 'invalid_tool_call' } {
  return { type: 'invalid_tool_call', id: call.id, name: call.name, args: call.arguments, error: brokenText(call) }
}

export function blockOf(part: AssistantPart): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'reasoning':
      return { type: 'reasoning', reasoning: part.text }
    case 'tool_call':
      return { ...writeCall(part) }
    case 'broken_call':
      return writeBroken(part)
    case 'opaque':
      return writeOpaque(part)
    default:
      return assertNever(part)
  }
}

/** What reading the written part gives without its note. */
function plainPart(part: AssistantPart, idOf: (call: AnyCall, text: string) => string): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text }
    case 'tool_call': {
      const text = JSON.stringify(argsOfCall(part))
      return callOf({ id: idOf(part, text), name: part.name, text })
    }
    case 'broken_call': {
      // Nothing but its identity is sure to be read back: a chunk and a message say different things of a broken call.
      const text = part.arguments.trim() === '' ? '{}' : part.arguments
      return { type: 'tool_call', id: idOf(part, text), name: part.name, arguments: text }
    }
    case 'opaque':
      return part
    default:
      return assertNever(part)
  }
}

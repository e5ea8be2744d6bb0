// The calls of LangChain's message, with the text of their arguments. Trap: what merging chunks parsed may be guessed from cut
// text, so the text of the chunk counts, unless a program has edited the parsed arguments since.
import type { AIMessage, AIMessageChunk, InvalidToolCall, ToolCall, ToolCallChunk } from '@langchain/core/messages'
import { parsePartialJson } from '@langchain/core/output_parsers'
import type { AnyCall, Opaque, Origin } from '../conversation/messages.js'
import { isArgumentText } from '../conversation/stored-fields.js'
import { canonicalJson } from '../json/canonical.js'
import { shortHash } from '../json/digest.js'
import { displayJson, stringifyJson } from '../json/stringify.js'
import type { Json, Value } from '../json/types.js'
import { callOf } from '../wire/arguments.js'
import { createPendingItems } from '../wire/pending-items.js'
import { isRecord } from './blocks.js'

export type AnswerMessage = AIMessage | AIMessageChunk

/** A call, the id it came with, and whether LangChain lists it as invalid. */
export interface FoundCall {
  readonly given: string
  readonly invalid: boolean
  readonly call: AnyCall
}

/** Where @langchain/google-genai keeps the signatures of calls, by call id. */
export const geminiSignatures = '__gemini_function_call_thought_signatures__'

/** All calls: in the order of their chunks where there are any, else whole ones first. */
export function readCalls(message: AnswerMessage, home: Origin | undefined): FoundCall[] {
  const calls = foundCalls(message)
  const signatures = message.additional_kwargs[geminiSignatures]
  if (!isRecord(signatures)) return calls
  return calls.map((found) => {
    const signature = Object.hasOwn(signatures, found.given) ? signatures[found.given] : undefined
    if (typeof signature !== 'string') return found
    return { ...found, call: { ...found.call, opaque: signedBy(home ?? { wire: 'gemini' }, signature) } }
  })
}

export function signedBy(origin: Origin, signature: string): Opaque {
  return { origin, data: origin.wire === 'gemini' ? { thoughtSignature: signature } : { signature } }
}

function foundCalls(message: AnswerMessage): FoundCall[] {
  const idOf = idMaker()
  const whole = createPendingItems(message.tool_calls ?? [], { head: headOf })
  const invalid = createPendingItems(message.invalid_tool_calls ?? [], { head: headOf })
  const chunks = 'tool_call_chunks' in message ? (message.tool_call_chunks ?? []) : []
  const streamed = chunks.flatMap((chunk): readonly FoundCall[] => {
    const call = whole.take('head', headOf(chunk))
    if (call !== undefined) return [wholeCall(call, chunk, idOf)]
    const broken = invalid.take('head', headOf(chunk))
    return broken === undefined ? [] : [brokenCall({ ...broken, args: chunk.args ?? '' }, idOf)]
  })
  return [
    ...streamed,
    ...whole.left().map((call) => wholeCall(call, undefined, idOf)),
    ...invalid.left().map((call) => brokenCall(call, idOf)),
  ]
}

/** Id and name, by which a call and its chunk belong together. */
function headOf({ id = '', name = '' }: ToolCall | InvalidToolCall | ToolCallChunk): string {
  return JSON.stringify([id, name])
}

function wholeCall({ id = '', name, args }: ToolCall, chunk: ToolCallChunk | undefined, idOf: IdMaker): FoundCall {
  const said = chunk?.args ?? ''
  const text = chunk !== undefined && isParsedFrom(args, said) ? said : argumentText(args)
  return { given: id, invalid: false, call: callOf({ id: idOf(id, name, text), name, text }) }
}

function brokenCall({ id = '', name = '', args = '' }: InvalidToolCall, idOf: IdMaker): FoundCall {
  const text = typeof args === 'string' ? args : displayJson(args)
  const reason = name === '' ? 'no_name' : isArgumentText(text) ? 'truncated' : 'malformed'
  const call: AnyCall = { type: 'broken_call', id: idOf(id, name, text), name, arguments: text, reason }
  return { given: id, invalid: true, call }
}

/** Whether arguments are what LangChain makes of a text, guesses included: nobody has edited them then. */
function isParsedFrom(args: unknown, text: string): boolean {
  try {
    const parsed = parsePartialJson(text.trim() === '' ? '{}' : text) as Json
    return canonicalJson(parsed) === canonicalJson(args as Json)
  } catch {
    return false
  }
}

type IdMaker = (id: string | undefined, name: string, text: string) => string

/** The id of a call in a place of a conversation: a later turn that makes the same call has another one. */
export function createPlacedId(made: string, position: number): string {
  return `call_${shortHash(`${made}@${position}`)}`
}

/** Ids for the calls of one message that came without one: the same for the same call. */
export function idMaker(): IdMaker {
  const counts = new Map<string, number>()
  return (id, name, text) => {
    if (id !== undefined && id !== '') return id
    const made = `call_${shortHash(JSON.stringify([name, text.trim() || '{}']))}`
    const count = (counts.get(made) ?? 0) + 1
    counts.set(made, count)
    return count === 1 ? made : `${made}_${count}`
  }
}

function argumentText(args: unknown): string {
  try {
    return stringifyJson(args as Value)
  } catch {
    return displayJson(args)
  }
}

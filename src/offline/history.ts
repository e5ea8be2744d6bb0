// What of a conversation matters to the engine: the last request, and the calls and results that came after it.
import { type Message, type ToolCall, type ToolResult, textOf } from '../conversation/messages.js'
import { isJsonObject, parseJson } from '../json/parse.js'
import type { JsonObject, Value } from '../json/types.js'

export interface Answered {
  readonly name: string
  readonly args: JsonObject
  readonly result: ToolResult
}
export interface Turn {
  /** The text of the last user message that has any. */
  readonly request: string
  readonly answered: readonly Answered[]
  /** The last call before the request, for "and in London?". */
  readonly previous?: { readonly name: string; readonly args: JsonObject }
}

export function turnOf(messages: readonly Message[]): Turn {
  const at = messages.findLastIndex((message) => message.role === 'user' && textOf(message.content).trim() !== '')
  const last = messages[at]
  const request = last?.role === 'user' ? textOf(last.content).trim() : ''
  const after = messages.slice(at + 1)
  const earlier = callsIn(messages.slice(0, Math.max(0, at))).at(-1)
  const calls = new Map(callsIn(after).map((call) => [call.id, call]))
  const results = after.flatMap((message) => (message.role === 'tool' ? message.results : []))
  const answered = results.map((result) => ({ name: result.name, args: argumentsOf(calls.get(result.callId)), result }))
  return {
    request,
    answered,
    ...(earlier === undefined ? {} : { previous: { name: earlier.name, args: argumentsOf(earlier) } }),
  }
}

function callsIn(messages: readonly Message[]): readonly ToolCall[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((part) => part.type === 'tool_call')
}

function argumentsOf(call: ToolCall | undefined): JsonObject {
  const value = call === undefined ? undefined : parsed(call.arguments)
  // The engine compares and shows these; digits beyond 2^53 do not matter here.
  return isJsonObject(value) ? value : {}
}

/** The value of JSON text; undefined for any other text. */
export function parsed(text: string): Value | undefined {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

// What reading a body again would give, for the answers that nearly all are: one text, then calls, and nothing else. It is found by
// looking at the body beside the response. The trap: whatever is not known to come back as it went is left to the reader.
import { type AssistantMessage, type AssistantPart, isCall, type ToolCall } from '../../conversation/messages.js'
import type { CompletionResponse, FinishReason } from '../../conversation/response.js'
import { mergeUsage, type Usage } from '../../conversation/usage.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { readArguments } from '../arguments.js'
import { finishReasonOf, wire } from './types.js'
import { fullerUsage, readUsage } from './usage.js'

/** What a body can tell of a response. */
export type Told = Pick<CompletionResponse, 'id' | 'model' | 'message' | 'finishReason' | 'metadata'> & {
  readonly rawFinishReason?: string | undefined
  readonly usage?: Usage | undefined
}

/** Nothing when the body has to be read. */
export function plainAnswer({ message, metadata }: CompletionResponse, body: JsonObject): Told | undefined {
  const { id, model, choices, usage } = body
  const choice = Array.isArray(choices) && choices.length === 1 ? (choices[0] as Json) : undefined
  if (metadata[wire] !== undefined || !isJsonObject(choice) || !isJsonObject(choice.message)) return undefined
  const raw = choice.finish_reason
  if (typeof id !== 'string' || typeof model !== 'string' || typeof raw !== 'string' || raw === '') return undefined
  const finishReason = finishReasonOf(raw, message.content.some(isCall), false)
  if (!saysJust(choice.message, message, finishReason)) return undefined
  const counted = isJsonObject(usage) ? plainUsage(usage) : undefined
  if (usage !== undefined && counted === undefined) return undefined
  return { id, model, message, finishReason, rawFinishReason: raw, usage: counted, metadata: nothing }
}

const nothing = {}

function plainUsage(raw: JsonObject): Usage | undefined {
  const usage = readUsage(raw)
  const isPlain = Object.keys(usage).length > 0 && fullerUsage(raw, usage) === undefined
  return isPlain ? mergeUsage(undefined, usage) : undefined
}

/** Whether the message of a body says the content in its order: a text if there is one, then calls, none of them cut. */
function saysJust(body: JsonObject, message: AssistantMessage, finishReason: FinishReason): boolean {
  const { content, origin } = message
  if (Object.keys(message).length !== (origin === undefined ? 2 : 3)) return false
  for (const key in body) if (!ownKeys.has(key) && isSaid(body[key])) return false
  const text = isSaid(body.content) ? body.content : undefined
  const calls = isSaid(body.tool_calls) ? body.tool_calls : none
  const first = text === undefined ? 0 : 1
  if (!Array.isArray(calls) || content.length !== first + calls.length) return false
  if (text !== undefined && !isText(content[0], text)) return false
  if (calls.length > 0 && finishReason === 'length') return false
  const ids = new Set<string>()
  for (let index = 0; index < calls.length; index += 1) {
    const part = content[first + index]
    if (!isSameCall(part, calls[index] as Json) || ids.has(part.id)) return false
    ids.add(part.id)
  }
  return true
}

const ownKeys: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls'])
const none: readonly Json[] = []

/** What the reader takes for something. */
function isSaid(value: Json | undefined): value is Json {
  return value !== null && value !== undefined && value !== ''
}

function isText(part: AssistantPart | undefined, text: Json): boolean {
  return part?.type === 'text' && part.text === text && Object.keys(part).length === 2
}

function isSameCall(part: AssistantPart | undefined, body: Json): part is ToolCall {
  if (part?.type !== 'tool_call' || Object.keys(part).length !== 4) return false
  if (!isJsonObject(body) || !isJsonObject(body.function) || Object.keys(body).length !== 3) return false
  const { id, name, arguments: text } = part
  const { function: named } = body
  if (body.type !== 'function' || body.id !== id || named.name !== name || named.arguments !== text) return false
  return id !== '' && name !== '' && readArguments(text) === 'object'
}

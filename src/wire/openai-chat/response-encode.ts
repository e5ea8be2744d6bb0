// A response as a body (server half), with every member that official clients type as required.
// Losses by construction: the body is read again by the reader of answers, and every difference is a loss.
import type { CompletionEvent } from '../../conversation/events.js'
import { fold } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import { type AnyCall, type AssistantPart, isCall } from '../../conversation/messages.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callOf, customInput, isCustomCall } from '../arguments.js'
import type { EncodedResponse, Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { fieldsOf, noteOf } from '../extra.js'
import { finishAnswer, openAnswer, readChunk } from './answer.js'
import { isRefusal } from './blocks.js'
import { plainAnswer, type Told } from './plain-answer.js'
import { type Flags, flagsOf } from './profiles.js'
import { writeReasoning } from './reasoning.js'
import { finishReasonOf, finishWord, memberOf, modelled, wire } from './types.js'
import { usageObject } from './usage.js'

export function encode(response: CompletionResponse, exchange: Exchange, env: Env): EncodedResponse {
  const body = writeBody(response, exchange, env)
  const losses: Loss[] = []
  const text = writeJson(body)
  // Half a surrogate pair was replaced in the text; what is read is then what the text says.
  reportBody(response, text.includes('\ufffd') ? (parseBody(text) as JsonObject) : body, exchange, env, losses)
  return { http: { status: 200, headers: { 'content-type': 'application/json' }, body: text }, losses }
}

/** What reading the body again does not give back, as losses of the response. */
export function reportBody(
  response: CompletionResponse,
  body: JsonObject,
  exchange: Exchange,
  env: Env,
  losses: Loss[],
): void {
  const back = plainAnswer(response, body) ?? told(readBack(body, exchange, env))
  differences(wire, told(response), back, '', losses)
}

function readBack(body: JsonObject, exchange: Exchange, env: Env): CompletionResponse {
  const events: CompletionEvent[] = []
  const answer = openAnswer({ wire, model: exchange.model, stream: false }, env, true)
  readChunk(answer, body, body.choices as readonly Json[], '', events)
  finishAnswer(answer, events)
  return fold(events)
}

/** All but what is read off the message, and its own losses. */
function told({ id, model, message, finishReason, rawFinishReason, usage, metadata }: CompletionResponse): Told {
  return { id, model, message, finishReason, rawFinishReason, usage, metadata }
}

/** Whether a client of the legacy form asked, who knows no `tool_calls`. */
export function wantsFunctions(exchange: Exchange): boolean {
  return exchange.client?.functions === true
}

function writeBody(response: CompletionResponse, exchange: Exchange, env: Env): JsonObject {
  const own = response.metadata[wire]
  const message = writeMessage(response.message.content, wantsFunctions(exchange), flagsOf(env.profile))
  const { id, model, usage } = response
  return {
    id,
    object: 'chat.completion',
    created: env.createdSeconds,
    model,
    choices: [
      {
        index: 0,
        message: { ...message, ...objectOf(own, 'message') },
        logprobs: null,
        finish_reason: writeFinish(response, message),
        ...objectOf(own, 'choice'),
      },
      ...otherChoices(own),
    ],
    ...(usage === undefined ? {} : { usage: usageObject(usage, memberOf(own, 'usage')) }),
    ...bodyFields(own),
  }
}

/** Unmodelled members of the body that the response still knows. */
export function bodyFields(own: JsonObject | undefined): JsonObject {
  const kept = Object.entries(own ?? {}).filter(([key]) => !ownKeys.has(key))
  return Object.fromEntries(kept)
}

/** Members of the metadata that belong elsewhere, and members of the body that are never taken from there. */
const ownKeys: ReadonlySet<string> = new Set([
  'choice',
  'message',
  'choices',
  'usage',
  'id',
  'object',
  'created',
  'model',
  'error',
])

export function objectOf(own: JsonObject | undefined, key: 'choice' | 'message'): JsonObject {
  const object = memberOf(own, key)
  if (!isJsonObject(object)) return {}
  const taken = key === 'message' ? modelled.assistant : choiceKeys
  return Object.fromEntries(Object.entries(object).filter(([name]) => !taken.has(name)))
}

const choiceKeys: ReadonlySet<string> = new Set(['index', 'message', 'delta', 'finish_reason', 'usage', 'text'])

export function otherChoices(own: JsonObject | undefined): readonly JsonObject[] {
  const list = memberOf(own, 'choices')
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** The wire's own word when the response came from this wire and it still means the same, else the nearest one. */
export function writeFinish(response: CompletionResponse, message: JsonObject): string {
  const calls = message.tool_calls !== undefined || message.function_call !== undefined
  const refused = typeof message.refusal === 'string'
  const { rawFinishReason: raw, finishReason } = response
  const isOwn = raw !== undefined && response.message.origin?.wire === wire
  if (isOwn && finishReasonOf(raw, calls, refused) === finishReason) return raw
  if (refused && finishReason === 'content_filter') return 'stop'
  return message.function_call !== undefined && finishReason === 'tool_calls'
    ? 'function_call'
    : finishWord(finishReason, calls)
}

function writeMessage(content: readonly AssistantPart[], legacy: boolean, flags: Flags): JsonObject {
  let text = ''
  let refusal: string | undefined
  let reasoning = ''
  let data: JsonObject | undefined
  const blocks: JsonObject[] = []
  const calls: AnyCall[] = []
  for (const part of content) {
    if (isCall(part)) calls.push(part)
    else if (part.type === 'reasoning') {
      reasoning += part.text
      data ??= part.opaque?.origin.wire === wire ? part.opaque.data : undefined
    } else if (part.type === 'opaque') {
      if (part.origin.wire === wire) blocks.push(part.data)
    } else if (isRefusal(part)) refusal = (refusal ?? '') + part.text
    else text += part.text
  }
  const written = writeReasoning(reasoning, answerData(data, flags), flags)
  const front = written.block === undefined ? [] : [written.block]
  const list = [...front, ...(text === '' ? [] : [{ type: 'text', text }]), ...blocks]
  const plain = front.length + blocks.length === 0
  return {
    role: 'assistant',
    content: plain ? (text === '' ? null : text) : list,
    refusal: refusal ?? null,
    ...written.fields,
    ...writeCalls(calls, legacy),
  }
}

/** Reasoning of an answer stands where this server always puts it; its details, and what its block had, stay with it. */
export function answerData(data: JsonObject | undefined, flags: Flags): JsonObject {
  return { ...data, field: flags.reasoningField }
}

function writeCalls(calls: readonly AnyCall[], legacy: boolean): JsonObject {
  const [first] = calls
  if (first === undefined) return {}
  if (legacy || (calls.length === 1 && isLegacyCall(first))) {
    return { function_call: { name: first.name, arguments: safeArguments(first) } }
  }
  return { tool_calls: calls.map((call) => callObject(call, safeArguments(call))) }
}

/** The text of arguments, or the input of a custom tool. A broken call that a client would take for a whole one must not look like one. */
export function safeArguments(call: AnyCall): string {
  const { type, id, name, arguments: text } = call
  const input = customInput(wire, call)
  if (input !== undefined) return input
  if (type === 'tool_call' || call.reason === 'truncated') return text
  return callOf({ id, name, text }).type === 'tool_call' ? 'null' : text
}

/** Whether a call came in the legacy form, from this wire. */
export function isLegacyCall(call: AnyCall): boolean {
  return noteOf(call.extra?.[wire], 'legacy') === true
}

/** A call as an answer has it; `text` is what is sent of its arguments. */
export function callObject(call: AnyCall, text: string): JsonObject {
  const own = call.extra?.[wire]
  const fields = Object.entries(fieldsOf(own)).filter(([key]) => !modelled.call.has(key))
  const rest = {
    ...(call.opaque?.origin.wire === wire ? { extra_content: call.opaque.data } : {}),
    ...Object.fromEntries(fields),
  }
  if (isCustomCall(wire, call)) {
    return { id: call.id, type: 'custom', custom: { name: call.name, input: text }, ...rest }
  }
  return { id: call.id, type: 'function', function: { name: call.name, arguments: text }, ...rest }
}

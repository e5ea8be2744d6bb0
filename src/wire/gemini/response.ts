// A response as the body that official clients read. What cannot be said is found by reading the body back.
import { createFolder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import type { AssistantPart } from '../../conversation/messages.js'
import { isCall } from '../../conversation/messages.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { isJsonObject } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { EncodedResponse, Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { noteOf } from '../extra.js'
import { madeCallId } from '../names.js'
import { isPlainCall, isPlainText, ownFields, signatureIn, type WritableObject, writeModelPart } from './parts.js'
import { isOwnBlock } from './parts-decode.js'
import { decode } from './response-decode.js'
import { modelTextKeys, rawFinishReasonOf, wire } from './types.js'
import { writeUsage } from './usage.js'

export { decode } from './response-decode.js'

const headers = { 'content-type': 'application/json; charset=UTF-8' }
const written: ReadonlySet<string> = new Set([
  'usage',
  'candidate',
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'error',
])
const candidateMembers: ReadonlySet<string> = new Set(['content', 'finishReason', 'index'])

export function encode(response: CompletionResponse, exchange: Exchange, env: Env): EncodedResponse {
  const parts = writeParts(response.message.content, response.id)
  const answer = writeAnswer(response, parts.length === 0 ? emptyParts : parts)
  const http = { status: 200, headers, body: writeJson(answer) }
  const losses: Loss[] = []
  if (isPlain(response)) {
    const raw = rawFinishReasonOf(response.finishReason, response.rawFinishReason, response.requiresToolExecution)
    if (raw !== response.rawFinishReason) losses.push(finishLoss(raw))
  } else compareRead(response, http.body, exchange, env, losses)
  return { http, losses }
}

/** Clients read text from the first part without looking whether there is one. Empty text is no part when it is read. */
export const emptyParts: readonly WritableObject[] = [{ text: '' }]

/** Lays a response beside what its body is read as. */
export function compareRead(
  response: CompletionResponse,
  body: string,
  exchange: Exchange,
  env: Env,
  losses: Loss[],
): void {
  const folder = createFolder()
  for (const event of decode({ status: 200, headers, body }, exchange, env)) folder.push(event)
  const { losses: _, ...before } = response
  const { losses: __, ...after } = folder.done().response
  differences(wire, before, after, '', losses)
}

function finishLoss(raw: string): Loss {
  const message = 'Gemini has its own words for the end of an answer'
  return { code: 'finish_renamed', wire, path: '/rawFinishReason', kind: 'changed', to: raw, message }
}

/** The response object, with these parts in its candidate. */
export function writeAnswer(response: CompletionResponse, parts: readonly WritableObject[]): WritableObject {
  const own = response.metadata[wire]
  const feedback = own?.promptFeedback
  const blocked =
    response.message.content.length === 0 &&
    isJsonObject(feedback) &&
    feedback.blockReason !== undefined &&
    feedback.blockReason === response.rawFinishReason
  const calls = response.requiresToolExecution
  const candidate = {
    content: { role: 'model', parts },
    finishReason: rawFinishReasonOf(response.finishReason, response.rawFinishReason, calls),
    index: 0,
    ...without(own?.candidate, candidateMembers),
  }
  return {
    ...(blocked ? {} : { candidates: [candidate] }),
    usageMetadata: writeUsage(response.usage, own?.usage),
    modelVersion: response.model === '' ? undefined : response.model,
    responseId: response.id === '' ? undefined : response.id,
    ...without(own, written),
  }
}

function without(object: Json | undefined, keys: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(object)) return {}
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)))
}

/** The parts that can be said: blocks of other wires and parts that hold nothing are left out. */
export function writeParts(content: readonly AssistantPart[], responseId: string): readonly WritableObject[] {
  const parts: WritableObject[] = []
  let calls = 0
  for (const part of content) {
    const made = isCall(part) && isMade(part.id, noteOf(part.extra?.[wire], 'made'), responseId, calls)
    if (isCall(part)) calls += 1
    if (isSayable(part)) parts.push(writeModelPart(part, { unsent: made, sentinel: false }))
  }
  return parts
}

/** Whether reading the answer would make this very id again, so that it need not be sent. */
export function isMade(id: string, note: Json | undefined, responseId: string, ordinal: number): boolean {
  return note === true && id === madeCallId(responseId, ordinal)
}

export function isSayable(part: AssistantPart): boolean {
  if (part.type === 'opaque') return part.origin.wire === wire && isOwnBlock(part, 'model')
  if (isCall(part) || part.text !== '') return true
  return signatureIn(part.opaque) !== undefined || Object.keys(ownFields(part, modelTextKeys)).length > 0
}

/** Whether nothing but the finish reason can come back otherwise, so that the body need not be read back. */
function isPlain(response: CompletionResponse): boolean {
  const { message, usage, metadata, finishReason, requiresToolExecution: calls } = response
  if (message.extra !== undefined || Object.keys(metadata).length > 0 || response.model === '') return false
  if (usage !== undefined && (usage.cacheWrite !== undefined || usage.input === undefined)) return false
  if (finishReason !== (calls ? 'tool_calls' : 'stop')) return false
  const ids = new Set<string>()
  return message.content.every((part, index) => {
    if (isCall(part)) return isPlainCall(part) && ids.size < ids.add(part.id).size
    if (part.type === 'opaque' || part.text === '' || !isPlainText(part)) return false
    const before = message.content[index - 1]
    return before?.type !== part.type || (part.opaque !== undefined && before.opaque !== undefined)
  })
}

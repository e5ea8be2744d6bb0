// One reading of answers, whole or streamed: each chunk is a whole response object that holds only the new parts.
// Trap: nothing but a finish reason, or the reason why the prompt was blocked, says that an answer is complete.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Origin } from '../../conversation/messages.js'
import { ToolwireError } from '../../errors/error.js'
import { asText, isJsonObject } from '../../json/parse.js'
import { spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callAssembler } from '../calls.js'
import type { Env, Exchange } from '../codec.js'
import { beginsCall, closePending, type PartState, readPart, report } from './answer-parts.js'
import { errorIn } from './error.js'
import { textIn } from './parts-decode.js'
import { createRepeatFinder } from './repeats.js'
import { finishReasonOf, listOf, wire } from './types.js'
import { camelUsage, usageMetadata, usageOf } from './usage.js'

export interface AnswerReader {
  /** One response object; `text` is its JSON, from which arguments are cut. False when the answer failed. */
  push(chunk: JsonObject, text: string, events: CompletionEvent[]): boolean
  /** The end of the answer: calls, usage and finish, or an error of this code when it is not complete. */
  finish(incomplete: 'truncated' | 'malformed_response', events: CompletionEvent[]): void
}

interface AnswerState extends PartState {
  /** The model asked for, which stands in for the one that answered. */
  readonly asked: string
  model: string
  started: boolean
  usage: JsonObject | undefined
  finishReason: string | undefined
  blockReason: string | undefined
  /** What is not modelled of the response and of its candidate. */
  readonly fields: Map<string, Json>
  readonly candidateFields: Map<string, Json>
}

export function answerReader(exchange: Exchange, env: Env): AnswerReader {
  const provider = exchange.provider ?? env.profile.name
  const origin: Origin = exchange.model === '' ? { wire, provider } : { wire, provider, model: exchange.model }
  const state: AnswerState = {
    exchange,
    origin,
    asked: exchange.model,
    calls: callAssembler({
      wire,
      exchange,
      deltas: env.deltas,
      limits: env.limits,
      responseId: () => state.id,
    }),
    id: '',
    position: -1,
    open: undefined,
    repeats: createRepeatFinder(),
    reported: new Set(),
    hasUnread: false,
    pending: undefined,
    model: '',
    started: false,
    usage: undefined,
    finishReason: undefined,
    blockReason: undefined,
    fields: new Map(),
    candidateFields: new Map(),
  }
  return {
    push: (chunk, text, events) => readChunk(state, chunk, text, events),
    finish: (incomplete, events) => finish(state, incomplete, events),
  }
}

function readChunk(state: AnswerState, chunk: JsonObject, text: string, events: CompletionEvent[]): boolean {
  if (chunk.error !== undefined && chunk.error !== null) {
    const message = 'the provider reported an error in its answer, in a form that is not known'
    events.push({ type: 'error', error: errorIn(chunk) ?? new ToolwireError('server_error', message) })
    return false
  }
  if (!readFields(state, chunk)) {
    events.push({ type: 'unknown', raw: chunk })
    return true
  }
  if (!state.started) {
    state.started = true
    events.push({ type: 'start', id: state.id, model: state.model || state.asked, origin: state.origin })
  }
  if (state.repeats.isCopy(chunk, text)) {
    report(state, 'chunk_repeated', 'the last chunk came twice; the copy was left out', events)
    return true
  }
  const candidates = listOf(chunk.candidates)
  const own = candidates.findIndex((candidate, index) => isFirst(candidate, index))
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[index]
    if (index === own) readCandidate(state, candidate as JsonObject, index, text, events)
    else {
      events.push({ type: 'unknown', raw: candidate ?? null })
      const message = 'the provider sent several candidates; only the first is read'
      if (isJsonObject(candidate)) report(state, 'candidates_ignored', message, events)
      else state.hasUnread = true
    }
  }
  return true
}

/** Whether this is the answer, and not one of several. A candidate without an index stands in its place. */
function isFirst(candidate: Json, position: number): boolean {
  if (!isJsonObject(candidate)) return false
  return Number(candidate.index ?? position) === 0
}

/** Takes what a chunk says beside its candidates; false when it says nothing that is known. */
function readFields(state: AnswerState, chunk: JsonObject): boolean {
  let known = false
  for (const key in chunk) {
    const value = chunk[key] as Json
    switch (key) {
      case 'candidates':
        break
      case 'usageMetadata':
      case 'usage_metadata':
        if (isJsonObject(value)) readUsage(state, camelUsage(value))
        break
      case 'modelVersion':
      case 'model_version':
        if (state.model === '') state.model = textIn(value)
        break
      case 'responseId':
      case 'response_id':
        if (state.id === '') {
          state.id = textIn(value)
          state.started &&= state.id === '' // told again, now with the id
        }
        break
      case 'promptFeedback':
      case 'prompt_feedback':
        readFeedback(state, value)
        break
      default:
        if (value !== null) state.fields.set(key, value)
        continue
    }
    known = true
  }
  return known
}

/** The last figures count; on Vertex earlier ones hold no figures. */
function readUsage(state: AnswerState, usage: JsonObject): void {
  state.usage = usage.totalTokenCount === undefined ? { ...state.usage, ...usage } : usage
}

function readFeedback(state: AnswerState, value: Json): void {
  if (!isJsonObject(value)) return
  state.fields.set('promptFeedback', value)
  const reason = value.blockReason ?? value.block_reason
  if (reason !== undefined && reason !== null) state.blockReason = asText(reason)
}

function readCandidate(
  state: AnswerState,
  candidate: JsonObject,
  place: number,
  text: string,
  events: CompletionEvent[],
): void {
  for (const key in candidate) {
    const value = candidate[key] as Json
    if (key === 'content') {
      if (isJsonObject(value)) readContent(state, candidate, value, place, text, events)
      else if (value !== null) state.hasUnread = true
    } else if (key === 'finishReason' || key === 'finish_reason') {
      if (value !== null) state.finishReason = asText(value)
    } else if (key !== 'index' && value !== null) state.candidateFields.set(key, value)
  }
}

const rawArguments = spanFinder([
  '/candidates/*/content/parts/*/functionCall/args',
  '/candidates/*/content/parts/*/function_call/args',
])

function readContent(
  state: AnswerState,
  candidate: JsonObject,
  content: JsonObject,
  place: number,
  text: string,
  events: CompletionEvent[],
): void {
  const spans = rawArguments(text)
  const span = (index: number, value: Json): string | undefined => {
    const base = `/candidates/${place}/content/parts/${index}`
    return spans(`${base}/functionCall/args`, value) ?? spans(`${base}/function_call/args`, value)
  }
  const parts = listOf(content.parts)
  if (state.repeats.repeatsText(candidate, parts)) {
    report(state, 'text_repeated', 'the last chunk held the complete text once more; the copy was left out', events)
    return
  }
  state.calls.checkLimit(parts.filter(beginsCall).length)
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]
    if (isJsonObject(part)) readPart(state, part, index, span, events)
    else {
      state.hasUnread = true
      events.push({ type: 'unknown', raw: part ?? null })
    }
  }
}

function finish(state: AnswerState, incomplete: 'truncated' | 'malformed_response', events: CompletionEvent[]): void {
  const { usage, finishReason, fields, candidateFields } = state
  const raw = finishReason ?? state.blockReason
  closePending(state, true, events)
  if (usage !== undefined) {
    const metadata = usageMetadata(usage)
    const counted = usageOf(usage)
    // quirk(vertex): a blocked prompt has usageMetadata without a single count; test/streams/gemini-blocked-prompt.sse
    if (Object.keys(counted).length === 0) fields.set('usage', usage)
    else events.push({ type: 'usage', usage: counted, ...(metadata === undefined ? {} : { metadata }) })
  }
  if (raw === undefined) {
    const message =
      incomplete === 'truncated'
        ? 'the stream ended without a finish reason; what came before is not the whole answer'
        : 'the answer has neither a finish reason nor a reason why it was blocked'
    events.push({ type: 'error', error: new ToolwireError(incomplete, message) })
    return
  }
  if (state.hasUnread && state.position < 0) {
    const message = 'nothing in the answer can be read: its content or parts are not what the Gemini API documents'
    events.push({ type: 'error', error: new ToolwireError('malformed_response', message) })
    return
  }
  const reason = finishReason === undefined ? 'content_filter' : finishReasonOf(finishReason, state.calls.count() > 0)
  for (const event of state.calls.finish(reason, state.position)) events.push(event)
  if (candidateFields.size > 0) fields.set('candidate', Object.fromEntries(candidateFields))
  const more = fields.size === 0 ? {} : { metadata: { [wire]: Object.fromEntries(fields) } }
  events.push({ type: 'finish', reason, raw, ...more })
}

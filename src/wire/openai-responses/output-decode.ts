// Answers of a server as events: one reader for events of a stream and for whole answers. A whole answer is the terminal event
// of a stream that had no others.
// The trap: everything is said up to four times (delta, done, item done, response completed). Text counts as sent once; the
// later words only fill in what was missing, and the item as it is when done gives ids, status and encrypted reasoning.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Origin } from '../../conversation/messages.js'
import type { FinishReason } from '../../conversation/response.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callAssembler } from '../calls.js'
import type { Env, Exchange } from '../codec.js'
import { readFailure } from '../failure.js'
import { failureError } from './error.js'
import { reasonOf } from './finish.js'
import { argumentsOf, decodeText, isReadableItem } from './items.js'
import { attach, callFragment, finishItem, pushAll } from './output-finish.js'
import { find, findDone, findFinal, type Item, itemFor, reach, type State, slotOf } from './output-items.js'
import { addTools } from './provider-calls.js'
import { sectionBreak } from './reasoning.js'
import { answered, isDefault, isMadeId, wire } from './types.js'
import { decodeUsage, usageMetadata } from './usage.js'

export interface OutputReader {
  /** One event of a stream, its events appended to `into`. */
  event(event: JsonObject, into: CompletionEvent[]): void
  /** A response object that is the last word: the terminal event of a stream, or a whole answer. */
  complete(response: JsonObject, into: CompletionEvent[]): void
  /** Whether the answer has ended, well or not. */
  isEnded(): boolean
}

export function createOutputReader(exchange: Exchange, env: Env): OutputReader {
  const origin: Origin = {
    wire,
    provider: exchange.provider ?? env.profile.name,
    ...(exchange.model === '' ? {} : { model: exchange.model }),
  }
  const state: State = {
    origin,
    exchange,
    tools: { custom: new Set(), hosted: false },
    byOrdinal: new Map(),
    byIndex: new Map(),
    byId: new Map(),
    last: undefined,
    id: undefined,
    next: 0,
    lastPart: -1,
    refused: false,
    ended: false,
    calls: callAssembler({
      wire,
      exchange,
      deltas: env.deltas,
      limits: env.limits,
      responseId: () => state.id ?? '',
    }),
  }
  addTools(state.tools, exchange.opaqueTools)
  return {
    event: (event, into) => readEvent(state, event, into),
    complete: (response, into) => complete(state, response, into),
    isEnded: () => state.ended,
  }
}

/** The deltas first: they are nearly all of a stream. */
function readEvent(state: State, event: JsonObject, into: CompletionEvent[]): void {
  switch (event.type) {
    case 'response.output_text.delta':
      textDelta(state, event, false, into)
      break
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      argumentsDelta(state, event, into)
      break
    case 'response.reasoning_summary_text.delta':
      reasoningDelta(state, event, 'summary', event.summary_index, into)
      break
    case 'response.reasoning_text.delta':
      reasoningDelta(state, event, 'content', event.content_index, into)
      break
    case 'response.refusal.delta':
      textDelta(state, event, true, into)
      break
    case 'response.output_text.done':
      textDone(state, event, event.text, into)
      break
    case 'response.refusal.done':
      textDone(state, event, event.refusal, into)
      break
    case 'response.output_item.added':
    case 'response.output_item.done':
      if (!isJsonObject(event.item)) unknown(event, into)
      else if (event.type === 'response.output_item.added') announce(state, event.item, event.output_index, into)
      else if (!isReadableItem(event.item)) unknown(event, into)
      else finishItem(state, findDone(state, event.item, event.output_index), event.item, into)
      break
    default:
      if (!repeated.has(event.type)) readRareEvent(state, event, into)
  }
}

/** Events that say what the item says again when it is done, or nothing at all. */
const repeated: ReadonlySet<Json | undefined> = new Set([
  'response.content_part.added',
  'response.content_part.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
  'response.reasoning_summary_text.done',
  'response.reasoning_text.done',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
  'response.output_text.annotation.added',
  'keepalive',
  'ping',
])
const beginnings: ReadonlySet<Json | undefined> = new Set([
  'response.created',
  'response.in_progress',
  'response.queued',
])
const endings: ReadonlySet<Json | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
])

function readRareEvent(state: State, event: JsonObject, into: CompletionEvent[]): void {
  const response = isJsonObject(event.response) ? event.response : undefined
  if (response !== undefined && beginnings.has(event.type)) start(state, response, into)
  else if (response !== undefined && endings.has(event.type)) complete(state, response, into)
  else if (!fail(state, event, into)) unknown(event, into)
}

function unknown(raw: JsonObject, into: CompletionEvent[]): void {
  into.push({ type: 'unknown', raw })
}

/** An error, in its flat form, nested under `error`, or without any type. */
function fail(state: State, event: JsonObject, into: CompletionEvent[]): boolean {
  const isKnown = typeof event.type === 'string' && event.type.startsWith('response.')
  if (event.type !== 'error' && (isKnown || (event.error ?? null) === null)) return false
  const failure = readFailure(event) ?? { message: 'the provider reported an error without a message', kinds: [] }
  state.ended = true
  into.push({ type: 'error', error: failureError(failure) })
  return true
}

function start(state: State, response: JsonObject, into: CompletionEvent[]): void {
  if (state.id !== undefined) return
  addTools(state.tools, response.tools)
  const id = typeof response.id === 'string' && !isMadeId(response.id) ? response.id : ''
  const model = typeof response.model === 'string' ? response.model : state.exchange.model
  state.id = id
  into.push({ type: 'start', id, model, origin: state.origin })
}

function textDelta(state: State, event: JsonObject, refused: boolean, into: CompletionEvent[]): void {
  const { delta } = event
  if (typeof delta !== 'string') {
    unknown(event, into)
    return
  }
  const item = find(state, event, 'message')
  const index = slotOf(event.content_index)
  const sent = item.sent[index]
  if (sent === undefined) begin(state, item, index, refused, into)
  item.sent[index] = (sent ?? '') + delta
  into.push({ type: 'text_delta', part: item.part + index, text: delta })
}

/** Some servers send text only in the event that ends it. The end of the item reports text that contradicts the deltas. */
function textDone(state: State, event: JsonObject, text: Json | undefined, into: CompletionEvent[]): void {
  if (typeof text !== 'string' || text === '') return
  const sent = find(state, event, 'message').sent[slotOf(event.content_index)] ?? ''
  if (text.length <= sent.length || !text.startsWith(sent)) return
  textDelta(state, { ...event, delta: text.slice(sent.length) }, event.type === 'response.refusal.done', into)
}

/** Says what is known of a text part before its first text: the item's id and fields, and that it is a refusal. */
function begin(state: State, item: Item, index: number, refused: boolean, into: CompletionEvent[]): void {
  reach(state, item.part + index)
  const isFirst = item.sent.length === 0
  const joins = !isFirst && item.sent[index - 1] !== undefined
  const announced = isFirst ? (item.announced ?? {}) : joins ? undefined : {}
  const { status: _, ...known } = announced ?? {}
  const content = refused ? { type: 'refusal', refusal: '' } : { type: 'output_text', text: '' }
  const part = decodeText(content, announced === undefined ? undefined : known, state.origin)
  if (refused) state.refused = true
  attach(item.part + index, 'text', part, into)
}

function argumentsDelta(state: State, event: JsonObject, into: CompletionEvent[]): void {
  const { delta } = event
  if (typeof delta !== 'string') {
    unknown(event, into)
    return
  }
  if (isOfProvider(state, event)) return // it comes whole with its item
  const item = find(state, event, 'function_call')
  // A call that was not announced has no id yet; it comes whole with its item.
  if (item.announced !== undefined) pushAll(state.calls.push({ index: item.ordinal, text: delta }, item.part), into)
}

/** Whether a fragment belongs to an item that the client does not run. */
function isOfProvider({ byId, byIndex }: State, { item_id: id, output_index: index }: JsonObject): boolean {
  return (byId.get(id) ?? byIndex.get(index))?.kind === 'other'
}

function reasoningDelta(
  state: State,
  event: JsonObject,
  source: string,
  section: Json | undefined,
  into: CompletionEvent[],
): void {
  const { delta } = event
  if (typeof delta !== 'string') {
    unknown(event, into)
    return
  }
  const item = find(state, event, 'reasoning')
  if (item.shows === '') item.shows = source
  if (item.shows !== source) return // the item shows its text in one list only; the other is kept with the item
  if (item.sent[0] === undefined) beginReasoning(state, item, into)
  const gap = sectionBreak.repeat(Math.max(0, slotOf(section) - item.section))
  item.section = Math.max(item.section, slotOf(section))
  item.sent[0] = (item.sent[0] ?? '') + gap + delta
  into.push({ type: 'reasoning_delta', part: item.part, text: gap + delta })
}

function beginReasoning(state: State, item: Item, into: CompletionEvent[]): void {
  reach(state, item.part)
  const id = item.announced?.id
  if (typeof id === 'string' && id !== '' && !isMadeId(id)) {
    attach(item.part, 'reasoning', { opaque: { origin: state.origin, data: { id } } }, into)
  }
}

function announce(state: State, announced: JsonObject, index: Json | undefined, into: CompletionEvent[]): void {
  const item = itemFor(state, announced, index)
  state.last = item
  if (item.announced !== undefined) return
  item.announced = announced
  if (item.kind !== 'function_call') return
  const { status: _, ...begun } = announced // it is in progress; the status counts when the item is done
  const said = { ...callFragment(begun, state, item), text: argumentsOf(announced), final: true }
  pushAll(state.calls.push(said, item.part), into)
}

function complete(state: State, response: JsonObject, into: CompletionEvent[]): void {
  start(state, response, into)
  state.ended = true
  const { output } = response
  const list: readonly Json[] = Array.isArray(output) ? output : []
  const items = list.filter(isReadableItem)
  // What was streamed stands, whatever the end of the stream repeats.
  const isWhole = Array.isArray(output) && items.length === list.length
  const isMissing = !isWhole && state.lastPart === -1 && reasonOf(response, false, false).reason === 'stop'
  const found = findFinal(state, items)
  items.forEach((item, place) => {
    finishItem(state, found[place] as Item, item, into)
  })
  if (isMissing) {
    const message = 'not a Responses response: output must be a list of items, each with a type and its content'
    into.push({ type: 'error', error: new ToolwireError('malformed_response', message) })
    return
  }
  const usage = isJsonObject(response.usage) ? response.usage : undefined
  const metadata = usage === undefined ? undefined : usageMetadata(usage)
  if (usage !== undefined) {
    into.push({ type: 'usage', usage: decodeUsage(usage), ...(metadata === undefined ? {} : { metadata }) })
  }
  if (response.status === 'failed') {
    const failure = readFailure(response) ?? { message: 'the provider says that the answer failed', kinds: [] }
    into.push({ type: 'error', error: failureError(failure) })
    return
  }
  const { reason, raw } = reasonOf(response, state.calls.count() > 0, state.refused)
  pushAll(state.calls.finish(reason, state.lastPart), into)
  into.push(finishEvent(response, reason, raw))
}

/** What else the answer says of itself, without what only repeats the request. */
function finishEvent(response: JsonObject, reason: FinishReason, raw: string): CompletionEvent {
  const said = Object.entries(response).filter(([key, value]) => !answered.has(key) && !isDefault(key, value))
  return {
    type: 'finish',
    reason,
    raw,
    ...(said.length === 0 ? {} : { metadata: { [wire]: Object.fromEntries(said) } }),
  }
}

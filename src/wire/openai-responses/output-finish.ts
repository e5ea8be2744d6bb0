// The end of an item of an answer: what was not said of it yet, and what is only known when it is done.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Extra, Opaque } from '../../conversation/messages.js'
import type { JsonObject } from '../../json/types.js'
import type { CallFragment } from '../calls.js'
import { argumentsOf, brokenReason, callFields, decodeMessage, opaqueItem } from './items.js'
import { type Item, reach, type State, slotOf } from './output-items.js'
import { decodeReasoning } from './reasoning.js'
import { identityOf, wire } from './types.js'

/** The item as a whole: what was not said of it yet, and what is only known at its end. */
export function finishItem(state: State, place: Item, item: JsonObject, into: CompletionEvent[]): void {
  if (place.isDone) {
    changeStatus(state, place, item, into)
    return
  }
  place.isDone = true
  place.status = item.status
  reach(state, place.part)
  if (place.kind === 'message') finishMessage(state, place, item, into)
  else if (place.kind === 'reasoning') finishReasoning(state, place, item, into)
  else if (place.kind === 'function_call') finishCall(state, place, item, into)
  else into.push({ type: 'opaque', part: place.part, value: opaqueItem(item, state.origin) })
}

/** The whole answer has the last word on how an item ended. */
function changeStatus(state: State, place: Item, item: JsonObject, into: CompletionEvent[]): void {
  if (item.status === place.status || item.status === undefined) return
  place.status = item.status
  if (place.kind === 'message' && place.sent.length > 0)
    attach(place.part, 'text', identityOf(item, state.origin), into)
  else if (place.kind === 'function_call') finishCall(state, place, item, into)
}

function finishReasoning(state: State, place: Item, item: JsonObject, into: CompletionEvent[]): void {
  const part = decodeReasoning(
    item,
    state.origin,
    place.shows === 'content' || place.shows === 'summary' ? place.shows : undefined,
  )
  const sent = place.sent[0]
  const said = sent === undefined && attach(place.part, 'reasoning', part, into)
  const text = missingText(sent, part.text, into)
  if (text !== '' || (sent === undefined && !said)) into.push({ type: 'reasoning_delta', part: place.part, text })
  if (sent !== undefined) attach(place.part, 'reasoning', part, into)
}

function finishCall(state: State, place: Item, item: JsonObject, into: CompletionEvent[]): void {
  const said = { extra: callFields(item).extra, text: argumentsOf(item), final: true }
  pushAll(state.calls.push({ ...callFragment(item, state, place), ...said }, place.part), into)
}

function finishMessage(state: State, place: Item, item: JsonObject, into: CompletionEvent[]): void {
  const parts = decodeMessage(item, state.origin)
  if (parts === undefined) {
    if (place.sent.length === 0) into.push({ type: 'opaque', part: place.part, value: opaqueItem(item, state.origin) })
    return
  }
  parts.forEach((part, position) => {
    const index = slotOf(position)
    const at = place.part + index
    reach(state, at)
    if (part.type === 'opaque') {
      into.push({ type: 'opaque', part: at, value: part })
      return
    }
    if (part.extra?.[wire]?.$refusal === true) state.refused = true
    const sent = place.sent[index]
    const said = sent === undefined && attach(at, 'text', part, into)
    const text = missingText(sent, part.text, into)
    if (text !== '' || (sent === undefined && !said)) into.push({ type: 'text_delta', part: at, text })
    if (sent !== undefined) attach(at, 'text', part, into)
    place.sent[index] = (sent ?? '') + text
  })
}

/** What the whole text adds to what was streamed. Text that was shown cannot be taken back: where the whole one differs, it is left out. */
function missingText(sent: string | undefined, text: string, into: CompletionEvent[]): string {
  if (sent === undefined || text.startsWith(sent)) return text.slice(sent?.length ?? 0)
  if (text === '') return ''
  const message = 'the text at the end of the stream differs from what was streamed before; the streamed text is kept'
  into.push({ type: 'loss', loss: { code: 'streamed_text_kept', wire, path: '/text', kind: 'repaired', message } })
  return ''
}

/** What a whole or announced item says of its call. */
export function callFragment(item: JsonObject, state: State, place: Item): CallFragment {
  reach(state, place.part)
  const id = item.call_id ?? item.id
  return {
    index: place.ordinal,
    id: typeof id === 'string' ? id : undefined,
    name: typeof item.name === 'string' ? item.name : undefined,
    opaque: identityOf(item, state.origin, 'incomplete').opaque,
    isInput: item.type === 'custom_tool_call',
    broken: brokenReason(item),
  }
}

/** Puts a continuation or fields onto a part; whether there were any. */
export function attach(
  part: number,
  of: 'text' | 'reasoning',
  carried: { readonly opaque?: Opaque; readonly extra?: Extra },
  into: CompletionEvent[],
): boolean {
  const { opaque, extra } = carried
  if (opaque === undefined && extra === undefined) return false
  into.push({
    type: 'attach',
    part,
    of,
    ...(opaque === undefined ? {} : { opaque }),
    ...(extra === undefined ? {} : { extra }),
  })
  return true
}

export function pushAll(events: readonly CompletionEvent[], into: CompletionEvent[]): void {
  for (const event of events) into.push(event)
}

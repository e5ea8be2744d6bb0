// The parts of an answer as events, whole or streamed, and the place each has in it.
// Trap: text is joined with its neighbour only where neither is signed and both are thought or both are not; a signature stays
// on exactly the part it came on.
import type { CompletionEvent } from '../../conversation/events.js'
import { freeze } from '../../conversation/freeze.js'
import type { Extra, Origin } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { brokenText, objectCallOf } from '../arguments.js'
import type { CallAssembler, CallFragment } from '../calls.js'
import type { Exchange } from '../codec.js'
import { sameValue } from '../differences.js'
import { answerIdOf, madeCallId } from '../names.js'
import { type PartialArguments, partialArguments } from './partial-arguments.js'
import { callExtra, isUnreadable, signatureOf, splitPart, textExtra, textIn } from './parts-decode.js'
import type { RepeatFinder } from './repeats.js'
import { camelKeys, objectOf, wire } from './types.js'

/** How far an answer has been read. */
export interface PartState {
  readonly exchange: Exchange
  readonly origin: Origin
  readonly calls: CallAssembler
  /** The id of the answer, as far as it is known. */
  id: string
  /** The place of the last part; -1 before the first. */
  position: number
  /** What text may still be joined to. */
  open: 'text' | 'reasoning' | undefined
  /** Finds what was said before. */
  readonly repeats: RepeatFinder
  /** The codes of the losses that were reported: each is told once. */
  readonly reported: Set<string>
  /** Whether something came that can't be read. */
  hasUnread: boolean
  /** A call whose arguments still come in pieces. */
  pending: PendingCall | undefined
}

interface PendingCall {
  readonly part: number
  readonly fragment: CallFragment
  readonly pieces: PartialArguments
  /** Complete arguments beside the pieces, where the real API has none: they count if no piece comes. */
  given: JsonObject | undefined
}

/** The raw text of the arguments of a part, which are this value when parsed. */
export type Span = (index: number, value: Json) => string | undefined

export function readPart(
  state: PartState,
  raw: JsonObject,
  index: number,
  span: Span,
  events: CompletionEvent[],
): void {
  if (isPlainText(raw)) {
    readText(state, raw.thought === true ? 'reasoning' : 'text', raw.text as string, events)
    return
  }
  const split = splitPart(raw)
  if (split.length > 1) {
    report(state, 'part_split', 'a part said more than one thing; it was split into one part for each', events)
  }
  for (const one of split) readOne(state, one, (value) => span(index, value), events)
}

function readOne(
  state: PartState,
  raw: JsonObject,
  span: (value: Json) => string | undefined,
  events: CompletionEvent[],
): void {
  const part = camelKeys(raw)
  const call = objectOf(part.functionCall)
  if (call !== undefined) readCall(state, part, call, span, events)
  else if (typeof part.text === 'string') readMarkedText(state, part, part.text, events)
  else if (isUnreadable(part)) {
    state.hasUnread = true
    events.push({ type: 'unknown', raw })
  } else if (Object.keys(raw).length > 0) {
    openPart(state)
    events.push({ type: 'opaque', part: state.position, value: { type: 'opaque', origin: state.origin, data: raw } })
  }
}

/** Reports a repair of the answer, once for each kind. */
export function report(state: PartState, code: string, message: string, events: CompletionEvent[]): void {
  if (state.reported.has(code)) return
  state.reported.add(code)
  events.push({ type: 'loss', loss: { code, wire, path: '/message/content', kind: 'repaired', message } })
}

/** Whether a part is a call, and not a further piece of one. */
export function beginsCall(part: Json): boolean {
  if (!isJsonObject(part)) return false
  return objectOf(part.functionCall ?? part.function_call)?.name !== undefined
}

/** The usual part: text, and perhaps whether it is a thought. Only a loop over its keys keeps this cheap. */
function isPlainText(part: JsonObject): boolean {
  if (typeof part.text !== 'string') return false
  for (const key in part) if (key !== 'text' && key !== 'thought') return false
  return true
}

function openPart(state: PartState): void {
  state.open = undefined
  state.position += 1
}

function readText(state: PartState, kind: 'text' | 'reasoning', text: string, events: CompletionEvent[]): void {
  if (text === '') return
  if (kind !== state.open) {
    state.open = kind
    state.position += 1
  }
  const part = state.position
  if (kind === 'text') state.repeats.addText(text)
  events.push(kind === 'text' ? { type: 'text_delta', part, text } : { type: 'reasoning_delta', part, text })
}

/** Text with a signature or other fields is a part of its own. They come first, so that a writer can put them on the text. */
function readMarkedText(state: PartState, part: JsonObject, text: string, events: CompletionEvent[]): void {
  const of = part.thought === true ? 'reasoning' : 'text'
  const opaque = signatureOf(part, state.origin)
  const { extra } = textExtra(part)
  if (opaque === undefined && extra === undefined) {
    readText(state, of, text, events)
    return
  }
  openPart(state)
  events.push({
    type: 'attach',
    part: state.position,
    of,
    ...(opaque === undefined ? {} : { opaque }),
    ...(extra === undefined ? {} : { extra }),
  })
  if (of === 'text') state.repeats.addText(text)
  if (text !== '') events.push({ type: of === 'text' ? 'text_delta' : 'reasoning_delta', part: state.position, text })
}

function readCall(
  state: PartState,
  part: JsonObject,
  call: JsonObject,
  span: (value: Json) => string | undefined,
  events: CompletionEvent[],
): void {
  if (state.pending !== undefined && call.name === undefined && call.id === undefined) {
    addPieces(state.pending, call)
    if (call.willContinue !== true) closePending(state, false, events)
    return
  }
  const { partialArgs: pieces, willContinue: continues } = call
  const own = pieces === undefined && continues === undefined ? call : withoutPieces(call) // a copy costs as much as the rest
  closePending(state, false, events)
  openPart(state)
  const fragment = fragmentOf(state, part, own)
  if (continues !== true && pieces === undefined) {
    const whole = { ...fragment, ...argumentsOf(fragment, own.args ?? undefined, span) }
    append(events, state.calls.push(whole, state.position))
    return
  }
  state.pending = { part: state.position, fragment, pieces: partialArguments(), given: undefined }
  addPieces(state.pending, call)
  if (continues !== true) closePending(state, false, events)
}

function withoutPieces({ partialArgs: _, willContinue: __, ...own }: JsonObject): JsonObject {
  return own
}

function addPieces(pending: PendingCall, call: JsonObject): void {
  pending.pieces.add(call.partialArgs)
  if (isJsonObject(call.args) && Object.keys(call.args).length > 0) pending.given = call.args
}

/** Ends a call that came in pieces. `cut` says that the answer ended before it did. */
export function closePending(state: PartState, cut: boolean, events: CompletionEvent[]): void {
  const { pending } = state
  if (pending === undefined) return
  const text = argumentsOfPending(state, pending, events)
  const broken = cut ? 'truncated' : text === undefined ? 'malformed' : undefined
  append(events, state.calls.push({ ...pending.fragment, text: text ?? '', broken }, pending.part))
  state.pending = undefined
}

/** The streamed arguments. Complete ones that say something else are reported, but what was streamed counts. */
function argumentsOfPending(
  state: PartState,
  { pieces, given }: PendingCall,
  events: CompletionEvent[],
): string | undefined {
  const text = pieces.text()
  if (given === undefined) return text
  if (text === '{}') return JSON.stringify(given)
  if (text === undefined || !sameValue(JSON.parse(text) as Json, given)) {
    const message = 'complete arguments of a call differ from its streamed ones; the streamed ones count'
    report(state, 'arguments_contradicted', message, events)
  }
  return text
}

const idWasMade: Extra = freeze({ [wire]: { $made: true } })

/** A call as the assembler takes it. An id that was not given is made, and noted as made: it is not sent back. */
function fragmentOf(state: PartState, part: JsonObject, call: JsonObject): CallFragment {
  const given = textIn(call.id)
  const { extra } = callExtra(part, call)
  return {
    id: given || madeCallId(state.id || answerIdOf('', state.exchange), state.calls.count()),
    name: textIn(call.name),
    whole: true,
    opaque: signatureOf(part, state.origin),
    extra: given !== '' ? extra : extra === undefined ? idWasMade : { [wire]: { ...extra[wire], $made: true } },
  }
}

/** The raw arguments, or the broken text that they carry. */
function argumentsOf(
  call: CallFragment,
  value: Json | undefined,
  span: (value: Json) => string | undefined,
): Pick<CallFragment, 'text' | 'broken' | 'isObject'> {
  if (value === undefined) return { text: '{}', isObject: true }
  const text = span(value) ?? JSON.stringify(value)
  if (brokenText(value) === undefined) return { text, isObject: isJsonObject(value) }
  const read = objectCallOf({ id: call.id ?? '', name: call.name ?? '', text, value })
  return read.type === 'broken_call' ? { text: read.arguments, broken: read.reason } : { text }
}

function append(events: CompletionEvent[], more: readonly CompletionEvent[]): void {
  for (const event of more) events.push(event)
}

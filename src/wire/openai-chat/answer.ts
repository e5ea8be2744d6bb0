// The one reader of answers: chunks of a stream and whole bodies go through it alike, since a message is a delta that holds
// everything. Calls, usage and the finish come out at the end, when nothing can follow any more.
// The trap: this is the hot path. A chunk of the common shape (one choice with a delta) costs one pass over the delta.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Origin } from '../../conversation/messages.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject } from '../../json/parse.js'
import { rawSpans } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { customNotes } from '../arguments.js'
import { type CallAssembler, type CallFragment, callAssembler } from '../calls.js'
import type { Env, Exchange } from '../codec.js'
import { leftover } from '../extra.js'
import { refusalNotes } from '../refusals.js'
import { errorIn } from './error.js'
import { addBody, addChoice, addMember, addOther, addUsage, type Facts, metadataOf, noFacts } from './facts.js'
import { isBlock, messageOf, missingIn, newIn } from './message.js'
import { mergeDetails, readReasoning, readThinking } from './reasoning.js'
import { finishReasonOf, isNull, legacyCallId, modelled, slots, wire } from './types.js'
import { findUsage, fullerUsage, readUsage } from './usage.js'

/** An answer being read. */
export interface Answer {
  readonly origin: Origin
  /** The body holds all of it: no call goes on in a later chunk. */
  readonly whole: boolean
  readonly calls: CallAssembler
  readonly facts: Facts
  id: string
  model: string
  started: boolean
  /** Whether a choice came at all, and whether the server said why it stopped. */
  state: 'empty' | 'open' | 'finished'
  /** Where the first choice stands in the list that is being read. */
  place: number
  /** Whether a choice had a message or a delta, even an empty one. */
  hasMessage: boolean
  /** Whether it comes in deltas: a message among them then repeats what they said. */
  hasDelta: boolean
  textLength: number
  /** Whether a message held a call or a block that is not in any known form. */
  hasUnreadable: boolean
  finishWord: string
  refused: boolean
  /** How reasoning came; attached to it so that it goes back the same way. */
  reasoning: JsonObject | undefined
  /** The `reasoning_details` so far: a list that grows with the deltas. */
  details: Json[] | undefined
  blocks: number
  /** An error that stood in the choice. */
  failure: ToolwireError | undefined
}

export function openAnswer(exchange: Exchange, env: Env, whole: boolean): Answer {
  const provider = exchange.provider ?? env.profile.name
  const answer: Answer = {
    origin: { wire, provider, ...(exchange.model === '' ? {} : { model: exchange.model }) },
    whole,
    calls: callAssembler({
      wire,
      exchange,
      deltas: env.deltas,
      limits: env.limits,
      responseId: () => answer.id,
    }),
    facts: noFacts(),
    id: '',
    model: '',
    started: false,
    state: 'empty',
    place: 0,
    hasMessage: false,
    hasDelta: false,
    textLength: 0,
    hasUnreadable: false,
    finishWord: '',
    refused: false,
    reasoning: undefined,
    details: undefined,
    blocks: 0,
    failure: undefined,
  }
  return answer
}

/** Takes one chunk or the whole body, which must have `choices`; `text` is the JSON it was parsed from. */
export function readChunk(
  answer: Answer,
  body: JsonObject,
  choices: readonly Json[],
  text: string,
  events: CompletionEvent[],
): void {
  const delta = answer.started ? loneDelta(body, choices) : undefined
  if (delta !== undefined) {
    answer.state = answer.state === 'finished' ? 'finished' : 'open'
    answer.place = 0
    readDelta(answer, delta, text, events)
    return
  }
  if (answer.started) {
    readSlowly(answer, body, choices, text, events)
    return
  }
  if (answer.id === '' && typeof body.id === 'string') answer.id = body.id
  if (answer.model === '' && typeof body.model === 'string') answer.model = body.model
  const held: CompletionEvent[] = []
  readSlowly(answer, body, choices, text, held)
  // quirk(azure): the first chunk has no id, no model and no choices; the start waits for one that has
  if (answer.id !== '' || held.length > 0 || answer.state === 'finished') startAnswer(answer, events)
  for (const event of held) events.push(event)
}

/** The delta of a chunk that tells nothing else; nothing for any other chunk. */
function loneDelta(body: JsonObject, choices: readonly Json[]): JsonObject | undefined {
  const choice = choices[0] as JsonObject | null | undefined
  const common = choices.length === 1 && choice && !choice.index && !choice.finish_reason && !choice.logprobs
  return common && !body.usage && isJsonObject(choice.delta) ? choice.delta : undefined
}

/** The one string of a chunk that tells nothing else: when the chunk comes again, it adds its string and changes nothing. */
export interface LoneString {
  readonly key: 'content' | 'arguments'
  /** The index of the call whose arguments they are. */
  readonly index?: number | undefined
}

export function loneString(body: JsonObject, choices: readonly Json[]): LoneString | undefined {
  const delta = loneDelta(body, choices)
  if (delta === undefined) return undefined
  for (const key in delta) {
    if (key !== 'content' && key !== 'tool_calls' && key !== 'role' && !isNothing(delta[key])) return undefined
  }
  const { content, tool_calls: calls } = delta
  if (isNothing(calls)) return typeof content === 'string' ? { key: 'content' } : undefined
  const call = Array.isArray(calls) && calls.length === 1 ? (calls[0] as Json) : undefined
  const fragment = isNothing(content) && isJsonObject(call) ? commonFragment(call) : undefined
  return fragment === undefined ? undefined : { key: 'arguments', index: fragment.index }
}

/** Takes another string where a chunk had its only one. */
export function readLone(answer: Answer, { key, index }: LoneString, text: string, events: CompletionEvent[]): void {
  if (key === 'arguments') pushCall(answer, { index, text }, events)
  else if (text !== '') pushText(answer, text, events)
}

function pushText(answer: Answer, text: string, events: CompletionEvent[]): void {
  answer.textLength += text.length
  events.push({ type: 'text_delta', part: slots.text, text })
}

function startAnswer(answer: Answer, events: CompletionEvent[]): void {
  if (answer.started) return
  answer.started = true
  const { id, model, origin } = answer
  events.push({ type: 'start', id, model, origin })
}

/** A chunk that may say anything: every member of it is looked at. */
function readSlowly(
  answer: Answer,
  body: JsonObject,
  choices: readonly Json[],
  text: string,
  events: CompletionEvent[],
): void {
  addBody(answer.facts, body)
  let first: JsonObject | undefined
  for (let place = 0; place < choices.length; place += 1) {
    const choice = choices[place]
    if (!isJsonObject(choice)) continue
    if (typeof choice.index === 'number' && choice.index > 0) {
      addOther(answer.facts, choice, choice.index, messageOf(choice, answer.whole))
      continue
    }
    first = choice
    answer.place = place
    readChoice(answer, choice, text, events)
  }
  const usage = findUsage(body, first)
  if (usage !== undefined) addUsage(answer.facts, usage)
}

function readChoice(answer: Answer, choice: JsonObject, text: string, events: CompletionEvent[]): void {
  if (answer.state === 'empty') answer.state = 'open'
  // quirk(openrouter): the upstream's error stands in the choice, with the finish reason `error`
  if (isJsonObject(choice.error)) answer.failure = errorIn(choice)
  addChoice(answer.facts, choice)
  const delta = messageOf(choice, answer.whole)
  const isDelta = isJsonObject(choice.delta)
  if (delta !== undefined)
    readDelta(answer, isDelta || !answer.hasDelta ? delta : newIn(answer, delta, events), text, events)
  answer.hasDelta ||= isDelta
  if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
    answer.finishWord = choice.finish_reason
    answer.state = 'finished'
  }
}

/** Every member of a message or delta, in one pass; then reasoning, text, refusal and calls, in this order. */
function readDelta(answer: Answer, delta: JsonObject, text: string, events: CompletionEvent[]): void {
  let content: Json | undefined
  let refusal: Json | undefined
  let calls: Json | undefined
  let reasons = false
  answer.hasMessage = true
  for (const key in delta) {
    const value = delta[key]
    if (isNothing(value)) continue
    switch (key) {
      case 'content':
        content = value
        break
      case 'role':
        break
      case 'tool_calls':
        calls = value
        break
      case 'reasoning_content':
      case 'reasoning':
      case 'reasoning_text':
      case 'reasoning_details':
        reasons = true
        break
      case 'refusal':
        refusal = value
        break
      case 'function_call':
        // quirk(snowflake): an answer without a call has one with empty strings
        if (isJsonObject(value) && (value.name || value.arguments))
          pushCall(answer, legacyFragment(value, answer.whole), events)
        break
      default:
        addMember(answer.facts, key, value)
    }
  }
  if (reasons) readReasons(answer, delta, events)
  if (typeof content === 'string') pushText(answer, content, events)
  else if (content !== undefined) readContent(answer, content, text, events)
  if (typeof refusal === 'string') readRefusal(answer, refusal, events)
  if (calls !== undefined) readCalls(answer, calls, text, events)
}

function readReasons(answer: Answer, delta: JsonObject, events: CompletionEvent[]): void {
  const read = readReasoning(delta)
  if (read === undefined) return
  const { field, details } = read.data
  const known = answer.reasoning
  // Details repeat what the text field says; alone in a delta they add to it only where there is no such field.
  const repeated = field === undefined && known?.field !== undefined
  if (Array.isArray(details)) {
    answer.details ??= Array.isArray(known?.details) ? [...known.details] : []
    mergeDetails(answer.details, details)
    answer.reasoning = { ...known, details: answer.details }
  }
  noteReasoning(answer, field, events)
  if (read.text !== '' && !repeated) events.push({ type: 'reasoning_delta', part: slots.reasoning, text: read.text })
}

/** The field is told before its text, so that a server half behind it can use the same. */
function noteReasoning(answer: Answer, field: Json | undefined, events: CompletionEvent[]): void {
  if (field === undefined || answer.reasoning?.field !== undefined) return
  answer.reasoning = { field, ...answer.reasoning }
  const opaque = { origin: answer.origin, data: { field } }
  events.push({ type: 'attach', part: slots.reasoning, of: 'reasoning', opaque })
}

/**
 * Content that isn't a string: blocks, or a JSON answer sent as the value itself, which is read as its text.
 * quirk(workers-ai): an answer in a schema is an object; test/wire/openai-chat-dirty.test.ts
 */
function readContent(answer: Answer, content: Json, json: string, events: CompletionEvent[]): void {
  if (Array.isArray(content) || isBlock(content)) {
    readBlocks(answer, content, events)
    return
  }
  const pointer = `/choices/${answer.place}/${answer.whole ? 'message' : 'delta'}/content`
  pushText(answer, rawSpans(json, [pointer]).get(pointer) ?? JSON.stringify(content), events)
}

function readBlocks(answer: Answer, content: Json, events: CompletionEvent[]): void {
  for (const block of Array.isArray(content) ? content : [content]) {
    const text =
      typeof block === 'string' ? block : isJsonObject(block) && block.type === 'text' ? block.text : undefined
    if (typeof text === 'string') {
      if (text !== '') pushText(answer, text, events)
      continue
    }
    const thinking = isJsonObject(block) ? readThinking(block) : undefined
    if (thinking !== undefined) {
      noteReasoning(answer, thinking.data.field, events)
      answer.reasoning = { ...thinking.data, ...answer.reasoning }
      if (thinking.text !== '') events.push({ type: 'reasoning_delta', part: slots.reasoning, text: thinking.text })
    } else if (isJsonObject(block) && slots.block + answer.blocks < slots.call) {
      const value = { type: 'opaque', origin: answer.origin, data: block } as const
      events.push({ type: 'opaque', part: slots.block + answer.blocks, value })
      answer.blocks += 1
    } else pushUnknown(answer, block, events)
  }
}

function readRefusal(answer: Answer, text: string, events: CompletionEvent[]): void {
  if (!answer.refused) {
    answer.refused = true
    events.push({ type: 'attach', part: slots.refusal, of: 'text', extra: refusalNotes })
  }
  events.push({ type: 'text_delta', part: slots.refusal, text })
}

function pushUnknown(answer: Answer, raw: Json, events: CompletionEvent[]): void {
  answer.hasUnreadable = true
  events.push({ type: 'unknown', raw })
}

function readCalls(answer: Answer, list: Json, text: string, events: CompletionEvent[]): void {
  if (!Array.isArray(list)) {
    pushUnknown(answer, list, events)
    return
  }
  for (let index = 0; index < list.length; index += 1) {
    const call = list[index] as Json
    if (isJsonObject(call)) pushCall(answer, fragmentOf(answer, call, index, text), events)
    else pushUnknown(answer, call, events)
  }
}

function pushCall(answer: Answer, fragment: CallFragment, events: CompletionEvent[]): void {
  for (const event of answer.calls.push(fragment, slots.call + answer.calls.count())) events.push(event)
}

/** An index and a piece of the arguments, as most fragments of a stream are; nothing for any other. */
function commonFragment({ id, index, function: named }: JsonObject): { index?: number; text: string } | undefined {
  if (id !== undefined || !isJsonObject(named) || named.name !== undefined) return undefined
  const text = named.arguments
  if (typeof text !== 'string') return undefined
  return typeof index === 'number' ? { index, text } : { text }
}

function fragmentOf(answer: Answer, call: JsonObject, position: number, json: string): CallFragment {
  const common = commonFragment(call)
  if (common !== undefined) return common
  const { id, index, function: named, custom } = call
  const known = typeof index === 'number' ? index : undefined
  const isCustom = isJsonObject(custom) && (call.type === 'custom' || !isJsonObject(named))
  const target = isCustom ? custom : isJsonObject(named) ? named : undefined
  const written = isCustom ? custom.input : target?.arguments
  const text =
    typeof written === 'string' ? written : isPresent(written) ? rawArguments(answer, json, position, written) : ''
  const { extra } = leftover(wire, call, modelled.call, {
    isDefault: isNull,
    ...(isCustom ? { notes: customNotes } : {}),
  })
  const content = call.extra_content
  return {
    index: known,
    id: typeof id === 'string' ? id : undefined,
    name: typeof target?.name === 'string' ? target.name : undefined,
    text,
    whole: answer.whole,
    opaque: isJsonObject(content) ? { origin: answer.origin, data: content } : undefined,
    extra,
    isInput: isCustom,
  }
}

/** Arguments that came as an object instead of as text, digit for digit. */
function rawArguments(answer: Answer, json: string, position: number, value: Json): string {
  const list = `/choices/${answer.place}/${answer.whole ? 'message' : 'delta'}/tool_calls`
  const spans = rawSpans(json, [`${list}/*/function/arguments`])
  return spans.get(`${list}/${position}/function/arguments`) ?? JSON.stringify(value)
}

/** What a member of a delta holds that says nothing. */
function isNothing(value: Json | undefined): value is null | undefined | '' {
  return value === null || value === undefined || value === ''
}

function isPresent(value: Json | undefined): value is Json {
  return value !== undefined && value !== null
}

function legacyFragment(call: JsonObject, whole: boolean): CallFragment {
  const name = typeof call.name === 'string' && call.name !== '' ? call.name : undefined
  const text = typeof call.arguments === 'string' ? call.arguments : ''
  if (name === undefined) return { index: 0, text }
  return { index: 0, id: legacyCallId(name), name, text, whole, extra: { [wire]: { $legacy: true } } }
}

/** Ends the answer: calls, what reasoning needs to go back, usage, the finish; or an error when the answer holds no message. */
export function finishAnswer(answer: Answer, events: CompletionEvent[]): void {
  const { calls, facts, refused, finishWord: raw } = answer
  const reason = finishReasonOf(raw, calls.count() > 0, refused)
  const missing = reason === 'stop' || reason === 'tool_calls' ? missingIn(answer) : undefined
  if (missing !== undefined) {
    const message = `not a Chat Completions response: ${missing}`
    events.push({ type: 'error', error: new ToolwireError('malformed_response', message) })
    return
  }
  startAnswer(answer, events)
  if (raw === '') {
    const message = `the server gave no finish reason; it counts as "${reason}"`
    const loss = { code: 'finish_reason_missing', wire, path: '/finishReason', kind: 'repaired', message } as const
    events.push({ type: 'loss', loss })
  }
  for (const event of calls.finish(reason, slots.call + calls.count() - 1)) events.push(event)
  const data = answer.reasoning
  if (data !== undefined && (data.field === undefined || Object.keys(data).length > 1)) {
    events.push({ type: 'attach', part: slots.reasoning, of: 'reasoning', opaque: { origin: answer.origin, data } })
  }
  const figures = facts.usage === undefined ? undefined : Object.fromEntries(facts.usage)
  const usage = figures === undefined ? undefined : readUsage(figures)
  if (usage !== undefined && Object.keys(usage).length > 0) events.push({ type: 'usage', usage })
  const kept = figures === undefined || usage === undefined ? undefined : fullerUsage(figures, usage)
  const metadata = metadataOf(facts, kept)
  events.push({
    type: 'finish',
    reason,
    ...(raw === '' ? {} : { raw }),
    ...(metadata === undefined ? {} : { metadata }),
  })
}

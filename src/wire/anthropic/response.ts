// A whole answer: a Messages body as events, and a response as the body that official clients can read.
// The trap: calls go through the one assembler, which also sees the finish reason; the body has calls as objects, so their
// text is cut from it.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Origin } from '../../conversation/messages.js'
import type { FinishReason, Metadata } from '../../conversation/response.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { brokenText, objectCallOf, readArguments } from '../arguments.js'
import { type CallAssembler, callAssembler } from '../calls.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { leftover } from '../extra.js'
import { isReadable, readAnswerBlock } from './blocks.js'
import { decode as decodeError, errorIn } from './error.js'
import { defaults, modelled, originOf, wire } from './types.js'
import { usageEvent } from './usage.js'

export function decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (http.status >= 400) return [{ type: 'error', error: decodeError(http) }]
  let body: Json
  try {
    body = parseBody(http.body)
  } catch (error) {
    return [{ type: 'error', error: error as ToolwireError }]
  }
  if (isJsonObject(body) && Array.isArray(body.content) && body.type !== 'error') {
    return messageEvents(body, http.body, exchange, env)
  }
  const message = 'the answer is JSON but no message: it has no content; is this server one that speaks Messages?'
  return [{ type: 'error', error: errorIn(body) ?? new ToolwireError('malformed_response', message) }]
}

const rawInputs = spanFinder(['/content/*/input'])

function messageEvents(body: JsonObject, text: string, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  const origin = originOf(exchange, env)
  const start = startEvent(body, origin)
  const events: CompletionEvent[] = [start]
  const calls = callAssembler({
    wire,
    exchange,
    deltas: env.deltas,
    limits: env.limits,
    responseId: () => start.id,
  })
  const content = body.content as readonly Json[]
  calls.checkLimit(content.filter(isCallBlock).length)
  const inputs = rawInputs(text, inputsOf(content))
  const readable = content.filter(isReadable)
  if (readable.length === 0 && (content.length > 0 || typeof body.stop_reason !== 'string')) return [unreadable()]
  content.forEach((block, part) => {
    if (!isReadable(block)) events.push({ type: 'unknown', raw: block })
    else if (block.type === 'tool_use')
      pushCall(calls, block, inputs(`/content/${part}/input`, block.input), part, events)
    else pushBlock(block, part, origin, events)
  })
  const usage = usageEvent(body.usage)
  if (usage !== undefined) events.push(usage)
  pushFinish(calls, body.stop_reason, content.findLastIndex(isCallBlock), undefined, events)
  return events
}

/** The failure of an answer in which nothing can be read. */
export function unreadable(): Extract<CompletionEvent, { type: 'error' }> {
  const message = 'nothing in the answer can be read: it has no content blocks as the Messages API documents them'
  return { type: 'error', error: new ToolwireError('malformed_response', message) }
}

function isCallBlock(block: Json): boolean {
  return isJsonObject(block) && block.type === 'tool_use'
}

function inputsOf(content: readonly Json[]): readonly Json[] {
  const inputs: Json[] = []
  for (const block of content) if (isJsonObject(block) && block.input !== undefined) inputs.push(block.input)
  return inputs
}

export function startEvent(message: JsonObject, origin: Origin): Extract<CompletionEvent, { type: 'start' }> {
  const { id, model } = message
  const fields = leftover(wire, message, modelled.response, defaults).extra
  return {
    type: 'start',
    id: typeof id === 'string' ? id : '',
    model: typeof model === 'string' ? model : '',
    origin,
    ...(fields === undefined ? {} : { metadata: fields }),
  }
}

/** A whole call of a body. */
function pushCall(
  calls: CallAssembler,
  block: JsonObject,
  input: string | undefined,
  part: number,
  events: CompletionEvent[],
): void {
  const { id, name, extra } = callHead(block)
  const isObject = input !== undefined && isJsonObject(block.input)
  for (const event of calls.push({ id, name, extra, text: input ?? '', whole: true, isObject }, part))
    events.push(event)
}

/** What the head of a call says: id, name and unmodelled fields. */
export function callHead(block: JsonObject): Pick<Parameters<CallAssembler['push']>[0], 'id' | 'name' | 'extra'> {
  const { id, name } = block
  const { extra } = leftover(wire, block, modelled.toolUse, defaults)
  return { id: typeof id === 'string' ? id : '', name: typeof name === 'string' ? name : '', extra }
}

/** A whole block that is not a call. */
export function pushBlock(block: JsonObject, part: number, origin: Origin, events: CompletionEvent[]): void {
  const value = readAnswerBlock(block, origin)
  if (value.type === 'opaque') {
    events.push({ type: 'opaque', part, value })
    return
  }
  if (value.type === 'text') events.push({ type: 'text_delta', part, text: value.text })
  else events.push({ type: 'reasoning_delta', part, text: value.text })
  const { type: of, opaque, extra } = value
  if (opaque === undefined && extra === undefined) return
  events.push({
    type: 'attach',
    part,
    of,
    ...(opaque === undefined ? {} : { opaque }),
    ...(extra === undefined ? {} : { extra }),
  })
}

/** The calls, then the finish. Where a length limit was reached the last call is not trusted, whatever stands behind it. */
export function pushFinish(
  calls: CallAssembler,
  stopReason: Json | undefined,
  lastCall: number,
  metadata: Metadata | undefined,
  events: CompletionEvent[],
): void {
  const finish = finishEvent(stopReason, calls.count() > 0, metadata)
  for (const event of calls.finish(finish.reason, lastCall)) events.push(withBrokenText(event))
  events.push(finish)
}

/** `hasCalls` decides over the word for it. */
export function finishEvent(
  stopReason: Json | undefined,
  hasCalls: boolean,
  metadata: Metadata | undefined,
): Extract<CompletionEvent, { type: 'finish' }> {
  const raw = typeof stopReason === 'string' ? stopReason : undefined
  return {
    type: 'finish',
    reason: finishOf(raw, hasCalls),
    ...(raw === undefined ? {} : { raw }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** A call whose arguments are nothing but `rawInvalidInput` is the broken call that was written so. */
export function withBrokenText(event: CompletionEvent): CompletionEvent {
  if (event.type !== 'tool_call' && event.type !== 'broken_call') return event
  const { arguments: text } = event.call
  if (!text.includes('rawInvalidInput') || readArguments(text) !== 'object') return event
  const value = parseBody(text)
  const inner = brokenText(value)
  if (inner === undefined) return event
  const { part, call } = event
  if (call.type === 'broken_call') return { type: 'broken_call', part, call: { ...call, arguments: inner } }
  const { id, name, extra } = call
  const read = objectCallOf({ id, name, text, value, ...(extra === undefined ? {} : { extra }) })
  return read.type === 'broken_call' ? { type: 'broken_call', part, call: read } : event
}

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
  ['pause_turn', 'pause'],
  ['compaction', 'pause'],
])

/** Calls decide over the word for it, unless the answer was cut, refused or failed. */
export function finishOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  const reason = raw === undefined ? 'stop' : (reasons.get(raw) ?? 'error')
  return hasCalls && (reason === 'stop' || reason === 'pause') ? 'tool_calls' : reason
}

// The lines of an answer as events; a whole answer is one line that is also the last. Every delta of a stream passes here:
// the common line is told apart first, and nothing is allocated for it but its event.
// The trap: the wire has no response id and older servers no call ids, so those are made from the time of the first line.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Metadata } from '../../conversation/response.js'
import { usageFrom } from '../../conversation/usage.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { brokenText, objectCallOf } from '../arguments.js'
import { type CallFragment, callAssembler } from '../calls.js'
import type { Env, Exchange } from '../codec.js'
import { leftover } from '../extra.js'
import { type CallHead, readCallHead } from './calls.js'
import { callIn } from './demanded.js'
import { errorIn } from './error.js'
import { defaults, finishReasonOf, modelled, originOf, slots, wire } from './types.js'

export interface LineReader {
  /** Takes the text of one line and appends its events. What cannot be read is an `error` event. */
  readText(text: string, events: CompletionEvent[]): void
  /** The same for a line that is parsed already. */
  read(line: JsonObject, text: string, events: CompletionEvent[]): void
  fail(error: ToolwireError, events: CompletionEvent[]): void
  /** Whether neither the last line nor an error has come. */
  isOpen(): boolean
}

/** The text of a message. Some servers send an answer in a schema as the value itself: its text is the one in the body. */
function contentText(content: Json, line: string): string {
  if (typeof content === 'string') return content
  return rawContent(line)('/message/content', content) ?? JSON.stringify(content)
}

const rawContent = spanFinder(['/message/content'])
const rawArguments = spanFinder(['/message/tool_calls/*/function/arguments'])

export function lineReader(exchange: Exchange, env: Env): LineReader {
  let state: 'fresh' | 'started' | 'ended' = 'fresh'
  let created = ''
  let logprobs: Json[] | undefined
  let hasMessage = false
  let hasText = false
  let hasUnreadableCall = false
  /** Text that may turn out to be a call, which can be said of the whole alone. */
  let held = exchange.callAsText === true ? '' : undefined
  const calls = callAssembler({
    wire,
    exchange,
    deltas: env.deltas,
    limits: env.limits,
    responseId: () => created,
  })

  const start = (line: JsonObject, message: JsonObject | undefined, events: CompletionEvent[]): void => {
    state = 'started'
    const { model, created_at: time } = line
    if (typeof time === 'string') created = time
    const { extra } = message === undefined ? {} : leftover(wire, message, modelled.assistant, defaults)
    const metadata = line.done === true ? undefined : leftover(wire, line, firstLine, defaults).extra
    events.push({
      type: 'start',
      id: '',
      model: typeof model === 'string' ? model : exchange.model,
      origin: originOf(exchange, env),
      ...(extra === undefined ? {} : { extra }),
      ...(metadata === undefined ? {} : { metadata }),
    })
  }

  const readCalls = (list: Json, text: string, events: CompletionEvent[]): void => {
    if (!Array.isArray(list)) {
      hasUnreadableCall = true
      events.push({ type: 'unknown', raw: list })
      return
    }
    calls.checkLimit(list.length)
    const heads = list.map((call: Json) => readCallHead(call))
    const spans = rawArguments(
      text,
      heads.map((head) => head?.value).filter((value) => value !== undefined),
    )
    list.forEach((call: Json, index) => {
      const head = heads[index]
      if (head === undefined) {
        hasUnreadableCall = true
        events.push({ type: 'unknown', raw: call })
        return
      }
      const fragment = fragmentOf(head, spans(`/message/tool_calls/${index}/function/arguments`, head.value))
      for (const event of calls.push(fragment, slots.call + calls.count())) events.push(event)
    })
  }

  const readContent = (content: string, events: CompletionEvent[]): void => {
    if (content === '') return
    hasText = true
    if (held !== undefined) held += content
    else events.push({ type: 'text_delta', part: slots.text, text: content })
  }

  /** The parts of a message in the order of their slots. */
  const readMessage = (message: JsonObject, text: string, events: CompletionEvent[]): void => {
    const { content, thinking, tool_calls: list } = message
    if (typeof thinking === 'string' && thinking !== '') {
      events.push({ type: 'reasoning_delta', part: slots.reasoning, text: thinking })
    }
    if (content !== null && content !== undefined) readContent(contentText(content, text), events)
    if (list !== undefined && list !== null) readCalls(list, text, events)
  }

  /** Text that was held back: the call that was demanded, or what was said instead. */
  const release = (events: CompletionEvent[], isWhole: boolean): void => {
    const text = held ?? ''
    held = undefined
    const call = isWhole && calls.count() === 0 ? callIn(text) : undefined
    if (call !== undefined)
      for (const event of calls.push(fragmentOf(call.head, call.span), slots.call)) events.push(event)
    else if (text !== '') events.push({ type: 'text_delta', part: slots.text, text })
  }

  /** Why an answer that ended well is no answer; nothing when it is one. */
  const missingIn = ({ done_reason: word }: JsonObject): string | undefined => {
    if (!hasMessage && word !== 'load' && word !== 'unload') return 'expected an object with a message'
    if (hasUnreadableCall && !hasText && calls.count() === 0) return 'message.tool_calls must be a list of calls'
    return undefined
  }

  const finish = (line: JsonObject, events: CompletionEvent[]): void => {
    const missing = missingIn(line)
    if (missing !== undefined) {
      fail(new ToolwireError('malformed_response', `not an answer of /api/chat: ${missing}`), events)
      return
    }
    state = 'ended'
    release(events, true)
    const { prompt_eval_count: input, eval_count: output, done_reason: word } = line
    const inputWithCache = typeof input === 'number' ? input : undefined
    const outputWithReasoning = typeof output === 'number' ? output : undefined
    if (inputWithCache !== undefined || outputWithReasoning !== undefined) {
      events.push({ type: 'usage', usage: usageFrom({ inputWithCache, outputWithReasoning }) })
    }
    const raw = typeof word === 'string' && word !== '' ? word : undefined
    const reason = finishReasonOf(raw, calls.count() > 0)
    for (const event of calls.finish(reason, slots.call + calls.count() - 1)) events.push(event)
    const metadata = metadataOf(line, logprobs)
    events.push({
      type: 'finish',
      reason,
      ...(raw === undefined ? {} : { raw }),
      ...(metadata === undefined ? {} : { metadata }),
    })
  }

  const fail = (error: ToolwireError, events: CompletionEvent[]): void => {
    state = 'ended'
    release(events, false)
    events.push({ type: 'error', error })
  }

  const read = (line: JsonObject, text: string, events: CompletionEvent[]): void => {
    const error = errorIn(line)
    if (error !== undefined) {
      fail(error, events)
      return
    }
    const message = isJsonObject(line.message) ? line.message : undefined
    if (message === undefined && line.done !== true) {
      events.push({ type: 'unknown', raw: line })
      return
    }
    if (state === 'fresh') start(line, message, events)
    else if (message !== undefined) reportUnknown(message, events)
    if (message !== undefined) {
      hasMessage = true
      readMessage(message, text, events)
    }
    if (Array.isArray(line.logprobs)) {
      logprobs ??= []
      for (const item of line.logprobs) logprobs.push(item)
    }
    if (line.done === true) finish(line, events)
  }

  return {
    read,
    fail,
    isOpen: () => state !== 'ended',
    readText(text, events) {
      let line: Json
      try {
        line = parseBody(text)
      } catch (error) {
        if (state !== 'ended') fail(error as ToolwireError, events)
        return
      }
      if (state === 'started' && held === undefined) {
        const delta = plainDelta(line)
        if (delta !== undefined) {
          hasText ||= delta.type === 'text_delta'
          events.push(delta)
          return
        }
      }
      if (state === 'ended') events.push({ type: 'unknown', raw: line })
      else if (isJsonObject(line)) read(line, text, events)
      else fail(new ToolwireError('malformed_response', 'a line of the answer is JSON but not an object'), events)
    },
  }
}

/** Times differ from line to line; the last one counts. */
const firstLine: ReadonlySet<string> = new Set([...modelled.response, 'created_at', 'logprobs'])

/** The event of a line that holds nothing but some text or some thinking; nothing for any other line. */
function plainDelta(line: Json): CompletionEvent | undefined {
  if (typeof line !== 'object' || line === null) return undefined
  const { message, done, error, logprobs } = line as { readonly [key: string]: Json | undefined }
  if (done !== false || error !== undefined || logprobs !== undefined) return undefined
  if (typeof message !== 'object' || message === null) return undefined
  let text = ''
  let thinking = ''
  for (const key in message) {
    const value = (message as JsonObject)[key]
    if (key === 'content' && typeof value === 'string') text = value
    else if (key === 'thinking' && typeof value === 'string') thinking = value
    else if (key !== 'role') return undefined
  }
  if (thinking === '') return text === '' ? undefined : { type: 'text_delta', part: slots.text, text }
  return text === '' ? { type: 'reasoning_delta', part: slots.reasoning, text: thinking } : undefined
}

/** Fields of a message that only a later line has: the message they belong to has begun, so they are told apart. */
function reportUnknown(message: JsonObject, events: CompletionEvent[]): void {
  const fields = leftover(wire, message, modelled.assistant, defaults).extra?.[wire]
  if (fields !== undefined) events.push({ type: 'unknown', raw: { message: fields } })
}

/** A whole call. Its text is the span of the line, so that no digit changes; a text is what some servers send instead. */
function fragmentOf({ id, name, value, extra }: CallHead, span: string | undefined): CallFragment {
  const head = { id, name, extra, whole: true }
  if (!isJsonObject(value)) {
    return {
      ...head,
      text: typeof value === 'string' ? value : value === undefined ? '' : (span ?? JSON.stringify(value)),
    }
  }
  const text = span ?? JSON.stringify(value)
  if (brokenText(value) === undefined) return { ...head, text, isObject: true }
  const read = objectCallOf({ id, name, text, value })
  return read.type === 'broken_call' ? { ...head, text: read.arguments, broken: read.reason } : { ...head, text }
}

function metadataOf(line: JsonObject, logprobs: readonly Json[] | undefined): Metadata | undefined {
  const { extra } = leftover(wire, line, modelled.response, defaults)
  return logprobs === undefined ? extra : { [wire]: { ...extra?.[wire], logprobs } }
}

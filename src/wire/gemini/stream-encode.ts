// A streamed answer, written: each chunk a whole response object with the new parts, the last one with the finish reason.
// Trap: the official SDK drops an event that does not begin with `data:` and fails on a last one without its blank line; it
// reads calls only whole, so fragments of arguments wait for the call itself, and later parts wait with it.
import { assertNever, type CompletionEvent } from '../../conversation/events.js'
import { createFolder, type Folder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import type { AnyCall, AssistantPart, ReasoningPart, TextPart } from '../../conversation/messages.js'
import { writeJson } from '../../json/stringify.js'
import type { Env, Exchange, StreamEncoder } from '../codec.js'
import { noteOf } from '../extra.js'
import { errorBody } from './error.js'
import { EventQueue } from './event-queue.js'
import { isPlainText, signatureIn, writeCall, writeText } from './parts.js'
import { compareRead, emptyParts, isMade, isSayable, writeAnswer, writeParts } from './response.js'
import { wire } from './types.js'

/** Events that put something into a part. */
type ContentEvent = Extract<
  CompletionEvent,
  { type: 'text_delta' | 'reasoning_delta' | 'attach' | 'opaque' | 'tool_call' | 'broken_call' }
>
type AttachEvent = Extract<CompletionEvent, { type: 'attach' }>

interface WriterState {
  /** Server-sent events; else one JSON array. */
  readonly framed: boolean
  readonly folder: Folder
  /** What a reader of the chunks has so far. */
  readonly sent: AssistantPart[]
  /** Events that wait for the calls before them. */
  readonly queue: EventQueue<ContentEvent>
  /** A text whose signature came first: both go in one part, once the text is complete. */
  signed: { readonly part: number; value: TextPart | ReasoningPart } | undefined
  /** The fields that every chunk ends with. */
  tail: string
  id: string
  calls: number
  chunks: number
  finished: boolean
  failed: boolean
}

export function encode(exchange: Exchange, env: Env): StreamEncoder {
  const losses: Loss[] = []
  const state: WriterState = {
    framed: exchange.client?.alt !== 'json',
    folder: createFolder(),
    sent: [],
    queue: new EventQueue(),
    signed: undefined,
    tail: '',
    id: '',
    calls: 0,
    chunks: 0,
    finished: false,
    failed: false,
  }
  return {
    losses,
    headers: { 'content-type': state.framed ? 'text/event-stream' : 'application/json; charset=UTF-8' },
    push: (event) => (state.failed ? '' : take(state, event)),
    end: () => (state.failed || !state.finished ? '' : finish(state, exchange, env, losses)),
  }
}

function take(state: WriterState, event: CompletionEvent): string {
  state.folder.push(event)
  switch (event.type) {
    case 'start': {
      const fields = { modelVersion: event.model || undefined, responseId: event.id || undefined }
      const text = writeJson(fields).slice(1, -1)
      state.id = event.id
      state.tail = text === '' ? '' : `,${text}`
      return ''
    }
    case 'tool_call_delta':
      state.queue.open(event.part)
      return ''
    case 'finish':
      state.finished = true
      return ''
    case 'error':
      state.failed = true
      return frame(state, JSON.stringify(errorBody(event.error))) + close(state)
    case 'usage':
    case 'loss':
    case 'unknown':
      return ''
    default:
      return put(state, event)
  }
}

function frame(state: WriterState, text: string): string {
  const json = oneLine(text)
  state.chunks += 1
  if (state.framed) return `data: ${json}\r\n\r\n`
  return state.chunks === 1 ? `[${json}` : `,\r\n${json}`
}

/** Raw arguments may be spread over lines; between tokens a space says the same, and strings hold no raw line ends. */
function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]/g, ' ') : json
}

function close(state: WriterState): string {
  return state.framed ? '' : '\r\n]'
}

function chunk(state: WriterState, part: string): string {
  return frame(state, `{"candidates":[{"content":{"role":"model","parts":[${part}]},"index":0}]${state.tail}}`)
}

/** Writes an event at once, unless an open call stands before it. */
function put(state: WriterState, event: ContentEvent): string {
  const { queue } = state
  if (queue.isEmpty) return write(state, event)
  if (event.type === 'tool_call' || event.type === 'broken_call') queue.complete(event.part)
  queue.add(event)
  return writeReady(state)
}

function writeReady(state: WriterState): string {
  let text = ''
  for (const event of state.queue.takeReady()) text += write(state, event)
  return text
}

function write(state: WriterState, event: ContentEvent): string {
  const before = state.signed !== undefined && state.signed.part !== event.part ? writeSigned(state) : ''
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta': {
      const type = event.type === 'text_delta' ? 'text' : 'reasoning'
      const { signed } = state
      if (signed === undefined) return before + writeDelta(state, type, event.text)
      signed.value = { ...signed.value, type, text: signed.value.text + event.text }
      return before
    }
    case 'attach':
      attach(state, event)
      return before
    case 'opaque':
      if (!isSayable(event.value)) return before
      state.sent.push(event.value)
      return before + chunk(state, writeJson(event.value.data))
    case 'tool_call':
    case 'broken_call':
      return before + writeOneCall(state, event.call)
    default:
      return assertNever(event)
  }
}

function writeDelta(state: WriterState, type: 'text' | 'reasoning', text: string): string {
  if (text === '') return ''
  const last = state.sent.at(-1)
  if (last?.type === type && isPlainText(last) && last.opaque === undefined) {
    state.sent[state.sent.length - 1] = { type, text: last.text + text }
  } else state.sent.push({ type, text })
  const json = JSON.stringify(text)
  return chunk(state, type === 'text' ? `{"text":${json}}` : `{"text":${json},"thought":true}`)
}

/** A signature of this wire waits for its text. One that comes behind it follows as an empty part, as Gemini does it too. */
function attach(state: WriterState, event: AttachEvent): void {
  const own = event.extra?.[wire]
  const opaque = signatureIn(event.opaque) === undefined ? undefined : event.opaque
  if (opaque === undefined && own === undefined) return
  const value: TextPart | ReasoningPart = state.signed?.value ?? { type: event.of, text: '' }
  state.signed = {
    part: event.part,
    value: {
      ...value,
      ...(opaque === undefined ? {} : { opaque }),
      ...(own === undefined ? {} : { extra: { [wire]: { ...value.extra?.[wire], ...own } } }),
    },
  }
}

function writeSigned(state: WriterState): string {
  const value = state.signed?.value
  state.signed = undefined
  if (value === undefined || !isSayable(value)) return ''
  state.sent.push(value)
  return chunk(state, writeJson(writeText(value, 'model')))
}

function writeOneCall(state: WriterState, call: AnyCall): string {
  const unsent = isMade(call.id, noteOf(call.extra?.[wire], 'made'), state.id, state.calls)
  state.calls += 1
  state.sent.push(call)
  return chunk(state, writeJson(writeCall(call, { unsent, sentinel: false })))
}

/** The last chunk. What the client will not have read as it was is found by reading the same answer whole. */
function finish(state: WriterState, exchange: Exchange, env: Env, losses: Loss[]): string {
  state.queue.completeAll()
  const rest = writeReady(state) + writeSigned(state)
  const { response } = state.folder.done()
  const written = { ...response, message: { ...response.message, content: state.sent } }
  const parts = writeParts(state.sent, response.id)
  const whole = writeJson(writeAnswer(written, parts.length === 0 ? emptyParts : parts))
  compareRead(response, whole, exchange, env, losses)
  return rest + frame(state, writeJson(writeAnswer(response, emptyParts))) + close(state)
}

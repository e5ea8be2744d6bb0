// A streamed answer as events. The hot path is a text or argument fragment: one comparison, one parse of a string, one event.
// The trap: the end of the bytes proves nothing. Only `message_stop` does; everything before it may be half an answer.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Origin } from '../../conversation/messages.js'
import { ToolwireError } from '../../errors/error.js'
import type { SseFrame } from '../../frames/sse.js'
import { ChangingText } from '../../json/changing-text.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { rawSpans } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { brokenHeadLength, mayBeBrokenText } from '../arguments.js'
import { type CallAssembler, callAssembler } from '../calls.js'
import type { Env, Exchange, StreamDecoder } from '../codec.js'
import { leftover } from '../extra.js'
import { answerIdOf, madeCallId } from '../names.js'
import { type FrameReader, sseStream } from '../sse-stream.js'
import { errorIn } from './error.js'
import { callHead, decode as decodeBody, pushBlock, pushFinish, startEvent, unreadable } from './response.js'
import { defaults, modelled, originOf, sameJson, wire } from './types.js'
import { usageEvent } from './usage.js'

/** A content block that came at least in part. */
interface OpenBlock {
  readonly part: number
  readonly kind: 'text' | 'thinking' | 'call' | 'opaque'
  /** The block as it was announced; an opaque one grows here. */
  head: JsonObject
  /** Whether anything of it became an event. */
  told: boolean
  /** Fragments of the input of an opaque block, which no assembler holds, or of a call that may be the text of a broken one. */
  json: string
  /** Whether the input of a call can still be the text of a broken one: it is told at the end, when it is known. */
  wrapped: boolean
  citations: Json[] | undefined
  /** The input of a call that was announced whole; fragments overrule it. */
  input: string | undefined
  /** The fragments of such a call, to compare. */
  fragments: string
  closed: boolean
}

interface Reader {
  readonly exchange: Exchange
  readonly origin: Origin
  readonly calls: CallAssembler
  readonly blocks: OpenBlock[]
  readonly byIndex: Map<Json | undefined, OpenBlock>
  /** Fragments of a block differ in one string alone; `learned` is that block. */
  readonly fragments: ChangingText
  learned: OpenBlock | undefined
  id: string
  started: boolean
  done: boolean
  readonly usage: Usages
  stopReason: Json | undefined
  /** Fields of the message's deltas that are not modeled. */
  metadata: Map<string, Json> | undefined
  /** Blocks in the opening, where the real API has none: they count if no other block comes. */
  opening: readonly Json[]
  /** Whether a block or fragment came that can't be read. */
  hasUnread: boolean
}

/** Counts so far. Each event repeats all of them, so after the first frames the next event waits for the end. */
interface Usages {
  readonly counts: Map<string, Json>
  frames: number
  isPending: boolean
}
const mostUsageEvents = 8

export function decode(exchange: Exchange, env: Env): StreamDecoder {
  const reader = readerOf(exchange, env)
  const frames: FrameReader = {
    isDone: () => reader.done,
    read: (frame, events) => readFrame(reader, frame, events),
    fail: (error, events) => fail(reader, error as ToolwireError, events),
    end(events) {
      const message = 'the stream ended before message_stop; what came is not a whole answer'
      fail(reader, new ToolwireError('truncated', message), events)
    },
  }
  return sseStream(env, frames, (body) => decodeBody({ status: 200, headers: {}, body }, exchange, env))
}

function readerOf(exchange: Exchange, env: Env): Reader {
  const reader: Reader = {
    exchange,
    origin: originOf(exchange, env),
    calls: callAssembler({
      wire,
      exchange,
      deltas: env.deltas,
      limits: env.limits,
      responseId: () => reader.id,
    }),
    blocks: [],
    byIndex: new Map(),
    fragments: new ChangingText(),
    learned: undefined,
    id: '',
    started: false,
    done: false,
    usage: { counts: new Map(), frames: 0, isPending: false },
    stopReason: undefined,
    metadata: undefined,
    opening: [],
    hasUnread: false,
  }
  return reader
}

function fail(reader: Reader, error: ToolwireError, events: CompletionEvent[]): void {
  reader.done = true
  if (reader.usage.isPending) pushUsage(reader, events)
  events.push({ type: 'error', error })
}

function readFrame(reader: Reader, frame: SseFrame, events: CompletionEvent[]): void {
  const { learned } = reader
  const text = learned && reader.fragments.read(frame.data)
  if (learned !== undefined && text !== undefined) {
    addFragment(reader, learned, text, events)
    return
  }
  if (frame.data.trim() === '[DONE]') return
  const value = parseBody(frame.data)
  if (!isJsonObject(value)) {
    events.push({ type: 'unknown', raw: value })
    return
  }
  switch (value.type ?? frame.event) {
    case 'content_block_delta':
      readDelta(reader, value, frame.data, events)
      return
    case 'content_block_start':
      openBlock(reader, value, frame.data, events)
      return
    case 'content_block_stop': {
      const block = reader.byIndex.get(value.index)
      if (block !== undefined) closeBlock(reader, block, events)
      return
    }
    case 'message_start':
      readStart(reader, value, events)
      return
    case 'message_delta':
      readMessageDelta(reader, value, events)
      return
    case 'message_stop':
      readStop(reader, events)
      return
    case 'ping':
      return
    default: {
      const error = value.type === undefined || value.type === 'error' ? errorIn(value) : undefined
      if (error === undefined) events.push({ type: 'unknown', raw: value })
      else fail(reader, error, events)
    }
  }
}

/** A fragment of a block. One that does not fit its block is kept as unknown. */
function readDelta(reader: Reader, frame: JsonObject, text: string, events: CompletionEvent[]): void {
  const { delta, index } = frame
  if (!isJsonObject(delta)) {
    reader.hasUnread = true
    events.push({ type: 'unknown', raw: frame })
    return
  }
  const kind = fragmentKinds.get(delta.type)
  let block = reader.byIndex.get(index)
  // A fragment of a block that was never announced opens it, when it says what it is of.
  if (kind !== undefined && kind !== 'call') block ??= addBlock(reader, index, kind, { type: kind, [kind]: '' })
  const key = kind === 'call' ? 'partial_json' : (kind ?? '')
  const fragment = delta[key]
  if (block !== undefined && block.kind === kind && typeof fragment === 'string') {
    addFragment(reader, block, fragment, events)
    if (reader.fragments.learn(text, key)) reader.learned = block
  } else if (block === undefined || !readRareDelta(reader, block, delta, events)) {
    if (kind !== undefined) reader.hasUnread = true
    events.push({ type: 'unknown', raw: frame })
  }
}

/** Of which kind of block a delta is a fragment. */
const fragmentKinds: ReadonlyMap<Json | undefined, 'text' | 'thinking' | 'call'> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'call'],
])

function addFragment(reader: Reader, block: OpenBlock, text: string, events: CompletionEvent[]): void {
  const { part, kind } = block
  if (kind === 'call' && text === '') return
  block.told = true
  if (kind !== 'call') {
    events.push({ type: kind === 'text' ? 'text_delta' : 'reasoning_delta', part, text })
    return
  }
  if (block.input !== undefined) block.fragments += text
  const input = block.wrapped ? block.json + text : text
  // Only the head of the text decides: a text that is longer was looked at before.
  block.wrapped &&= block.json.length > brokenHeadLength || mayBeBrokenText(input)
  block.json = block.wrapped ? input : ''
  if (block.wrapped) return
  for (const event of reader.calls.push({ index: part, text: input }, part)) events.push(event)
}

function readRareDelta(reader: Reader, block: OpenBlock, delta: JsonObject, events: CompletionEvent[]): boolean {
  const { type, signature, citation, partial_json: json } = delta
  if (type === 'signature_delta' && typeof signature === 'string' && block.kind === 'thinking') {
    if (signature === '') return true
    block.told = true
    const opaque = { origin: reader.origin, data: { signature } }
    events.push({ type: 'attach', part: block.part, of: 'reasoning', opaque })
    return true
  }
  if (type === 'citations_delta' && citation !== undefined && block.kind === 'text') {
    block.citations ??= []
    block.citations.push(citation)
    return true
  }
  if (block.kind !== 'opaque') return false
  if (type === 'input_json_delta' && typeof json === 'string') {
    block.json += json
    return true
  }
  if (type !== 'compaction_delta') return false
  const { type: _, ...final } = delta
  block.head = { ...block.head, ...final }
  return true
}

function openBlock(reader: Reader, frame: JsonObject, text: string, events: CompletionEvent[]): void {
  const head = frame.content_block
  if (!isJsonObject(head)) {
    reader.hasUnread = true
    events.push({ type: 'unknown', raw: frame })
    return
  }
  const block = addBlock(reader, frame.index, kindOf(head.type), head)
  const { kind } = block
  const said = kind === 'text' || kind === 'thinking' ? head[kind] : undefined
  if (typeof said === 'string' && said !== '') addFragment(reader, block, said, events)
  if (kind === 'thinking') {
    readRareDelta(reader, block, { ...head, type: 'signature_delta' }, events)
  } else if (kind === 'call') {
    const isWhole = isJsonObject(head.input) && Object.keys(head.input).length > 0
    if (isWhole) block.input = rawSpans(text, ['/content_block/input']).get('/content_block/input')
    const call = callHead(head)
    // Without id and name the assembler would take it for more of the call before.
    const id = call.id || call.name ? call.id : madeCallId(answerIdOf(reader.id, reader.exchange), reader.calls.count())
    for (const event of reader.calls.push({ ...call, id, index: block.part }, block.part)) events.push(event)
  }
}

function kindOf(type: Json | undefined): OpenBlock['kind'] {
  if (type === 'text' || type === 'thinking') return type
  return type === 'tool_use' ? 'call' : 'opaque'
}

/** Blocks are numbered as they open: a wire index may be missing, repeated or huge. */
function addBlock(reader: Reader, index: Json | undefined, kind: OpenBlock['kind'], head: JsonObject): OpenBlock {
  const block: OpenBlock = {
    part: reader.blocks.length,
    kind,
    head,
    told: false,
    json: '',
    wrapped: kind === 'call',
    citations: undefined,
    input: undefined,
    fragments: '',
    closed: false,
  }
  reader.blocks.push(block)
  reader.byIndex.set(index, block)
  reader.learned = undefined // it may have the index of another block
  return block
}

/** Says what only the end of a block can say: its citations, an opaque block whole, or that it was empty. */
function closeBlock(reader: Reader, block: OpenBlock, events: CompletionEvent[]): void {
  if (block.closed) return
  block.closed = true
  const { part, head, kind } = block
  switch (kind) {
    case 'text':
    case 'thinking': {
      if (!block.told) addFragment(reader, block, '', events)
      const citations = [...(Array.isArray(head.citations) ? head.citations : []), ...(block.citations ?? [])]
      const { extra } = leftover(wire, kind === 'text' ? { ...head, citations } : head, modelled[kind], defaults)
      if (extra !== undefined) events.push({ type: 'attach', part, of: kind === 'text' ? kind : 'reasoning', extra })
      return
    }
    case 'call':
      if (block.json !== '') reader.calls.push({ index: part, text: block.json }, part) // the finish tells what it is
      if (block.input === undefined) return
      if (block.told) {
        compareInput(block.input, block.fragments, events)
        return
      }
      for (const event of reader.calls.push({ index: part, text: block.input }, part)) events.push(event)
      return
    case 'opaque': {
      const input = block.json === '' ? undefined : inputOf(block.json)
      pushBlock(input === undefined ? head : { ...head, input }, part, reader.origin, events)
    }
  }
}

/** Reports an announced input that the fragments contradict. What was streamed counts. */
function compareInput(announced: string, fragments: string, events: CompletionEvent[]): void {
  if (sameJson(inputOf(announced), inputOf(fragments))) return
  const message = 'the input that a call was announced with differs from its streamed input; the streamed one counts'
  const path = '/message/content'
  events.push({ type: 'loss', loss: { code: 'arguments_contradicted', wire, path, kind: 'repaired', message } })
}

/** The input of a server's own call; text that is no JSON stays text. */
function inputOf(json: string): Json {
  try {
    return parseBody(json)
  } catch {
    return json
  }
}

function readStart(reader: Reader, frame: JsonObject, events: CompletionEvent[]): void {
  const { message } = frame
  if (reader.started || !isJsonObject(message)) {
    events.push({ type: 'unknown', raw: frame })
    return
  }
  const start = startEvent(message, reader.origin)
  reader.started = true
  reader.id = start.id
  if (Array.isArray(message.content)) reader.opening = message.content
  events.push(start)
  readUsage(reader, message.usage, events)
}

/** Counts are totals so far; a null says nothing. */
function readUsage(reader: Reader, usage: Json | undefined, events: CompletionEvent[]): void {
  if (!isJsonObject(usage)) return
  const { usage: known } = reader
  for (const [key, value] of Object.entries(usage)) if (value !== null) known.counts.set(key, value)
  known.frames += 1
  if (known.frames <= mostUsageEvents) pushUsage(reader, events)
  else known.isPending = true
}

function pushUsage({ usage }: Reader, events: CompletionEvent[]): void {
  usage.isPending = false
  const event = usageEvent(Object.fromEntries(usage.counts))
  if (event !== undefined) events.push(event)
}

function readMessageDelta(reader: Reader, frame: JsonObject, events: CompletionEvent[]): void {
  const { type: _, delta, usage, ...more } = frame
  const { stop_reason: reason, ...fields } = isJsonObject(delta) ? delta : {}
  if (reason !== undefined && reason !== null) reader.stopReason = reason
  const { extra } = leftover(wire, { ...more, ...fields }, modelled.response, defaults)
  for (const [key, value] of Object.entries(extra?.[wire] ?? {})) {
    reader.metadata ??= new Map()
    reader.metadata.set(key, value)
  }
  readUsage(reader, usage, events)
}

function readOpening(reader: Reader, events: CompletionEvent[]): void {
  reader.opening.forEach((block, index) => {
    const frame = { index, content_block: block }
    openBlock(reader, frame, JSON.stringify(frame), events)
  })
}

function readStop(reader: Reader, events: CompletionEvent[]): void {
  if (!reader.started && reader.blocks.length === 0) {
    const message = 'the stream stopped without ever starting a message'
    fail(reader, new ToolwireError('malformed_response', message), events)
    return
  }
  if (reader.blocks.length === 0) readOpening(reader, events)
  const isEmpty = !reader.blocks.some((block) => block.told || block.kind === 'opaque' || block.kind === 'call')
  if (isEmpty && (reader.hasUnread || typeof reader.stopReason !== 'string')) {
    reader.done = true
    events.push(unreadable())
    return
  }
  for (const block of reader.blocks) closeBlock(reader, block, events)
  reader.done = true
  const lastCall = reader.blocks.findLastIndex((block) => block.kind === 'call')
  if (reader.usage.isPending) pushUsage(reader, events)
  const metadata = reader.metadata === undefined ? undefined : { [wire]: Object.fromEntries(reader.metadata) }
  pushFinish(reader.calls, reader.stopReason, lastCall, metadata, events)
}

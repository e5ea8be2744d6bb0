// The content of a Messages stream, block by block. One block is open at a time; other parts wait in drafts, lowest first.
// The trap: a call is closed by its final event, or earlier when its arguments are complete and another part wants to speak.
import type { CompletionEvent } from '../../conversation/events.js'
import type { AnyCall, Extra, Opaque, OpaquePart } from '../../conversation/messages.js'
import { type Writable, writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { argumentsObject } from '../arguments.js'
import { writtenFields } from '../extra.js'
import { addArguments, areWhole, type GrowingArguments } from '../whole-arguments.js'
import { writeAssistantOpaque } from './blocks.js'
import { createPartQueue, type PartQueue } from './draft-queue.js'
import { isDefault, modelled, wire } from './types.js'

type ContentEvent = Extract<CompletionEvent, { readonly part: number }>

/** One block: what is known of it while it waits, what was sent of it once it is open. */
export interface Draft extends GrowingArguments {
  readonly part: number
  readonly kind: 'text' | 'reasoning' | 'call' | 'opaque'
  state: 'waiting' | 'open' | 'closed'
  signature: string
  citations: readonly Json[]
  id: string
  name: string
  call: AnyCall | undefined
  value: OpaquePart | undefined
}

export interface BlockWriter {
  /** The blocks in the order they were opened. */
  readonly written: readonly Draft[]
  /** Whether the blocks may read back as something else than the events said. */
  isDoubtful: boolean
  /** A call whose arguments went on after its block was closed: what was sent of it must not be run. */
  overrun: AnyCall | undefined
  push(event: ContentEvent): string
  /** Closes what is open and writes what waits. */
  finish(): string
}

interface State extends BlockWriter {
  readonly written: Draft[]
  readonly latest: Map<number, Draft>
  readonly waiting: PartQueue<Draft>
  open: Draft | undefined
}

export function blockWriter(): BlockWriter {
  const state: State = {
    written: [],
    latest: new Map(),
    waiting: createPartQueue(),
    open: undefined,
    isDoubtful: false,
    overrun: undefined,
    push: (event) => write(state, event),
    finish: () => finish(state),
  }
  return state
}

function write(state: State, event: ContentEvent): string {
  switch (event.type) {
    case 'text_delta':
      return writeText(state, draftOf(state, event.part, 'text'), event.text)
    case 'reasoning_delta':
      return writeText(state, draftOf(state, event.part, 'reasoning'), event.text)
    case 'attach':
      return attach(state, event)
    case 'opaque': {
      if (writeAssistantOpaque(event.value, '', []) === undefined) return '' // a block of another wire
      const draft = draftOf(state, event.part, 'opaque')
      draft.value = event.value
      return release(state)
    }
    case 'tool_call_delta': {
      const draft = draftOf(state, event.part, 'call')
      draft.id = event.id
      if (draft.name === '') draft.name = event.name
      return writeText(state, draft, event.text)
    }
    case 'tool_call':
    case 'broken_call':
      return complete(state, event.part, event.call)
  }
}

/** The draft a part goes on in: its latest, unless that is closed or of another kind. Calls are never reopened. */
function draftOf(state: State, part: number, kind: Draft['kind']): Draft {
  const known = state.latest.get(part)
  if (known?.kind === kind && (known.state !== 'closed' || kind === 'call')) return known
  const draft: Draft = {
    part,
    kind,
    state: 'waiting',
    text: '',
    signature: '',
    citations: [],
    id: '',
    name: '',
    call: undefined,
    value: undefined,
  }
  state.latest.set(part, draft)
  state.waiting.add(draft)
  return draft
}

function writeText(state: State, draft: Draft, text: string): string {
  if (draft.state === 'closed') return '' // what comes too late was not sent; the final event finds the difference
  addArguments(draft, text)
  if (draft.state === 'waiting') return release(state)
  return draft.state === 'open' ? textFrame(state, draft, text) : ''
}

/** Opens waiting drafts, lowest part first, as long as the open block can be closed. */
function release(state: State): string {
  let output = ''
  for (let next = state.waiting.first(); next !== undefined; next = state.waiting.first()) {
    if (!isReady(next) || !canClose(state.open)) break
    state.waiting.removeFirst()
    output += close(state) + open(state, next)
  }
  return output
}

/** A call can be announced once its name is known, or it is known whole; thinking once there is anything of it. */
function isReady(draft: Draft): boolean {
  if (draft.kind === 'reasoning') return draft.text !== '' || draft.signature !== ''
  return draft.kind !== 'call' || draft.name !== '' || draft.call !== undefined
}

function canClose(draft: Draft | undefined): boolean {
  return draft?.kind !== 'call' || draft.call !== undefined || areWhole(draft)
}

function open(state: State, draft: Draft): string {
  if (draft.call?.type === 'broken_call') state.isDoubtful = true
  draft.state = 'open'
  state.open = draft
  state.written.push(draft)
  if (draft.call !== undefined) draft.text = inputText(draft.call)
  const index = state.written.length - 1
  let output = frame('content_block_start', { index, content_block: headOf(draft) })
  if (draft.text !== '') output += textFrame(state, draft, draft.text)
  if (draft.signature !== '') output += delta(index, { type: 'signature_delta', signature: draft.signature })
  for (const citation of draft.citations) output += delta(index, { type: 'citations_delta', citation })
  return output
}

/** The input as a stream sends it: text that was cut as it came; other broken text in an object, since clients throw on it. */
function inputText(call: AnyCall): string {
  const isWrapped = call.type === 'broken_call' && call.name !== '' && call.reason !== 'truncated'
  return isWrapped ? argumentsObject(call).text : call.arguments
}

/** The block as a stream announces it: empty, but for what has no fragments. */
function headOf(draft: Draft): Writable {
  switch (draft.kind) {
    case 'text':
      return { type: 'text', text: '', citations: null }
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'opaque':
      return draft.value?.data
    case 'call':
      return {
        type: 'tool_use',
        id: draft.call?.id ?? draft.id,
        name: draft.call?.name ?? draft.name,
        input: {},
        caller: { type: 'direct' },
        ...fieldsOf(draft),
      }
  }
}

/** The unmodelled fields that the head of a call was written with. */
export function fieldsOf(draft: Draft): JsonObject {
  return draft.call === undefined ? {} : writtenFields(wire, draft.call, { taken: modelled.toolUse, isDefault })
}

function close(state: State): string {
  const { open: draft } = state
  if (draft === undefined) return ''
  draft.state = 'closed'
  state.open = undefined
  return frame('content_block_stop', { index: state.written.lastIndexOf(draft) })
}

/** The final word on a call: only what fragments did not send yet is sent. */
function complete(state: State, part: number, call: AnyCall): string {
  const draft = draftOf(state, part, 'call')
  if (draft.state === 'waiting') {
    draft.call = call
    return release(state)
  }
  const sent = draft.text
  const isSame = call.id === draft.id && call.name === draft.name && call.extra?.[wire] === undefined
  if (!isSame || call.type === 'broken_call' || !call.arguments.startsWith(sent)) state.isDoubtful = true
  if (draft.state === 'closed') {
    if (call.arguments !== sent) state.isDoubtful = true
    if (call.arguments.trim() !== sent.trim()) state.overrun = call
    return ''
  }
  const whole = sent === '' ? inputText(call) : call.arguments
  const rest = whole.startsWith(sent) ? whole.slice(sent.length) : ''
  draft.text += rest
  const output = rest === '' ? '' : textFrame(state, draft, rest)
  return output + close(state) + release(state)
}

function attach(state: State, event: Extract<ContentEvent, { type: 'attach' }>): string {
  const signature = signatureIn(event.opaque)
  const citations = citationsIn(event.extra)
  if (hasOther(event.extra, event.of)) state.isDoubtful = true
  const known = state.latest.get(event.part)
  if (known?.state === 'closed' && known.kind === event.of) {
    if (signature !== '' || citations.length > 0) state.isDoubtful = true
    return ''
  }
  const draft = draftOf(state, event.part, event.of)
  if (signature !== '') draft.signature = signature
  if (citations.length > 0) draft.citations = citations
  if (draft.state === 'waiting') return release(state)
  const index = state.written.length - 1
  let output = signature === '' ? '' : delta(index, { type: 'signature_delta', signature })
  for (const citation of citations) output += delta(index, { type: 'citations_delta', citation })
  return output
}

function signatureIn(opaque: Opaque | undefined): string {
  const signature = opaque?.origin.wire === wire ? opaque.data.signature : undefined
  return typeof signature === 'string' ? signature : ''
}

function citationsIn(extra: Extra | undefined): readonly Json[] {
  const citations = extra?.[wire]?.citations
  return Array.isArray(citations) ? citations : []
}

/** Fields that a block cannot get once it is announced. */
function hasOther(extra: Extra | undefined, of: 'text' | 'reasoning'): boolean {
  return Object.keys(extra?.[wire] ?? {}).some((key) => key !== 'citations' || of !== 'text')
}

function finish(state: State): string {
  let output = close(state)
  // A call without its final word is none: nothing of it was sent, and the response does not have it either.
  for (const draft of state.waiting.rest()) {
    if (isReady(draft) && (draft.kind !== 'call' || draft.call !== undefined)) {
      output += open(state, draft) + close(state)
    }
  }
  const isOrdered = state.written.every((draft, index) => index === 0 || draft.part > partAt(state, index - 1))
  if (!isOrdered || state.written.some((draft) => draft.kind === 'call' && draft.call === undefined)) {
    state.isDoubtful = true
  }
  return output
}

function partAt(state: State, index: number): number {
  return state.written[index]?.part ?? -1
}

/** A fragment of text: the hot path, so it is put together by hand. */
function textFrame(state: State, draft: Draft, text: string): string {
  const index = state.written.length - 1
  const value = JSON.stringify(text)
  const inner =
    draft.kind === 'text'
      ? `"text_delta","text":${value}`
      : draft.kind === 'reasoning'
        ? `"thinking_delta","thinking":${value}`
        : `"input_json_delta","partial_json":${value}`
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":${inner}}}\n\n`
}

function delta(index: number, value: Writable): string {
  return frame('content_block_delta', { index, delta: value })
}

/** One event of the stream. */
export function frame(type: string, fields: { readonly [key: string]: Writable }): string {
  return `event: ${type}\ndata: ${writeJson({ type, ...fields })}\n\n`
}

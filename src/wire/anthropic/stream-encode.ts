// Events as a Messages stream (server half): the message around the blocks, and the losses of the whole.
// The trap: clients read the input tokens from the opening, so that waits for the first block, when usage may be known.
import { assertNever, type CompletionEvent } from '../../conversation/events.js'
import { createFolder, type Folder } from '../../conversation/fold.js'
import { applyLosses, type Loss } from '../../conversation/losses.js'
import type { AnyCall, AssistantPart } from '../../conversation/messages.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { ToolwireError } from '../../errors/error.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Env, Exchange, StreamEncoder } from '../codec.js'
import { leftover } from '../extra.js'
import { type BlockWriter, blockWriter, type Draft, fieldsOf, frame } from './block-writer.js'
import { errorBody } from './error.js'
import { finishOf, pushBlock } from './response.js'
import { callsBack, writeAnswer } from './response-encode.js'
import { lossOf, modelled, sameJson, wire } from './types.js'

interface Writer {
  readonly env: Env
  /** The response so far: its closing figures and losses are those of the same answer sent whole. */
  readonly folder: Folder
  readonly blocks: BlockWriter
  readonly losses: Loss[]
  /** The fields of the opening, once it is written. */
  opened: JsonObject | undefined
  done: boolean
}

export function encode(_exchange: Exchange, env: Env): StreamEncoder {
  const writer: Writer = {
    env,
    folder: createFolder(),
    blocks: blockWriter(),
    losses: [],
    opened: undefined,
    done: false,
  }
  return {
    losses: writer.losses,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    push: (event) => (writer.done ? '' : write(writer, event)),
    end: () => '',
  }
}

function write(writer: Writer, event: CompletionEvent): string {
  writer.folder.push(event)
  switch (event.type) {
    case 'start':
    case 'usage':
    case 'loss':
    case 'unknown':
      return ''
    case 'text_delta':
    case 'reasoning_delta':
    case 'attach':
    case 'opaque':
    case 'tool_call_delta':
    case 'tool_call':
    case 'broken_call':
      return opening(writer) + writer.blocks.push(event)
    case 'finish':
      return opening(writer) + (writer.blocks.overrun === undefined ? finish(writer) : overrun(writer.blocks.overrun))
    case 'error':
      writer.done = true
      return errorFrame(event.error)
    default:
      return assertNever(event)
  }
}

/** `message_start`, once. */
function opening(writer: Writer): string {
  if (writer.opened !== undefined) return ''
  const { response } = writer.folder.done()
  writer.opened = response.metadata[wire] ?? {}
  const { message } = writeAnswer(response, writer.env)
  const empty = { content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  return frame('message_start', { message: { ...message, ...empty } })
}

function errorFrame(error: ToolwireError): string {
  const { type: _, ...body } = errorBody(error)
  return frame('error', body)
}

/** A client must not run a call of which it has only the beginning: its stream ends in an error. */
function overrun({ name }: AnyCall): string {
  const message = `the arguments of "${name}" went on behind their end; the call must not be run`
  return errorFrame(new ToolwireError('malformed_response', message))
}

/** What waits, the closing figures and `message_stop`. */
function finish(writer: Writer): string {
  writer.done = true
  const blocks = writer.blocks.finish()
  const { response } = writer.folder.done()
  const { message, losses } = writeAnswer(response, writer.env)
  for (const loss of losses) writer.losses.push(loss)
  if (writer.blocks.isDoubtful) reportContent(writer, response, String(message.id), String(message.stop_reason))
  const { stop_reason, stop_sequence, stop_details, container, diagnostics, usage, ...rest } = message
  const { id: _, type: __, role: ___, model: ____, content: _____, ...fields } = rest
  const late = Object.entries({ ...fields, ...(diagnostics === null ? {} : { diagnostics }) })
  const unsaid = Object.fromEntries(late.filter(([key]) => writer.opened?.[key] === undefined))
  const delta = { stop_reason, stop_sequence, stop_details, container }
  return `${blocks}${frame('message_delta', { delta, usage, ...unsaid })}${frame('message_stop', {})}`
}

/** The content as a reader will fold it, where that is not what the events said. */
function reportContent(writer: Writer, response: CompletionResponse, id: string, stopReason: string): void {
  const read = readBack(writer.blocks.written, id, stopReason)
  const expected = applyLosses(response, writer.losses)
  if (sameJson(comparable(read.message.content), comparable(expected.message.content))) return
  const message = 'blocks of this wire cannot interleave; what came late stands behind what was sent before it'
  const report = (path: string, to: unknown): void => {
    writer.losses.push(lossOf('content_reordered', path, 'changed', message, to))
  }
  report('/message/content', read.message.content)
  report('/text', read.text)
  report('/toolCalls', read.toolCalls)
  report('/brokenCalls', read.brokenCalls)
}

function readBack(written: readonly Draft[], id: string, stopReason: string): CompletionResponse {
  const events: CompletionEvent[] = []
  const calls = written.flatMap((draft, part) => {
    if (draft.kind !== 'call') {
      pushBlock(blockOf(draft), part, { wire }, events)
      return []
    }
    const { extra } = leftover(wire, fieldsOf(draft), modelled.toolUse)
    const { id, name } = draft.call ?? draft
    return [{ part, fragment: { id, name, text: draft.text, extra } }]
  })
  const reason = finishOf(stopReason, calls.length > 0)
  const folder = createFolder()
  for (const event of events) folder.push(event)
  for (const event of callsBack(calls, { id, reason })) folder.push(event)
  return folder.done().response
}

function blockOf(draft: Draft): JsonObject {
  if (draft.kind === 'opaque') return draft.value?.data ?? {}
  if (draft.kind === 'text') return { type: 'text', text: draft.text, citations: draft.citations }
  return { type: 'thinking', thinking: draft.text, signature: draft.signature }
}

/** Content without what no wire carries. */
function comparable(content: readonly AssistantPart[]): readonly JsonObject[] {
  return content.map((part) => {
    const { reason: _, origin: __, ...rest } = part as unknown as JsonObject
    return rest.opaque === undefined ? rest : { ...rest, opaque: (part as { opaque: { data: Json } }).opaque.data }
  })
}

// The one way from events to a response, for streamed and whole answers alike.
import { ToolwireError } from '../errors/error.js'
import type { Json } from '../json/types.js'
import { assertNever, type CompletionEvent } from './events.js'
import { freeze } from './freeze.js'
import type { Loss } from './losses.js'
import type { AssistantPart, BrokenCall, Extra, Opaque, Origin, ToolCall, Wire } from './messages.js'
import { textOf, wires } from './messages.js'
import type { CompletionResponse, FinishReason, Metadata } from './response.js'
import { mergeUsage, type Usage } from './usage.js'

export interface Folded {
  readonly response: CompletionResponse
  /** The first error among the events; `response` then holds what came before it. */
  readonly error?: ToolwireError
}

/** Collects events one by one; `done` gives what they add up to, and may be asked at any time. */
export interface Folder {
  push(event: CompletionEvent): void
  done(): Folded
}

/** A text or reasoning part that still grows. */
interface Growing {
  type: 'text' | 'reasoning'
  text: string
  opaque?: Opaque
  extra?: GrowingMetadata
}

/** Members by wire, to which each event adds its own. */
type GrowingMetadata = Map<Wire, Map<string, Json>>

/** The response the events add up to. An error among them is thrown with what came before it (`partialOf`). */
export function fold(events: Iterable<CompletionEvent>): CompletionResponse {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  const { response, error } = folder.done()
  if (error === undefined) return response
  throw withPartial(error, response)
}

/** What had arrived before a failed call failed. */
export function partialOf(error: ToolwireError): CompletionResponse | undefined {
  return error.partial as CompletionResponse | undefined
}

/** The same error, carrying what had arrived before it. */
export function withPartial(error: ToolwireError, response: CompletionResponse): ToolwireError {
  const { message, code, retryable, retryAfterMs, status, requestId, detail, cause } = error
  const copy = { retryable, retryAfterMs, status, requestId, detail, cause, partial: response }
  const next = new ToolwireError(code, message, copy)
  if (error.stack !== undefined) next.stack = error.stack
  return next
}

export function createFolder(): Folder {
  const parts: (Growing | AssistantPart | undefined)[] = []
  const losses: Loss[] = []
  let start: { id: string; model: string; origin?: Origin; extra?: Extra } = { id: '', model: '' }
  let metadata: GrowingMetadata | undefined
  let usage: Usage | undefined
  let finish: { reason: FinishReason; raw?: string } | undefined
  let error: ToolwireError | undefined

  const growing = (part: number, type: 'text' | 'reasoning'): Growing => {
    const known = parts[part]
    if (known !== undefined && known.type === type) return known as Growing
    const fresh: Growing = { type, text: '' }
    parts[part] = fresh
    return fresh
  }

  return {
    push(event) {
      switch (event.type) {
        case 'text_delta':
          growing(event.part, 'text').text += event.text
          return
        case 'reasoning_delta':
          growing(event.part, 'reasoning').text += event.text
          return
        case 'attach': {
          const part = growing(event.part, event.of)
          if (event.opaque !== undefined) part.opaque = event.opaque
          const extra = addMetadata(part.extra, event.extra)
          if (extra !== undefined) part.extra = extra
          return
        }
        case 'opaque':
          parts[event.part] = event.value
          return
        case 'tool_call':
        case 'broken_call':
          parts[event.part] = event.call
          return
        case 'start':
          start = { id: event.id, model: event.model }
          if (event.origin !== undefined) start.origin = event.origin
          if (event.extra !== undefined) start.extra = event.extra
          metadata = addMetadata(metadata, event.metadata)
          return
        case 'usage':
          usage = mergeUsage(usage, event.usage)
          metadata = addMetadata(metadata, event.metadata)
          return
        case 'loss':
          losses.push(event.loss)
          return
        case 'finish':
          finish = event.raw === undefined ? { reason: event.reason } : { reason: event.reason, raw: event.raw }
          metadata = addMetadata(metadata, event.metadata)
          return
        case 'error':
          error ??= event.error
          return
        case 'tool_call_delta':
        case 'unknown':
          return
        default:
          return assertNever(event)
      }
    },
    done() {
      const content: AssistantPart[] = []
      for (const part of parts) if (part !== undefined) content.push(toPart(part))
      const toolCalls = content.filter((part): part is ToolCall => part.type === 'tool_call')
      const brokenCalls = content.filter((part): part is BrokenCall => part.type === 'broken_call')
      const { id, model, ...own } = start
      const response: CompletionResponse = {
        id,
        model,
        text: textOf(content),
        toolCalls,
        brokenCalls,
        message: freeze({ role: 'assistant', content, ...own }),
        finishReason: finish?.reason ?? 'error',
        ...(finish?.raw === undefined ? {} : { rawFinishReason: finish.raw }),
        ...(usage === undefined ? {} : { usage }),
        losses,
        metadata: toMetadata(metadata),
        requiresToolExecution: toolCalls.length + brokenCalls.length > 0,
      }
      return error === undefined ? { response } : { response, error }
    },
  }
}

/** A copy, since a growing part stays ours. */
function toPart(part: Growing | AssistantPart): AssistantPart {
  const copy = Object.assign({}, part)
  if ('extra' in copy && copy.extra instanceof Map) return Object.assign(copy, { extra: toMetadata(copy.extra) })
  return copy as AssistantPart
}

/** Adds what an event says of each wire, key by key; the later value replaces the earlier one. */
function addMetadata(known: GrowingMetadata | undefined, more: Metadata | undefined): GrowingMetadata | undefined {
  if (more === undefined) return known
  const metadata: GrowingMetadata = known ?? new Map()
  for (const wire of wires) {
    const added = more[wire]
    if (added === undefined) continue
    const members = metadata.get(wire) ?? new Map<string, Json>()
    metadata.set(wire, members)
    for (const [key, value] of Object.entries(added)) members.set(key, value)
  }
  return metadata
}

function toMetadata(metadata: GrowingMetadata | undefined): Metadata {
  if (metadata === undefined) return {}
  return Object.fromEntries([...metadata].map(([wire, members]) => [wire, Object.fromEntries(members)]))
}

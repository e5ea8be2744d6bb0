// What a foreign chat model answered, as events: the same for a whole message and for one that was merged from chunks.
import type { UsageMetadata } from '@langchain/core/messages'
import { assertNever, type CompletionEvent } from '../conversation/events.js'
import type { AssistantPart, Origin, ReasoningPart, TextPart } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import type { FinishReason } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import type { AnswerMessage } from './call-reading.js'
import type { Dialect } from './dialects.js'
import { readTurn, type Slot } from './turn-reading.js'
import { readUsage } from './usage.js'

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['incomplete', 'length'],
  ['content_filter', 'content_filter'],
  ['refusal', 'content_filter'],
  ['safety', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['recitation', 'content_filter'],
  ['pause_turn', 'pause'],
  ['malformed_function_call', 'error'],
])

/** How much of each text was told already, by slot. */
export type Told = ReadonlyMap<number, number>

/** The growth of texts since `told`, as deltas. */
export function growth(slots: readonly Slot[], told: Told): readonly CompletionEvent[] {
  return slots.flatMap(({ slot, part }): readonly CompletionEvent[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return []
    const text = part.text.slice(told.get(slot) ?? 0)
    if (text === '' && told.has(slot)) return []
    return [{ type: part.type === 'text' ? 'text_delta' : 'reasoning_delta', part: slot, text }]
  })
}

/** Everything the answer says that was not told yet. Throws `truncated` for one that does not say that it is over. */
export function answerEvents(
  message: AnswerMessage,
  dialect: Dialect,
  home: Origin,
  position: number,
  told: Told,
): readonly CompletionEvent[] {
  const raw = rawFinish(message)
  if (raw === undefined && dialect.saysFinish) {
    throw new ToolwireError('truncated', 'the chat model stopped without saying that its answer is over')
  }
  const { slots } = readTurn(message, position, home)
  const reason = finishOf(raw, slots)
  const usage = message.usage_metadata as UsageMetadata | undefined
  return [
    ...growth(slots, told),
    ...withoutCut(slots, reason).flatMap(({ slot, part }) => partEvents(part, slot)),
    ...(usage === undefined ? [] : [{ type: 'usage' as const, usage: readUsage(usage) }]),
    { type: 'finish', reason, ...(raw === undefined ? {} : { raw }) },
  ]
}

/** Where each package says why the answer ended. */
function rawFinish(message: AnswerMessage): string | undefined {
  const metadata = message.response_metadata as { readonly [key: string]: unknown }
  const places = [
    metadata.finish_reason,
    metadata.stop_reason,
    metadata.done_reason,
    metadata.finishReason,
    message.additional_kwargs.stop_reason,
    metadata.status,
  ]
  return places.find((value): value is string => typeof value === 'string' && value !== '')
}

function finishOf(raw: string | undefined, slots: readonly Slot[]): FinishReason {
  const known = raw === undefined ? undefined : finishReasons.get(raw.toLowerCase())
  return known ?? (slots.some(({ part }) => isCall(part)) ? 'tool_calls' : 'stop')
}

/** A call at the end of an answer that was cut may be guessed, and must not run. */
function withoutCut(slots: readonly Slot[], reason: FinishReason): readonly Slot[] {
  const last = slots.at(-1)
  if (reason !== 'length' || last?.part.type !== 'tool_call') return slots
  return [...slots.slice(0, -1), { ...last, part: { ...last.part, type: 'broken_call', reason: 'truncated' } }]
}

function partEvents(part: AssistantPart, slot: number): readonly CompletionEvent[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return attachment(part, slot)
    case 'tool_call':
      return [{ type: 'tool_call', part: slot, call: part }]
    case 'broken_call':
      return [{ type: 'broken_call', part: slot, call: part }]
    case 'opaque':
      return [{ type: 'opaque', part: slot, value: part }]
    default:
      return assertNever(part)
  }
}

function attachment({ type: of, opaque, extra }: TextPart | ReasoningPart, part: number): readonly CompletionEvent[] {
  const carried = { ...(opaque === undefined ? {} : { opaque }), ...(extra === undefined ? {} : { extra }) }
  return Object.keys(carried).length === 0 ? [] : [{ type: 'attach', part, of, ...carried }]
}

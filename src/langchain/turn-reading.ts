// What a chat model said, read from LangChain's message in every form its packages give it. `tool_calls` is what a program may
// have edited, so it decides about calls; content blocks only say where they stand.
import { type AssistantPart, isCall, type Origin, type ReasoningPart } from '../conversation/messages.js'
import { displayJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import { decodeReasoning } from '../wire/openai-responses/reasoning.js'
import { createPendingItems, type PendingItems } from '../wire/pending-items.js'
import { type Block, isRecord, objectIn, readOpaque, readText } from './blocks.js'
import { type AnswerMessage, createPlacedId, type FoundCall, readCalls, signedBy } from './call-reading.js'
import { providerOrigin } from './dialects.js'
import { restorerOf } from './notes.js'

/** A part and where it stands. Positions are not dense, so that they do not move while chunks are still coming. */
export interface Slot {
  readonly slot: number
  readonly part: AssistantPart
}
/** How a content block finds its call: by id and name, and by whether LangChain lists it as invalid. */
const callKeys = {
  head: ({ given, call }: FoundCall) => JSON.stringify([given, call.name]),
  status: ({ given, call, invalid }: FoundCall) => JSON.stringify([given, call.name, invalid]),
} as const

/** The calls that no content block has placed yet. */
type UnplacedCalls = PendingItems<FoundCall, keyof typeof callKeys>

const noCalls: UnplacedCalls = createPendingItems<FoundCall, keyof typeof callKeys>([], callKeys)

export interface ReadTurn {
  readonly slots: readonly Slot[]
  /** Members of the message itself: its origin and unmodelled fields. */
  readonly message: JsonObject
  /** Positions in the content of what could not be kept. */
  readonly dropped: readonly number[]
}

/**
 * `position` is the place of the message in its conversation. `home` is where continuations come from, when the caller knows
 * better than the message.
 */
export function readTurn(
  message: AnswerMessage,
  position: number,
  home: Origin | undefined = originOf(message),
): ReadTurn {
  const { restore, message: own } = restorerOf(message.additional_kwargs)
  const calls = readCalls(message, home)
  const made = new Set(calls.flatMap(({ given, call }) => (given === '' ? [call.id] : [])))
  const unplaced = createPendingItems<FoundCall, keyof typeof callKeys>(calls, callKeys)
  const { slots, dropped } = readSaid(message, unplaced, home)
  const placed = unplaced
    .left()
    .map(({ call }, ordinal): Slot => ({ slot: contentOf(message).length + 1 + ordinal, part: call }))
  return {
    slots: [...slots, ...placed].map(({ slot, part }) => ({ slot, part: inPlace(restore(part), made, position) })),
    message: own,
    dropped,
  }
}

/** Notes know a call by its content alone; an id that none of them restored is made for the place. */
function inPlace(part: AssistantPart, made: ReadonlySet<string>, position: number): AssistantPart {
  return isCall(part) && made.has(part.id) ? { ...part, id: createPlacedId(part.id, position) } : part
}

/** What was said so far, without calls: cheap enough to be asked for after every chunk. */
export function readGrowing(message: AnswerMessage): readonly Slot[] {
  return readSaid(message, noCalls, undefined).slots.filter(
    ({ part }) => part.type === 'text' || part.type === 'reasoning',
  )
}

/** The parts in the content, in their order. Takes the calls that have a place there out of the list. */
function readSaid(
  message: AnswerMessage,
  calls: UnplacedCalls,
  home: Origin | undefined,
): { readonly slots: readonly Slot[]; readonly dropped: readonly number[] } {
  const slots: Slot[] = []
  const dropped: number[] = []
  const thought = readThought(message, home)
  if (thought !== undefined) slots.push({ slot: 0, part: thought })
  contentOf(message).forEach((block, index) => {
    const part = isRecord(block) ? partOf(block as Block, calls, home) : readText({ text: block })
    if (part === 'nothing' || (part?.type === 'reasoning' && thought !== undefined)) return // said there already
    if (part === undefined) dropped.push(index)
    else if (!isContinued(message, block, slots.at(-1)?.part, part)) slots.push({ slot: index + 1, part })
    else slots.push(joined(slots.pop(), part))
  })
  return { slots, dropped }
}

/**
 * quirk(@langchain/google-genai 2.3.2): streamed blocks have no index, so that merging chunks lists the pieces of one text one
 * by one; test/langchain/foreign-model.test.ts
 */
function isContinued(
  message: AnswerMessage,
  block: unknown,
  before: AssistantPart | undefined,
  part: AssistantPart,
): boolean {
  if (!('tool_call_chunks' in message) || !isRecord(block) || block.index !== undefined) return false
  if (part.type !== 'text' && part.type !== 'reasoning') return false
  return before?.type === part.type && before.opaque === undefined
}

function joined(before: Slot | undefined, part: AssistantPart): Slot {
  const said = before?.part
  if (before === undefined || said === undefined || !('text' in said) || !('text' in part)) return { slot: 0, part }
  return { slot: before.slot, part: { ...part, text: said.text + part.text } }
}

/** Reasoning beside the content: plain text of Ollama, DeepSeek and others, or the item of OpenAI's Responses. */
function readThought(message: AnswerMessage, home: Origin | undefined): ReasoningPart | undefined {
  const { reasoning_content: text, reasoning } = message.additional_kwargs
  if (typeof text === 'string' && text !== '') return { type: 'reasoning', text }
  const item = wholeItem(message) ?? reasoning
  if (!isRecord(item) || item.type !== 'reasoning') return undefined
  const { summary, ...rest } = item
  // Streamed sections carry an index that only merging needs.
  const sections = Array.isArray(summary) ? summary.map(({ type, text: said }) => ({ type, text: said })) : []
  const data = objectIn(displayJson({ ...rest, summary: sections }))
  return data === undefined ? undefined : decodeReasoning(data, home ?? { wire: 'openai-responses' })
}

/** quirk(@langchain/openai 1.5.8): the chunks of a stream leave out `encrypted_content`; the output at its end has it. */
function wholeItem({ response_metadata: metadata }: AnswerMessage): unknown {
  const { output } = metadata as { readonly [key: string]: unknown }
  return Array.isArray(output) ? output.findLast((item) => isRecord(item) && item.type === 'reasoning') : undefined
}

function contentOf({ content }: AnswerMessage): readonly unknown[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [content]
}

/** `nothing` is a block that only repeats what is elsewhere. Takes the calls that have a place out of the list. */
function partOf(block: Block, calls: UnplacedCalls, home: Origin | undefined): AssistantPart | undefined | 'nothing' {
  switch (block.type) {
    case 'text':
    case 'text_delta':
      return readText(block)
    case 'reasoning':
      return typeof block.reasoning === 'string' ? { type: 'reasoning', text: block.reasoning } : undefined
    case 'thinking':
      return readThinking(block, home)
    case 'tool_use':
    case 'tool_call':
    case 'invalid_tool_call':
      return placedCall(block, calls) ?? 'nothing'
    case 'tool_call_chunk':
    case 'input_json_delta':
    case 'functionCall':
      return 'nothing'
    case 'non_standard':
      return readOpaque(block) ?? ownBlock(block.value, home)
    default:
      return ownBlock(block, home)
  }
}

/** Takes the call that a block stands for; of two with one id, the one that is invalid like the block. */
function placedCall({ id = '', name, type }: Block, calls: UnplacedCalls): AssistantPart | undefined {
  const alike = calls.take('status', JSON.stringify([id, name, type === 'invalid_tool_call']))
  return (alike ?? calls.take('head', JSON.stringify([id, name])))?.call
}

/** Anthropic's and Gemini's thinking, as their packages give it. */
function readThinking({ thinking, signature }: Block, home: Origin | undefined): AssistantPart {
  const text = typeof thinking === 'string' ? thinking : ''
  if (typeof signature !== 'string' || signature === '') return { type: 'reasoning', text }
  return { type: 'reasoning', text, opaque: signedBy(home ?? { wire: 'anthropic' }, signature) }
}

/** A block of the provider's own is kept where we know whose it is. */
function ownBlock(block: unknown, home: Origin | undefined): AssistantPart | undefined {
  const data = isRecord(block) ? objectIn(displayJson(block)) : undefined
  if (home === undefined || data === undefined) return undefined
  const { index: _, ...fields } = data
  return { type: 'opaque', origin: home, data: fields }
}

function originOf({ response_metadata: metadata }: AnswerMessage): Origin | undefined {
  const { model_provider: provider, model_name, model } = metadata as { readonly [key: string]: unknown }
  const name = typeof model_name === 'string' ? model_name : model
  return providerOrigin(provider, typeof name === 'string' ? name : undefined)
}

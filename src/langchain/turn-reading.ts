// What a chat model said, read from LangChain's message. `tool_calls` is what a program may have edited, so it decides about
// calls; content blocks only say where they stand. Trap: the parsed `args` of a chunk may be guessed from cut text, its
// `tool_call_chunks` never are.
import type { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import type { AnyCall, AssistantPart, Opaque, Origin, ReasoningPart } from '../conversation/messages.js'
import { isArgumentText } from '../conversation/stored-fields.js'
import { shortHash } from '../json/digest.js'
import { displayJson, stringifyJson } from '../json/stringify.js'
import type { JsonObject, Value } from '../json/types.js'
import { callOf } from '../wire/arguments.js'
import { decodeReasoning } from '../wire/openai-responses/reasoning.js'
import { type Block, isRecord, objectIn, readOpaque, readText } from './blocks.js'
import { providerOrigin } from './dialects.js'
import { restorerOf } from './notes.js'

export type AnswerMessage = AIMessage | AIMessageChunk

/** A part and where it stands. Positions are not dense, so that they do not move while chunks are still coming. */
export interface Slot {
  readonly slot: number
  readonly part: AssistantPart
}
export interface ReadTurn {
  readonly slots: readonly Slot[]
  /** Members of the message itself: its origin and unmodelled fields. */
  readonly message: JsonObject
  /** Positions in the content of what could not be kept. */
  readonly dropped: readonly number[]
}

/** `home` is where continuations come from, when the caller knows better than the message. */
export function readTurn(message: AnswerMessage, home: Origin | undefined = originOf(message)): ReadTurn {
  const { restore, message: own } = restorerOf(message.additional_kwargs)
  const calls = readCalls(message, home)
  const { slots, dropped } = readSaid(message, calls, home)
  const placed = calls.map(({ call }, ordinal): Slot => ({ slot: contentOf(message).length + 1 + ordinal, part: call }))
  return {
    slots: [...slots, ...placed].map(({ slot, part }) => ({ slot, part: restore(part) })),
    message: own,
    dropped,
  }
}

/** What was said so far, without calls: cheap enough to be asked for after every chunk. */
export function readGrowing(message: AnswerMessage): readonly Slot[] {
  return readSaid(message, [], undefined).slots.filter(({ part }) => part.type === 'text' || part.type === 'reasoning')
}

/** The parts in the content, in their order. Takes the calls that have a place there out of the list. */
function readSaid(
  message: AnswerMessage,
  calls: FoundCall[],
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
function partOf(block: Block, calls: FoundCall[], home: Origin | undefined): AssistantPart | undefined | 'nothing' {
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
    case 'invalid_tool_call': {
      const place = calls.findIndex(({ given, call }) => given === (block.id ?? '') && call.name === block.name)
      return place === -1 ? 'nothing' : (calls.splice(place, 1)[0]?.call ?? 'nothing')
    }
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

/** Anthropic's and Gemini's thinking, as their packages give it. */
function readThinking({ thinking, signature }: Block, home: Origin | undefined): AssistantPart {
  const text = typeof thinking === 'string' ? thinking : ''
  if (typeof signature !== 'string' || signature === '') return { type: 'reasoning', text }
  return { type: 'reasoning', text, opaque: signedBy(home ?? { wire: 'anthropic' }, signature) }
}

function signedBy(origin: Origin, signature: string): Opaque {
  return { origin, data: origin.wire === 'gemini' ? { thoughtSignature: signature } : { signature } }
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

/** A call, and the id it came with. */
interface FoundCall {
  readonly given: string
  readonly call: AnyCall
}

/** All calls, whole ones first, in the order the message has them. */
function readCalls(message: AnswerMessage, home: Origin | undefined): FoundCall[] {
  const idOf = idMaker(message.id ?? '')
  const chunks = 'tool_call_chunks' in message ? (message.tool_call_chunks ?? []) : []
  const calls =
    chunks.length > 0
      ? chunks.map(({ id = '', name = '', args = '' }) => ({
          given: id,
          call: callOf({ id: idOf(id, name, args), name, text: args }),
        }))
      : parsedCalls(message, idOf)
  const signatures = message.additional_kwargs[geminiSignatures]
  if (!isRecord(signatures)) return calls
  return calls.map(({ given, call }) => {
    const signature = Object.hasOwn(signatures, given) ? signatures[given] : undefined
    if (typeof signature !== 'string') return { given, call }
    return { given, call: { ...call, opaque: signedBy(home ?? { wire: 'gemini' }, signature) } }
  })
}

function parsedCalls(message: AnswerMessage, idOf: ReturnType<typeof idMaker>): FoundCall[] {
  const whole = (message.tool_calls ?? []).map(({ id = '', name, args }) => {
    const text = argumentText(args)
    return { given: id, call: callOf({ id: idOf(id, name, text), name, text }) }
  })
  const invalid = (message.invalid_tool_calls ?? []).map(({ id = '', name = '', args = '' }): FoundCall => {
    const text = typeof args === 'string' ? args : displayJson(args)
    const reason = name === '' ? 'no_name' : isArgumentText(text) ? 'truncated' : 'malformed'
    return { given: id, call: { type: 'broken_call', id: idOf(id, name, text), name, arguments: text, reason } }
  })
  return [...whole, ...invalid]
}

/** Ids for calls that came without one: the same for the same call of the same message. */
export function idMaker(seed: string): (id: string | undefined, name: string, text: string) => string {
  const counts = new Map<string, number>()
  return (id, name, text) => {
    if (id !== undefined && id !== '') return id
    const made = `call_${shortHash(JSON.stringify([seed, name, text.trim() || '{}']))}`
    const count = (counts.get(made) ?? 0) + 1
    counts.set(made, count)
    return count === 1 ? made : `${made}_${count}`
  }
}

/** Where @langchain/google-genai keeps the signatures of calls, by call id. */
export const geminiSignatures = '__gemini_function_call_thought_signatures__'

function argumentText(args: unknown): string {
  try {
    return stringifyJson(args as Value)
  } catch {
    return displayJson(args)
  }
}

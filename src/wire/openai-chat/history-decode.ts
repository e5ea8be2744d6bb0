// Wire messages as canonical ones. Results in a row become one message, and get their names from the calls they answer.
import type { Loss } from '../../conversation/losses.js'
import type {
  AnyCall,
  AssistantMessage,
  AssistantPart,
  Message,
  ResultPart,
  SystemMessage,
  TextPart,
  ToolResult,
} from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { callOf, customNotes, inputArguments } from '../arguments.js'
import { readErrorPrefix } from '../error-prefix.js'
import { leftover, type Notes, unmodelled } from '../extra.js'
import { refusalNotes } from '../refusals.js'
import { invalidAt } from '../request-body.js'
import { type BlockPart, decodeBlock } from './blocks.js'
import type { Flags } from './profiles.js'
import { type ReadReasoning, readReasoning, readThinking, repeatsReasoning } from './reasoning.js'
import { isNull, legacyCallId, modelled, wire } from './types.js'

type RawArguments = (message: number, call: number) => string | undefined

export function decodeMessages(list: Json, flags: Flags, raw: RawArguments, losses: Loss[]): readonly Message[] {
  if (!Array.isArray(list)) throw invalidAt('/messages', 'a list')
  const messages: Message[] = []
  const names = new Map<string, string>()
  list.forEach((value: Json, index) => {
    const path = `/messages/${index}`
    if (!isJsonObject(value)) throw invalidAt(path, 'an object')
    switch (value.role) {
      case 'system':
      case 'developer':
        messages.push(decodeSystem(value, path, losses))
        return
      case 'user':
        messages.push({ role: 'user', content: decodeContent(value.content, path), ...rest(value, modelled.message) })
        return
      case 'assistant': {
        const message = decodeAssistant(value, path, (call) => raw(index, call))
        for (const part of message.content) if (part.type.endsWith('_call')) remember(part as AnyCall, names)
        messages.push(message)
        return
      }
      case 'tool':
      case 'function':
        addResult(messages, decodeResult(value, path, names, flags))
        return
      default:
        throw invalidAt(`${path}/role`, `a role of ${wire}, not ${JSON.stringify(value.role ?? null)}`)
    }
  })
  return messages
}

function remember(call: AnyCall, names: Map<string, string>): void {
  names.set(call.id, call.name)
}

function rest(object: JsonObject, known: ReadonlySet<string>, notes: Notes = {}): ReturnType<typeof leftover> {
  return leftover(wire, object, known, { isDefault: isNull, notes })
}

function decodeSystem(value: JsonObject, path: string, losses: Loss[]): SystemMessage {
  const parts = decodeContent(value.content, path)
  const content = parts.filter((part): part is TextPart => part.type === 'text')
  if (content.length < parts.length) {
    const message = 'system text is text; other content of it was left out'
    losses.push({ code: 'block_dropped', wire, path: `${path}/content`, kind: 'repaired', message })
  }
  const notes: Notes = value.role === 'developer' ? { role: 'developer' } : {}
  return { role: 'system', content, ...rest(value, modelled.message, notes) }
}

/** Content as parts: nothing for null and for an empty string, one text for any other string. */
function decodeContent(content: Json | undefined, path: string, refusals = false): readonly BlockPart[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidAt(`${path}/content`, 'text or a list of content parts')
  return content.map((block: Json) => decodeBlock(block, refusals))
}

function decodeAssistant(value: JsonObject, path: string, raw: (call: number) => string | undefined): AssistantMessage {
  const calls = decodeCalls(value, path, raw)
  const { refusal } = value
  const refused: readonly TextPart[] =
    typeof refusal === 'string' && refusal !== '' ? [{ type: 'text', text: refusal, extra: refusalNotes }] : []
  const { thinking, blocks } = withoutThinking(value.content)
  const read = thinking ?? readReasoning(value)
  const content: AssistantPart[] = [
    ...(read === undefined ? [] : [reasoningPart(read)]),
    ...(decodeContent(blocks, path, true) as readonly AssistantPart[]),
    ...refused,
    ...calls,
  ]
  const blank = value.content === '' && calls.length + refused.length > 0
  const repeated = thinking === undefined ? read : undefined
  const carried = leftover(wire, value, beside, {
    isDefault: (key, member) => member === null || isDefault(key, member) || repeatsReasoning(repeated, key, member),
    notes: blank ? { content: '' } : {},
  })
  return { role: 'assistant', content, origin: { wire }, ...carried }
}

/** Members of an assistant message that are always read; reasoning is read from one of several. */
const beside: ReadonlySet<string> = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call'])

function isDefault(key: string, value: Json): boolean {
  return key === 'annotations' && Array.isArray(value) && value.length === 0
}

function reasoningPart(read: ReadReasoning): AssistantPart {
  return { type: 'reasoning', text: read.text, opaque: { origin: { wire }, data: read.data } }
}

/** A `thinking` block at the front is the reasoning of the turn; anywhere else it stays a block. */
function withoutThinking(content: Json | undefined): {
  readonly thinking?: ReadReasoning
  readonly blocks: Json | undefined
} {
  const first = Array.isArray(content) ? content[0] : undefined
  const thinking = isJsonObject(first) ? readThinking(first) : undefined
  if (thinking === undefined || thinking.text === '') return { blocks: content }
  return { thinking, blocks: (content as readonly Json[]).slice(1) }
}

function decodeCalls(value: JsonObject, path: string, raw: (call: number) => string | undefined): readonly AnyCall[] {
  const { tool_calls: calls, function_call: legacy } = value
  if (isJsonObject(legacy)) {
    const name = typeof legacy.name === 'string' ? legacy.name : ''
    const inner = { function: unmodelled(legacy, modelled.function) }
    const carried = leftover(wire, {}, modelled.call, { notes: { legacy: true }, inner })
    return [callOf({ id: legacyCallId(name), name, text: argumentText(legacy.arguments, undefined), ...carried })]
  }
  if (calls === undefined || calls === null) return []
  if (!Array.isArray(calls)) throw invalidAt(`${path}/tool_calls`, 'a list')
  return calls.map((call: Json, index) => {
    if (!isJsonObject(call)) throw invalidAt(`${path}/tool_calls/${index}`, 'an object')
    return decodeCall(call, () => raw(index))
  })
}

/** Arguments as text; a client that sends the object itself is read too, digit for digit. */
function argumentText(value: Json | undefined, raw: string | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : (raw ?? JSON.stringify(value))
}

function decodeCall(call: JsonObject, raw: () => string | undefined): AnyCall {
  const id = typeof call.id === 'string' ? call.id : ''
  const opaque = isJsonObject(call.extra_content) ? { origin: { wire } as const, data: call.extra_content } : undefined
  const isCustom = call.type === 'custom' && isJsonObject(call.custom)
  const target = isCustom ? call.custom : call.function
  const object = isJsonObject(target) ? target : {}
  const name = typeof object.name === 'string' ? object.name : ''
  if (isCustom) {
    const inner = { custom: unmodelled(object, modelled.custom) }
    const carried = leftover(wire, call, modelled.call, { isDefault: isNull, notes: customNotes, inner })
    const text = inputArguments(typeof object.input === 'string' ? object.input : '')
    return callOf({ id, name, text, opaque, ...carried })
  }
  const inner = { function: unmodelled(object, modelled.function) }
  const carried = leftover(wire, call, modelled.call, { isDefault: isNull, inner })
  const text = argumentText(object.arguments, typeof object.arguments === 'object' ? raw() : undefined)
  return callOf({ id, name, text, opaque, ...carried })
}

/** A result joins the results right before it, whose list was made here. */
function addResult(messages: Message[], result: ToolResult): void {
  const last = messages.at(-1)
  if (last?.role === 'tool') (last.results as ToolResult[]).push(result)
  else messages.push({ role: 'tool', results: [result] })
}

function decodeResult(value: JsonObject, path: string, names: ReadonlyMap<string, string>, flags: Flags): ToolResult {
  const spoken = typeof value.name === 'string' ? value.name : undefined
  const legacy = value.role === 'function'
  const id = typeof value.tool_call_id === 'string' ? value.tool_call_id : ''
  const callId = legacy ? legacyCallId(spoken ?? '') : id
  const name = names.get(callId) ?? spoken ?? ''
  const { content, isError, spelling } = readResult(decodeContent(value.content, path))
  const own = legacy || spoken === name
  const noted = own && !legacy && !flags.resultName
  const notes = { ...(noted ? { name: true } : {}), ...(spelling === undefined ? {} : { errorPrefix: spelling }) }
  const carried = rest(value, own ? modelled.namedResult : modelled.result, notes)
  return { callId, name, content, isError, ...carried }
}

/** A failure is told by the first text; the prefix is taken off. */
function readResult(parts: readonly BlockPart[]): {
  readonly content: readonly ResultPart[]
  readonly isError: boolean
  readonly spelling?: string
} {
  const index = parts.findIndex((part) => part.type === 'text')
  const part = parts[index]
  if (part?.type !== 'text') return { content: parts, isError: false }
  const { text, ...read } = readErrorPrefix(part.text)
  if (!read.isError) return { content: parts, isError: false }
  const content = text === '' ? parts.toSpliced(index, 1) : parts.with(index, { ...part, text })
  return { content, ...read }
}

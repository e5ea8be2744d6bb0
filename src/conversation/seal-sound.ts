// Histories that a wire takes as they are: most of them, and to see that costs a fraction of looking for repairs.
// The trap: to say yes where `seal` would repair something sends it unrepaired; to say no is always right, only slower.
import type { AnyCall, AssistantMessage, AssistantPart, Message, ToolResult, UserPart } from './messages.js'
import { isCall } from './messages.js'
import { refusesText, type SealRules, type TextPlace } from './seal-rules.js'
import { hasHalfEscape, isUnicodeText } from './unicode.js'

/** Call ids in use: those of the settled part, which is only looked at, and those met since. */
export interface TakenIds {
  readonly earlier: ReadonlySet<string>
  readonly met: Set<string>
}

export const noIds: ReadonlySet<string> = new Set()

export function isTaken(id: string, { earlier, met }: TakenIds): boolean {
  return met.has(id) || earlier.has(id)
}

/** Whether a history needs no repair. The first `from` messages are known to need none; `earlier` are the call ids in them. */
export function isSound(
  messages: readonly Message[],
  from: number,
  earlier: ReadonlySet<string>,
  rules: SealRules,
): boolean {
  const isPerTurn = rules.uniqueIds === 'turn'
  const seen: TakenIds = { earlier: isPerTurn ? noIds : earlier, met: new Set() }
  let isLeading = isSystemOnly(messages, from)
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index] as Message
    if (!isClean(message, rules) || !isPlaced(message, messages[index - 1], isLeading, rules)) return false
    if (message.role !== 'system') isLeading = false
    if (message.role !== 'assistant' || !message.content.some(isCall)) continue
    const answer = messages[index + 1]
    if (answer === undefined || !isClean(answer, rules) || !isAnswered(message, answer, seen)) return false
    if (!isPerTurn) for (const part of message.content) if (isCall(part)) seen.met.add(part.id)
    index += 1
  }
  return !isLeading || rules.firstTurn === 'any'
}

function isSystemOnly(messages: readonly Message[], length: number): boolean {
  for (let index = 0; index < length; index += 1) if (messages[index]?.role !== 'system') return false
  return true
}

/** Whether the message may stand behind `last`. Results may stand only behind their calls, where they are not looked at. */
function isPlaced(message: Message, last: Message | undefined, isLeading: boolean, rules: SealRules): boolean {
  switch (message.role) {
    case 'system':
      if (isLeading) return last === undefined || rules.leadingSystem === 'keep'
      return rules.midSystem === 'keep' || (rules.midSystem === 'after_user' && followsUser(last))
    case 'assistant':
      if (isLeading && rules.firstTurn === 'user') return false
      return last?.role !== 'assistant' || rules.assistantRuns === 'keep'
    default:
      return message.role === 'user'
  }
}

export function followsUser(last: Message | undefined): boolean {
  return last?.role === 'user' || last?.role === 'tool'
}

/** Whether results answer the calls of a turn one by one, and hold nothing that might have to follow in a user turn. */
export function isAnswered({ content }: AssistantMessage, answer: Message, seen: TakenIds): boolean {
  if (answer.role !== 'tool') return false
  const { results } = answer
  const ids = new Set<string>()
  for (const part of content) {
    if (!isCall(part)) continue
    const result = results[ids.size]
    if (result === undefined || !isAnswer(result, part) || isTaken(part.id, seen) || ids.has(part.id)) return false
    ids.add(part.id)
  }
  return ids.size === results.length
}

function isAnswer({ callId, name, content }: ToolResult, call: AnyCall): boolean {
  if (call.id === '' || call.id !== callId || call.name !== name) return false
  for (const part of content) if (part.type !== 'text') return false
  return true
}

/** Whether a message is made of plain text and calls alone, in an order and a number of texts that the wire has places for. */
function isClean(message: Message, rules: SealRules): boolean {
  if (message.extra !== undefined) return false
  if (message.role === 'assistant') return isCleanTurn(message.content, rules)
  if (message.role !== 'tool') return message.content.length > 0 && areTexts(message.content, rules, message.role)
  for (const { extra, content } of message.results) {
    if (extra !== undefined || !areTexts(content, rules, 'result')) return false
  }
  return message.results.length > 0
}

function areTexts(parts: readonly UserPart[], rules: SealRules, place: 'system' | 'user' | 'result'): boolean {
  if (parts.length > 1 && rules.joinText.includes(place)) return false
  for (const part of parts) if (!isPlainText(part, place, rules)) return false
  return true
}

function isCleanTurn(content: readonly AssistantPart[], rules: SealRules): boolean {
  const hasSlots = rules.assistantOrder === 'slots'
  let last: AssistantPart | undefined
  for (const part of content) {
    if (part.type === 'tool_call') {
      if (!isPlainCall(part)) return false
    } else if (
      !isPlainText(part, 'assistant', rules) ||
      (last?.type === 'text' && rules.joinText.includes('assistant')) ||
      (hasSlots && last?.type === 'tool_call')
    )
      return false
    last = part
  }
  return last !== undefined
}

function isPlainText(part: AssistantPart | UserPart, place: TextPlace, rules: SealRules): boolean {
  if (part.type !== 'text' || part.extra !== undefined || part.opaque !== undefined) return false
  return isUnicodeText(part.text) && !refusesText(part.text, place, rules)
}

function isPlainCall({ id, name, arguments: text, extra, opaque }: AnyCall): boolean {
  if (extra !== undefined || opaque !== undefined) return false
  return isUnicodeText(id) && isUnicodeText(name) && isUnicodeText(text) && !hasHalfEscape(text)
}

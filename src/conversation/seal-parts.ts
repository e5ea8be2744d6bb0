// The half of `seal` that looks at one message alone: which parts a wire takes, in which order, as well-formed text.
import type { Json } from '../json/types.js'
import { assertNever } from './events.js'
import { at } from './losses.js'
import type {
  AnyCall,
  AssistantMessage,
  AssistantPart,
  FilePart,
  ImagePart,
  Message,
  Opaque,
  ReasoningPart,
  ToolResult,
  UserPart,
} from './messages.js'
import { isCall } from './messages.js'
import { comesHome, ownOpaque, refusesText, type SealRules, type TextPlace } from './seal-rules.js'
import { hasHalfEscape, isUnicode, unicodeOf } from './unicode.js'

/** Tells of one repair; `path` points into the history as it was given. */
export type Report = (code: string, path: string, message: string) => void
type AnyPart = AssistantPart | UserPart
type Place = 'system' | 'user' | 'assistant' | 'result' | 'error_result'

/** The message as the wire takes it: the same object when nothing had to change, nothing when nothing of it is left. */
export function cleanMessage(given: Message, rules: SealRules, path: string, report: Report): Message | undefined {
  const message = unicodeMember(given, 'extra', path, report)
  const place = `${path}/content`
  switch (message.role) {
    case 'system': {
      const parts = cleanParts(message.content, rules, 'system', place, report)
      const content = joined(parts, 'text', rules.joinText.includes('system'), path, report)
      if (content.length === 0) return leftOut(path, report)
      return content === message.content ? message : { ...message, content }
    }
    case 'user': {
      const parts = cleanParts(message.content, rules, 'user', place, report)
      const sorted = rules.userOrder === 'free' ? parts : ordered(parts, textFirst, path, report)
      const content = joined(sorted, 'text', rules.joinText.includes('user'), path, report)
      if (content.length === 0 && rules.emptyMessages === 'drop') return leftOut(path, report)
      return content === message.content ? message : { ...message, content }
    }
    case 'assistant': {
      const content = cleanAssistant(message, rules, path, report)
      if (content.length === 0 && rules.emptyMessages === 'drop') return leftOut(path, report)
      return content === message.content ? message : { ...message, content }
    }
    case 'tool': {
      const results = mapSame(message.results, (result, index) =>
        cleanResult(result, rules, `${path}/results/${index}`, report),
      )
      return results === message.results ? message : { ...message, results }
    }
    default:
      return assertNever(message)
  }
}

/** A message made here, in the form the wire takes; what made it was reported already. */
export function cleanAgain<T extends Message>(message: T, rules: SealRules): T {
  return (cleanMessage(message, rules, '', () => {}) ?? message) as T
}

function leftOut(path: string, report: Report): undefined {
  report('message_empty', path, 'a message without content was left out')
}

function cleanAssistant(
  message: AssistantMessage,
  rules: SealRules,
  path: string,
  report: Report,
): readonly AssistantPart[] {
  const foreign = message.origin !== undefined && message.origin.wire !== rules.wire
  const loose = rules.continuations === 'together' && losesContinuation(message.content, rules)
  if (loose) {
    report(
      'continuations_dropped',
      path,
      'reasoning of this turn cannot be sent, so its ids and other reasoning are not',
    )
  }
  const sendable = (whole: AssistantPart, place: string): AssistantPart | undefined => {
    const part = loose ? withoutOwn(whole, rules) : whole
    if (part?.type !== 'reasoning' || sendsReasoning(part, foreign, rules)) return part
    report('reasoning_dropped', place, `this reasoning cannot be sent on ${rules.wire}; it stays in the history`)
    return undefined
  }
  let content = cleanParts(message.content, rules, 'assistant', `${path}/content`, report, sendable)
  if (rules.assistantOrder === 'slots') content = ordered(content, slot, path, report)
  content = joined(content, 'text', rules.joinText.includes('assistant'), path, report)
  content = joined(content, 'reasoning', rules.joinText.includes('reasoning'), path, report)
  if (foreign) content = withoutForeign(content, rules, path, report)
  return rules.continuations === 'together' ? withoutLastReasoning(content, path, report) : content
}

/** Whether a signed reasoning of the turn cannot be sent. Its other continuations are then of no use: ids point at each other. */
function losesContinuation(content: readonly AssistantPart[], rules: SealRules): boolean {
  return content.some((part) => part.type === 'reasoning' && isOwn(part, rules) && !sendsReasoning(part, false, rules))
}

/** The part without a continuation of this wire; nothing is left of its reasoning. */
function withoutOwn(part: AssistantPart, rules: SealRules): AssistantPart | undefined {
  if (part.type === 'opaque' || !isOwn(part, rules)) return part
  if (part.type === 'reasoning') return undefined
  const { opaque: _, ...rest } = part
  return rest as AssistantPart
}

function isOwn(part: AssistantPart, rules: SealRules): boolean {
  return part.type !== 'opaque' && part.opaque?.origin.wire === rules.wire
}

function withoutLastReasoning(
  content: readonly AssistantPart[],
  path: string,
  report: Report,
): readonly AssistantPart[] {
  const last = content.findLastIndex((part) => part.type !== 'reasoning')
  if (last === content.length - 1) return content
  report('reasoning_dropped', path, 'reasoning that nothing follows cannot be sent; it stays in the history')
  return content.slice(0, last + 1)
}

/** Joined reasoning has no continuation left that says it is of this wire; in a turn of another it cannot be sent. */
function withoutForeign(
  content: readonly AssistantPart[],
  rules: SealRules,
  path: string,
  report: Report,
): readonly AssistantPart[] {
  const isSent = (part: AssistantPart): boolean => part.type !== 'reasoning' || sendsReasoning(part, true, rules)
  if (content.every(isSent)) return content
  report(
    'reasoning_dropped',
    path,
    `joined reasoning of another wire cannot be sent on ${rules.wire}; it stays in the history`,
  )
  return content.filter(isSent)
}

function sendsReasoning(part: ReasoningPart, foreign: boolean, rules: SealRules): boolean {
  if (rules.reasoning === 'none') return false
  if (part.opaque !== undefined) {
    const { data } = part.opaque
    const replays = rules.replayNeeds?.some((key) => Object.hasOwn(data, key)) ?? true
    return replays && ownOpaque(part.opaque, rules) !== undefined
  }
  return rules.reasoning === 'own' && !foreign
}

function cleanResult(given: ToolResult, rules: SealRules, path: string, report: Report): ToolResult {
  const result = unicodeMember(given, 'extra', path, report)
  const parts = cleanParts(result.content, rules, result.isError ? 'error_result' : 'result', `${path}/content`, report)
  const sorted = rules.resultOrder === 'text_first' ? ordered(parts, textFirst, path, report) : parts
  const content = joined(sorted, 'text', rules.joinText.includes('result'), path, report)
  return content === result.content ? result : { ...result, content }
}

/** Each part as the wire takes it, or left out and reported. The same list when nothing changed. `first` goes before the rest. */
function cleanParts<T extends AnyPart>(
  parts: readonly T[],
  rules: SealRules,
  place: Place,
  path: string,
  report: Report,
  first?: (part: T, path: string) => T | undefined,
): readonly T[] {
  let kept: T[] | undefined
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] as T
    const here = `${path}/${index}`
    const given = first === undefined ? part : first(part, here)
    const next = given === undefined ? undefined : (cleanPart(given, rules, place, here, report) as T | undefined)
    if (next === part && kept === undefined) continue
    kept ??= parts.slice(0, index)
    if (next !== undefined) kept.push(next)
  }
  return kept ?? parts
}

function cleanPart(given: AnyPart, rules: SealRules, place: Place, path: string, report: Report): AnyPart | undefined {
  const isPlain = given.type === 'opaque' || given.extra === undefined
  const part = isPlain ? given : unicodeMember(given, 'extra', path, report)
  switch (part.type) {
    case 'text': {
      const own = homeward(part, rules, path, report)
      if (own.opaque !== undefined || !refusesText(own.text, textPlace(place), rules))
        return wellFormed(own, 'text', path, report)
      report('text_empty', path, `${rules.wire} takes no empty text; it was left out`)
      return undefined
    }
    case 'reasoning': {
      const own = homeward(part, rules, path, report)
      if (own.opaque !== undefined || !refusesText(own.text, 'reasoning', rules))
        return wellFormed(own, 'text', path, report)
      report('text_empty', path, `${rules.wire} takes no empty text; it was left out`)
      return undefined
    }
    case 'tool_call':
    case 'broken_call': {
      const own = wellFormed(homeward(part, rules, path, report), 'arguments', path, report)
      return wellFormed(wellFormed(wholeEscapes(own, path, report), 'name', path, report), 'id', path, report)
    }
    case 'opaque':
      if (rules.opaque !== 'none' && comesHome(part.origin, rules)) {
        return unicodeMember(part, 'data', path, report)
      }
      report(
        'opaque_dropped',
        path,
        `a block of ${part.origin.wire} cannot be sent on ${rules.wire}; it stays in the history`,
      )
      return undefined
    case 'image':
    case 'file':
      return carried(part, rules, place, path, report)
    default:
      return assertNever(part)
  }
}

function textPlace(place: Place): TextPlace {
  return place === 'error_result' ? 'result' : place
}

/** An image or file the wire takes nowhere becomes a line of text, so that the model knows that something was there. */
function carried(part: ImagePart | FilePart, rules: SealRules, place: Place, path: string, report: Report): AnyPart {
  const inPlace = place === 'result' || place === 'error_result' ? place : 'user'
  if (rules.carries(part, inPlace) || rules.carries(part, 'user')) return inUnicode(part, path, report)
  report('media_dropped', path, `${rules.wire} cannot carry this ${part.type}; a line of text says so in its place`)
  return { type: 'text', text: `\n[${part.type} left out${part.mediaType === undefined ? '' : `: ${part.mediaType}`}]` }
}

const mediaTexts = ['url', 'mediaType', 'data', 'name'] as const

function inUnicode(part: ImagePart | FilePart, path: string, report: Report): ImagePart | FilePart {
  let whole = part as FilePart
  for (const key of mediaTexts) whole = wellFormed(whole, key, path, report)
  return whole
}

/** The part without a continuation that belongs to another provider or model. */
function homeward<T extends AnyPart & { readonly opaque?: Opaque }>(
  part: T,
  rules: SealRules,
  path: string,
  report: Report,
): T {
  if (part.opaque === undefined) return part
  const kind = part.type === 'text' || part.type === 'reasoning' ? part.type : 'call'
  const hasPlace = rules.signedParts?.includes(kind) ?? true
  if (hasPlace && ownOpaque(part.opaque, rules) !== undefined) {
    const opaque = unicodeMember(part.opaque, 'data', `${path}/opaque`, report)
    return opaque === part.opaque ? part : { ...part, opaque }
  }
  report(
    'signature_dropped',
    `${path}/opaque`,
    'a signature that is not for this reader is not sent; it stays in the history',
  )
  const { opaque: _, ...rest } = part
  return rest as T
}

function wellFormed<T extends object, K extends keyof T & string>(part: T, key: K, path: string, report: Report): T {
  const text = part[key]
  if (typeof text !== 'string' || text.isWellFormed()) return part
  report('text_not_unicode', at(path, key), halfReplaced)
  return { ...part, [key]: text.toWellFormed() }
}

const halfReplaced = 'half of a surrogate pair was replaced by U+FFFD'

/** The node with a member, such as what it carries of a wire, in which every text is Unicode. */
function unicodeMember<T extends object, K extends keyof T & string>(node: T, key: K, path: string, report: Report): T {
  const value = node[key]
  if (value === undefined || isUnicode(value)) return node
  const tell = (place: string): void => report('text_not_unicode', place, halfReplaced)
  return { ...node, [key]: unicodeOf(value as unknown as Json, `${path}/${key}`, tell) }
}

const pairOrEscape = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g

/** Arguments in which no escape stands for half a surrogate pair: on wires with object arguments it is part of the body. */
function wholeEscapes<T extends AnyCall>(call: T, path: string, report: Report): T {
  if (call.type === 'broken_call' || !hasHalfEscape(call.arguments)) return call // broken text is sent as a string
  const text = call.arguments.replace(pairOrEscape, (found) => (found.length === 6 ? '\\ufffd' : found))
  if (text === call.arguments) return call
  report('text_not_unicode', `${path}/arguments`, halfReplaced)
  return { ...call, arguments: text }
}

const slot = (part: AnyPart): number => (part.type === 'reasoning' ? 0 : isCallPart(part) ? 2 : 1)
const textFirst = (part: AnyPart): number => (part.type === 'text' ? 0 : 1)

function isCallPart(part: AnyPart): boolean {
  return isCall(part as AssistantPart)
}

function ordered<T extends AnyPart>(
  parts: readonly T[],
  rank: (part: AnyPart) => number,
  path: string,
  report: Report,
): readonly T[] {
  let isOrdered = true
  for (let index = 1; index < parts.length && isOrdered; index += 1) {
    isOrdered = rank(parts[index - 1] as T) <= rank(parts[index] as T)
  }
  if (isOrdered) return parts
  report('parts_reordered', path, 'the wire has one place for each kind of part; they were put in its order')
  return parts.toSorted((a, b) => rank(a) - rank(b))
}

/** Neighbouring parts of one kind as one, where the wire has a single string for them. */
function joined<T extends AnyPart>(
  parts: readonly T[],
  type: 'text' | 'reasoning',
  on: boolean,
  path: string,
  report: Report,
): readonly T[] {
  if (!on || parts.length < 2) return parts
  if (!parts.some((part, index) => part.type === type && parts[index - 1]?.type === type)) return parts
  const list: T[] = []
  for (const part of parts) {
    const last = list.at(-1)
    if (last?.type === type && part.type === type) {
      list[list.length - 1] = { type, text: last.text + part.text } as T
    } else {
      list.push(part)
    }
  }
  report('text_joined', path, 'the wire has one string here; the parts were joined')
  return list
}

function mapSame<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let mapped: T[] | undefined
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as T
    const next = map(item, index)
    if (next === item && mapped === undefined) continue
    mapped ??= list.slice(0, index)
    mapped.push(next)
  }
  return mapped ?? list
}

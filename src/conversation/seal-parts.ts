// The half of `seal` that looks at one message alone: which parts a wire takes, in which order, as well-formed text.
import { assertNever } from './events.js'
import { at } from './losses.js'
import type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  ImagePart,
  Message,
  Opaque,
  ReasoningPart,
  TextPart,
  ToolResult,
  UserPart,
} from './messages.js'
import { isCall } from './messages.js'
import { comesHome, ownOpaque, type SealRules } from './seal-rules.js'

/** Tells of one repair; `path` points into the history as it was given. */
export type Report = (code: string, path: string, message: string) => void
type AnyPart = AssistantPart | UserPart
type Place = 'system' | 'user' | 'assistant' | 'result' | 'error_result'

/** The message as the wire takes it: the same object when nothing had to change, nothing when nothing of it is left. */
export function cleanMessage(message: Message, rules: SealRules, path: string, report: Report): Message | undefined {
  const place = at(path, 'content')
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
        cleanResult(result, rules, at(at(path, 'results'), index), report),
      )
      return results === message.results ? message : { ...message, results }
    }
    default:
      return assertNever(message)
  }
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
  const place = at(path, 'content')
  const foreign = message.origin !== undefined && message.origin.wire !== rules.wire
  const sendable = filterSame(message.content, (part, index) => {
    if (part.type !== 'reasoning' || sendsReasoning(part, foreign, rules)) return true
    report(
      'reasoning_dropped',
      at(place, index),
      `this reasoning cannot be sent on ${rules.wire}; it stays in the history`,
    )
    return false
  })
  let content = cleanParts(sendable, rules, 'assistant', place, report)
  if (rules.assistantOrder === 'slots') content = ordered(content, slot, path, report)
  content = joined(content, 'text', rules.joinText.includes('assistant'), path, report)
  return joined(content, 'reasoning', rules.joinText.includes('reasoning'), path, report)
}

function sendsReasoning(part: ReasoningPart, foreign: boolean, rules: SealRules): boolean {
  if (rules.reasoning === 'none') return false
  if (part.opaque !== undefined) return ownOpaque(part.opaque, rules) !== undefined
  return rules.reasoning === 'own' && !foreign
}

function cleanResult(result: ToolResult, rules: SealRules, path: string, report: Report): ToolResult {
  const parts = cleanParts(
    result.content,
    rules,
    result.isError ? 'error_result' : 'result',
    at(path, 'content'),
    report,
  )
  const content = joined(parts, 'text', rules.joinText.includes('result'), path, report)
  return content === result.content ? result : { ...result, content }
}

/** Each part as the wire takes it, or left out and reported. The same list when nothing changed. */
function cleanParts<T extends AnyPart>(
  parts: readonly T[],
  rules: SealRules,
  place: Place,
  path: string,
  report: Report,
): readonly T[] {
  let changed = false
  const kept: T[] = []
  parts.forEach((part, index) => {
    const next = cleanPart(part, rules, place, at(path, index), report) as T | undefined
    changed ||= next !== part
    if (next !== undefined) kept.push(next)
  })
  return changed ? kept : parts
}

function cleanPart(part: AnyPart, rules: SealRules, place: Place, path: string, report: Report): AnyPart | undefined {
  switch (part.type) {
    case 'text': {
      const own = homeward(part, rules, path, report)
      if (!refused(own, rules)) return wellFormed(own, 'text', path, report)
      report('text_empty', path, `${rules.wire} takes no empty text; it was left out`)
      return undefined
    }
    case 'reasoning':
      return wellFormed(homeward(part, rules, path, report), 'text', path, report)
    case 'tool_call':
    case 'broken_call': {
      const own = wellFormed(homeward(part, rules, path, report), 'arguments', path, report)
      return wellFormed(wellFormed(own, 'name', path, report), 'id', path, report)
    }
    case 'opaque':
      if (comesHome(part.origin, rules)) return part
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

function refused(part: TextPart, rules: SealRules): boolean {
  if (part.opaque !== undefined || rules.refusedText === 'none') return false
  return rules.refusedText === 'blank' ? part.text.trim() === '' : part.text === ''
}

/** An image or file the wire takes nowhere becomes a line of text, so that the model knows that something was there. */
function carried(part: ImagePart | FilePart, rules: SealRules, place: Place, path: string, report: Report): AnyPart {
  const inPlace = place === 'result' || place === 'error_result' ? place : 'user'
  if (rules.carries(part, inPlace) || rules.carries(part, 'user')) return part
  report('media_dropped', path, `${rules.wire} cannot carry this ${part.type}; a line of text says so in its place`)
  return { type: 'text', text: `[${part.type} left out${part.mediaType === undefined ? '' : `: ${part.mediaType}`}]` }
}

/** The part without a continuation that belongs to another provider or model. */
function homeward<T extends AnyPart & { readonly opaque?: Opaque }>(
  part: T,
  rules: SealRules,
  path: string,
  report: Report,
): T {
  if (part.opaque === undefined || ownOpaque(part.opaque, rules) !== undefined) return part
  report(
    'signature_dropped',
    at(path, 'opaque'),
    'a signature of another provider or model is not sent; it stays in the history',
  )
  const { opaque: _, ...rest } = part
  return rest as T
}

function wellFormed<T extends object, K extends keyof T & string>(part: T, key: K, path: string, report: Report): T {
  const text = part[key]
  if (typeof text !== 'string' || text.isWellFormed()) return part
  report('text_not_unicode', at(path, key), 'half of a surrogate pair was replaced by U+FFFD')
  return { ...part, [key]: text.toWellFormed() }
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
  if (parts.every((part, index) => index === 0 || rank(parts[index - 1] as T) <= rank(part))) return parts
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
  if (!on || !parts.some((part, index) => part.type === type && parts[index - 1]?.type === type)) return parts
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

function filterSame<T>(list: readonly T[], keep: (item: T, index: number) => boolean): readonly T[] {
  const kept = list.filter(keep)
  return kept.length === list.length ? list : kept
}

function mapSame<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let changed = false
  const mapped = list.map((item, index) => {
    const next = map(item, index)
    changed ||= next !== item
    return next
  })
  return changed ? mapped : list
}

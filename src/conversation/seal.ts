// Makes any history one that a wire accepts, canonical to canonical. Total, idempotent, leaves its input alone, and gives
// unchanged messages back as the same objects (the byte cache hangs on them). Every repair is reported.
// The trap: a repair may look at earlier messages only (append-only prompts), except for the results of a turn's own calls.
import { ToolwireError } from '../errors/error.js'
import { shortHash } from '../json/digest.js'
import { memoOf } from './freeze.js'
import { at, type Loss } from './losses.js'
import type { AssistantMessage, Message, ResultPart, ToolMessage, ToolResult } from './messages.js'
import { isCall, textOf } from './messages.js'
import { cancelled } from './pairing.js'
import { cleanAgain, cleanMessage, type Report } from './seal-parts.js'
import { place } from './seal-place.js'
import type { SealRules } from './seal-rules.js'
import { joinSpreadTurns, type Placed } from './seal-runs.js'
import { isAnswered, isSound, isTaken, noIds, type TakenIds } from './seal-sound.js'
import { type SettledPart, settledLength, settledParts } from './settled.js'

export interface Sealed {
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

/** Why a call that nobody answered has no result. */
export const unansweredText = 'the call was not answered before the conversation went on'

export function seal(messages: readonly Message[], rules: SealRules): Sealed {
  const losses: Loss[] = []
  const report: Report = (code, path, message) => {
    losses.push({ code, wire: rules.wire, path, kind: 'repaired', message })
  }
  let text: string | undefined
  const key = (): string => {
    text ??= JSON.stringify(rules)
    return text
  }
  const known = sound.find(messages, key)
  const from = known?.length ?? 0
  if (isSound(messages, from, known?.ids ?? noIds, rules)) {
    remember(messages, key, known)
    return { messages, losses }
  }
  const cleaned = clean(messages, from, rules, key, report)
  const whole = joinSpreadTurns(
    cleaned,
    (first, content) => cleanAgain({ ...first, content }, rules),
    (path) => report('assistant_merged', path, 'a turn spread over several assistant messages was joined into one'),
  )
  const paired = pair(whole, known?.ids ?? noIds, rules, report)
  const placed = place(known === undefined ? [] : messages.slice(0, known.length), paired, rules, report)
  if (!placed.some((message) => message.role !== 'system') && rules.firstTurn === 'user') {
    throw new ToolwireError(
      'invalid_request',
      `${rules.wire} needs at least one user message; add one to the conversation`,
    )
  }
  if (losses.length === 0) remember(messages, key, known)
  const isChanged =
    messages.length !== placed.length || placed.slice(from).some((message, index) => message !== messages[from + index])
  return { messages: isChanged ? placed : messages, losses }
}

/** A beginning that needs no repair, with the call ids in it. */
interface Sound extends SettledPart {
  readonly ids: Set<string>
}
const sound = settledParts<Sound>()

function remember(messages: readonly Message[], key: () => string, before: Sound | undefined): void {
  const from = before?.length ?? 0
  const length = settledLength(messages, from)
  if (length === undefined) return
  const added = messages.slice(from, length)
  const ids = added.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter(isCall).map((call) => call.id) : [],
  )
  sound.keep({ key: key(), messages, length, ids: before === undefined ? new Set(ids) : addAll(before.ids, ids) })
}

/** Adds to the set in place: the settled part it belonged to is replaced by the longer one. */
function addAll(set: Set<string>, ids: readonly string[]): Set<string> {
  for (const id of ids) set.add(id)
  return set
}

function clean(
  messages: readonly Message[],
  from: number,
  rules: SealRules,
  key: () => string,
  report: Report,
): readonly Placed[] {
  const list: Placed[] = []
  for (let index = from; index < messages.length; index += 1) {
    const path = `/messages/${index}`
    const message = messages[index] as Message
    const memo = memoOf(message)
    // A message that was clean stays so when it can no longer change. A key of rules is no key of a wire's pieces: it begins with {.
    const kept = memo?.get(key()) === message ? message : cleanMessage(message, rules, path, report)
    if (kept === message) memo?.set(key(), message)
    if (kept !== undefined) list.push({ message: kept, path })
  }
  return list
}

/** Puts exactly one result behind each call, in call order, right after the turn that made the calls. */
function pair(
  list: readonly Placed[],
  earlier: ReadonlySet<string>,
  rules: SealRules,
  report: Report,
): readonly Placed[] {
  const out: Placed[] = []
  const seen: TakenIds = { earlier: rules.uniqueIds === 'turn' ? noIds : earlier, met: new Set() }
  for (let index = 0; index < list.length; ) {
    const placed = list[index] as Placed
    index += 1
    const { message, path } = placed
    if (message.role === 'tool' && message.results.length === 0) {
      report('message_empty', path, 'a message without results was left out')
      continue
    }
    if (message.role === 'tool' && rules.orphanResults === 'keep') {
      keepResults(out, message.results, placed)
      continue
    }
    if (message.role === 'tool') {
      pushIfAny(out, orphans(message.results, rules, path, report))
      continue
    }
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : []
    if (message.role !== 'assistant' || calls.length === 0) {
      out.push(placed)
      continue
    }
    if (rules.uniqueIds === 'turn') seen.met.clear()
    const next = list[index]
    if (next !== undefined && isAnswered(message, next.message, seen) && !hasMoreResults(list, index + 1)) {
      for (const call of calls) seen.met.add(call.id)
      out.push(placed, next)
      index += 1
      continue
    }
    const turn = uniqueIds(message, seen, path, report)
    const between: Placed[] = []
    const results: PlacedResult[] = []
    let source: ToolMessage | undefined
    for (; index < list.length; index += 1) {
      const next = list[index] as Placed
      if (next.message.role === 'assistant') break
      if (next.message.role !== 'tool') {
        between.push(next)
        continue
      }
      if (between.length > 0) report('result_moved', next.path, 'results were moved right behind the calls they answer')
      else if (source !== undefined) report('results_joined', next.path, 'all results of a turn stand in one message')
      source ??= next.message
      next.message.results.forEach((result, r) => {
        results.push({ result, path: at(at(next.path, 'results'), r), ordinal: results.length })
      })
    }
    const answer = answers(turn.message, turn.ids, results, path, report)
    out.push({ message: turn.message, path }, { message: keepSame(source, answer.results), path })
    const left = answer.left.map((item) => item.result)
    if (rules.orphanResults === 'keep') keepResults(out, left, placed)
    else pushIfAny(out, orphans(left, rules, path, report))
    hoist(out, rules, report)
    for (const item of between) out.push(item)
  }
  return out
}

/** Whether more results come before the next turn. */
function hasMoreResults(list: readonly Placed[], from: number): boolean {
  for (let index = from; index < list.length; index += 1) {
    const role = list[index]?.message.role
    if (role === 'tool') return true
    if (role === 'assistant') break
  }
  return false
}

/** Results of calls that the server remembers, in the tool message before them if there is one. */
function keepResults(out: Placed[], results: readonly ToolResult[], placed: Placed): void {
  if (results.length === 0) return
  const last = out.at(-1)
  if (last?.message.role !== 'tool') {
    out.push(placed.message.role === 'tool' ? placed : { message: { role: 'tool', results }, path: placed.path })
    return
  }
  const joined = last.joined ?? [...last.message.results]
  for (const result of results) joined.push(result)
  if (last.joined === undefined) {
    out[out.length - 1] = { ...last, message: { ...last.message, results: joined }, joined }
  }
}

function pushIfAny(out: Placed[], placed: Placed | undefined): void {
  if (placed !== undefined) out.push(placed)
}

/** The turn with every call id different from the ones seen, and the ids its calls had before. */
function uniqueIds(
  message: AssistantMessage,
  seen: TakenIds,
  path: string,
  report: Report,
): { message: AssistantMessage; ids: readonly string[] } {
  const ids: string[] = []
  let changed = false
  const content = message.content.map((part, index) => {
    if (!isCall(part)) return part
    ids.push(part.id)
    let id = part.id
    const count = seen.met.size + seen.earlier.size
    for (let copy = 1; id === '' || isTaken(id, seen); copy += 1)
      id = `call_${shortHash(`${part.id}#${copy}#${count}`)}`
    seen.met.add(id)
    if (id === part.id) return part
    changed = true
    report(
      'call_id_repeated',
      at(at(at(path, 'content'), index), 'id'),
      `the id "${part.id}" was already in use; it is now "${id}"`,
    )
    return { ...part, id }
  })
  return { message: changed ? { ...message, content } : message, ids }
}

interface PlacedResult {
  readonly result: ToolResult
  readonly path: string
  readonly ordinal: number
}

/** The results with one call id that no call has taken yet, from `next` on. */
interface ResultQueue {
  readonly items: PlacedResult[]
  next: number
}

/** One result per call, in call order; a call nobody answered gets a placeholder; `left` are results of no call. */
function answers(
  message: AssistantMessage,
  ids: readonly string[],
  results: readonly PlacedResult[],
  path: string,
  report: Report,
): { results: readonly ToolResult[]; left: readonly PlacedResult[] } {
  const waiting = new Map<string, ResultQueue>()
  for (const item of results) {
    const queue = waiting.get(item.result.callId)
    if (queue === undefined) waiting.set(item.result.callId, { items: [item], next: 0 })
    else queue.items.push(item)
  }
  const calls = message.content.filter(isCall)
  let last = -1
  const matched = calls.map((call, ordinal) => {
    const queue = waiting.get(ids[ordinal] ?? call.id) ?? waiting.get(call.id)
    const found = queue?.items[queue.next]
    if (queue === undefined || found === undefined) {
      report(
        'result_missing',
        path,
        `the call "${call.name}" (${call.id}) had no result; an error result was put in its place`,
      )
      return cancelled(call, unansweredText)
    }
    queue.next += 1
    const { result, ordinal: place } = found
    if (place < last) report('result_reordered', found.path, 'results were put in the order of their calls')
    last = Math.max(place, last)
    if (result.callId === call.id && result.name === call.name) return result
    if (result.name !== call.name) {
      report('result_renamed', at(found.path, 'name'), `the result "${result.callId}" answers a call of "${call.name}"`)
    }
    return { ...result, callId: call.id, name: call.name }
  })
  const known = new Set(ids)
  const left: PlacedResult[] = []
  for (const [id, { items, next }] of waiting) {
    for (const item of items.slice(next)) {
      if (known.has(id)) report('result_repeated', item.path, `a second result for the call "${id}" was left out`)
      else left.push(item)
    }
  }
  return { results: matched, left }
}

/** The tool message as it was when its results are the very same objects in the same order. */
function keepSame(source: ToolMessage | undefined, results: readonly ToolResult[]): ToolMessage {
  if (source === undefined) return { role: 'tool', results }
  const same =
    source.results.length === results.length && source.results.every((result, index) => result === results[index])
  return same ? source : { ...source, results }
}

/** Results that belong to no call, told as user text so that what they say is not lost. */
function orphans(results: readonly ToolResult[], rules: SealRules, path: string, report: Report): Placed | undefined {
  if (results.length === 0) return undefined
  const content: ResultPart[] = []
  for (const result of results) {
    report('result_orphaned', path, `the result "${result.callId}" answers no call; it was turned into user text`)
    const text = textOf(result.content)
    content.push({
      type: 'text',
      text: `[${result.isError ? 'Error' : 'Result'} of the tool "${result.name}"] ${text}`,
    })
    for (const part of result.content) if (part.type === 'image' || part.type === 'file') content.push(part)
  }
  return { message: cleanAgain({ role: 'user', content }, rules), path }
}

/** Moves what the last tool message cannot carry into a user turn behind it. */
function hoist(out: Placed[], rules: SealRules, report: Report): void {
  const last = out.findLastIndex((item) => item.message.role === 'tool')
  const { message, path } = out[last] as Placed
  if (message.role !== 'tool') return
  const moved: ResultPart[] = []
  const results = message.results.map((result) => {
    const place = result.isError ? 'error_result' : 'result'
    const stays = (part: ResultPart): boolean => {
      if (part.type === 'opaque') return !result.isError || rules.failedResults !== 'text'
      return part.type === 'text' || rules.carries(part, place)
    }
    if (result.content.every(stays)) return result
    const gone = result.content.filter((part) => !stays(part))
    report('media_hoisted', path, `parts of the result "${result.callId}" that are no text follow in a user message`)
    moved.push({ type: 'text', text: `[Attached by the tool "${result.name}"]` }, ...gone)
    return { ...result, content: result.content.filter(stays) }
  })
  if (moved.length === 0) return
  out[last] = { message: cleanAgain({ ...message, results }, rules), path } // texts may have become neighbours
  out.splice(last + 1, 0, { message: cleanAgain({ role: 'user', content: moved }, rules), path })
}

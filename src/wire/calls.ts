// The one place where streamed or whole calls become tool_call and broken_call events, on every wire.
// The trap: compatibles send indexes that are always 0 or missing, ids that are absent, empty or repeated, names again and
// again, and finished arguments a second time. Nothing is ever concatenated twice; every repair is a `loss` event.
import type { CompletionEvent } from '../conversation/events.js'
import type { AnyCall, BrokenReason, Extra, Opaque, Wire } from '../conversation/messages.js'
import type { FinishReason } from '../conversation/response.js'
import type { Limits } from '../frames/limits.js'
import { renameKeys } from '../json/spans.js'
import { mapBack } from '../schema/restrict/value-map.js'
import { inputArguments, readArguments } from './arguments.js'
import type { Exchange } from './codec.js'
import { answerIdOf, madeCallId } from './names.js'
import { addArguments, areWhole, type GrowingArguments } from './whole-arguments.js'

/** What one frame says of a call. `text` is a fragment of the arguments, or all of them where `whole` is set. */
export interface CallFragment {
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly text?: string | undefined
  /** The wire sends calls in one piece: this fragment starts a call and ends it. */
  readonly whole?: boolean
  /** `text` is all of the arguments, and the last word on them: it replaces what fragments of this index said before. */
  readonly final?: boolean
  /** `text` was cut out of JSON that is parsed already and is an object there: it need not be parsed again. */
  readonly isObject?: boolean
  /** `text` is free text, the input of a custom tool. */
  readonly isInput?: boolean
  readonly opaque?: Opaque | undefined
  readonly extra?: Extra | undefined
  /** The server said that this call is broken, or did not say which tool it means. */
  readonly broken?: BrokenReason | undefined
}

interface OpenCall extends GrowingArguments {
  readonly part: number
  readonly ordinal: number
  readonly index: number | undefined
  id: string
  name: string
  closed: boolean
  isObject: boolean
  isInput: boolean
  opaque?: Opaque
  extra?: Extra
  broken?: BrokenReason
}

export interface CallAssembler {
  /** Throws `limit_exceeded` if that many more calls are too many: before a long list of them is read. */
  checkLimit(more: number): void
  /** Takes a fragment; `part` is where a call that it opens will stand. Returns the events that are ready now. */
  push(fragment: CallFragment, part: number): readonly CompletionEvent[]
  /** All calls, in order, once the finish reason is known. `cut` says that the turn was cut inside its last part. */
  finish(reason: FinishReason, lastPart: number): readonly CompletionEvent[]
  /** How many calls were opened. No getter: an object that is made with one gets a shape of its own, which outlives it by far. */
  count(): number
}

export interface AssemblerOptions {
  readonly wire: Wire
  readonly exchange: Exchange
  readonly deltas: boolean
  /** The id of the answer, once known, from which missing call ids are made. */
  readonly responseId: () => string
  /** `push` throws `limit_exceeded` for a call beyond the limit, so that nothing behind it is read. */
  readonly limits?: Pick<Limits, 'calls'> | undefined
}

export function callAssembler(options: AssemblerOptions): CallAssembler {
  const limit = options.limits?.calls
  const calls: OpenCall[] = []
  /** The latest call with each id and with each index. */
  const byId = new Map<string, OpenCall>()
  const byIndex = new Map<number | undefined, OpenCall>()
  const events: CompletionEvent[] = []

  const report = (code: string, message: string): void => {
    events.push({
      type: 'loss',
      loss: { code, wire: options.wire, path: '/toolCalls', kind: 'repaired', message },
    })
  }

  const checkLimit = (more: number): void => {
    const count = calls.length + more
    if (limit !== undefined && count > limit.count) throw limit.exceeded(count)
  }

  const open = (fragment: CallFragment, part: number): OpenCall => {
    const ordinal = calls.length
    checkLimit(1)
    const call: OpenCall = {
      part,
      ordinal,
      index: fragment.index,
      id: '',
      name: '',
      text: '',
      closed: false,
      isObject: false,
      isInput: false,
    }
    const wanted = fragment.id ?? ''
    if (wanted === '' || byId.has(wanted)) {
      call.id = madeCallId(answerIdOf(options.responseId(), options.exchange), ordinal)
      if (wanted === '') report('call_id_missing', `a call came without an id; it is now "${call.id}"`)
      else report('call_id_repeated', `the id "${wanted}" came twice; the second call is now "${call.id}"`)
    } else {
      call.id = wanted
    }
    calls.push(call)
    byId.set(call.id, call)
    byIndex.set(call.index, call)
    return call
  }

  const add = (call: OpenCall, fragment: CallFragment): void => {
    if (call.name === '' && fragment.name) call.name = options.exchange.names?.get(fragment.name) ?? fragment.name
    if (fragment.opaque !== undefined) call.opaque = fragment.opaque
    if (fragment.extra !== undefined) {
      call.extra = call.extra === undefined ? fragment.extra : { ...call.extra, ...fragment.extra }
    }
    if (fragment.broken !== undefined) call.broken = fragment.broken
    if (fragment.isInput) call.isInput = true
    const text = fragment.final ? takeFinal(call, fragment.text ?? '') : (fragment.text ?? '')
    if (text !== '' && call.text !== '' && !call.isInput && repeatsAll(call, text)) {
      report('arguments_repeated', `the arguments of "${call.name}" came twice; the second copy was left out`)
      return
    }
    addArguments(call, text)
    // Free text is no fragment of an object: such a call is only shown whole.
    const grows = options.deltas && !call.isInput && call.broken === undefined && !isMapped(call.name, options.exchange)
    if (grows && (text !== '' || fragment.name)) {
      const delta = { type: 'tool_call_delta', part: call.part, id: call.id, name: call.name, text } as const
      events.push(fragment.name && call.opaque !== undefined ? { ...delta, opaque: call.opaque } : delta)
    }
  }

  /** What a final text adds to the fragments; a text that contradicts them takes their place. */
  const takeFinal = (call: OpenCall, text: string): string => {
    if (text.startsWith(call.text)) return text.slice(call.text.length)
    report(
      'arguments_replaced',
      `the arguments of "${call.name}" were sent again, and differently; the last ones count`,
    )
    call.text = text
    call.end = undefined
    call.parsed = undefined
    return ''
  }

  return {
    checkLimit,
    count: () => calls.length,
    push(fragment, part) {
      events.length = 0
      const target = fragment.final
        ? byIndex.get(fragment.index)
        : fragment.whole
          ? undefined
          : findOpen({ last: calls.at(-1), byId, byIndex }, fragment, report)
      const call = target ?? open(fragment, part)
      add(call, fragment)
      if (fragment.whole) call.closed = true
      if (fragment.whole && fragment.isObject) call.isObject = true
      return events.length === 0 ? none : [...events]
    },
    finish(reason, lastPart) {
      return calls.map((call) => {
        const cut = reason === 'length' && call.part === lastPart
        return completed(call, cut, options.exchange)
      })
    },
  }
}

const none: readonly CompletionEvent[] = []

/** Fragments cannot be mapped back: a call of a tool whose keys or values are mapped is only shown whole. */
function isMapped(name: string, { keys, maps }: Exchange): boolean {
  return keys?.has(name) === true || maps?.has(name) === true
}

interface KnownCalls {
  readonly last: OpenCall | undefined
  readonly byId: ReadonlyMap<string, OpenCall>
  readonly byIndex: ReadonlyMap<number | undefined, OpenCall>
}

/** The call a fragment continues, by id, else by index, else the open one; nothing when it starts a call. */
function findOpen(
  { last, byId, byIndex }: KnownCalls,
  fragment: CallFragment,
  report: (code: string, message: string) => void,
): OpenCall | undefined {
  if (last === undefined) return undefined
  const { id, index, name } = fragment
  if (id) {
    const same = byId.get(id)
    if (same !== undefined) return continues(same, fragment) ? same : undefined
    const placed = index === undefined ? undefined : byIndex.get(index)
    if (placed === undefined || name || areWhole(placed)) return undefined
    report('call_id_changed', `the id of a running call changed from "${placed.id}" to "${id}"; the first one counts`)
    return placed
  }
  const placed = index === undefined ? undefined : byIndex.get(index)
  if (placed !== undefined) return continues(placed, fragment) ? placed : undefined
  if (!name) {
    if (index !== undefined)
      report('call_index_changed', `a fragment named the unknown index ${index}; it was added to the open call`)
    return last
  }
  return index === undefined && last.index === undefined && last.name === name && continues(last, fragment)
    ? last
    : undefined
}

/** Whether a fragment that names a known call goes on with it, or is a new call under the same id or index. */
function continues(call: OpenCall, fragment: CallFragment): boolean {
  if (fragment.index !== undefined && call.index !== undefined && fragment.index !== call.index && fragment.name)
    return false
  if (!fragment.name) return true
  if (call.name !== '' && fragment.name !== call.name) return false
  const text = fragment.text ?? ''
  if (call.text === '' || text === '') return fragment.id !== undefined || text === '' || !areWhole(call)
  return !areWhole(call) || text.trim() === call.text.trim()
}

function repeatsAll(call: OpenCall, text: string): boolean {
  return (
    text.length >= call.text.length &&
    text.charCodeAt(0) === 123 &&
    text.trim() === call.text.trim() &&
    readArguments(text) === 'object'
  )
}

/** The call as it may be run, or as broken, with the reason. Blank arguments are `{}`. */
function completed(call: OpenCall, cut: boolean, exchange: Exchange): CompletionEvent {
  const blank = !call.isInput && call.text.trim() === ''
  const text = blank ? '{}' : call.isInput ? inputArguments(call.text) : call.text
  const state = blank || call.isObject || call.isInput ? 'object' : readArguments(text)
  const carried = {
    ...(call.opaque === undefined ? {} : { opaque: call.opaque }),
    ...(call.extra === undefined ? {} : { extra: call.extra }),
  }
  const reason = call.broken ?? brokenReason(call, state, cut)
  const { id, name } = call
  if (reason !== undefined) {
    const broken: AnyCall = { type: 'broken_call', id, name, arguments: call.text, reason, ...carried }
    return { type: 'broken_call', part: call.part, call: broken }
  }
  const keys = exchange.keys?.get(name)
  const mapping = exchange.maps?.get(name)
  const spelt = keys === undefined ? text : renameKeys(text, keys)
  const args = mapping === undefined ? spelt : mapBack(spelt, mapping)
  return { type: 'tool_call', part: call.part, call: { type: 'tool_call', id, name, arguments: args, ...carried } }
}

function brokenReason(call: OpenCall, state: ReturnType<typeof readArguments>, cut: boolean): BrokenReason | undefined {
  if (cut) return 'truncated'
  if (call.name === '') return 'no_name'
  return state === 'object' ? undefined : state
}

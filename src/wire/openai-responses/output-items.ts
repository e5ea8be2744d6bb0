// The items of an answer that is being read: which item an event speaks of, and where its parts stand.
// The trap: indexes may be missing, repeated or absurd, and ids may change from event to event; an item is found by its id when
// that is known, else by its index, and its place never changes.
import type { Origin } from '../../conversation/messages.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { CallAssembler } from '../calls.js'
import type { Exchange } from '../codec.js'
import { type DeclaredTools, isProviderCall } from './provider-calls.js'

/** Parts one message item may have; items are this far apart, so that late parts of an item still find their place. */
const stride = 64
/** Output indexes beyond this are not believed: positions would become a way to fill memory. */
const maxIndex = 4096

type Kind = 'message' | 'reasoning' | 'function_call' | 'other'

export interface Item {
  readonly ordinal: number
  readonly part: number
  readonly kind: Kind
  /** The output index it was met with. */
  readonly index: Json | undefined
  id: string
  /** The item as it was announced. */
  announced: JsonObject | undefined
  /** The text given so far, by content index; that of reasoning is the first. */
  readonly sent: string[]
  /** Which list of a reasoning item is shown, and the section it has reached. */
  shows: string
  section: number
  isDone: boolean
  /** The status it was done with. */
  status: Json | undefined
}

export interface State {
  readonly origin: Origin
  readonly exchange: Exchange
  readonly calls: CallAssembler
  readonly tools: DeclaredTools
  readonly byOrdinal: Map<number, Item>
  readonly byIndex: Map<Json | undefined, Item>
  readonly byId: Map<Json | undefined, Item>
  last: Item | undefined
  /** The id of the answer, once it has started. */
  id: string | undefined
  /** The first place behind all items so far. */
  next: number
  lastPart: number
  refused: boolean
  ended: boolean
}

/** Where a content part stands within its item. */
export function slotOf(index: Json | undefined): number {
  return typeof index === 'number' && index > 0 ? Math.min(Math.trunc(index), stride - 1) : 0
}

/** Notes that a part was reached: only the last one can have been cut. */
export function reach(state: State, part: number): void {
  if (part > state.lastPart) state.lastPart = part
}

/** The item an event speaks of, announced or not. Nearly always it is the one of the event before. */
export function find(state: State, event: JsonObject, kind: Kind): Item {
  const { last } = state
  const { item_id: id, output_index: index } = event
  if (last !== undefined && last.id === id && last.index === index && last.kind === kind && last.id !== '') return last
  const item = known(state, id, index, kind) ?? lastOpen(state, index, kind) ?? open(state, kind, id, index)
  state.last = item
  if (typeof id === 'string' && id !== '') item.id = id
  return item
}

/**
 * The item at this index when it has this id too; else the one with the id, since indexes repeat; else the one at the index.
 * quirk(bedrock): events of one item have several ids, one of which may be that of another item
 */
function known(state: State, id: Json | undefined, index: Json | undefined, kind: Kind): Item | undefined {
  const placed = state.byIndex.get(index)
  if (placed?.kind === kind && placed.id === id) return placed
  const named = state.byId.get(id)
  if (named?.kind === kind) return named
  return placed?.kind === kind ? placed : undefined
}

/** An event without an index and with an unknown id continues the item before it. */
function lastOpen({ last }: State, index: Json | undefined, kind: Kind): Item | undefined {
  return !isPlace(index) && last?.kind === kind && !last.isDone ? last : undefined
}

function open(state: State, kind: Kind, id: Json | undefined, index: Json | undefined): Item {
  const isFree = isPlace(index) && !state.byOrdinal.has(index)
  const ordinal = isFree ? index : state.next
  state.next = Math.max(state.next, ordinal + 1)
  const item: Item = {
    ordinal,
    part: ordinal * stride,
    kind,
    index,
    id: typeof id === 'string' ? id : '',
    announced: undefined,
    sent: [],
    shows: '',
    section: 0,
    isDone: false,
    status: undefined,
  }
  state.byOrdinal.set(ordinal, item)
  state.byIndex.set(index, item)
  if (item.id !== '') state.byId.set(item.id, item)
  return item
}

function isPlace(index: Json | undefined): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < maxIndex
}

function kindOf(state: State, item: JsonObject): Kind {
  const { type } = item
  if (type === 'custom_tool_call') return isProviderCall(item, state.tools) ? 'other' : 'function_call'
  return type === 'message' || type === 'reasoning' || type === 'function_call' ? type : 'other'
}

/** Whether an announcement is the first of its item, or says the same again. */
function mayBe(before: JsonObject | undefined, now: JsonObject): boolean {
  return before === undefined || (before.id === now.id && before.call_id === now.call_id && now.id !== undefined)
}

/** The item that a whole item ends. Its id may be new, and that of an item which stands elsewhere. */
export function findDone(state: State, item: JsonObject, index: Json | undefined): Item {
  const kind = kindOf(state, item)
  const placed = state.byIndex.get(index)
  const isOpenHere = isPlace(index) && placed?.kind === kind && !placed.isDone
  if (isOpenHere && state.byId.get(item.id)?.index !== index) {
    if (typeof item.id === 'string') placed.id = item.id
    return placed
  }
  return known(state, item.id, index, kind) ?? lastOpen(state, index, kind) ?? open(state, kind, item.id, index)
}

/**
 * The item for each place of the whole answer: by place and id, else by id, else by place, else the next one of its kind, since ids and
 * places may both differ from those in the stream. No item is taken twice, since ids repeat; one that was not streamed is new.
 */
export function findFinal(state: State, output: readonly JsonObject[]): readonly Item[] {
  const found: (Item | undefined)[] = output.map(() => undefined)
  const claimed = new Set<Item>()
  const claim = (search: (item: JsonObject, place: number) => Item | undefined): void => {
    output.forEach((item, place) => {
      if (found[place] !== undefined) return
      const match = search(item, place)
      if (match?.kind !== kindOf(state, item) || claimed.has(match)) return
      claimed.add(match)
      found[place] = match
    })
  }
  claim(({ id }, place) => (state.byOrdinal.get(place)?.id === id ? state.byOrdinal.get(place) : undefined))
  claim(({ id }) => state.byId.get(id))
  claim((_, place) => state.byOrdinal.get(place))
  const left = new Map<Json | undefined, Item[]>()
  for (const item of [...state.byOrdinal.values()].toReversed()) {
    if (claimed.has(item)) continue
    const key = likenessOf(item.kind, item.announced)
    const same = left.get(key)
    if (same === undefined) left.set(key, [item])
    else same.push(item)
  }
  claim((item) => left.get(likenessOf(kindOf(state, item), item))?.pop())
  return output.map((item, place) => found[place] ?? open(state, kindOf(state, item), item.id, place))
}

/** What two items have in common that are the same under different ids: a call has its call id, texts have their order. */
function likenessOf(kind: Kind, item: JsonObject | undefined): Json | undefined {
  return kind === 'message' || kind === 'reasoning' ? kind : item?.call_id
}

/** The item that is announced: a new one, or one that an event spoke of before. */
export function itemFor(state: State, announced: JsonObject, index: Json | undefined): Item {
  const kind = kindOf(state, announced)
  const before = isPlace(index) ? state.byIndex.get(index) : state.byId.get(announced.id)
  const isSame = before !== undefined && before.kind === kind && !before.isDone && mayBe(before.announced, announced)
  return isSame ? before : open(state, kind, announced.id, index)
}

// The messages of a request as items of JSON. A history that grows is written once: only its new end is looked at again.
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import { type SettledPart, settledLength, settledParts } from '../conversation/settled.js'
import { utf8 } from '../frames/body.js'
import { type HistoryItems, joinItems } from './pieces.js'

/**
 * Writes the messages from `from` up to `to` into `items` and `losses`. `count` is what a wire counts on the way (calls, say):
 * given as it stood at `from`, returned as it stands at `to`. Both bounds are ends of the list or stand before an assistant's turn.
 */
export type WriteMessages = (from: number, to: number, count: number, items: string[], losses: Loss[]) => number

/** A beginning as it was written: the first `size` bytes of a store. */
interface Written extends SettledPart {
  readonly store: Store
  readonly size: number
  readonly losses: readonly Loss[]
  readonly count: number
}
/** Bytes that only ever grow at their end, so that every beginning that was given out stays as it is. */
interface Store {
  readonly bytes: Uint8Array
  used: number
}
const written = settledParts<Written>()
const nothing = { length: 0, store: { bytes: new Uint8Array(0), used: 0 }, size: 0, losses: [], count: 0 } as const

/** All items of the messages. `key` names everything besides the messages that the bytes depend on. */
export function historyItems(
  messages: readonly Message[],
  key: string,
  losses: Loss[],
  write: WriteMessages,
): HistoryItems {
  const known = written.find(messages, () => key)
  const settled = newlySettled(messages, key, known ?? nothing, write) ?? known
  const items: string[] = []
  const { length, size, count } = settled ?? nothing
  if (settled !== undefined) for (const loss of settled.losses) losses.push(loss)
  write(length, messages.length, count, items, losses)
  const text = joinItems(items)
  if (settled === undefined || size === 0) return { settled: undefined, text }
  return { settled: settled.store.bytes.subarray(0, size), text: text === '' ? '' : `,${text}` }
}

/** What is settled now and was not before, kept for the next time; nothing when there is no more of it. */
function newlySettled(
  messages: readonly Message[],
  key: string,
  known: Omit<Written, 'key' | 'messages'>,
  write: WriteMessages,
): Written | undefined {
  const length = settledLength(messages, known.length)
  if (length === undefined) return undefined
  const items: string[] = []
  const losses = [...known.losses]
  const count = write(known.length, length, known.count, items, losses)
  const comma = known.size === 0 || items.length === 0 ? '' : ','
  const store = appended(known.store, known.size, utf8(comma + joinItems(items)))
  const part = { key, messages, length, store, size: store.used, losses, count }
  written.keep(part)
  return part
}

/** A store that holds `size` bytes of the given one and `more` behind them: the same where nothing else stands there yet. */
function appended(store: Store, size: number, more: Uint8Array): Store {
  if (size === 0) return { bytes: more, used: more.length }
  const used = size + more.length
  const fits = store.used === size && used <= store.bytes.length
  const next = fits ? store : { bytes: new Uint8Array(used * 2), used }
  if (!fits) next.bytes.set(store.bytes.subarray(0, size))
  next.bytes.set(more, size)
  next.used = used
  return next
}

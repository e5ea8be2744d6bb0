// The messages of a request as items of bytes. A history that grows is written once: only its new end is looked at again.
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import { type SettledPart, settledLength, settledParts } from '../conversation/settled.js'

/**
 * Writes the messages from `from` up to `to` into `items` and `losses`. `count` is what a wire counts on the way (calls, say):
 * given as it stood at `from`, returned as it stands at `to`. Both bounds are ends of the list or stand before an assistant's turn.
 */
export type WriteMessages = (from: number, to: number, count: number, items: Uint8Array[], losses: Loss[]) => number

/** A beginning as it was written. */
interface Written extends SettledPart {
  readonly items: readonly Uint8Array[]
  readonly losses: readonly Loss[]
  readonly count: number
}
const written = settledParts<Written>()
const nothing = { length: 0, items: [], losses: [], count: 0 } as const

/** All items of the messages. `key` names everything besides the messages that the bytes depend on. */
export function historyItems(
  messages: readonly Message[],
  key: string,
  losses: Loss[],
  write: WriteMessages,
): readonly Uint8Array[] {
  const known = written.find(messages, key) ?? nothing
  const settled = settledLength(messages, known.length)
  const items = [...known.items]
  const found = [...known.losses]
  let from: number = known.length
  let { count } = known
  if (settled !== undefined) {
    count = write(from, settled, count, items, found)
    from = settled
    written.keep({ key, messages, length: settled, items: [...items], losses: [...found], count })
  }
  write(from, messages.length, count, items, found)
  for (const loss of found) losses.push(loss)
  return items
}

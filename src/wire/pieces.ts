// The nodes of a request as JSON text. A node the library froze is written once per reader.
import { memoOf } from '../conversation/freeze.js'
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import type { Body } from '../frames/body.js'

/** One canonical node as JSON text of a wire (one value, or several joined by commas). Paths of `losses` are relative to the node. */
export interface Piece {
  readonly text: string
  readonly losses: readonly Loss[]
}

/** `make(node)`, remembered for nodes that can no longer change. `key` names everything else the text depends on. */
export function cachedPiece<T extends object, P extends Piece>(node: T, key: string, make: (node: T) => P): P {
  const memo = memoOf(node)
  const known = memo?.get<P>(key)
  if (known !== undefined) return known
  const piece = make(node)
  memo?.set(key, piece)
  return piece
}

/** The text of a sealed message that is one plain text and nothing else, as most of them are; nothing for any other. */
export function loneText(message: Message): string | undefined {
  if (message.role === 'tool' || message.extra !== undefined || message.content.length !== 1) return undefined
  const [part] = message.content
  if (part?.type !== 'text' || part.extra !== undefined || part.opaque !== undefined) return undefined
  return part.text === '' ? undefined : part.text
}

/** Such a message: written alike, and without a loss, on every wire whose messages have a role and content. */
export function plainMessage(message: Message): Piece | undefined {
  const text = loneText(message)
  if (text === undefined) return undefined
  return { text: `{"role":"${message.role}","content":${JSON.stringify(text)}}`, losses: noLosses }
}

export const noLosses: readonly Loss[] = []

interface Moved {
  readonly path: string
  readonly losses: readonly Loss[]
}

/** Where the losses of a piece were last wanted: mostly at the same place again. */
const lastMoved = new WeakMap<readonly Loss[], Moved>()

/** The losses of a piece, moved to where its node stands. */
export function relocate(losses: readonly Loss[], path: string, into: Loss[]): void {
  let last = lastMoved.get(losses)
  if (last?.path !== path) {
    last = { path, losses: losses.map((loss) => Object.freeze(moved(loss, path))) } // shared by all who ask
    lastMoved.set(losses, last)
  }
  for (const loss of last.losses) into.push(loss)
}

function moved({ code, wire, path: place, kind, to, message }: Loss, path: string): Loss {
  const there = path + place
  return to === undefined ? { code, wire, path: there, kind, message } : { code, wire, path: there, kind, to, message }
}

/** The messages of a request, items with commas between them: the bytes of those that were written before, and the text of the rest. */
export interface HistoryItems {
  readonly settled: Uint8Array | undefined
  readonly text: string
}

/** Texts with commas between them, as a rope: it is copied once, when it is sent. */
export function joinItems(items: readonly string[]): string {
  let text = items[0] ?? ''
  for (let index = 1; index < items.length; index += 1) text += `,${items[index]}`
  return text
}

/** `{…fields,"tools":[item,item],"messages":[item,item]}`. Without tools that member is left out. */
export function requestBodyOf(
  fields: string,
  tools: { readonly key: string; readonly items: readonly string[] },
  history: { readonly key: string; readonly items: HistoryItems },
): Body {
  const list = tools.items.length === 0 ? '' : `"${tools.key}":[${joinItems(tools.items)}],`
  const head = `${fields.slice(0, -1)}${fields === '{}' ? '' : ','}${list}"${history.key}":[`
  const { settled, text } = history.items
  return settled === undefined ? [`${head}${text}]}`] : [head, settled, `${text}]}`]
}

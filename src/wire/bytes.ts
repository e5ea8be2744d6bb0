// Request bodies as concatenated bytes. A message the library froze is encoded once per reader and then only copied.
import { memoOf } from '../conversation/freeze.js'
import type { Loss } from '../conversation/losses.js'

/** One canonical node as JSON bytes of a wire (one value, or several joined by commas). Paths of `losses` are relative to the node. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly losses: readonly Loss[]
}

const encoder = new TextEncoder()
/** Made once: one stands between every two pieces, and encoding costs more than copying. */
const comma = encoder.encode(',')
/** Bytes that are all written before they are read: Node can leave out filling them with zeros first. */
const { Buffer: NodeBuffer } = globalThis as {
  readonly Buffer?: { allocUnsafeSlow(length: number): Uint8Array }
}
/** Below this size the call costs more than the zeros. */
const largeBody = 32_768
const allocate = (length: number): Uint8Array =>
  (length < largeBody ? undefined : NodeBuffer?.allocUnsafeSlow(length)) ?? new Uint8Array(length)

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** `make(node)`, remembered for nodes that can no longer change. `key` names everything else the bytes depend on. */
export function cachedPiece<T extends object, P extends Piece>(node: T, key: string, make: (node: T) => P): P {
  const memo = memoOf(node)
  const known = memo?.get<P>(key)
  if (known !== undefined) return known
  const piece = make(node)
  memo?.set(key, piece)
  return piece
}

/** The losses of a piece, moved to where its node stands. */
export function relocate(losses: readonly Loss[], path: string, into: Loss[]): void {
  for (const loss of losses) into.push({ ...loss, path: path + loss.path })
}

/** Pieces and text in a row, as one array of bytes. */
export function concat(chunks: readonly (Uint8Array | string)[]): Uint8Array {
  const parts = chunks.map((chunk) => (chunk === ',' ? comma : typeof chunk === 'string' ? utf8(chunk) : chunk))
  let length = 0
  for (const part of parts) length += part.length
  const body = allocate(length)
  let offset = 0
  for (const part of parts) {
    body.set(part, offset)
    offset += part.length
  }
  return body
}

/**
 * `{…fields,"tools":[item,item],"messages":[item,item]}`: an object's JSON text with members more, lists whose items are bytes
 * already. A list without items is left out, but for the last, which is the history.
 */
export function bodyWithLists(
  fields: string,
  lists: readonly (readonly [key: string, items: readonly Uint8Array[]])[],
): Uint8Array {
  let body = utf8(fields.slice(0, -1))
  let isEmpty = fields === '{}'
  lists.forEach(([key, items], index) => {
    const isLast = index === lists.length - 1
    if (items.length === 0 && !isLast) return
    const head = concat([body, `${isEmpty ? '' : ','}${JSON.stringify(key)}:[`])
    body = listBytes(head, items, isLast ? ']}' : ']')
    isEmpty = false
  })
  return body
}

/** A list that was joined before, in a buffer of its own. A history that grows is copied in one go up to where it grew. */
interface Joined {
  items: readonly Uint8Array[]
  buffer: Uint8Array
}
/** By the second item, which is the first that two conversations with the same system text do not share. */
const lists = new WeakMap<Uint8Array, Joined>()
const shortList = 8

/** Items with a comma between every two, behind a head and before a tail. */
export function listBytes(head: Uint8Array, items: readonly Uint8Array[], tail: string): Uint8Array {
  const end = utf8(tail)
  const length = joinedLength(items)
  const body = allocate(head.length + length + end.length)
  body.set(head)
  body.set(end, head.length + length)
  const key = items.length < shortList ? undefined : items[1]
  const known = key === undefined ? undefined : lists.get(key)
  if (known === undefined) {
    join(items, 0, body, head.length)
    // Remembered from the second time on: most lists are written once.
    if (key !== undefined) lists.set(key, { items: [], buffer: new Uint8Array(0) })
    return body
  }
  let same = 0
  let offset = 0
  while (same < known.items.length && known.items[same] === items[same]) {
    offset += (items[same] as Uint8Array).length + (same > 0 ? 1 : 0)
    same += 1
  }
  if (known.buffer.length < length) {
    const grown = allocate(length * 2)
    grown.set(known.buffer.subarray(0, offset))
    known.buffer = grown
  }
  join(items, same, known.buffer, offset)
  known.items = items
  body.set(known.buffer.subarray(0, length), head.length)
  return body
}

function joinedLength(items: readonly Uint8Array[]): number {
  let length = Math.max(0, items.length - 1)
  for (let index = 0; index < items.length; index += 1) length += (items[index] as Uint8Array).length
  return length
}

/** Writes the items from `first` on, each but the very first behind a comma. */
function join(items: readonly Uint8Array[], first: number, into: Uint8Array, start: number): void {
  let offset = start
  for (let index = first; index < items.length; index += 1) {
    if (index > 0) {
      into[offset] = 44
      offset += 1
    }
    into.set(items[index] as Uint8Array, offset)
    offset += (items[index] as Uint8Array).length
  }
}

/** A body as text, whichever way it came. */
export function bodyText(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

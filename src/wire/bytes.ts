// Request bodies as concatenated bytes. A message the library froze is encoded once per reader and then only copied.
import { isFrozen } from '../conversation/freeze.js'
import type { Loss } from '../conversation/losses.js'

/** One canonical node as JSON bytes of a wire (one value, or several joined by commas). Paths of `losses` are relative to the node. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly losses: readonly Loss[]
}

const encoder = new TextEncoder()
const caches = new WeakMap<object, Map<string, Piece>>()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** `make(node)`, remembered for nodes that can no longer change. `key` names everything else the bytes depend on. */
export function cachedPiece<T extends object, P extends Piece>(node: T, key: string, make: (node: T) => P): P {
  if (!isFrozen(node)) return make(node)
  let pieces = caches.get(node)
  if (pieces === undefined) {
    pieces = new Map()
    caches.set(node, pieces)
  }
  const known = pieces.get(key)
  if (known !== undefined) return known as P
  const piece = make(node)
  pieces.set(key, piece)
  return piece
}

/** The losses of a piece, moved to where its node stands. */
export function relocate(losses: readonly Loss[], path: string, into: Loss[]): void {
  for (const loss of losses) into.push({ ...loss, path: path + loss.path })
}

/** Pieces and text in a row, as one array of bytes. */
export function concat(chunks: readonly (Uint8Array | string)[]): Uint8Array {
  const parts = chunks.map((chunk) => (typeof chunk === 'string' ? utf8(chunk) : chunk))
  let length = 0
  for (const part of parts) length += part.length
  const body = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    body.set(part, offset)
    offset += part.length
  }
  return body
}

/** `{…fields,"key":[item,item]}`: an object's JSON text with one more member, a list whose items are bytes already. */
export function bodyWithList(fields: string, key: string, items: readonly Uint8Array[], tail = ''): Uint8Array {
  const chunks: (Uint8Array | string)[] = [
    fields === '{}' ? '{' : `${fields.slice(0, -1)},`,
    `${JSON.stringify(key)}:[`,
  ]
  items.forEach((item, index) => {
    if (index > 0) chunks.push(',')
    chunks.push(item)
  })
  chunks.push(`]${tail}}`)
  return concat(chunks)
}

/** A body as text, whichever way it came. */
export function bodyText(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

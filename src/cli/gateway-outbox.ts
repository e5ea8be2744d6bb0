// The bytes of a request on their way out, in memory that later requests use again: the runtime counts what it cannot see, and with
// new memory for each request it collects all it holds every few hundred. The trap: memory comes back only when it was sent.
import { type Body, bodyPieces } from '../frames/body.js'

/** Node hands out memory for smaller ones, many at once. */
const leastBytes = 4 * 1024
const mostBytes = 128 * 1024
/** So much of one size is kept for later. */
const maxFree = 16

/** Memory that nothing reads, by its length, a power of two. */
const free = new Map<number, ArrayBuffer[]>()

/** The whole body, written once. Text alone is joined before: one long text takes less time than many short ones. */
export function filled(body: Body): Buffer {
  const given = bodyPieces(body)
  const pieces = given.every((piece) => typeof piece === 'string') ? [given.join('')] : given
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const bytes = room(length)
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at)
    else {
      bytes.set(piece, at)
      at += piece.length
    }
  }
  return bytes
}

/** For bytes that were sent and are read by nobody from now on. Those that never come back are collected. */
export function giveBack({ buffer, length }: Buffer): void {
  if (!isKept(length)) return
  const kept = free.get(buffer.byteLength) ?? []
  free.set(buffer.byteLength, kept)
  if (kept.length < maxFree) kept.push(buffer as ArrayBuffer)
}

function room(length: number): Buffer {
  if (!isKept(length)) return Buffer.allocUnsafe(length)
  const size = 2 ** (32 - Math.clz32(length - 1))
  return Buffer.from(free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size).buffer, 0, length)
}

function isKept(length: number): boolean {
  return length >= leastBytes && length <= mostBytes
}

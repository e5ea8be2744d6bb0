// Joins the chunks of an answer that were read together, before Node's parser gets them: it makes a buffer and a call of each, and
// providers send one for every few letters. The parser stays the judge: it gets the same body in fewer chunks, and whatever is no
// plain chunk as it came. The trap: where a chunk begins must be known for sure, so an answer in doubt is left alone.
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const carriageReturn = 13
const lineFeed = 10
/** More digits would be no size that fits into memory. */
const maxDigits = 7
const nothing = Buffer.alloc(0)

const joiners = new WeakMap<Socket, ChunkJoiner>()

/** The socket, with a joiner between what it reads and who listens to it. */
export function joining<S extends Duplex | null | undefined>(socket: S): S {
  if (!(socket instanceof Socket)) return socket
  const joiner = new ChunkJoiner()
  const push = socket.push.bind(socket)
  socket.push = (read: Buffer | null) => joiner.pass(read, push)
  joiners.set(socket, joiner)
  return socket
}

/** To be called for an answer in chunks while its head is read. */
export function joinChunks(socket: Socket): void {
  joiners.get(socket)?.follow()
}

/** Where the bodies of chunks that are whole begin and end in a piece; one list for all, as nobody needs it for longer. */
const bodies: number[] = []

class ChunkJoiner {
  /** The piece that is being read. */
  #current: Buffer | undefined
  #isFollowing = false
  /** How many bytes there are up to the head of the next chunk. */
  #left = 0
  /** The beginning of a head that is not whole. */
  #held: Buffer = nothing
  /** It is with the parser already. */
  #isHeldPassed = false

  pass(read: Buffer | null, push: (read: Buffer | null) => boolean): boolean {
    if (this.#isFollowing && read !== null) {
      const passed = this.#join(this.#held.length === 0 ? read : Buffer.concat([this.#held, read]), read)
      return passed.length === 0 || push(passed)
    }
    this.#current = read ?? undefined
    const isMoreWanted = push(read)
    this.#current = undefined
    return isMoreWanted
  }

  /** Follows an answer whose head stands whole at the start of the piece; what else is in it has been passed on. */
  follow(): void {
    const bytes = this.#current ?? nothing
    const end = bytes.indexOf('\r\n\r\n')
    const isSure = end > 0 && bytes.toString('latin1', 0, 7) === 'HTTP/1.' && !bytes.subarray(0, end).includes('\n\n')
    this.#isFollowing = isSure
    if (isSure) this.#walk(bytes, end + 4)
    this.#isHeldPassed = this.#held.length > 0
  }

  /** The same body in fewer chunks. `bytes` are what was read, behind what is held. */
  #join(bytes: Buffer, read: Buffer): Buffer {
    const from = this.#left
    if (from >= bytes.length) {
      this.#left = from - bytes.length
      return bytes
    }
    this.#walk(bytes, from)
    if (this.#isHeldPassed) {
      this.#isHeldPassed = this.#held.length > 0
      return read
    }
    return bytes.subarray(bodies.length > 2 ? joinBodies(bytes, from) : 0, bytes.length - this.#held.length)
  }

  /** Lists the whole chunks from here on, and learns where the next one begins, if another plain one does. */
  #walk(bytes: Buffer, from: number): void {
    const { length } = bytes
    this.#held = nothing
    this.#left = 0
    bodies.length = 0
    let at = from
    while (at < length) {
      let start = at
      let size = 0
      for (let digit = digitOf(bytes, start); digit >= 0; digit = digitOf(bytes, start)) {
        size = size * 16 + digit
        start += 1
      }
      const isPlain =
        start - at <= maxDigits &&
        (start === length || bytes[start] === carriageReturn) &&
        (start + 1 >= length || bytes[start + 1] === lineFeed)
      if (isPlain && start + 1 >= length) {
        this.#held = bytes.subarray(at)
        return
      }
      if (!isPlain || size === 0) {
        this.#isFollowing = false
        return
      }
      start += 2
      at = start + size + 2
      if (at > length) break
      if (bytes[at - 2] !== carriageReturn || bytes[at - 1] !== lineFeed) {
        this.#isFollowing = false
        return
      }
      bodies.push(start, start + size)
    }
    this.#left = at - length
  }
}

/** The value of a hexadecimal digit, or -1. */
function digitOf(bytes: Buffer, at: number): number {
  const code = bytes[at] ?? 0
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Moves the listed bodies to the last of them, under one head, and what is before them to that. Returns where it all begins now. */
function joinBodies(bytes: Buffer, from: number): number {
  const last = bodies.length - 2
  const end = bodies[last + 1] ?? 0
  let start = bodies[last] ?? 0
  for (let index = last - 2; index >= 0; index -= 2) {
    const begin = bodies[index] ?? 0
    const finish = bodies[index + 1] ?? 0
    start -= finish - begin
    bytes.copyWithin(start, begin, finish)
  }
  const head = `${(end - start).toString(16)}\r\n`
  start -= head.length
  bytes.write(head, start, 'latin1')
  bytes.copyWithin(start - from, 0, from)
  return start - from
}

// HTTP/1.1 as a client speaks it: the head of a request, the head of an answer, and where the answer's body ends.
// The trap: an answer that two readers could read differently (two lengths, folded lines, bare line ends) is refused.
import { ToolwireError } from '../errors/error.js'

/** How the end of a body is known. */
export type Framing =
  | { readonly type: 'length'; readonly bytes: number }
  | { readonly type: 'chunked' }
  | { readonly type: 'until_close' }

export interface AnswerHead {
  readonly status: number
  /** Lower-case names; several values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly framing: Framing
  /** Whether the connection may carry another call. */
  readonly isPersistent: boolean
}

const token = /^[\w!#$%&'*+.^`|~-]+$/
const unspeakable = /[^\t\x20-\x7e\x80-\xff]/

/** The head of a request. Throws on what would be read as another header, or cannot be written. */
export function writeHead(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  if (!token.test(method) || /[^\x21-\x7e]/.test(path)) throw malformed('the request line has characters of no address')
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (const name in headers) {
    const value = headers[name] as string
    if (!token.test(name) || unspeakable.test(value)) throw malformed(`the header "${name}" has invalid characters`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n`
}

/** The head of an answer without the empty line at its end. */
export function readHead(text: string, method: string): AnswerHead {
  const lines = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '') ?? []
  if (status === undefined) throw malformed('the answer is no HTTP/1.1')
  const headers: Record<string, string> = {}
  for (let index = 1; index < lines.length; index += 1) addHeader(headers, lines[index] as string)
  const code = Number(status)
  const framing = framingOf(headers, code, method)
  const said = headers.connection?.toLowerCase() ?? ''
  const isKept = minor === '1' ? !said.includes('close') : said.includes('keep-alive')
  return { status: code, headers, framing, isPersistent: isKept && framing.type !== 'until_close' }
}

function addHeader(headers: Record<string, string>, line: string): void {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
  const value = line.slice(colon + 1).trim()
  if (!token.test(name) || unspeakable.test(value)) throw malformed('a header of the answer cannot be read')
  if (name === '__proto__') return
  headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
}

function framingOf(headers: Readonly<Record<string, string>>, status: number, method: string): Framing {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (length !== undefined && coding !== undefined) throw malformed('the answer tells two lengths')
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { type: 'length', bytes: 0 }
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') throw malformed('the answer has an unknown transfer coding')
    return { type: 'chunked' }
  }
  if (length === undefined) return { type: 'until_close' }
  if (!/^\d{1,15}$/.test(length)) throw malformed('the length of the answer cannot be read')
  return { type: 'length', bytes: Number(length) }
}

/** Takes the framing from the bytes of a body, in place. */
export interface BodyReader {
  /**
   * The part of the body in these bytes from `start` on, and where it stopped: at their end, or where the body ended. Of a
   * body in chunks the first one comes alone: it is the first event of a stream, for which somebody waits.
   */
  read(bytes: Uint8Array, start: number): { readonly piece: Uint8Array; readonly next: number }
  readonly isDone: boolean
}

export function bodyReader(framing: Framing): BodyReader {
  return framing.type === 'chunked'
    ? new ChunkReader()
    : new LengthReader(framing.type === 'length' ? framing.bytes : Number.POSITIVE_INFINITY)
}

class LengthReader implements BodyReader {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  get isDone(): boolean {
    return this.#left === 0
  }

  read(bytes: Uint8Array, start: number): { readonly piece: Uint8Array; readonly next: number } {
    const next = Math.min(bytes.length, start + this.#left)
    this.#left -= next - start
    return { piece: bytes.subarray(start, next), next }
  }
}

type Phase = 'size' | 'extension' | 'size_end' | 'data' | 'data_cr' | 'data_lf' | 'trailer' | 'trailer_line' | 'end_lf'

const cr = 13
const lf = 10
const semicolon = 59
const largestChunk = 2 ** 40
/** Bytes that say nothing of the body: extensions of chunks, and trailers. */
const maxOverhead = 64 * 1024

class ChunkReader implements BodyReader {
  #phase: Phase = 'size'
  #left = 0
  #digits = 0
  #overhead = 0
  #isFirst = true
  isDone = false

  read(bytes: Uint8Array, start: number): { readonly piece: Uint8Array; readonly next: number } {
    let to = start
    let at = start
    while (at < bytes.length && !this.isDone) {
      if (this.#phase !== 'data') {
        this.#step(bytes[at] as number)
        at += 1
        continue
      }
      const end = Math.min(bytes.length, at + this.#left)
      if (to !== at) bytes.copyWithin(to, at, end)
      to += end - at
      this.#left -= end - at
      at = end
      if (this.#left > 0) break
      this.#phase = 'data_cr'
      if (!this.#isFirst) continue
      this.#isFirst = false
      break
    }
    return { piece: bytes.subarray(start, to), next: at }
  }

  #step(byte: number): void {
    switch (this.#phase) {
      case 'size':
        this.#readSize(byte)
        return
      case 'extension':
        this.#skip()
        if (byte === lf) throw malformed('a chunk of the answer cannot be read')
        if (byte === cr) this.#phase = 'size_end'
        return
      case 'size_end':
        this.#phase = expected(byte, lf, this.#left === 0 ? 'trailer' : 'data')
        this.#digits = 0
        return
      case 'data_cr':
        this.#phase = expected(byte, cr, 'data_lf')
        return
      case 'data_lf':
        this.#phase = expected(byte, lf, 'size')
        return
      case 'trailer':
        this.#phase = byte === cr ? 'end_lf' : 'trailer_line'
        return
      case 'trailer_line':
        this.#skip()
        if (byte === lf) this.#phase = 'trailer'
        return
      case 'end_lf':
        expected(byte, lf, 'size')
        this.isDone = true
        return
      default:
        throw malformed('a chunk of the answer cannot be read')
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit
      this.#digits += 1
      if (this.#left > largestChunk || this.#digits > 16) throw malformed('a chunk of the answer is too large')
      return
    }
    const isEnd = byte === cr || byte === semicolon || byte === 32 || byte === 9
    if (this.#digits === 0 || !isEnd) throw malformed('the size of a chunk cannot be read')
    this.#phase = byte === cr ? 'size_end' : 'extension'
  }

  #skip(): void {
    this.#overhead += 1
    if (this.#overhead > maxOverhead) throw malformed('the answer has too much around its chunks')
  }
}

function expected(byte: number, wanted: number, next: Phase): Phase {
  if (byte !== wanted) throw malformed('a chunk of the answer does not end where it says')
  return next
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

function malformed(what: string): ToolwireError {
  return new ToolwireError('network', `${what}; nothing of it is taken`)
}

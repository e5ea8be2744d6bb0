// JSON text to values. Trap: JSON.parse rounds integers beyond ±(2^53−1) and follows a million levels of nesting.
import { ToolwireError } from '../errors/error.js'
import { isTooDeep, maxDepth, skipSpace, stringEnd, valueEnd } from './scan.js'
import type { Json, JsonObject, Value } from './types.js'

/** Reading an integer costs more than linear time: one longer than this is refused. */
const maxDigits = 10_000
/** An integer token with 16 digits or more. Also true inside some strings: then the exact reader runs for nothing. */
const longInteger = /(?:^|[[:,\s])-?\d{16,}(?![\d.eE])/
/** One that begins here. */
const longIntegerHere = /-?\d{16,}(?![\d.eE])/y
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Strict JSON; an integer beyond ±(2^53−1) becomes a bigint with every digit. Fails typed: malformed_response, or
 * limit_exceeded for what is too deep or too long.
 */
export function parseJson(text: string): Value {
  const value = takeChecked(text) ?? parseBody(text)
  return /\d{16}/.test(text) && longInteger.test(text) ? readExact({ text, index: skipSpace(text, 0) }) : value
}

/** Strict JSON with numbers as JSON.parse gives them, for the bodies of a wire. Fails typed, as `parseJson`. */
export function parseBody(text: string): Json {
  if (isTooDeep(text)) {
    throw new ToolwireError('limit_exceeded', `the JSON nests deeper than ${maxDepth} levels; send flatter data`, {
      detail: { maxDepth },
    })
  }
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw malformed(text, error)
  }
}

/** Shorter texts are parsed again as fast as kept. */
const minChecked = 4_096
let checked: WeakRef<{ readonly text: string; readonly value: Json }> | undefined

/**
 * Reads a text as `parseBody` for who only looks at what it is: the value is for the next `parseJson` of this text. Kept weakly, and
 * given away once: it is its taker's own.
 */
export function checkBody(text: string): Json {
  const value = parseBody(text)
  if (text.length >= minChecked) checked = new WeakRef({ text, value })
  return value
}

function takeChecked(text: string): Json | undefined {
  const known = text.length < minChecked ? undefined : checked?.deref()
  if (known?.text !== text) return undefined
  checked = undefined
  return known.value
}

/** Array.isArray does not narrow a readonly array out of a union. */
export function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value)
}

/** A text as it is, and what stands in the place of one as JSON: `String` asks an object, which may have a member of that name. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A plain object: not null, not an array, not an instance of a class. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Plain objects of another realm have another Object.prototype, but nothing above it either.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The engine's message quotes the text, which may hold a key: only its reason and position are kept, and no cause. */
function malformed(text: string, error: unknown): ToolwireError {
  const [reason = ''] = (error instanceof Error ? error.message : '').split(/,? (?:\.\.\.)?"|,? in JSON|, is not/)
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  const where = position === undefined ? '' : ` at position ${position}`
  return new ToolwireError(
    'malformed_response',
    `the text (${text.length} characters) is not JSON: ${reason}${where}`,
    {
      detail: position === undefined ? { length: text.length } : { length: text.length, position: Number(position) },
    },
  )
}

interface Cursor {
  readonly text: string
  /** At the first character of a value, or just past one. */
  index: number
}

/** Reads text that JSON.parse accepted, so it need not doubt it; recursion is bounded by the depth cap. */
function readExact(cursor: Cursor): Value {
  switch (cursor.text.charCodeAt(cursor.index)) {
    case 123: // {
      return readObject(cursor)
    case 91: // [
      return readArray(cursor)
    case 34: // "
      return readString(cursor)
    default:
      return readScalar(cursor)
  }
}

function readObject(cursor: Cursor): Value {
  const entries: [string, Value][] = []
  while (hasNext(cursor)) {
    const key = readString(cursor)
    const colon = skipSpace(cursor.text, cursor.index)
    cursor.index = skipSpace(cursor.text, colon + 1)
    entries.push([key, readExact(cursor)])
  }
  return Object.fromEntries(entries) // a key `__proto__` becomes an own property here
}

function readArray(cursor: Cursor): Value {
  const items: Value[] = []
  while (hasNext(cursor)) items.push(readExact(cursor))
  return items
}

/** Steps over the opening bracket or the comma onto the next member; over the closing bracket when there is none. */
function hasNext(cursor: Cursor): boolean {
  const { text } = cursor
  const index = skipSpace(text, cursor.index)
  const isEnd = isClosing(text, index)
  cursor.index = isEnd ? index + 1 : skipSpace(text, index + 1)
  if (isEnd || !isClosing(text, cursor.index)) return !isEnd
  cursor.index += 1
  return false
}

function isClosing(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 125 || code === 93
}

function readString(cursor: Cursor): string {
  const end = stringEnd(cursor.text, cursor.index)
  const inner = cursor.text.slice(cursor.index + 1, end - 1)
  cursor.index = end
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

/** Most scalars of such a text are long integers: the expression walks one of them faster than a loop that is not yet compiled. */
function readScalar(cursor: Cursor): Value {
  const { text, index } = cursor
  longIntegerHere.lastIndex = index
  if (!longIntegerHere.test(text)) {
    cursor.index = valueEnd(text, index)
    return JSON.parse(text.slice(index, cursor.index)) as null | boolean | number
  }
  cursor.index = longIntegerHere.lastIndex
  return integerOf(text.slice(index, cursor.index))
}

function integerOf(digits: string): number | bigint {
  if (digits.length > maxDigits) {
    throw new ToolwireError(
      'limit_exceeded',
      `the JSON has an integer of ${digits.length} digits; the most is ${maxDigits}`,
    )
  }
  const exact = BigInt(digits)
  return exact <= maxSafe && exact >= -maxSafe ? Number(exact) : exact
}

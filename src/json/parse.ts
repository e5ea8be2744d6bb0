// JSON text to values. Trap: JSON.parse rounds integers beyond ±(2^53−1) and follows a million levels of nesting.
import { ToolwireError } from '../errors/error.js'
import { isTooDeep, maxDepth, skipSpace, stringEnd, valueEnd } from './scan.js'
import type { Json, JsonObject, Value } from './types.js'

/** Reading an integer costs more than linear time: one longer than this is refused. */
const maxDigits = 10_000
/** An integer token with 16 digits or more. Also true inside some strings: then the exact reader runs for nothing. */
const longInteger = /(?:^|[[:,\s])-?\d{16,}(?![\d.eE])/
const integer = /^-?\d+$/

/**
 * Strict JSON; an integer beyond ±(2^53−1) becomes a bigint with every digit. Fails typed: malformed_response, or
 * limit_exceeded for what is too deep or too long.
 */
export function parseJson(text: string): Value {
  const value = parseBody(text)
  return /\d{16}/.test(text) && longInteger.test(text) ? readExact({ text, index: 0 }) : value
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
  index: number
}

/** Reads text that JSON.parse accepted, so it need not doubt it; recursion is bounded by the depth cap. */
function readExact(cursor: Cursor): Value {
  cursor.index = skipSpace(cursor.text, cursor.index)
  switch (cursor.text[cursor.index]) {
    case '{':
      return readObject(cursor)
    case '[':
      return readArray(cursor)
    case '"':
      return readString(cursor)
    default:
      return readScalar(cursor)
  }
}

function readObject(cursor: Cursor): Value {
  const entries: [string, Value][] = []
  while (hasNext(cursor)) {
    const key = readString(cursor)
    cursor.index = skipSpace(cursor.text, cursor.index) + 1 // the colon
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
  cursor.index = skipSpace(text, cursor.index)
  const closing = isClosing(text[cursor.index])
  cursor.index += 1
  if (closing) return false
  cursor.index = skipSpace(text, cursor.index)
  if (!isClosing(text[cursor.index])) return true
  cursor.index += 1
  return false
}

function isClosing(character: string | undefined): boolean {
  return character === '}' || character === ']' || character === undefined
}

function readString(cursor: Cursor): string {
  const end = stringEnd(cursor.text, cursor.index)
  const inner = cursor.text.slice(cursor.index + 1, end - 1)
  cursor.index = end
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

function readScalar(cursor: Cursor): Value {
  const end = valueEnd(cursor.text, cursor.index)
  const token = cursor.text.slice(cursor.index, end)
  cursor.index = end
  if (token.length < 16 || !integer.test(token)) return JSON.parse(token) as null | boolean | number
  if (token.length > maxDigits) {
    throw new ToolwireError(
      'limit_exceeded',
      `the JSON has an integer of ${token.length} digits; the most is ${maxDigits}`,
    )
  }
  const rounded = Number(token)
  return Number.isSafeInteger(rounded) ? rounded : BigInt(token)
}

// JSON text to values. Trap: JSON.parse rounds integers beyond ±(2^53−1) and follows a million levels of nesting.
import { ToolwireError } from '../errors/error.js'
import { type Making, readValue } from './reader.js'
import { isTooDeep, maxDepth } from './scan.js'
import { stringIn } from './spans.js'
import type { Json, JsonObject, Value } from './types.js'

/** Reading an integer costs more than linear time: one longer than this is refused. */
const maxDigits = 10_000
/** An integer token with 16 digits or more. Also true inside some strings: then the exact reader runs for nothing. */
const longInteger = /(?:^|[[:,\s])-?\d{16,}(?![\d.eE])/
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Strict JSON; an integer beyond ±(2^53−1) becomes a bigint with every digit. Fails typed: malformed_response, or
 * limit_exceeded for what is too deep or too long.
 */
export function parseJson(text: string): Value {
  const known = checked?.deref()
  const isKnown = known?.text === text
  if (isKnown) checked = undefined
  const value = isKnown ? known.value : parseBody(text)
  return /\d{16}/.test(text) && longInteger.test(text) ? readValue(text, exactly) : value
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

/** Values with every digit. */
const exactly: Making<Value> = {
  object: (members) => Object.fromEntries(members), // a key `__proto__` becomes an own property here
  list: (items) => items,
  scalar(text) {
    if (text[0] === '"') return stringIn(text, 0, text.length)
    return longInteger.test(text) ? integerOf(text) : (JSON.parse(text) as Value)
  },
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

// Any JavaScript value as JSON text for a model to read. Total: what cannot be read is shown as a word in brackets.
import { findUnsupported, type Unsupported } from './unsupported.js'

const maxShownDepth = 100
const maxShownCharacters = 4_194_304

interface Display {
  /** Characters left to write. */
  budget: number
  /** The containers around the value, to notice a cycle. */
  readonly around: Set<object>
  /** The first value met that JSON cannot hold. */
  unsupported?: Unsupported
}

/**
 * JSON text of anything, never a throw: cycles `"[circular]"`, bigints as digits, functions and symbols by kind, a
 * Map or Set as object and array, a typed array as an array, Error as name and message, a stream or an iterator by kind, what
 * throws `"[unreadable]"`. What is too deep or too long is cut and says so.
 */
export function displayJson(value: unknown): string {
  return plainText(value) ?? show(value, { budget: maxShownCharacters, around: new Set() }) ?? 'null'
}

/** The same text, with the first value in it that JSON would have left empty: a stream, an iterator, binary data. */
export function displayResult(value: unknown): { readonly text: string; readonly unsupported?: Unsupported } {
  const plain = plainText(value)
  if (plain !== undefined) return { text: plain }
  const display: Display = { budget: maxShownCharacters, around: new Set() }
  const text = show(value, display) ?? 'null'
  return display.unsupported === undefined ? { text } : { text, unsupported: display.unsupported }
}

/** What most tools give is a little plain data, which the platform writes in the same way and faster. */
function plainText(value: unknown): string | undefined {
  try {
    const text = isPlain(value, { values: 200 }) ? JSON.stringify(value) : undefined
    return text === undefined || text.length > maxShownCharacters / 2 ? undefined : text
  } catch {
    return undefined // a getter that throws, a revoked proxy
  }
}

function isPlain(value: unknown, left: { values: number }): boolean {
  left.values -= 1 // a cycle ends here too
  if (left.values < 0) return false
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object') return typeof value === 'number' || typeof value === 'boolean'
  if (value === null) return true
  if ('toJSON' in value) return false
  if (Array.isArray(value)) return value.length <= left.values && value.every((item) => isPlain(item, left)) // holes count too
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key of Object.keys(value)) {
    const member: unknown = (value as { readonly [key: string]: unknown })[key]
    const isScalar = typeof member === 'number' || typeof member === 'boolean'
    if (!key.isWellFormed() || !(isScalar || isPlain(member, left))) return false
  }
  return true
}

/** Undefined for undefined only. */
function show(value: unknown, display: Display): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined
    case 'string':
      return showText(value, display)
    case 'bigint':
      return spend(value.toString(), display)
    case 'function':
      return spend('"[function]"', display)
    case 'symbol':
      return spend('"[symbol]"', display)
    case 'object':
      return value === null ? spend('null', display) : showObject(value, display)
    default:
      return spend(JSON.stringify(value), display)
  }
}

function spend(text: string, display: Display): string {
  display.budget -= text.length
  return text
}

function showText(text: string, display: Display): string {
  if (text.length <= display.budget) return spend(JSON.stringify(text.toWellFormed()), display)
  const start = text.slice(0, Math.max(0, display.budget)).toWellFormed()
  return spend(JSON.stringify(`${start}… [truncated]`), display)
}

function showObject(value: object, display: Display): string {
  if (display.around.has(value)) return spend('"[circular]"', display)
  if (display.around.size >= maxShownDepth) return spend('"[too deep]"', display)
  display.around.add(value)
  try {
    return showMembers(value, display)
  } catch {
    return spend('"[unreadable]"', display) // a getter or toJSON that throws, a revoked proxy
  } finally {
    display.around.delete(value)
  }
}

function showMembers(value: object, display: Display): string {
  if (Array.isArray(value) || value instanceof Set) return showList(value, display)
  if (value instanceof Map) return showEntries(value, display)
  const toJson: unknown = 'toJSON' in value ? value.toJSON : undefined
  if (typeof toJson === 'function') {
    const replaced: unknown = toJson.call(value)
    // An object that answers itself is shown by its members, as JSON.stringify does.
    return replaced === value ? showEntries(readEntries(value), display) : (show(replaced, display) ?? 'null')
  }
  if (value instanceof Error) {
    return showEntries(Object.entries({ name: value.name, message: value.message }), display)
  }
  if (isNumbers(value)) return showList(value, display)
  if (value instanceof RegExp || value instanceof URLSearchParams) return showText(String(value), display)
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return show(value.valueOf(), display) ?? 'null'
  }
  const unsupported = findUnsupported(value)
  if (unsupported === undefined) return showEntries(readEntries(value), display)
  display.unsupported ??= unsupported
  return spend(JSON.stringify(`[${unsupported.kind}]`), display)
}

/** A typed array. */
function isNumbers(value: object): value is object & Iterable<number | bigint> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}

const unreadable = Symbol('unreadable')

/** Own members one by one, so that one getter that throws spoils only itself. */
function* readEntries(value: object): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(value)) {
    let member: unknown = unreadable
    try {
      member = (value as { readonly [key: string]: unknown })[key]
    } catch {
      // stays unreadable
    }
    yield [key, member]
  }
}

function showList(items: Iterable<unknown>, display: Display): string {
  const shown: string[] = []
  for (const item of items) {
    if (display.budget <= 0) {
      shown.push('"[truncated]"')
      break
    }
    shown.push(show(item, display) ?? spend('null', display))
    display.budget -= 1
  }
  return `[${shown.join(',')}]`
}

function showEntries(entries: Iterable<readonly [unknown, unknown]>, display: Display): string {
  const shown: string[] = []
  for (const [key, member] of entries) {
    if (display.budget <= 0) {
      shown.push('"…":"[truncated]"')
      break
    }
    const text = member === unreadable ? spend('"[unreadable]"', display) : show(member, display)
    display.budget -= 1
    if (text === undefined) continue
    const name = typeof key === 'string' ? key : (show(key, display) ?? 'undefined')
    shown.push(`${showText(name, display)}:${text}`)
  }
  return `{${shown.join(',')}}`
}

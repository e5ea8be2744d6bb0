// Values to JSON text, with bigints and text that is already JSON. Native JSON.stringify does the work wherever it can:
// a `RawJson` writes a marker, and its text is put in the marker's place afterwards.
import { ToolwireError } from '../errors/error.js'
import { isTooDeep, maxDepth } from './scan.js'
import type { Json, Value } from './types.js'

export { displayJson } from './display.js'

/** What `writeJson` takes: JSON with bigints, pieces already serialised, and members that may be absent. */
export type Writable = Json | bigint | RawJson | undefined | readonly Writable[] | { readonly [key: string]: Writable }

/** As a value and as it stands in the output. Data that holds it too is noticed by the count and written slowly. */
const marker = '\u0001toolwire raw json\u0001'
const markerText: string = JSON.stringify(marker)

/** The texts met by the write in progress, in the order of the output: null until there is one, undefined without a write. */
let collected: string[] | null | undefined

/** A value already serialised: `text` is complete JSON and is written as it stands. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Outside of `writeJson` it serialises as the value it holds. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.text) as unknown
    if (collected === null) collected = [this.text]
    else collected.push(this.text)
    return marker
  }
}

/** The text of JSON.stringify, with bigints as bare digits. Deeper than the cap, or a cycle: limit_exceeded. */
export function stringifyJson(value: Value): string {
  const text = writeNative(value)?.text ?? writeSlow(value, 0, false) ?? 'null'
  if (isTooDeep(text)) throw tooDeep()
  return text
}

/**
 * Serialises as JSON.stringify does (absent members omitted, absent elements null), with `RawJson` verbatim, bigints as
 * digits, and lone surrogates replaced: a provider's parser may refuse the whole body for one.
 */
export function writeJson(value: Writable): string {
  const native = writeNative(value)
  return written(value, native, native === undefined ? '' : wellFormed(native.text))
}

/** The same for a value in which no text has lone surrogates, as after `seal`: there is nothing to look for. */
export function writeUnicode(value: Writable): string {
  const native = writeNative(value)
  return written(value, native, native?.text ?? '')
}

function written(value: Writable, native: Native | undefined, text: string): string {
  if (native?.raw === null) return text
  return (native === undefined ? undefined : splice(text, native.raw)) ?? writeSlow(value, 0, true) ?? 'null'
}

interface Native {
  readonly text: string
  readonly raw: readonly string[] | null
}

/** Undefined where native JSON.stringify cannot: bigints, cycles, nesting beyond the stack. */
function writeNative(value: unknown): Native | undefined {
  // Programs patch BigInt.prototype.toJSON to write strings; then the native text would lose the type without a word.
  if ('toJSON' in BigInt.prototype) return undefined
  const outer = collected
  collected = null
  try {
    const text = JSON.stringify(value) ?? 'null'
    return { text, raw: collected }
  } catch {
    return undefined
  } finally {
    collected = outer
  }
}

/** Each piece in the place of its marker; nothing where there are more markers or fewer. */
function splice(text: string, raw: readonly string[]): string | undefined {
  let result = ''
  let copied = 0
  for (const piece of raw) {
    const start = text.indexOf(markerText, copied)
    if (start < 0) return undefined
    result += text.slice(copied, start) + piece
    copied = start + markerText.length
  }
  return text.includes(markerText, copied) ? undefined : result + text.slice(copied)
}

/** JSON.stringify escapes a lone surrogate as `\ud800` and doubles a backslash: such pairs are stepped over. */
function wellFormed(text: string): string {
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:u(d[0-9a-f]{3})|.)/g, (escaped, lone: string | undefined) =>
    lone === undefined ? escaped : '\ufffd',
  )
}

/** Undefined for what JSON leaves out: undefined, functions, symbols. */
function writeSlow(value: unknown, depth: number, repair: boolean): string | undefined {
  if (value instanceof RawJson) return value.text
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value) as string | undefined
    return repair && text !== undefined ? wellFormed(text) : text
  }
  if (depth >= maxDepth) throw tooDeep()
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => writeSlow(item, depth + 1, repair) ?? 'null').join(',')}]`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return writeSlow(value.toJSON(), depth + 1, repair)
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    const text = writeSlow(member, depth + 1, repair)
    if (text !== undefined) members.push(`${writeSlow(key, depth, repair)}:${text}`)
  }
  return `{${members.join(',')}}`
}

function tooDeep(): ToolwireError {
  return new ToolwireError(
    'limit_exceeded',
    `the value nests deeper than ${maxDepth} levels, or contains itself: it cannot be JSON; send flatter data`,
    { detail: { maxDepth } },
  )
}

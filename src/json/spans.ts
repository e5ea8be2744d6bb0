// Raw pieces of JSON text that is known to be valid: a tool call's arguments must leave as they came, digit for digit.
// Trap: a key may be escaped or repeated; what counts is its unescaped name, and the last of the repeated ones.
import { allMembers, onlyMember } from './only-member.js'
import { skipSpace, stringEnd, valueEnd } from './scan.js'
import type { Json } from './types.js'

const quote = 34
const comma = 44
const openBracket = 91
const closeBracket = 93
const openBrace = 123

/** One step of all patterns at once. */
interface Step {
  capture: boolean
  readonly keys: Branch[]
  /** Where `*` leads: any index of an array that no other pattern names at this place. */
  any?: Step
}
interface Branch {
  readonly name: string
  /** The key as the pattern spells it, pointer escapes included. */
  readonly token: string
  /** The key as it usually stands in a text. */
  readonly quoted: string
  readonly step: Step
}

/**
 * Pointer to raw text (no outer white space) of every value a pattern points at. A pattern is an RFC 6901 pointer with
 * `*` for any array index: `/messages/0/content/*`. One pass; subtrees that no pattern enters are skipped, not read.
 */
export function rawSpans(text: string, patterns: readonly string[]): ReadonlyMap<string, string> {
  return spansOf(text, compile(patterns))
}

/** The raw text of the value at a pointer, if a pattern points there. `value` is that value where it is parsed already. */
export type FindSpan = (pointer: string, value?: Json) => string | undefined

/**
 * For patterns that many texts are read with. A text is gone through when a span of it cannot be found without. `all` are the values
 * that the only pattern points at, in the order of the text, where they are parsed already.
 */
export function spanFinder(patterns: readonly string[]): (text: string, all?: readonly Json[]) => FindSpan {
  const root = compile(patterns)
  return (text, all = []) => {
    let spans: ReadonlyMap<string, string> | undefined
    let found: ReadonlyMap<Json, string> | undefined
    return (pointer, value) => {
      if (spans === undefined && value !== undefined) {
        if (all.length > 1) found ??= textsByValue(text, pointer.slice(pointer.lastIndexOf('/') + 1), all)
        const known = found === undefined ? onlyMember(text, pointer, value) : found.get(value)
        if (known !== undefined) return known
      }
      spans ??= spansOf(text, root)
      return spans.get(pointer)
    }
  }
}

/** The raw text of each value; empty where they cannot be found by search. */
function textsByValue(text: string, key: string, values: readonly Json[]): ReadonlyMap<Json, string> {
  const texts = allMembers(text, key, values) ?? []
  return new Map(texts.map((found, index) => [values[index] as Json, found]))
}

/** The texts found so far. Pointers are kept in the order they were found, so that those of one value stand together. */
interface Spans {
  readonly texts: Map<string, string>
  readonly pointers: string[]
}

function spansOf(text: string, root: Step): ReadonlyMap<string, string> {
  const spans: Spans = { texts: new Map(), pointers: [] }
  const start = skipSpace(text, 0)
  const isOpen = root.keys.length > 0 && !root.capture && text.charCodeAt(start) === openBrace
  if (isOpen) walkObject(text, start, root, '', spans, pastLast(text, root.keys))
  else walk(text, start, root, '', spans)
  return spans.texts
}

/**
 * For the members of the whole text: whether none of the keys can come from this value on. Looked up once, at the first
 * container: to search the rest of a text costs a tenth of going through it.
 */
export function pastLast(text: string, keys: readonly Pick<Branch, 'quoted'>[]): (from: number) => boolean {
  let isAsked = false
  return (from) => {
    const first = text.charCodeAt(from)
    if (isAsked || (first !== openBrace && first !== openBracket)) return false
    isAsked = true
    return nowhereFrom(text, from, keys)
  }
}

/** A key stands there as it is, or with \u in it: no other escape makes a letter. */
function nowhereFrom(text: string, from: number, keys: readonly Pick<Branch, 'quoted'>[]): boolean {
  return !text.includes('\\u', from) && keys.every(({ quoted }) => isWord(quoted) && !text.includes(quoted, from))
}

function isWord(quoted: string): boolean {
  return /^"[a-zA-Z_]+"$/.test(quoted)
}

/** Writes other names in the top-level keys of an object's text; everything else stays byte for byte. */
export function renameKeys(text: string, rename: ReadonlyMap<string, string>): string {
  let index = skipSpace(text, 0)
  if (text.charCodeAt(index) !== openBrace) return text
  let result = ''
  let copied = 0
  index = skipSpace(text, index + 1)
  while (text.charCodeAt(index) === quote) {
    const end = stringEnd(text, index)
    const name = rename.get(stringIn(text, index, end))
    if (name !== undefined) {
      result += text.slice(copied, index) + JSON.stringify(name)
      copied = end
    }
    index = nextMember(text, valueEnd(text, valueStart(text, end)))
  }
  return result + text.slice(copied)
}

function compile(patterns: readonly string[]): Step {
  const root: Step = { capture: false, keys: [] }
  for (const pattern of patterns) {
    let step = root
    for (const token of pattern.split('/').slice(1)) step = stepFor(step, token)
    step.capture = true
  }
  return root
}

function stepFor(step: Step, token: string): Step {
  if (token === '*') {
    step.any ??= { capture: false, keys: [] }
    return step.any
  }
  const known = step.keys.find((branch) => branch.token === token)
  if (known !== undefined) return known.step
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
  const branch: Branch = { name, token, quoted: JSON.stringify(name), step: { capture: false, keys: [] } }
  step.keys.push(branch)
  return branch.step
}

/** Captures below the value at `start` and gives the index just past it. */
function walk(text: string, start: number, step: Step, pointer: string, spans: Spans): number {
  const first = text.charCodeAt(start)
  const enters = step.keys.length > 0 || step.any !== undefined
  let end: number
  if (enters && first === openBrace) end = walkObject(text, start, step, pointer, spans)
  else if (enters && first === openBracket) end = walkArray(text, start, step, pointer, spans)
  else end = valueEnd(text, start)
  if (step.capture) {
    spans.texts.set(pointer, text.slice(start, end))
    spans.pointers.push(pointer)
  }
  return end
}

function walkObject(
  text: string,
  start: number,
  step: Step,
  pointer: string,
  spans: Spans,
  isPast: (value: number) => boolean = () => false,
): number {
  /** Where the pointers found under each key begin and end. */
  let seen: Map<Branch, readonly [from: number, to: number]> | undefined
  let index = skipSpace(text, start + 1)
  while (text.charCodeAt(index) === quote) {
    const usual = usualBranch(text, index, step)
    const keyEnd = usual === undefined ? stringEnd(text, index) : index + usual.quoted.length
    const branch = usual ?? escapedBranch(text, index, keyEnd, step)
    const value = valueStart(text, keyEnd)
    if (branch === undefined) {
      if (isPast(value)) return text.length
      index = nextMember(text, valueEnd(text, value))
      continue
    }
    const below = `${pointer}/${branch.token}`
    seen ??= new Map()
    forget(spans, seen.get(branch))
    const from = spans.pointers.length
    index = nextMember(text, walk(text, value, branch.step, below, spans))
    seen.set(branch, [from, spans.pointers.length])
  }
  return index + 1
}

function walkArray(text: string, start: number, step: Step, pointer: string, spans: Spans): number {
  let index = skipSpace(text, start + 1)
  for (let position = 0; index < text.length && text.charCodeAt(index) !== closeBracket; position += 1) {
    const next = stepAt(step, position)
    const end = next === undefined ? valueEnd(text, index) : walk(text, index, next, `${pointer}/${position}`, spans)
    // Garbage may leave an empty value: step over one character, so that the pass always ends.
    index = nextMember(text, Math.max(end, index + 1))
  }
  return index + 1
}

function stepAt(step: Step, position: number): Step | undefined {
  if (step.keys.length === 0) return step.any
  return step.keys.find((branch) => branch.name === String(position))?.step ?? step.any
}

/** A repeated key replaces all that the earlier one gave. */
function forget({ texts, pointers }: Spans, range: readonly [from: number, to: number] | undefined): void {
  if (range === undefined) return
  for (let index = range[0]; index < range[1]; index += 1) texts.delete(pointers[index] as string)
}

function usualBranch(text: string, start: number, step: Step): Branch | undefined {
  const first = text.charCodeAt(start + 1)
  for (const branch of step.keys) {
    if (branch.quoted.charCodeAt(1) === first && text.startsWith(branch.quoted, start)) return branch
  }
  return undefined
}

/** The branch of a key that is spelt with other escapes than usual. */
function escapedBranch(text: string, start: number, end: number, step: Step): Branch | undefined {
  if (!hasEscape(text, start, end)) return undefined
  const name = stringIn(text, start, end)
  return step.keys.find((branch) => branch.name === name)
}

/** Whether there is a backslash. Only that part of the text is looked at: it is asked of each of many keys. */
export function hasEscape(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (text.charCodeAt(index) === 92) return true
  return false
}

/** What the string spells that stands there with its quotes. */
export function stringIn(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw // not JSON after all
  }
}

/** From the end of a key to the start of its value. */
export function valueStart(text: string, keyEnd: number): number {
  return skipSpace(text, skipSpace(text, keyEnd) + 1)
}

/** From the end of a value to the start of the next member, or onto the closing bracket. */
export function nextMember(text: string, valueEnds: number): number {
  const index = skipSpace(text, valueEnds)
  return text.charCodeAt(index) === comma ? skipSpace(text, index + 1) : index
}

// The raw text of members whose key stands nowhere else in a text, found by search instead of by going through the text.
// Trap: the text must be valid JSON and the member known to be in it; nothing here would notice otherwise.
import { containerEndFrom, skipSpace, valueEnd } from './scan.js'
import type { Json } from './types.js'

const word = /^[a-zA-Z]+$/
/** By key: where it stands in a text, or a letter as an escape, with which a key may be spelt otherwise. */
const spellings = new Map<string, RegExp>()

/** The raw text of the value at a pointer; nothing where its key may stand in the text more than once. */
export function onlyMember(text: string, pointer: string, value: Json): string | undefined {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1)
  const spelling = spellings.get(key) ?? remembered(key)
  spelling.lastIndex = 0
  if (!spelling.test(text)) return undefined
  const end = spelling.lastIndex
  if (text.charCodeAt(end - 1) !== 34 || spelling.test(text)) return undefined
  const from = skipSpace(text, skipSpace(text, end) + 1)
  return text.slice(from, endOf(text, from, pointer, value))
}

/**
 * The raw texts of all values that a text has under a key, in their order; nothing where the key may stand elsewhere too, or one
 * is neither object nor list. `values` are these values, parsed: most texts have them as the platform would write them, so that
 * their end is known.
 */
export function allMembers(text: string, key: string, values: readonly Json[]): readonly string[] | undefined {
  const spelling = spellings.get(key) ?? remembered(key)
  spelling.lastIndex = 0
  const texts: string[] = []
  for (const value of values) {
    if (typeof value !== 'object' || value === null) return undefined
    if (!spelling.test(text) || text.charCodeAt(spelling.lastIndex - 1) !== 34) return undefined
    const from = skipSpace(text, skipSpace(text, spelling.lastIndex) + 1)
    const usual = JSON.stringify(value)
    texts.push(text.startsWith(usual, from) ? usual : text.slice(from, valueEnd(text, from)))
  }
  return spelling.test(text) ? undefined : texts
}

/** Inside of a string both quotes would be escaped: what the pattern finds is a whole string. */
function remembered(key: string): RegExp {
  const spelling = word.test(key) ? new RegExp(`"${key}"|\\\\u00[4-7]`, 'g') : /(?!)/g
  spellings.set(key, spelling)
  return spelling
}

/** Where the value ends. Of a long one only the end is looked at, since its texts are at least as long as they are parsed. */
function endOf(text: string, from: number, pointer: string, value: Json): number {
  const least = from + textLength(value)
  const isLong = least - from > (text.length - least) * 4
  return (isLong ? containerEndFrom(text, least, depthOf(pointer)) : undefined) ?? valueEnd(text, from)
}

/** The characters of the texts right inside an object or a list. */
function textLength(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const member of Object.values(value)) if (typeof member === 'string') length += member.length
  return length
}

function depthOf(pointer: string): number {
  let depth = 0
  for (let index = 0; index < pointer.length; index += 1) if (pointer.charCodeAt(index) === 47) depth += 1
  return depth
}

// Members of an object's text: where their values stand, and other values in their place. Nothing else is read or changed.
// The trap: a key may be repeated, and then its last value counts, but another value has to be written everywhere.
import { skipSpace, stringEnd, valueEnd } from './scan.js'
import { hasEscape, nextMember, pastLast, stringIn, valueStart } from './spans.js'

/** Where a value stands. */
export interface Place {
  readonly start: number
  readonly end: number
}
/** The places of one key, in the order of the text. */
export type Places = readonly Place[]
/** The places of each key that is asked for. */
type Found<Keys> = { readonly [Index in keyof Keys]: Place[] }

const quote = 34
const openBrace = 123

/** For keys that are looked up in many texts; what is no object has none of them. */
export function memberFinder<const Keys extends readonly string[]>(keys: Keys): (text: string) => Found<Keys> {
  const wanted: readonly Wanted[] = keys.map((key) => ({ key, quoted: JSON.stringify(key) }))
  return (text) => {
    const found = keys.map(() => []) as Found<Keys>
    const isPast = pastLast(text, wanted)
    let index = skipSpace(text, 0)
    if (text.charCodeAt(index) !== openBrace) return found
    index = skipSpace(text, index + 1)
    while (text.charCodeAt(index) === quote) {
      const keyEnd = stringEnd(text, index)
      const start = valueStart(text, keyEnd)
      const which = keyAt(text, index, keyEnd, wanted)
      if (which < 0 && isPast(start)) break
      const end = valueEnd(text, start)
      found[which]?.push({ start, end })
      index = nextMember(text, end)
    }
    return found
  }
}

interface Wanted {
  readonly key: string
  /** As it usually stands in a text. */
  readonly quoted: string
}

/** Which of the keys stands there with its quotes; -1 for another. */
function keyAt(text: string, start: number, end: number, wanted: readonly Wanted[]): number {
  const usual = wanted.findIndex(({ quoted }) => quoted.length === end - start && text.startsWith(quoted, start))
  if (usual >= 0) return usual
  if (!hasEscape(text, start, end)) return -1
  const name = stringIn(text, start, end)
  return wanted.findIndex(({ key }) => key === name)
}

/** The keys of an object as they are meant, repeated ones again. */
export function keysOf(text: string): readonly string[] {
  const keys: string[] = []
  let index = skipSpace(text, 0)
  if (text.charCodeAt(index) !== openBrace) return keys
  index = skipSpace(text, index + 1)
  while (text.charCodeAt(index) === quote) {
    const end = stringEnd(text, index)
    keys.push(stringIn(text, index, end))
    index = nextMember(text, valueEnd(text, valueStart(text, end)))
  }
  return keys
}

/** The text of the value that counts. */
export function lastOf(text: string, places: Places): string | undefined {
  const last = places.at(-1)
  return last === undefined ? undefined : text.slice(last.start, last.end)
}

/** Another value, given as JSON text, at each of the places. */
export function withValue(text: string, places: Places, value: string): string {
  let result = ''
  let copied = 0
  for (const { start, end } of places) {
    result += text.slice(copied, start) + value
    copied = end
  }
  return result + text.slice(copied)
}

// Members of an object's text: where their values are, and other values in their place. Nothing else is read or changed.
// The trap: keys may be escaped or repeated, and text may follow the object; whoever trusts the list has to look at both.
import { skipSpace, stringEnd, valueEnd } from './scan.js'
import { stringIn } from './spans.js'

/** Where a value is in a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A member of an object, by its unescaped key. */
export interface Member extends Span {
  readonly key: string
}

export interface ObjectText {
  /** In the order of the text, repeated keys included. */
  readonly members: readonly Member[]
  /** Where the first member can be put. */
  readonly start: number
  /** Where the text goes on behind the object; the length of the text when nothing follows but white space. */
  readonly rest: number
  /** Whether there are more members than were asked for; the rest was not read. */
  readonly isCut: boolean
}

const quote = 34
const comma = 44
const colon = 58
const openBrace = 123
const closeBrace = 125

/** The members of the object that a text begins with; undefined when there is none, or its members are not JSON. Values are not checked. */
export function readMembers(text: string, maxMembers: number = Number.POSITIVE_INFINITY): ObjectText | undefined {
  let index = skipSpace(text, 0)
  if (text.charCodeAt(index) !== openBrace) return undefined
  const start = index + 1
  const members: Member[] = []
  index = skipSpace(text, start)
  while (text.charCodeAt(index) === quote) {
    const keyEnd = stringEnd(text, index)
    const key = stringIn(text, index, keyEnd)
    const sign = skipSpace(text, keyEnd)
    if (text.charCodeAt(sign) !== colon) return undefined
    const valueStart = skipSpace(text, sign + 1)
    const end = valueEnd(text, valueStart)
    if (end === valueStart) return undefined
    members.push({ key, start: valueStart, end })
    const next = skipSpace(text, end)
    if (text.charCodeAt(next) === closeBrace) return { members, start, rest: skipSpace(text, next + 1), isCut: false }
    if (members.length >= maxMembers) return { members, start, rest: next, isCut: true }
    if (text.charCodeAt(next) !== comma) return undefined
    index = skipSpace(text, next + 1)
  }
  const isEmpty = members.length === 0 && text.charCodeAt(index) === closeBrace
  return isEmpty ? { members, start, rest: skipSpace(text, index + 1), isCut: false } : undefined
}

/** A text to put in place of a span; an empty span is where it is inserted. */
export interface Replacement extends Span {
  readonly text: string
}

/** The text with the replacements, which do not overlap. */
export function replaceSpans(text: string, replacements: readonly Replacement[]): string {
  let result = ''
  let copied = 0
  for (const { start, end, text: value } of replacements.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(copied, start) + value
    copied = end
  }
  return result + text.slice(copied)
}

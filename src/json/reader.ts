// The one walk through JSON text that makes something of every value in its own spelling. The text was parsed before, so nothing in it
// is doubted, and its depth is bounded.
import { skipSpace, stringEnd, valueEnd } from './scan.js'
import { nextMember, stringIn, valueStart } from './spans.js'

/** What is made of values. A scalar is a string, number, boolean or null as it was written. */
export interface Making<T> {
  /** Keys may be repeated: the last one counts. */
  object(members: readonly (readonly [string, T])[]): T
  list(items: readonly T[]): T
  scalar(text: string): T
}

interface Cursor<T> {
  readonly text: string
  readonly make: Making<T>
  /** At the first character of a value, or just past one. */
  index: number
}

export function readValue<T>(text: string, make: Making<T>): T {
  return read({ text, make, index: skipSpace(text, 0) })
}

function read<T>(cursor: Cursor<T>): T {
  const { text, make, index } = cursor
  const first = text[index]
  if (first === '{') return make.object(readMembers(cursor))
  if (first === '[') return make.list(readItems(cursor))
  cursor.index = valueEnd(text, index)
  return make.scalar(text.slice(index, cursor.index))
}

function readMembers<T>(cursor: Cursor<T>): readonly (readonly [string, T])[] {
  const { text } = cursor
  const members: [string, T][] = []
  let index = skipSpace(text, cursor.index + 1)
  while (text[index] === '"') {
    const end = stringEnd(text, index)
    const key = stringIn(text, index, end)
    cursor.index = valueStart(text, end)
    members.push([key, read(cursor)])
    index = nextMember(text, cursor.index)
  }
  cursor.index = index + 1
  return members
}

function readItems<T>(cursor: Cursor<T>): readonly T[] {
  const { text } = cursor
  const items: T[] = []
  cursor.index = skipSpace(text, cursor.index + 1)
  while (text[cursor.index] !== ']') {
    items.push(read(cursor))
    cursor.index = nextMember(text, cursor.index)
  }
  cursor.index += 1
  return items
}

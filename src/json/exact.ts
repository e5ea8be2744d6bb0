// JSON text as a tree whose scalars keep their very spelling, so that a value can be given another shape and no digit changes.
import { parseBody } from './parse.js'
import { skipSpace, stringEnd, valueEnd } from './scan.js'

export type Exact =
  | { readonly type: 'object'; readonly members: ReadonlyMap<string, Exact> }
  | { readonly type: 'list'; readonly items: readonly Exact[] }
  /** A string, number, boolean or null as it was written. */
  | { readonly type: 'scalar'; readonly text: string }

/** Strict JSON. Fails typed, as `parseBody`. Of a repeated key the last one counts. */
export function parseExact(text: string): Exact {
  parseBody(text)
  return read({ text, index: 0 })
}

export function exactText(value: Exact): string {
  switch (value.type) {
    case 'scalar':
      return value.text
    case 'list':
      return `[${value.items.map(exactText).join(',')}]`
    case 'object':
      return `{${[...value.members].map(([key, member]) => `${JSON.stringify(key)}:${exactText(member)}`).join(',')}}`
  }
}

export function exactString(text: string): Exact {
  return { type: 'scalar', text: JSON.stringify(text) }
}

/** The string a scalar spells; nothing for anything else. */
export function stringOf(value: Exact | undefined): string | undefined {
  if (value?.type !== 'scalar' || !value.text.startsWith('"')) return undefined
  return JSON.parse(value.text) as string
}

interface Cursor {
  readonly text: string
  index: number
}

/** The text was parsed before, so nothing in it is doubted, and its depth is bounded. */
function read(cursor: Cursor): Exact {
  const { text } = cursor
  cursor.index = skipSpace(text, cursor.index)
  const start = cursor.index
  if (text[start] === '{') return readObject(cursor)
  if (text[start] === '[') return readList(cursor)
  cursor.index = valueEnd(text, start)
  return { type: 'scalar', text: text.slice(start, cursor.index) }
}

function readObject(cursor: Cursor): Exact {
  const members = new Map<string, Exact>()
  while (hasNext(cursor, '}')) {
    const end = stringEnd(cursor.text, cursor.index)
    const key = JSON.parse(cursor.text.slice(cursor.index, end)) as string
    cursor.index = skipSpace(cursor.text, end) + 1 // the colon
    members.set(key, read(cursor))
  }
  return { type: 'object', members }
}

function readList(cursor: Cursor): Exact {
  const items: Exact[] = []
  while (hasNext(cursor, ']')) items.push(read(cursor))
  return { type: 'list', items }
}

/** Steps over the opening bracket or a comma onto the next member, or over the closing bracket. */
function hasNext(cursor: Cursor, closing: string): boolean {
  const { text } = cursor
  cursor.index = skipSpace(text, cursor.index)
  const atEnd = text[cursor.index] === closing
  cursor.index = skipSpace(text, cursor.index + 1)
  if (atEnd || text[cursor.index] !== closing) return !atEnd
  cursor.index += 1
  return false
}

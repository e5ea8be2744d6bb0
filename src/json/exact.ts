// JSON text as a tree whose scalars keep their very spelling, so that a value can be given another shape and no digit changes.
import { parseBody } from './parse.js'
import { type Making, readValue } from './reader.js'

export type Exact =
  | { readonly type: 'object'; readonly members: ReadonlyMap<string, Exact> }
  | { readonly type: 'list'; readonly items: readonly Exact[] }
  /** A string, number, boolean or null as it was written. */
  | { readonly type: 'scalar'; readonly text: string }

/** Strict JSON. Fails typed, as `parseBody`. Of a repeated key the last one counts. */
export function parseExact(text: string): Exact {
  parseBody(text)
  return readValue(text, spelt)
}

const spelt: Making<Exact> = {
  object: (members) => ({ type: 'object', members: new Map(members) }),
  list: (items) => ({ type: 'list', items }),
  scalar: (text) => ({ type: 'scalar', text }),
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

// One text for equal values.
import { ToolwireError } from '../errors/error.js'
import { isList } from './parse.js'
import { maxDepth } from './scan.js'
import type { Json } from './types.js'

/** JSON text with the keys of every object sorted: equal values, equal text. Deeper than the cap: limit_exceeded. */
export function canonicalJson(value: Json): string {
  return canonical(value, 0)
}

function canonical(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth >= maxDepth) {
    throw new ToolwireError('limit_exceeded', `the value nests deeper than ${maxDepth} levels; send flatter data`)
  }
  if (isList(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`).join(',')}}`
}

// How much of everything a schema may have.
import type { Json, JsonObject } from '../json/types.js'
import { type SchemaProblem, schemaLimits } from './rules.js'

/** Refuses a schema that is too large to walk. */
export function checkSize(schema: Json): SchemaProblem | undefined {
  const { nodes, depth, characters } = schemaLimits
  const left = { nodes, characters }
  if (fits(schema, 0, left)) return undefined
  const message = `the schema has more than ${nodes} values or ${characters} characters, or nests deeper than ${depth} levels`
  return { rule: 'schema_too_large', path: '', message }
}

function fits(value: Json, level: number, left: { nodes: number; characters: number }): boolean {
  if (--left.nodes < 0 || level > schemaLimits.depth) return false
  if (typeof value === 'string') left.characters -= value.length
  if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      left.characters -= key.length
      if (!fits((value as JsonObject)[key] ?? null, level + 1, left)) return false
    }
  }
  return left.characters >= 0
}

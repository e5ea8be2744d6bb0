// How much of everything a schema may have, and whether it holds anything that refers to another place.
import type { Json, JsonObject } from '../json/types.js'
import { type SchemaProblem, schemaLimits } from './rules.js'

/** What is left, and what was seen on the way. */
interface Pass {
  nodes: number
  characters: number
  isSimple: boolean
}

const linked = new WeakSet<JsonObject>()

/** Refuses a schema that is too large to walk. */
export function checkSize(schema: JsonObject): SchemaProblem | undefined {
  const { nodes, depth, characters } = schemaLimits
  const pass: Pass = { nodes, characters, isSimple: true }
  if (fits(schema, 0, pass)) {
    if (!pass.isSimple) linked.add(schema)
    return undefined
  }
  const message = `the schema has more than ${nodes} values or ${characters} characters, or nests deeper than ${depth} levels`
  return { rule: 'schema_too_large', path: '', message }
}

/**
 * Whether a schema whose size was checked may have references, names for references, or forms of older drafts. Found out here, because
 * most schemas have none and another walk over each would take as long as this one.
 */
export function isLinked(schema: JsonObject): boolean {
  return linked.has(schema)
}

function fits(value: Json, level: number, pass: Pass): boolean {
  if (--pass.nodes < 0 || level > schemaLimits.depth) return false
  if (typeof value === 'string') pass.characters -= value.length
  if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      pass.characters -= key.length
      const member = (value as JsonObject)[key] ?? null
      if (key.charCodeAt(0) === dollar || key === 'dependencies' || (key === 'items' && Array.isArray(member))) {
        pass.isSimple = false
      }
      if (!fits(member, level + 1, pass)) return false
    }
  }
  return pass.characters >= 0
}

const dollar = 36

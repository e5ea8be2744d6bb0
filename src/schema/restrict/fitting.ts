// Whether a schema is in the words of a dialect already: most are, and the compiler is not needed for them. One pass that knows
// the plain forms only and says no to everything else; it may say yes only where the compiler would give the same schema back.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { staysWritten } from './constraints.js'
import type { Dialect } from './dialects.js'

/** What is left of the room for a schema; far below every limit of the compiler and of the dialects where those have one. */
interface Room {
  values: number
  characters: number
  unions: number
  optional: number
  readonly levels: number
}

const scalars: ReadonlySet<Json> = new Set<Json>(['string', 'number', 'integer', 'boolean'])
const most = { values: 2_000, characters: 100_000, levels: 30 } as const

/** Linear in the schema, and bounded. */
export function fits(schema: JsonObject, dialect: Dialect): boolean {
  if (dialect.root === 'object' ? schema.type !== 'object' : Array.isArray(schema.type)) return false
  const { limits } = dialect
  const left: Room = {
    values: Math.min(limits?.enumValues ?? most.values, most.values),
    characters: most.characters,
    unions: limits?.unions ?? most.values,
    optional: limits?.optional ?? most.values,
    levels: Math.min(limits?.levels ?? most.levels, most.levels),
  }
  return fitsNode(schema, dialect, 0, left) && left.values >= 0 && left.characters >= 0
}

function fitsNode(node: Json | undefined, dialect: Dialect, level: number, left: Room): boolean {
  if (!isJsonObject(node) || level >= left.levels || left.values < 0) return false
  const type = typeOf(node.type, left)
  if (type === undefined) return false
  for (const key of Object.keys(node)) {
    const value = node[key]
    if (value === undefined || !fitsKeyword(key, value, node, type, dialect, level, left)) return false
    left.values -= 1
    left.characters -= key.length + (typeof value === 'string' ? value.length : 0)
  }
  if (type === 'array') return dialect.untyped || node.items !== undefined
  return type !== 'object' || fitsObject(node, dialect, left)
}

/** The one type of a node, null beside it or not. */
function typeOf(type: Json | undefined, left: Room): Json | undefined {
  if (!Array.isArray(type)) return type
  left.unions -= 1
  return type.length === 2 && type[1] === 'null' && left.unions >= 0 ? (type[0] as Json) : undefined
}

function fitsKeyword(
  key: string,
  value: Json,
  node: JsonObject,
  type: Json,
  dialect: Dialect,
  level: number,
  left: Room,
): boolean {
  switch (key) {
    case 'type':
      return type === 'object' || type === 'array' || scalars.has(type)
    case 'title':
    case 'description':
      return typeof value === 'string'
    case 'properties':
      return type === 'object' && isJsonObject(value) && fitsProperties(value, dialect, level, left)
    case 'required':
      return type === 'object' && Array.isArray(value)
    case 'additionalProperties':
      if (type !== 'object' || dialect.additional === 'silent') return false
      if (value === false) return true
      if (dialect.additional !== 'kept' || dialect.mapped) return false
      return value === true || fitsNode(value, dialect, level + 1, left)
    case 'items':
      return type === 'array' && fitsNode(value, dialect, level + 1, left)
    case 'prefixItems':
      return false
    case 'enum':
      return node.type === 'string' && fitsTexts(value, left) && (value as readonly Json[]).length > 0
    default:
      return typeof value !== 'object' && staysWritten(key, value, type, dialect)
  }
}

function fitsProperties(properties: JsonObject, dialect: Dialect, level: number, left: Room): boolean {
  for (const key of Object.keys(properties)) {
    left.values -= 1
    left.characters -= key.length
    if (!fitsNode(properties[key], dialect, level + 1, left)) return false
  }
  return true
}

/** What must be said of an object as a whole: its required properties, and that there are no others. */
function fitsObject({ properties, required, additionalProperties }: JsonObject, dialect: Dialect, left: Room): boolean {
  if (dialect.mapped && properties === undefined) return false
  if (dialect.additional === 'false' && additionalProperties !== false) return false
  const names = Array.isArray(required) ? (required as readonly Json[]) : []
  const count = isJsonObject(properties) ? Object.keys(properties).length : 0
  left.optional -= count - names.length
  if (dialect.allRequired) {
    if (required === undefined || names.length !== count) return false
  } else if (required !== undefined && names.length === 0) return false
  if (left.optional < 0 || !fitsTexts(names, left) || new Set(names).size !== names.length) return false
  return names.every((name) => isJsonObject(properties) && Object.hasOwn(properties, name as string))
}

function fitsTexts(values: Json, left: Room): boolean {
  if (!Array.isArray(values)) return false
  for (const value of values as readonly Json[]) {
    if (typeof value !== 'string') return false
    left.values -= 1
    left.characters -= value.length
  }
  return true
}

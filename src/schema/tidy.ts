// The JSON Schema that a schema library gave, without its noise, so that the same shape gives the same tool whatever library described it.
// One pass, because it is made for every tool of a program: it changes and freezes what it is given in place, and sees on its way
// whether a survey could find anything wrong, which hardly ever is so.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { holderProblem, keywordProblem } from './keyword-check.js'
import { holders, isNameList } from './keywords.js'
import { schemaLimits } from './rules.js'
import { strictProblem } from './survey.js'

export interface TidySchema {
  /** Frozen, and all in it. */
  readonly schema: JsonObject
  /** Whether it was seen that a survey finds nothing wrong with it, or nothing but its patterns. */
  readonly isSound: boolean
}

/** What is met on the way. */
interface Pass {
  nodes: number
  characters: number
  isSound: boolean
}

type Members = { [key: string]: Json }

/**
 * A schema without `$schema` and the bounds that only say "a safe integer", with the type beside an enum of strings. What is given must be
 * plain JSON that nobody else holds.
 */
export function tidySchema(given: JsonObject): TidySchema {
  const pass: Pass = { nodes: 0, characters: 0, isSound: true }
  // Of the root a copy: an object that loses a member is slow to read ever after.
  const { $schema: _dialect, ...root } = given
  // Definitions are one level of `properties` down wherever they stand: counted from there, no level is too low.
  const schema = settledSchema(root, 0, 1, pass)
  // Far from the limit nothing need be counted exactly.
  return { schema, isSound: pass.isSound && pass.characters < schemaLimits.characters / 2 }
}

/** Whatever stands where a schema belongs. `level` counts the levels of `properties` above. */
function settled(value: Json, depth: number, level: number, pass: Pass): Json {
  if (isJsonObject(value)) return settledSchema(value, depth, level, pass)
  if (typeof value !== 'boolean') pass.isSound = false
  return frozen(value, depth, pass)
}

function settledSchema(schema: Members, depth: number, level: number, pass: Pass): JsonObject {
  if (!isWithin(depth, pass)) return schema
  const inner = schema.properties === undefined ? level : level + 1
  for (const keyword in schema) {
    const value = schema[keyword] ?? null
    if (isNoise(keyword, value, schema)) {
      delete schema[keyword]
      continue
    }
    pass.characters += keyword.length
    const holder = holders.get(keyword)
    const problem = holder === undefined ? keywordProblem(keyword, value) : holderProblem(keyword, holder, value)
    // Where references lead is for a survey to find out.
    if (problem !== undefined || keyword.charCodeAt(0) === dollar) pass.isSound = false
    if (holder === undefined && typeof value === 'string') pass.characters += value.length
    else if (holder === 'one') schema[keyword] = settled(value, depth + 1, inner, pass)
    else frozen(value, depth + 1, pass, holder === undefined ? undefined : inner)
  }
  if (strictProblem(schema, level) !== undefined) pass.isSound = false
  return Object.freeze(typed(schema))
}

const dollar = 36

/** Data such as an enum; with a level, a list or a map of schemas. */
function frozen(value: Json, depth: number, pass: Pass, level?: number): Json {
  if (typeof value === 'string') pass.characters += value.length
  if (!isWithin(depth, pass) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (level === undefined) frozen(value[index] ?? null, depth + 1, pass)
      else value[index] = settled(value[index] ?? null, depth + 1, level, pass)
    }
    return Object.freeze(value)
  }
  const members = value as Members
  for (const key in members) {
    const member = members[key] ?? null
    pass.characters += key.length
    if (level === undefined) frozen(member, depth + 1, pass)
    else members[key] = settled(member, depth + 1, level, pass)
  }
  return Object.freeze(value)
}

/** Nobody looks further into a schema that is too large. */
function isWithin(depth: number, pass: Pass): boolean {
  if (++pass.nodes <= schemaLimits.nodes && depth <= schemaLimits.depth) return true
  pass.isSound = false
  return false
}

function isNoise(keyword: string, value: Json, schema: Members): boolean {
  if (typeof value !== 'number') return keyword === '$schema'
  const isBound =
    (value === Number.MIN_SAFE_INTEGER && keyword === 'minimum') ||
    (value === Number.MAX_SAFE_INTEGER && keyword === 'maximum')
  return isBound && schema.type === 'integer'
}

function typed(schema: Members): Members {
  return schema.type === undefined && isNameList(schema.enum ?? null) ? { type: 'string', ...schema } : schema
}

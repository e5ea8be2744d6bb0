// Whether a JSON Schema makes sense as the schema of a tool. Says the first rule that is broken, where, and why.
import type { Json, JsonObject } from '../json/types.js'
import { type SchemaProblem, schemaLimits } from './rules.js'
import { surveySchema } from './survey.js'

export interface SchemaCheck {
  /** Whether the root must describe an object, as the input of a tool must. */
  readonly root: 'object' | 'any'
  /** `strict` adds what is asked of schemas written for this library: depth, `required` names. */
  readonly level: 'strict' | 'lenient'
  /** What this library's own validator needs. `whole`: references that lead somewhere, and patterns it can match; `open`: patterns
   * may be left out; `none`: a Standard Schema checks values by itself. Default `whole`. */
  readonly validated?: 'whole' | 'open' | 'none'
}

/** The first broken rule, or undefined. Linear in the schema, and bounded for hostile ones. */
export function checkSchema(schema: JsonObject, check: SchemaCheck): SchemaProblem | undefined {
  const { root, level, validated = 'whole' } = check
  const outside = checkSize(schema) ?? checkRoot(schema, root)
  if (outside !== undefined) return outside
  const survey = surveySchema(schema)
  return (
    survey.problem ??
    (level === 'strict' ? survey.strictProblem : undefined) ??
    (validated === 'none' ? undefined : survey.referenceProblem) ??
    (validated === 'whole' ? patternProblem(schema) : undefined)
  )
}

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

function checkRoot(schema: JsonObject, root: SchemaCheck['root']): SchemaProblem | undefined {
  if (root === 'any' || schema.type === 'object') return undefined
  const said = schema.type === undefined ? 'has no type' : `has the type ${JSON.stringify(schema.type)}`
  return { rule: 'root_type', path: '/type', message: `the root of the schema ${said}, not "object"` }
}

function patternProblem(schema: JsonObject): SchemaProblem | undefined {
  const [first] = surveySchema(schema).unmatchable
  if (first === undefined) return undefined
  const pattern = JSON.stringify(first.pattern.length > 100 ? `${first.pattern.slice(0, 100)}…` : first.pattern)
  return {
    rule: 'pattern_unsupported',
    path: first.path,
    message: `the pattern ${pattern} cannot be matched in linear time`,
  }
}

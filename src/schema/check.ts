// Whether a JSON Schema makes sense as the schema of a tool. Says the first rule that is broken, where, and why.
import type { JsonObject } from '../json/types.js'
import { shown } from './messages.js'
import type { SchemaProblem } from './rules.js'
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
  const survey = surveySchema(schema)
  return (
    checkRoot(schema, root) ??
    survey.problem ??
    (level === 'strict' ? survey.strictProblem : undefined) ??
    (validated === 'none' ? undefined : survey.referenceProblem) ??
    (validated === 'whole' ? patternProblem(schema) : undefined)
  )
}

/** Whether the root is what it must be. */
export function checkRoot(schema: JsonObject, root: SchemaCheck['root']): SchemaProblem | undefined {
  if (root === 'any' || schema.type === 'object') return undefined
  const said = schema.type === undefined ? 'has no type' : `has the type ${JSON.stringify(schema.type)}`
  return { rule: 'root_type', path: '/type', message: `the root of the schema ${said}, not "object"` }
}

function patternProblem(schema: JsonObject): SchemaProblem | undefined {
  const [first] = surveySchema(schema).unmatchable
  if (first === undefined) return undefined
  return {
    rule: 'pattern_unsupported',
    path: first.path,
    message: `the pattern ${shown(first.pattern)} cannot be matched in linear time`,
  }
}

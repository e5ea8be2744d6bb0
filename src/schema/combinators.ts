// Keywords that apply other schemas to the same value.
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { referencesOf } from './keywords.js'
import { type Check, fail, failAlternatives, matches, type Node, visit } from './run.js'

export function combinatorChecks(schema: JsonObject, context: Context): readonly Check[] {
  const { allOf, anyOf, oneOf } = schema
  const checks: (Check | undefined)[] = [
    ...referencesOf(schema).map((reference) => applied(context.target(reference))),
    ...nodes(allOf, context).map(applied),
    anyCheck(nodes(anyOf, context)),
    context.weakened ? anyCheck(nodes(oneOf, context)) : oneCheck(nodes(oneOf, context)),
    ...(context.weakened ? [] : [excluded(schema.not, context), conditional(schema, context)]),
  ]
  return checks.filter((check) => check !== undefined)
}

function nodes(schemas: Json | undefined, context: Context): readonly Node[] {
  return Array.isArray(schemas) ? schemas.map((schema: Json) => context.node(schema)) : []
}

function applied(node: Node): Check {
  return (value, run) => visit(node, value, run)
}

function anyCheck(alternatives: readonly Node[]): Check | undefined {
  if (alternatives.length === 0) return undefined
  return (value, run) => {
    for (const node of alternatives) if (matches(node, value, run)) return true
    if (run.sink !== undefined) for (const node of alternatives) visit(node, value, run)
    return failAlternatives(run, 'must match one of the alternatives')
  }
}

function oneCheck(alternatives: readonly Node[]): Check | undefined {
  if (alternatives.length === 0) return undefined
  const text = 'must match exactly one of the alternatives'
  return (value, run) => {
    let count = 0
    for (const node of alternatives) {
      if (matches(node, value, run)) count++
      if (count > 1) return failAlternatives(run, text)
    }
    if (count === 1) return true
    if (run.sink !== undefined) for (const node of alternatives) visit(node, value, run)
    return failAlternatives(run, text)
  }
}

function excluded(schema: Json | undefined, context: Context): Check | undefined {
  if (schema === undefined) return undefined
  const node = context.node(schema)
  return (value, run) => !matches(node, value, run) || fail(run, 'must not match the excluded schema')
}

function conditional(schema: JsonObject, context: Context): Check | undefined {
  const { if: condition, then: consequence, else: alternative } = schema
  if (condition === undefined || (consequence === undefined && alternative === undefined)) return undefined
  const test = context.node(condition)
  const yes = context.node(consequence ?? true)
  const no = context.node(alternative ?? true)
  return (value, run) => visit(matches(test, value, run) ? yes : no, value, run)
}

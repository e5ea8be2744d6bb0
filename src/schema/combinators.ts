// Keywords that apply other schemas to the same value.
import type { Json, JsonObject } from '../json/types.js'
import type { Context, Reference } from './context.js'
import { type Check, fail, failAlternatives, matches, type Node, visit } from './run.js'

export function combinatorChecks(schema: JsonObject, checks: Check[], context: Context): void {
  const { allOf, anyOf, oneOf, not } = schema
  for (const reference of context.references(schema)) checks.push(followReference(reference))
  for (const node of nodes(allOf, context)) checks.push(applied(node))
  if (anyOf !== undefined) checks.push(anyCheck(nodes(anyOf, context)))
  if (oneOf !== undefined) checks.push((context.weakened ? anyCheck : oneCheck)(nodes(oneOf, context)))
  if (context.weakened) return
  if (not !== undefined) checks.push(excluded(context.node(not)))
  const chosen = conditional(schema, context)
  if (chosen !== undefined) checks.push(chosen)
}

function nodes(schemas: Json | undefined, context: Context): readonly Node[] {
  return Array.isArray(schemas) ? schemas.map((schema: Json) => context.node(schema)) : []
}

function followReference(reference: Reference): Check {
  return (value, run) => visit(reference(run), value, run)
}

function applied(node: Node): Check {
  return (value, run) => visit(node, value, run)
}

function anyCheck(alternatives: readonly Node[]): Check {
  return (value, run) => {
    for (const node of alternatives) if (matches(node, value, run)) return true
    if (run.sink !== undefined) for (const node of alternatives) visit(node, value, run)
    return failAlternatives(run, 'must match one of the alternatives')
  }
}

function oneCheck(alternatives: readonly Node[]): Check {
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

function excluded(node: Node): Check {
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

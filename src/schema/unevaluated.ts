// `unevaluatedProperties` and `unevaluatedItems`: what no other keyword, here or in a schema applied to the same value, has looked at.
// Found out afterwards, by asking again which alternatives match: schemas without these keywords pay nothing for them.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { spend } from './meter.js'
import { type Check, checkMember, enter, fail, isObject, matches, type Node, type Run } from './run.js'
import { isMatch } from './strings.js'

export function unevaluatedChecks(schema: JsonObject, checks: Check[], context: Context): void {
  if (context.weakened) return
  const { unevaluatedProperties, unevaluatedItems } = schema
  if (unevaluatedProperties !== undefined) checks.push(propertiesCheck(schema, unevaluatedProperties, context))
  if (unevaluatedItems !== undefined) checks.push(itemsCheck(schema, unevaluatedItems, context))
}

function propertiesCheck(schema: JsonObject, rest: Json, context: Context): Check {
  const node = context.node(rest)
  return (value, run) => {
    if (!isObject(value)) return true
    const keys = Object.keys(value).filter((key) => value[key] !== undefined)
    spend(run, 8 * keys.length)
    const left = new Set(keys)
    forEachApplied(schema, value, run, context, (applied, isOwn) => dropKeys(applied, left, isOwn, run, context))
    enter(run)
    let fits = true
    for (const key of left) {
      if (rest === false) fits = fail(run, 'is not a known property', key)
      else if (!checkMember(node, value[key], run, key)) fits = false
      if (!fits && run.sink === undefined) break
    }
    run.depth--
    return fits
  }
}

/** Takes away the keys that the keywords beside `properties` have looked at. */
function dropKeys(schema: JsonObject, left: Set<string>, isOwn: boolean, run: Run, context: Context): void {
  if (schema.additionalProperties !== undefined || (!isOwn && schema.unevaluatedProperties !== undefined)) {
    left.clear()
    return
  }
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const sources = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  const patterns = sources.flatMap((source) => context.pattern(source) ?? [])
  for (const key of left) {
    spend(run, 4)
    const isKnown = Object.hasOwn(properties, key) || patterns.some((pattern) => isMatch(pattern, key, run))
    if (isKnown) left.delete(key)
  }
}

function itemsCheck(schema: JsonObject, rest: Json, context: Context): Check {
  const node = context.node(rest)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    spend(run, 8 * value.length)
    const left = new Set(value.keys())
    forEachApplied(schema, value, run, context, (applied, isOwn) =>
      dropItems(applied, value, left, isOwn, run, context),
    )
    const [first] = left
    if (first === undefined) return true
    const isTail = left.size === value.length - first
    if (rest === false && isTail) return fail(run, `must have at most ${first} items`)
    enter(run)
    let fits = true
    for (const index of left) {
      if (!checkMember(node, value[index], run, index)) fits = false
      if (!fits && run.sink === undefined) break
    }
    run.depth--
    return fits
  }
}

function dropItems(
  schema: JsonObject,
  value: readonly unknown[],
  left: Set<number>,
  isOwn: boolean,
  run: Run,
  context: Context,
): void {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0
  if (schema.items !== undefined || (!isOwn && schema.unevaluatedItems !== undefined)) left.clear()
  for (let index = 0; index < prefix; index++) left.delete(index)
  if (schema.contains === undefined) return
  const node = context.node(schema.contains)
  for (const index of left) if (matches(node, value[index], run)) left.delete(index)
}

type Look = (schema: JsonObject, isOwn: boolean) => void

/** Looks at a schema and at every schema that is applied to the same value and matches it. The schema itself is known to match. */
function forEachApplied(written: Json, value: unknown, run: Run, context: Context, look: Look, isOwn = true): void {
  if (!isJsonObject(written)) return
  spend(run, 20)
  const outer = context.enterScope(written, run)
  followAll(context.read(written), value, run, context, look, isOwn)
  run.scope = outer
}

function followAll(schema: JsonObject, value: unknown, run: Run, context: Context, look: Look, isOwn: boolean): void {
  look(schema, isOwn)
  const follow = (node: Node): void => forEachApplied(node.schema, value, run, context, look, false)
  for (const reference of context.references(schema)) follow(reference(run))
  for (const member of listOf(schema.allOf)) follow(context.node(member))
  for (const member of [...listOf(schema.anyOf), ...listOf(schema.oneOf)]) {
    const node = context.node(member)
    if (matches(node, value, run)) follow(node)
  }
  if (schema.if !== undefined) {
    const condition = context.node(schema.if)
    const holds = matches(condition, value, run)
    if (holds) follow(condition)
    follow(context.node((holds ? schema.then : schema.else) ?? true))
  }
  if (!isJsonObject(schema.dependentSchemas) || !isObject(value)) return
  for (const [name, dependent] of Object.entries(schema.dependentSchemas)) {
    if (Object.hasOwn(value, name) && value[name] !== undefined) follow(context.node(dependent))
  }
}

function listOf(schemas: Json | undefined): readonly Json[] {
  return Array.isArray(schemas) ? schemas : []
}

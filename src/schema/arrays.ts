// The array keywords.
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { isUnique } from './equality.js'
import { spend } from './meter.js'
import { type Check, checkMember, enter, fail, matches, type Node } from './run.js'

export function arrayChecks(schema: JsonObject, checks: Check[], context: Context): void {
  const { minItems, maxItems, uniqueItems, contains } = schema
  if (typeof minItems === 'number') checks.push(countCheck(minItems, 'least'))
  if (typeof maxItems === 'number') checks.push(countCheck(maxItems, 'most'))
  const items = itemsCheck(schema, context)
  if (items !== undefined) checks.push(items)
  if (contains !== undefined) checks.push(containsCheck(context.node(contains), schema, context))
  if (uniqueItems === true) checks.push(uniqueCheck)
}

function countCheck(limit: number, side: 'least' | 'most'): Check {
  const text = `must have at ${side} ${limit} items`
  return (value, run) =>
    !Array.isArray(value) || (side === 'least' ? value.length >= limit : value.length <= limit) || fail(run, text)
}

function itemsCheck(schema: JsonObject, context: Context): Check | undefined {
  const { prefixItems, items } = schema
  const prefix = Array.isArray(prefixItems) ? prefixItems.map((item: Json) => context.node(item)) : []
  if (prefix.length === 0 && items === undefined) return undefined
  const rest = items === undefined ? undefined : context.node(items)
  const isClosed = items === false
  return (value, run) => {
    if (!Array.isArray(value)) return true
    enter(run)
    let fits = true
    if (isClosed && value.length > prefix.length) fits = fail(run, `must have at most ${prefix.length} items`)
    const end = rest === undefined || isClosed ? Math.min(prefix.length, value.length) : value.length
    let index = 0
    for (; index < end; index++) {
      if (!fits && run.sink === undefined) break
      if (index % stride === stride - 1) spend(run, stride)
      const node: Node | undefined = index < prefix.length ? prefix[index] : rest
      if (node !== undefined && !checkMember(node, value[index], run, index)) fits = false
    }
    spend(run, index % stride)
    run.depth--
    return fits
  }
}

/** Items are paid for in so many at a time: to count each would take longer than to look at it. */
const stride = 256

function containsCheck(node: Node, schema: JsonObject, context: Context): Check {
  const least = typeof schema.minContains === 'number' ? schema.minContains : 1
  const isCapped = typeof schema.maxContains === 'number' && !context.weakened
  const most = isCapped ? Number(schema.maxContains) : Number.POSITIVE_INFINITY
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let count = 0
    for (const item of value) {
      if (count >= least && !isCapped) break
      if (matches(node, item, run)) count++
      if (count > most) break
    }
    if (count < least) return fail(run, `must contain at least ${least} matching items`)
    return count <= most || fail(run, `must contain at most ${most} matching items`)
  }
}

const uniqueCheck: Check = (value, run) =>
  !Array.isArray(value) || isUnique(value, run) || fail(run, 'must not have the same item twice')

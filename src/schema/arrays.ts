// The array keywords.
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { isUnique } from './equality.js'
import { isSeen } from './glance.js'
import { spend } from './meter.js'
import { type Check, checkMember, enter, fail, failTypes, matches, type Node, type Run } from './run.js'

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

/** Whether a schema says `array` and something of the items: then the check of these tells the kind of the value too. */
export function isListed({ type, prefixItems, items }: JsonObject): boolean {
  return type === 'array' && (prefixItems !== undefined || items !== undefined)
}

/** What a schema says of the items of an array. */
interface Items {
  readonly prefix: readonly Node[]
  /** Of those after the prefix; undefined where nothing is said of them, or where there may be none. */
  readonly rest: Node | undefined
  readonly isClosed: boolean
  readonly tellsKind: boolean
}

function itemsCheck(schema: JsonObject, context: Context): Check | undefined {
  const { prefixItems, items } = schema
  const prefix = Array.isArray(prefixItems) ? prefixItems.map((item: Json) => context.node(item)) : []
  if (prefix.length === 0 && items === undefined && !isListed(schema)) return undefined
  const isClosed = items === false
  const rest = items === undefined || isClosed ? undefined : context.node(items)
  const plan: Items = { prefix, rest, isClosed, tellsKind: isListed(schema) }
  return (value, run) => walkItems(plan, value, run)
}

/** The loop over the items of a value: one function for all schemas, as that over members. */
function walkItems(items: Items, value: unknown, run: Run): boolean {
  if (!Array.isArray(value)) return !items.tellsKind || failTypes(run, arrayKind)
  enter(run)
  const { prefix, rest } = items
  let fits = (prefix.length === 0 && !items.isClosed) || prefixFits(items, value, run)
  if (rest !== undefined && (fits || run.sink !== undefined) && !itemsFit(rest, value, prefix.length, run)) fits = false
  run.depth--
  return fits
}

/** Of the items from the place `start` on. */
function itemsFit(node: Node, list: readonly unknown[], start: number, run: Run): boolean {
  const isVerdict = run.sink === undefined
  let fits = true
  let index = start
  while (index < list.length && (fits || !isVerdict)) {
    const item = list[index]
    if (!isSeen(item, node) && !checkMember(node, item, run, index)) fits = false
    index++
    if ((index - start) % stride === 0) spend(run, stride)
  }
  spend(run, (index - start) % stride)
  return fits
}

/** Of the first items, and that there may be no more. */
function prefixFits({ prefix, isClosed }: Items, value: readonly unknown[], run: Run): boolean {
  let fits = true
  if (isClosed && value.length > prefix.length) fits = fail(run, `must have at most ${prefix.length} items`)
  const end = Math.min(prefix.length, value.length)
  spend(run, end)
  for (const [index, node] of prefix.slice(0, end).entries()) {
    if (!fits && run.sink === undefined) break
    if (!checkMember(node, value[index], run, index)) fits = false
  }
  return fits
}

const arrayKind = ['array']

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

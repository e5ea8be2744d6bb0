// The object keywords. Those about the members are one loop over the value, so that the cost is that of the value and not of the
// schema. A member that is `undefined` is not there, as in JSON; what an object inherits is not there either.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { isSeen } from './glance.js'
import { memberUnits, spend, wide, wideUnits } from './meter.js'
import type { Pattern } from './pattern.js'
import {
  type Check,
  checkMember,
  enter,
  fail,
  failTypes,
  isObject,
  matches,
  type Node,
  type Run,
  visit,
} from './run.js'
import { isMatch } from './strings.js'

/** What a schema says of one name, or of all names that it does not say. */
interface Slot {
  readonly name: string
  readonly node: Node
  readonly required: 0 | 1
  /** Whether the name is one of `properties`. */
  readonly isKnown: boolean
  /** Where the slot is that is expected after this one. */
  readonly next: number
}

/** What a schema says of names beside `properties`, when it depends on the name. */
interface Rest {
  readonly names: Node | undefined
  readonly patterns: readonly { readonly pattern: Pattern; readonly node: Node }[]
  /** Of names that neither `properties` nor a pattern knows. */
  readonly additional: Node | undefined
}

export function objectChecks(schema: JsonObject, checks: Check[], context: Context): void {
  const { minProperties, maxProperties, dependentRequired, dependentSchemas } = schema
  if (typeof minProperties === 'number') checks.push(countCheck(minProperties, 'least'))
  if (typeof maxProperties === 'number') checks.push(countCheck(maxProperties, 'most'))
  const members = membersCheck(schema, context)
  if (members !== undefined) checks.push(members)
  if (isJsonObject(dependentRequired)) checks.push(namesCheck(dependentRequired))
  if (isJsonObject(dependentSchemas)) checks.push(dependentsCheck(dependentSchemas, context))
}

/** Whether a schema says `object` and something of the members: then the check of these tells the kind of the value too. */
export function isMembered(schema: JsonObject): boolean {
  const { properties, required, propertyNames, patternProperties, additionalProperties } = schema
  if (schema.type !== 'object') return false
  const isPlain = properties === undefined && required === undefined && additionalProperties === undefined
  return !isPlain || propertyNames !== undefined || patternProperties !== undefined
}

/** What a schema says of the members of an object. */
interface Members {
  /** Of the names in `properties`, in their order. */
  readonly slots: readonly Slot[]
  /** Of all names that are known or required. */
  readonly byName: ReadonlyMap<string, Slot>
  /** Of any other name. */
  readonly stranger: Slot
  readonly required: readonly string[]
  readonly rest: Rest | undefined
  readonly tellsKind: boolean
}

function membersCheck(schema: JsonObject, context: Context): Check | undefined {
  const { properties, additionalProperties } = schema
  const tellsKind = isMembered(schema)
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const rest = restOf(schema, context)
  const isOpen = additionalProperties === undefined && rest === undefined
  if (!tellsKind && required.size === 0 && properties === undefined && isOpen) return undefined
  const slots = slotsOf(properties, required, context)
  // Where it depends on the name, the rest says it.
  const other = rest === undefined ? additionalNode(additionalProperties, context) : context.node(true)
  const stranger: Slot = { name: '', node: other, required: 0, isKnown: false, next: 0 }
  const byName = new Map(slots.map((slot) => [slot.name, slot]))
  for (const name of required) if (!byName.has(name)) byName.set(name, { ...stranger, name, required: 1 })
  const members: Members = { slots, byName, stranger, required: [...required], rest, tellsKind }
  return (value, run) => walkMembers(members, value, run)
}

function slotsOf(properties: Json | undefined, required: ReadonlySet<string>, context: Context): readonly Slot[] {
  if (!isJsonObject(properties)) return []
  return Object.keys(properties).map((name, index) => {
    const node = context.node(properties[name] ?? true)
    return { name, node, required: required.has(name) ? 1 : 0, isKnown: true, next: index + 1 }
  })
}

function additionalNode(schema: Json | undefined, context: Context): Node {
  return schema === false ? { ...context.node(false), check: unknownCheck } : context.node(schema ?? true)
}

const unknownCheck: Check = (_value, run) => fail(run, 'is not a known property')

/**
 * The loop over the members of a value: most of the time of a check is spent here. It is one function for all schemas, and not a closure
 * of each, because the runtime makes better code of what there is only one of.
 */
function walkMembers(members: Members, value: unknown, run: Run): boolean {
  if (!isObject(value)) return !members.tellsKind || failTypes(run, objectKind)
  enter(run)
  const { slots, rest } = members
  const isVerdict = run.sink === undefined
  // Nothing is asked of a member but that it fits, which is nearly always so.
  const isBare = isVerdict && rest === undefined
  let fits = isVerdict || hasAll(value, members.required, run)
  let present = 0
  let count = 0
  let paid = 0
  let next = 0
  // The runtime knows that the keys of this loop are the object's own, if it is asked in these words.
  const own = Object.prototype.hasOwnProperty
  for (const key in value) {
    if (!own.call(value, key)) continue
    const member = value[key]
    if (member === undefined) continue
    count++
    // Models write members in the order of the schema, mostly: then the name need not be looked up.
    let slot = slots[next]
    if (slot === undefined || slot.name !== key) {
      if (count - paid > wide) paid = payMembers(run, paid, count)
      slot = members.byName.get(key) ?? members.stranger
    }
    next = slot.next
    present += slot.required
    const { node } = slot
    if (isBare) {
      if (isSeen(member, node) || node.check(member, run)) continue
      fits = false
      break
    }
    if (!checkMember(node, member, run, key)) fits = false
    if (rest !== undefined && !restFits(rest, slot.isKnown, key, member, run)) fits = false
    if (!fits && isVerdict) break
  }
  payMembers(run, paid, count)
  run.depth--
  return fits && present === members.required.length
}

/** Pays for the members after the first so many. Many at once: to count each would take longer than to look at it. */
function payMembers(run: Run, from: number, to: number): number {
  spend(run, to <= wide ? to - from : wideFrom(from, to))
  return to
}

function wideFrom(from: number, to: number): number {
  const beyond = to - Math.max(from, wide)
  return to - from + beyond * (wideUnits - 1)
}

const objectKind = ['object']

function restOf(schema: JsonObject, context: Context): Rest | undefined {
  const { propertyNames, patternProperties, additionalProperties } = schema
  if (propertyNames === undefined && patternProperties === undefined) return undefined
  const written = isJsonObject(patternProperties) ? Object.entries(patternProperties) : []
  const patterns = written.flatMap(([source, member]) => {
    const pattern = context.pattern(source)
    return pattern === undefined ? [] : [{ pattern, node: context.node(member) }]
  })
  // A key that only an unmatchable pattern would know must not be refused as unknown.
  const isOpen = additionalProperties === undefined || patterns.length < written.length
  const names = propertyNames === undefined ? undefined : context.node(propertyNames)
  return { names, patterns, additional: isOpen ? undefined : additionalNode(additionalProperties, context) }
}

function restFits(rest: Rest, isKnown: boolean, key: string, member: unknown, run: Run): boolean {
  let fits = true
  let isMatched = isKnown
  if (rest.names !== undefined && !matches(rest.names, key, run)) {
    fits = fail(run, 'is not an allowed property name', key)
  }
  for (const { pattern, node } of rest.patterns) {
    if (!isMatch(pattern, key, run)) continue
    isMatched = true
    if (!checkMember(node, member, run, key)) fits = false
  }
  if (isMatched || rest.additional === undefined) return fits
  return checkMember(rest.additional, member, run, key) && fits
}

/** Whether every name is there; each that is not is a failure of its own. */
function hasAll(value: { readonly [key: string]: unknown }, names: readonly string[], run: Run): boolean {
  let all = true
  for (const name of names) {
    spend(run, 1)
    if (!has(value, name)) all = fail(run, 'is required', name)
  }
  return all
}

function has(value: { readonly [key: string]: unknown }, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}

function countCheck(limit: number, side: 'least' | 'most'): Check {
  const text = `must have at ${side} ${limit} properties`
  return (value, run) => {
    if (!isObject(value)) return true
    const keys = Object.keys(value)
    spend(run, keys.length * memberUnits(keys.length))
    const count = keys.reduce((sum, key) => (value[key] === undefined ? sum : sum + 1), 0)
    return (side === 'least' ? count >= limit : count <= limit) || fail(run, text)
  }
}

function namesCheck(dependents: JsonObject): Check {
  const needs = Object.entries(dependents).map(([name, needed]) => [name, (needed as Json[]).map(String)] as const)
  return (value, run) => {
    if (!isObject(value)) return true
    let fits = true
    for (const [name, needed] of needs) {
      spend(run, 1)
      if (!has(value, name)) continue
      if (!hasAll(value, needed, run)) fits = false
      if (!fits && run.sink === undefined) return false
    }
    return fits
  }
}

function dependentsCheck(dependents: JsonObject, context: Context): Check {
  const needs = Object.entries(dependents).map(([name, schema]) => [name, context.node(schema)] as const)
  return (value, run) => {
    if (!isObject(value)) return true
    let fits = true
    for (const [name, node] of needs) {
      spend(run, 1)
      if (has(value, name) && !visit(node, value, run)) fits = false
      if (!fits && run.sink === undefined) return false
    }
    return fits
  }
}

// The object keywords. Those about the members are one loop over the value, so that the cost is that of the value and not of the
// schema. A member that is `undefined` is not there, as in JSON; what an object inherits is not there either.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
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

/** What a schema says of one name. */
interface Slot {
  readonly name: string
  /** Undefined for a name that is only required. */
  readonly node: Node | undefined
  readonly required: 0 | 1
}

/** What a schema says of names that have no slot, or of all names. */
interface Rest {
  readonly names: Node | undefined
  readonly patterns: readonly { readonly pattern: Pattern; readonly node: Node }[]
  readonly additional: Node | undefined
  /** Whether it says nothing of names that have a slot. */
  readonly isForUnknown: boolean
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

function membersCheck(schema: JsonObject, context: Context): Check | undefined {
  const slots = slotsOf(schema, context)
  const rest = restOf(schema, context)
  if (slots.length === 0 && rest === undefined && !isMembered(schema)) return undefined
  return memberWalk(slots, rest, isMembered(schema))
}

/** The loop over the members of a value. Most of the time of a check is spent here, which is why it decides beforehand what it can. */
function memberWalk(slots: readonly Slot[], rest: Rest | undefined, tellsKind: boolean): Check {
  const forKnown = rest?.isForUnknown === true ? undefined : rest
  const required: string[] = []
  for (const slot of slots) if (slot.required === 1) required.push(slot.name)
  let byName: Map<string, Slot> | undefined
  return (value, run) => {
    if (!isObject(value)) return !tellsKind || failTypes(run, objectKind)
    enter(run)
    const isVerdict = run.sink === undefined
    let fits = isVerdict || hasAll(value, required, run)
    let present = 0
    let count = 0
    const mayInherit = inherits(value, run)
    for (const key in value) {
      if (mayInherit && !hasOwn.call(value, key)) continue
      const member = value[key]
      if (member === undefined) continue
      // Models write members in the order of the schema, mostly: then the name need not be looked up.
      let slot = slots[count]
      if (slot === undefined || slot.name !== key) {
        byName ??= new Map(slots.map((known) => [known.name, known]))
        slot = byName.get(key)
      }
      if (++count > wide) spend(run, wideUnits)
      const node = slot?.node
      if (slot !== undefined) present += slot.required
      if (node === undefined) {
        if (rest !== undefined && !restFits(rest, false, key, member, run)) fits = false
      } else {
        const isPlain = typeof member === node.plain
        if (!isPlain && !(isVerdict ? node.check(member, run) : checkMember(node, member, run, key))) fits = false
        if (forKnown !== undefined && !restFits(forKnown, true, key, member, run)) fits = false
      }
      if (!fits && isVerdict) break
    }
    // What a narrow object costs is paid at once: to count each of its members would take longer than to look at it.
    spend(run, Math.min(count, wide))
    run.depth--
    return fits && present === required.length
  }
}

const { hasOwnProperty: hasOwn } = Object.prototype

const objectKind = ['object']

/** Whether keys of the object may be another's. Asked once of it, so that it need not be asked of each key. */
function inherits(value: object, run: Run): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype ? run.isTainted : prototype !== null
}

function slotsOf({ properties, required }: JsonObject, context: Context): readonly Slot[] {
  const missing = Array.isArray(required) ? new Set<Json>(required) : undefined
  const slots: Slot[] = []
  if (isJsonObject(properties)) {
    for (const name of Object.keys(properties)) {
      const isRequired = missing?.delete(name) === true
      slots.push({ name, node: context.node(properties[name] ?? true), required: isRequired ? 1 : 0 })
    }
  }
  if (missing !== undefined)
    for (const name of missing) slots.push({ name: String(name), node: undefined, required: 1 })
  return slots
}

function restOf(schema: JsonObject, context: Context): Rest | undefined {
  const { propertyNames, patternProperties, additionalProperties } = schema
  if (propertyNames === undefined && patternProperties === undefined && additionalProperties === undefined)
    return undefined
  const written = isJsonObject(patternProperties) ? Object.entries(patternProperties) : []
  const patterns = written.flatMap(([source, member]) => {
    const pattern = context.pattern(source)
    return pattern === undefined ? [] : [{ pattern, node: context.node(member) }]
  })
  // A key that only an unmatchable pattern would know must not be refused as unknown.
  const isOpen = additionalProperties === undefined || patterns.length < written.length
  const rest: Rest = {
    names: propertyNames === undefined ? undefined : context.node(propertyNames),
    patterns,
    additional: isOpen ? undefined : context.node(additionalProperties),
    isForUnknown: propertyNames === undefined && patterns.length === 0,
  }
  return rest.names === undefined && rest.additional === undefined && patterns.length === 0 ? undefined : rest
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
  if (rest.additional.schema === false) return fail(run, 'is not a known property', key)
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

// How values of a lowered schema come back to the original, as plain data, and the functions that carry a value across.
// Each kind acts only on values of its own shape and leaves others alone: a model may answer anything, and the check against the
// original schema has the last word.
import { type Exact, exactString, exactText, parseExact, stringOf } from '../../json/exact.js'
import { parseJson } from '../../json/parse.js'
import type { JsonObject } from '../../json/types.js'
import { compileSchema } from '../validate.js'

export type ValueMap =
  | {
      readonly kind: 'object'
      readonly members: ReadonlyMap<string, MemberMap>
      /** The lowered member that holds undeclared keys as a list. */
      readonly rest?: { readonly key: string; readonly map?: ValueMap | undefined }
    }
  /** An open map, written as a list of `{ key, value }`. */
  | { readonly kind: 'entries'; readonly map?: ValueMap | undefined }
  | { readonly kind: 'list'; readonly map: ValueMap }
  /** A tuple, written as an object. */
  | {
      readonly kind: 'tuple'
      readonly items: readonly TupleItem[]
      readonly rest?: { readonly key: string; readonly map?: ValueMap | undefined }
    }
  /** A value of any shape, written as a string of its JSON text. */
  | { readonly kind: 'text' }
  /** A root that is no object, inside of one. */
  | { readonly kind: 'wrapped'; readonly key: string; readonly map?: ValueMap | undefined }
  | { readonly kind: 'alternatives'; readonly options: readonly Alternative[] }
  | { readonly kind: 'named'; readonly name: string }

export interface MemberMap {
  readonly map?: ValueMap | undefined
  /** Whether an absent member is written as null. */
  readonly nullWhenAbsent: boolean
  /** Whether null is read as an absent member; not where the original takes null too. */
  readonly nullIsAbsent: boolean
}
export interface TupleItem extends MemberMap {
  readonly key: string
}
export interface Alternative {
  /** Both are complete schemas, with the definitions they refer to. */
  readonly original: JsonObject
  readonly lowered: JsonObject
  readonly map?: ValueMap | undefined
}

/** The map of a whole schema, with the maps of its definitions by name. */
export interface Mapping {
  readonly root: ValueMap
  readonly named: ReadonlyMap<string, ValueMap | undefined>
}

type Direction = 'back' | 'forward'

/** JSON text of the lowered schema as text of the original one. Text that needs no change, or is no JSON, stays as it is. */
export function mapBack(text: string, mapping: Mapping): string {
  return mapText(text, mapping, 'back')
}

/** JSON text of the original schema as text of the lowered one. */
export function mapForward(text: string, mapping: Mapping): string {
  return mapText(text, mapping, 'forward')
}

function mapText(text: string, mapping: Mapping, direction: Direction): string {
  let value: Exact
  try {
    value = parseExact(text)
  } catch {
    return text
  }
  const mapped = carry(value, mapping.root, { named: mapping.named, direction })
  return mapped === value ? text : exactText(mapped)
}

interface Carrying {
  readonly named: Mapping['named']
  readonly direction: Direction
}

/** The value itself when nothing of it changes. */
function carry(value: Exact, map: ValueMap | undefined, carrying: Carrying): Exact {
  if (map === undefined) return value
  switch (map.kind) {
    case 'named':
      return carry(value, carrying.named.get(map.name), carrying)
    case 'list':
      return value.type === 'list' ? carryItems(value, map.map, carrying) : value
    case 'alternatives':
      return chosen(value, map.options, carrying)
    case 'object':
      return carrying.direction === 'back' ? objectBack(value, map, carrying) : objectForward(value, map, carrying)
    case 'entries':
      return carrying.direction === 'back'
        ? entriesBack(value, map.map, carrying)
        : entriesForward(value, map.map, carrying)
    case 'tuple':
      return carrying.direction === 'back' ? tupleBack(value, map, carrying) : tupleForward(value, map, carrying)
    case 'text':
      return carrying.direction === 'back' ? textBack(value) : exactString(exactText(value))
    case 'wrapped': {
      if (carrying.direction === 'forward') return objectOf([[map.key, carry(value, map.map, carrying)]])
      const inner = value.type === 'object' && value.members.size === 1 ? value.members.get(map.key) : undefined
      return inner === undefined ? value : carry(inner, map.map, carrying)
    }
  }
}

function objectOf(members: Iterable<readonly [string, Exact]>): Exact {
  return { type: 'object', members: new Map(members) }
}

const nothing: Exact = { type: 'scalar', text: 'null' }

function isNull(value: Exact): boolean {
  return value.type === 'scalar' && value.text === 'null'
}

function carryItems(value: Exact & { readonly type: 'list' }, map: ValueMap, carrying: Carrying): Exact {
  const items = value.items.map((item) => carry(item, map, carrying))
  return items.every((item, index) => item === value.items[index]) ? value : { type: 'list', items }
}

type ObjectMap = ValueMap & { readonly kind: 'object' }

function objectBack(value: Exact, { members, rest }: ObjectMap, carrying: Carrying): Exact {
  if (value.type !== 'object') return value
  const result = new Map<string, Exact>()
  let changed = false
  for (const [key, member] of value.members) {
    if (rest !== undefined && key === rest.key) {
      const more = entriesBack(member, rest.map, carrying)
      changed = true
      if (more.type === 'object') for (const [name, item] of more.members) result.set(name, item)
      continue
    }
    const known = members.get(key)
    if (known?.nullIsAbsent === true && isNull(member)) {
      changed = true
      continue
    }
    const mapped = carry(member, known?.map, carrying)
    changed ||= mapped !== member
    result.set(key, mapped)
  }
  return changed ? { type: 'object', members: result } : value
}

function objectForward(value: Exact, { members, rest }: ObjectMap, carrying: Carrying): Exact {
  if (value.type !== 'object') return value
  const result = new Map<string, Exact>()
  const more = new Map<string, Exact>()
  for (const [key, member] of value.members) {
    const known = members.get(key)
    if (known === undefined && rest !== undefined) more.set(key, member)
    else result.set(key, carry(member, known?.map, carrying))
  }
  for (const [key, { nullWhenAbsent }] of members) if (nullWhenAbsent && !result.has(key)) result.set(key, nothing)
  if (rest !== undefined) result.set(rest.key, entriesForward({ type: 'object', members: more }, rest.map, carrying))
  return { type: 'object', members: result }
}

function entriesBack(value: Exact, map: ValueMap | undefined, carrying: Carrying): Exact {
  if (value.type !== 'list') return value
  const members: [string, Exact][] = []
  for (const item of value.items) {
    const key = item.type === 'object' ? stringOf(item.members.get('key')) : undefined
    const inner = item.type === 'object' ? item.members.get('value') : undefined
    if (key === undefined || inner === undefined) return value
    members.push([key, carry(inner, map, carrying)])
  }
  return objectOf(members)
}

function entriesForward(value: Exact, map: ValueMap | undefined, carrying: Carrying): Exact {
  if (value.type !== 'object') return value
  const items = [...value.members].map(([key, member]) =>
    objectOf([
      ['key', exactString(key)],
      ['value', carry(member, map, carrying)],
    ]),
  )
  return { type: 'list', items }
}

type TupleMap = ValueMap & { readonly kind: 'tuple' }

/** Items up to the first that is absent, then the rest. */
function tupleBack(value: Exact, { items, rest }: TupleMap, carrying: Carrying): Exact {
  if (value.type !== 'object') return value
  const result: Exact[] = []
  for (const { key, map, nullIsAbsent } of items) {
    const member = value.members.get(key)
    if (member === undefined || (nullIsAbsent && isNull(member))) break
    result.push(carry(member, map, carrying))
  }
  const more = rest === undefined ? undefined : value.members.get(rest.key)
  if (more?.type === 'list') for (const item of more.items) result.push(carry(item, rest?.map, carrying))
  return { type: 'list', items: result }
}

function tupleForward(value: Exact, { items, rest }: TupleMap, carrying: Carrying): Exact {
  if (value.type !== 'list') return value
  const members: [string, Exact][] = items.flatMap(({ key, map, nullWhenAbsent }, index): [string, Exact][] => {
    const item = value.items[index]
    if (item !== undefined) return [[key, carry(item, map, carrying)]]
    return nullWhenAbsent ? [[key, nothing]] : []
  })
  if (rest !== undefined) {
    const more = value.items.slice(items.length).map((item) => carry(item, rest.map, carrying))
    members.push([rest.key, { type: 'list', items: more }])
  }
  return objectOf(members)
}

function textBack(value: Exact): Exact {
  const text = stringOf(value)
  if (text === undefined) return value
  try {
    return parseExact(text)
  } catch {
    return value
  }
}

/** The alternative a value belongs to: where several take it, the first whose way there and back is sure. */
function chosen(value: Exact, options: readonly Alternative[], carrying: Carrying): Exact {
  const isBack = carrying.direction === 'back'
  const [from, to] = isBack ? (['lowered', 'original'] as const) : (['original', 'lowered'] as const)
  const possible = options.filter((option) => isOfType(option[from], value))
  const [only, ...others] = possible
  if (only === undefined) return value
  if (others.length === 0) return carry(value, only.map, carrying)
  let first: Exact | undefined
  for (const option of possible) {
    if (!accepts(option[from], value)) continue
    const mapped = carry(value, option.map, carrying)
    first ??= mapped
    if (accepts(option[to], mapped) && (isBack || comesHome(value, mapped, options, carrying))) return mapped
  }
  return first ?? value
}

function comesHome(value: Exact, image: Exact, options: readonly Alternative[], carrying: Carrying): boolean {
  return exactText(chosen(image, options, { ...carrying, direction: 'back' })) === exactText(value)
}

/** A schema that cannot be compiled rules nothing out. */
function accepts(schema: JsonObject, value: Exact): boolean {
  try {
    return compileSchema(schema)(parseJson(exactText(value))).ok
  } catch {
    return true
  }
}

/** What the type alone says, which tells most alternatives apart. */
function isOfType({ type }: JsonObject, value: Exact): boolean {
  if (type === undefined) return true
  const types = Array.isArray(type) ? type : [type]
  return typesOf(value).some((name) => types.includes(name))
}

function typesOf(value: Exact): readonly string[] {
  if (value.type !== 'scalar') return [value.type === 'list' ? 'array' : 'object']
  switch (value.text[0]) {
    case '"':
      return ['string']
    case 'n':
      return ['null']
    case 't':
    case 'f':
      return ['boolean']
    default:
      return ['number', 'integer']
  }
}

/** Whether a map changes nothing, following the maps of definitions. */
export function isIdentity(map: ValueMap | undefined, named: Mapping['named'], seen: Set<string> = new Set()): boolean {
  if (map === undefined) return true
  const same = (inner: ValueMap | undefined): boolean => isIdentity(inner, named, seen)
  switch (map.kind) {
    case 'named':
      if (seen.has(map.name)) return true
      seen.add(map.name)
      return same(named.get(map.name))
    case 'list':
      return same(map.map)
    case 'object':
      return (
        map.rest === undefined &&
        [...map.members.values()].every((member) => !member.nullWhenAbsent && same(member.map))
      )
    case 'alternatives':
      return map.options.every((option) => same(option.map))
    default:
      return false
  }
}

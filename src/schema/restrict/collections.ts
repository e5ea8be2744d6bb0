// Objects and lists. Open maps become lists of keys and values, tuples become objects, and optional properties nullable ones, where
// the dialect wants it so; each with the map that brings values back.
import { isJsonObject } from '../../json/parse.js'
import { at } from '../../json/pointer.js'
import type { Json, JsonObject } from '../../json/types.js'
import { constrained, note } from './constraints.js'
import { acceptsNull, allows, anything, type Context, type Lowered, type Place, tell, withNull } from './context.js'
import type { MemberMap, TupleItem, ValueMap } from './value-map.js'

const objectKeywords: ReadonlySet<string> = new Set('properties required additionalProperties'.split(' '))
/** The member that holds the undeclared keys of an object that has declared ones too. */
const restKey = 'additional_properties'

export function lowerObject(node: JsonObject, place: Place, context: Context): Lowered {
  const { dialect } = context
  const source = withNamedKeys(node, context)
  const used = new Set(objectKeywords)
  const extra = dialect.mapped ? undeclared(source, place, context) : undefined
  if (extra !== undefined) used.add('patternProperties')
  if (source !== node) used.add('propertyNames')
  const properties = isJsonObject(source.properties) ? Object.entries(source.properties) : []
  if (extra !== undefined && properties.length === 0) return entriesOf(node, extra, place, context, used)
  const members = lowerMembers(source, properties, place, context)
  if (extra !== undefined) members.push(restMember(extra, members, place, context))
  return assembled(source, node, members, place, context, used)
}

/** Keys that are limited to a list, as properties. */
function withNamedKeys(node: JsonObject, { dialect }: Context): JsonObject {
  const { propertyNames, additionalProperties, properties } = node
  const names = isJsonObject(propertyNames) && Array.isArray(propertyNames.enum) ? propertyNames.enum : []
  if (!dialect.mapped || names.length === 0 || properties !== undefined || !isJsonObject(additionalProperties))
    return node
  const listed = names.filter((name) => typeof name === 'string').map((name) => [name, additionalProperties] as const)
  return { ...node, properties: Object.fromEntries(listed), additionalProperties: false }
}

/** The schema of keys that are not declared, where there may be any; a tell where there no longer may. */
function undeclared(node: JsonObject, place: Place, context: Context): Json | undefined {
  const { additionalProperties: more, patternProperties, properties } = node
  const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : []
  const open = more === undefined || more === false ? [] : [more]
  if (patterns.length + open.length > 0) {
    const all = [...patterns, ...open]
    return all.length === 1 ? all[0] : { anyOf: all }
  }
  if (more === false) return undefined
  if (properties === undefined && place.path !== '') return true
  if (context.dialect.additional === 'false') {
    tell(context, 'narrowed', place.path, 'keys that are not declared are no longer allowed')
  }
  return undefined
}

interface Member {
  readonly key: string
  readonly schema: JsonObject
  readonly required: boolean
  readonly map: MemberMap
  /** Set on the member that holds the undeclared keys. */
  readonly rest?: { readonly map?: ValueMap | undefined }
}

function lowerMembers(
  node: JsonObject,
  properties: readonly (readonly [string, Json])[],
  place: Place,
  context: Context,
): Member[] {
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  const members: Member[] = []
  for (const [key, source] of properties) {
    const path = at(`${place.path}/properties`, key)
    const lowered = context.lower(source, { path, level: place.level })
    if (lowered === undefined) tell(context, 'lowered', path, 'no value could stand here: the property is left out')
    else members.push(memberOf(key, lowered, required.has(key), path, context))
  }
  return members
}

/** A property; an optional one is nullable where all must be required. */
function memberOf(key: string, { schema, map }: Lowered, required: boolean, path: string, context: Context): Member {
  const { dialect, definitions } = context
  if (required || !dialect.allRequired)
    return { key, schema, required, map: { map, nullWhenAbsent: false, nullIsAbsent: false } }
  if (acceptsNull(schema, definitions)) {
    tell(context, 'narrowed', path, 'absence and null can no longer be told apart: null stands for both')
    return { key, schema, required: true, map: { map, nullWhenAbsent: true, nullIsAbsent: false } }
  }
  tell(context, 'lowered', path, 'an optional property is required, and null when absent')
  return {
    key,
    schema: withNull(schema, dialect),
    required: true,
    map: { map, nullWhenAbsent: true, nullIsAbsent: true },
  }
}

interface Undeclared {
  readonly list: JsonObject
  readonly map: ValueMap | undefined
}

function entriesList(extra: Json, place: Place, context: Context): Undeclared {
  const inner = { path: `${place.path}/additionalProperties`, level: place.level + 1 }
  const value = context.lower(extra, inner) ?? anything(context, {}, inner)
  const entry: JsonObject = {
    type: 'object',
    properties: { key: { type: 'string' }, value: value.schema },
    required: ['key', 'value'],
    ...(context.dialect.additional === 'false' ? { additionalProperties: false } : {}),
  }
  return { list: { type: 'array', items: entry }, map: value.map }
}

function entriesOf(node: JsonObject, extra: Json, place: Place, context: Context, used: ReadonlySet<string>): Lowered {
  const { list, map } = entriesList(extra, place, context)
  tell(context, 'lowered', place.path, 'a map is written as a list of its keys and values')
  const { type: _, ...told } = constrained({ type: 'object' }, node, place, context, used, [
    'as a list of keys and values',
  ]).schema
  const { description, title } = told
  const words = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
  return { schema: { type: 'array', ...words, items: list.items ?? {} }, map: { kind: 'entries', map } }
}

/** The list of undeclared keys beside declared ones. */
function restMember(extra: Json, members: readonly Member[], place: Place, context: Context): Member {
  const { list, map } = entriesList(extra, place, context)
  tell(context, 'lowered', place.path, 'keys that are not declared are written as a list of keys and values')
  let key = restKey
  while (members.some((member) => member.key === key)) key += '_'
  const schema = { type: 'array', description: 'further keys and values', items: list.items ?? {} }
  return {
    key,
    schema,
    required: context.dialect.allRequired,
    map: { nullWhenAbsent: false, nullIsAbsent: false },
    rest: { map },
  }
}

function assembled(
  source: JsonObject,
  node: JsonObject,
  members: readonly Member[],
  place: Place,
  context: Context,
  used: ReadonlySet<string>,
): Lowered {
  const { dialect } = context
  const notes: string[] = []
  const named = Array.isArray(source.required) ? source.required : []
  const needed = members.filter((member) => member.required).map((member) => member.key)
  // In the order of the source, so that a schema that needs no change is not changed.
  const required = [
    ...new Set([...named.filter((name) => typeof name === 'string' && needed.includes(name)), ...needed]),
  ]
  const more = source.additionalProperties
  const schema: JsonObject = {
    type: 'object',
    ...(source.properties === undefined && !dialect.mapped
      ? {}
      : { properties: Object.fromEntries(members.map((member) => [member.key, member.schema])) }),
    ...(required.length > 0 || dialect.allRequired ? { required } : {}),
    ...additional(more, place, context, notes),
  }
  const result = constrained(schema, node, place, context, used, notes)
  return { schema: result.schema, map: objectMap(members) }
}

function additional(more: Json | undefined, place: Place, context: Context, notes: string[]): JsonObject {
  switch (context.dialect.additional) {
    case 'false':
      return { additionalProperties: false }
    case 'silent':
      if (isJsonObject(more) && !context.dialect.mapped) {
        note('additionalProperties', more, `${place.path}/additionalProperties`, notes, context)
      }
      return {}
    case 'kept': {
      if (!isJsonObject(more)) return more === undefined ? {} : { additionalProperties: more }
      const inner = { path: `${place.path}/additionalProperties`, level: place.level }
      return { additionalProperties: context.lower(more, inner)?.schema ?? false }
    }
  }
}

function objectMap(members: readonly Member[]): ValueMap | undefined {
  const rest = members.find((member) => member.rest !== undefined)
  const declared = members.filter((member) => member.rest === undefined)
  const isPlain = declared.every(({ map }) => map.map === undefined && !map.nullWhenAbsent)
  if (isPlain && rest === undefined) return undefined
  const maps = new Map(declared.map(({ key, map }) => [key, map]))
  if (rest === undefined) return { kind: 'object', members: maps }
  return { kind: 'object', members: maps, rest: { key: rest.key, map: rest.rest?.map } }
}

// Lists

const listKeywords: ReadonlySet<string> = new Set(['items', 'prefixItems'])

export function lowerArray(node: JsonObject, place: Place, context: Context): Lowered {
  const { prefixItems, items } = node
  const prefix: readonly Json[] = Array.isArray(prefixItems) ? prefixItems : []
  if (prefix.length > 0 && !allows(context, 'prefixItems')) return lowerTuple(node, prefix, place, context)
  const inner = { path: `${place.path}/items`, level: place.level }
  const lowered = items === undefined ? undefined : context.lower(items, inner)
  const isOpen = items === undefined || items === true
  const each = lowered ?? (isOpen && context.dialect.untyped ? undefined : anything(context, {}, inner))
  const first = prefix.map((item, index) => {
    const at = { path: `${place.path}/prefixItems/${index}`, level: place.level }
    return context.lower(item, at) ?? anything(context, {}, at)
  })
  const schema: JsonObject = {
    type: 'array',
    ...(first.length === 0 ? {} : { prefixItems: first.map((item) => item.schema) }),
    ...(each === undefined ? {} : { items: each.schema }),
  }
  const map: ValueMap | undefined = each?.map === undefined ? undefined : { kind: 'list', map: each.map }
  return { ...constrained(schema, node, place, context, listKeywords), map }
}

/** A tuple as an object, or as an open list where values are not mapped. */
function lowerTuple(node: JsonObject, prefix: readonly Json[], place: Place, context: Context): Lowered {
  const { dialect } = context
  if (!dialect.mapped) {
    const notes: string[] = []
    note('prefixItems', prefix, `${place.path}/prefixItems`, notes, context)
    return constrained({ type: 'array' }, node, place, context, listKeywords, notes)
  }
  const least = typeof node.minItems === 'number' ? node.minItems : 0
  const members = prefix.map((item, index) => {
    const path = `${place.path}/prefixItems/${index}`
    const lowered =
      context.lower(item, { path, level: place.level + 1 }) ?? anything(context, {}, { path, level: place.level + 1 })
    return memberOf(`item_${index + 1}`, lowered, index < least, path, context)
  })
  const items: readonly TupleItem[] = members.map(({ key, map }) => ({ key, ...map }))
  const rest = tupleRest(node, place, context)
  if (rest !== undefined) members.push(rest)
  tell(context, 'lowered', place.path, 'a tuple is written as an object of its items')
  const used = new Set([...listKeywords, 'minItems', 'maxItems'])
  const told = constrained({ type: 'array' }, node, place, context, used, ['a list, as an object of its items'])
  const { type: _, ...words } = told.schema
  const object = assembled({ ...words, additionalProperties: false }, words, members, place, context, new Set())
  const map: ValueMap = {
    kind: 'tuple',
    items,
    ...(rest === undefined ? {} : { rest: { key: rest.key, map: rest.rest?.map } }),
  }
  return { schema: object.schema, map }
}

function tupleRest(node: JsonObject, place: Place, context: Context): Member | undefined {
  const { items } = node
  if (items === undefined || items === false) {
    if (items === undefined) tell(context, 'narrowed', place.path, 'items beyond the listed ones are no longer allowed')
    return undefined
  }
  const inner = { path: `${place.path}/items`, level: place.level + 1 }
  const each = context.lower(items, inner) ?? anything(context, {}, inner)
  return {
    key: 'rest',
    schema: { type: 'array', items: each.schema },
    required: context.dialect.allRequired,
    map: { nullWhenAbsent: false, nullIsAbsent: false },
    rest: { map: each.map },
  }
}

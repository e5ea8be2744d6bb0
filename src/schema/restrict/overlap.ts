// Whether a value could belong to two lowered schemas at once. Cautious: where it is not sure that none could, one could.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Context } from './context.js'

/** How deep schemas are compared; what lies deeper may overlap. */
const deepest = 6

/** Null apart, which every map leaves as it is. */
export function overlap(one: JsonObject, other: JsonObject, context: Context, depth = 0): boolean {
  if (one.type === 'null' || other.type === 'null') return false
  if (depth > deepest) return true
  const [a, b] = [target(one, context), target(other, context)]
  if (a === undefined || b === undefined) return true
  if (Array.isArray(a.anyOf))
    return a.anyOf.filter(isJsonObject).some((option) => overlap(option, b, context, depth + 1))
  if (Array.isArray(b.anyOf))
    return b.anyOf.filter(isJsonObject).some((option) => overlap(a, option, context, depth + 1))
  if (!shareLiterals(a, b)) return false
  const types = commonTypes(a, b)
  if (types === undefined || types.some((type) => type !== 'object' && type !== 'array')) return true
  if (types.includes('array') && itemsOverlap(a, b, context, depth)) return true
  return types.includes('object') && objectsOverlap(a, b, context, depth)
}

/** The schema that a reference leads to, or undefined when nothing is known about it. */
function target(schema: JsonObject, { definitions, targets }: Context): JsonObject | undefined {
  if (typeof schema.$ref !== 'string') return schema
  const name = schema.$ref.slice('#/$defs/'.length)
  const [original] = [...targets.kept].find(([, known]) => known === name) ?? []
  return definitions[name] ?? unchangedPart(original)
}

/**
 * What is certain about a definition that is not lowered yet: an object with properties stays one, and its primitive properties keep
 * their type. A map, a list or an object among its properties may still change its shape, so any value is possible there.
 */
function unchangedPart(original: JsonObject | undefined): JsonObject | undefined {
  if (original?.type !== 'object' || !isJsonObject(original.properties)) return undefined
  const properties = Object.entries(original.properties).map(([key, schema]) => [
    key,
    isPrimitive(schema) ? schema : {},
  ])
  return { ...original, properties: Object.fromEntries(properties) }
}

const primitives: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'null'])

function isPrimitive(schema: Json): boolean {
  if (!isJsonObject(schema) || schema.anyOf !== undefined || schema.$ref !== undefined) return false
  const values = literalsOf(schema)
  if (values !== undefined) return values.every((value) => typeof value !== 'object' || value === null)
  return typeof schema.type === 'string' && primitives.has(schema.type)
}

/** Nothing when one of them leaves the type open. */
function commonTypes(a: JsonObject, b: JsonObject): readonly string[] | undefined {
  if (a.type === undefined || b.type === undefined) return undefined
  const names = (type: Json): readonly string[] =>
    [type].flat().flatMap((name) => (name === 'integer' ? 'number' : typeof name === 'string' ? name : []))
  const others = names(b.type)
  return names(a.type).filter((name) => name !== 'null' && others.includes(name))
}

function literalsOf({ enum: values, const: value }: JsonObject): readonly Json[] | undefined {
  return Array.isArray(values) ? (values as readonly Json[]) : value === undefined ? undefined : [value]
}

function shareLiterals(a: JsonObject, b: JsonObject): boolean {
  const [mine, others] = [literalsOf(a), literalsOf(b)]
  return mine === undefined || others === undefined || mine.some((value) => value !== null && others.includes(value))
}

/** Lists that may be empty overlap always, but that is a mistake only where one of them stands for an open map. */
function itemsOverlap(a: JsonObject, b: JsonObject, context: Context, depth: number): boolean {
  if (!isJsonObject(a.items) || !isJsonObject(b.items)) return true
  return isEntry(a.items) !== isEntry(b.items) || overlap(a.items, b.items, context, depth + 1)
}

/** Whether these are the items that an open map is written with. */
function isEntry({ properties }: JsonObject): boolean {
  return isJsonObject(properties) && Object.keys(properties).join() === 'key,value'
}

function objectsOverlap(a: JsonObject, b: JsonObject, context: Context, depth: number): boolean {
  const [mine, others] = [propertiesOf(a), propertiesOf(b)]
  const lacks = (schema: JsonObject, declared: ReadonlyMap<string, Json>): boolean =>
    Array.isArray(schema.required) && schema.required.some((key) => typeof key !== 'string' || !declared.has(key))
  if ((b.additionalProperties === false && lacks(a, others)) || (a.additionalProperties === false && lacks(b, mine)))
    return false
  const required = [a, b].map(({ required: names }) => new Set<Json>(Array.isArray(names) ? names : []))
  return [...mine].every(([key, schema]) => {
    const other = others.get(key)
    const isNeeded = required.every((names) => names.has(key))
    if (!isNeeded || !isJsonObject(schema) || !isJsonObject(other)) return true
    return acceptNull(schema, other) || overlap(schema, other, context, depth + 1)
  })
}

function propertiesOf({ properties }: JsonObject): ReadonlyMap<string, Json> {
  return new Map(isJsonObject(properties) ? Object.entries(properties) : [])
}

/** Whether null fits both, so that a property does not tell two objects apart. */
function acceptNull(a: JsonObject, b: JsonObject): boolean {
  return [a, b].every(({ type, anyOf, enum: values, $ref }) => {
    if ($ref !== undefined || type === undefined) return true
    const inside = Array.isArray(anyOf) && JSON.stringify(anyOf).includes('"null"')
    return [type].flat().includes('null') || inside || (Array.isArray(values) && values.includes(null))
  })
}

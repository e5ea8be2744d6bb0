// The compiler: a whole schema in the words of a dialect. Pure and deterministic; what it gives back it leaves as it is.
import { asText, isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { resolver } from '../document.js'
import { places } from '../keywords.js'
import { checkSize } from '../size.js'
import { upgradeSchema } from '../upgrade.js'
import { type Context, type Lowered, type SchemaLoss, TooLarge, tell } from './context.js'
import { type DialectName, dialects, type SizeLimits } from './dialects.js'
import { lowerNode } from './lowering.js'
import { findTargets } from './targets.js'
import { isIdentity, type Mapping } from './value-map.js'

/** A schema in a dialect, with the way back for values and what was changed. `refused`: the dialect cannot say it at all. */
export interface Restricted {
  readonly schema: JsonObject
  /** How values of the lowered schema come back; nothing when they come back as they are. */
  readonly mapping?: Mapping
  readonly losses: readonly SchemaLoss[]
  /** Why the schema cannot be said in the dialect; `schema` is the original then. */
  readonly refused?: string
}

const wrapperKey = 'value'

/** The value as a member of an object, for roots that must be one. */
export function wrapped({ schema, map }: Lowered, losses: SchemaLoss[]): Lowered {
  losses.push({
    kind: 'lowered',
    path: '',
    message: `the root must be an object: the value stands in it as "${wrapperKey}"`,
  })
  const { $defs, definitions, ...inner } = schema
  return {
    schema: {
      type: 'object',
      properties: { [wrapperKey]: inner },
      required: [wrapperKey],
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    },
    map: { kind: 'wrapped', key: wrapperKey, map },
  }
}

/** Schemas that contain themselves are written out as often as there is room. */
const unrolls = [3, 1, 0]

/** Lowers a schema whose size was checked. */
export function compile(given: JsonObject, dialect: DialectName): Restricted {
  // It may be a copy of the schema whose size was checked.
  checkSize(given)
  const { schema } = upgradeSchema(given)
  for (const unroll of unrolls) {
    try {
      return attempt(schema, dialect, unroll)
    } catch (error) {
      if (!(error instanceof TooLarge || error instanceof RangeError)) throw error
    }
  }
  return { schema, losses: [], refused: 'the schema is too large once its references are written out' }
}

function attempt(schema: JsonObject, name: DialectName, unroll: number): Restricted {
  const dialect = dialects[name]
  const resolve = resolver(schema)
  const context: Context = {
    dialect,
    root: schema,
    resolve,
    targets: findTargets(schema, resolve, dialect.references),
    unroll,
    losses: [],
    definitions: {},
    named: new Map(),
    open: [],
    count: 0,
    lower: (source, place) => lowerNode(source, place, context),
  }
  const lowered = lowerRoot(schema, context)
  if (lowered === undefined) return { schema, losses: context.losses, refused: 'no value can match the schema' }
  const whole = withDefinitions(lowered.schema, context.definitions)
  if (checkSize(whole) !== undefined) throw new TooLarge()
  const refused = beyond(whole, dialect.limits ?? {})
  if (refused !== undefined) return { schema, losses: context.losses, refused }
  const { map } = lowered
  const mapping = map === undefined || isIdentity(map, context.named) ? undefined : { root: map, named: context.named }
  if (same(whole, schema)) return { schema, losses: [] }
  return { schema: whole, losses: context.losses, ...(mapping === undefined ? {} : { mapping }) }
}

/** Whether two schemas say the same, whatever the order of their members. */
function same(one: Json, other: Json): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item: Json, index) => same(item, other[index]))
    )
  }
  const keys = Object.keys(one)
  if (Array.isArray(other) || keys.length !== Object.keys(other).length) return false
  const [mine, others] = [one as JsonObject, other as JsonObject]
  return keys.every((key) => Object.hasOwn(others, key) && same(mine[key] as Json, others[key] as Json))
}

/** The schema with the definitions it leads to: some were lowered for alternatives that are written otherwise in the end. */
function withDefinitions(schema: JsonObject, definitions: Context['definitions']): JsonObject {
  if (Object.keys(definitions).length === 0) return schema
  const needed = new Set<string>()
  const visit = (node: JsonObject): void => {
    const name = typeof node.$ref === 'string' ? node.$ref.slice('#/$defs/'.length) : undefined
    const target = name === undefined ? undefined : definitions[name]
    if (name !== undefined && target !== undefined && !needed.has(name)) {
      needed.add(name)
      visit(target)
    }
    for (const place of places(node)) if (isJsonObject(place.schema)) visit(place.schema)
  }
  visit(schema)
  if (needed.size === 0) return schema
  const kept = Object.entries(definitions).filter(([name]) => needed.has(name))
  return { ...schema, $defs: Object.fromEntries(kept) }
}

/** The root is written out, never a reference; one that is no plain object is wrapped where it must be one. */
function lowerRoot(schema: JsonObject, context: Context): Lowered | undefined {
  const start = { path: '', level: 0 }
  const target = rootTarget(schema, context)
  const lowered = context.lower(target, start)
  if (lowered === undefined || context.dialect.root !== 'object') return lowered
  const isObject = lowered.schema.type === 'object' && lowered.schema.anyOf === undefined
  return isObject ? lowered : wrapped(lowered, context.losses)
}

function rootTarget(schema: JsonObject, context: Context): Json {
  let node: Json = schema
  for (let steps = 0; steps < 20 && isJsonObject(node) && typeof node.$ref === 'string'; steps += 1) {
    const target: JsonObject | boolean | undefined = context.resolve(node.$ref)
    if (target === undefined || target === node) break
    const { $ref: _, $defs: __, definitions: ___, ...beside } = node
    if (Object.keys(beside).length > 0 && isJsonObject(target)) {
      tell(context, 'lowered', '/$ref', 'the root is written out')
      node = { allOf: [target, beside] }
    } else node = target
  }
  return node
}

/** The schemas inside a lowered one, which has few places for them. */
function innerSchemas({ properties, $defs, items, anyOf }: JsonObject): readonly JsonObject[] {
  const found: Json[] = []
  if (isJsonObject(properties)) for (const item of Object.values(properties)) found.push(item)
  if (isJsonObject($defs)) for (const item of Object.values($defs)) found.push(item)
  if (items !== undefined) found.push(items)
  if (Array.isArray(anyOf)) for (const item of anyOf) found.push(item)
  return found.filter(isJsonObject)
}

/** The limit that a lowered schema exceeds, as the reason to refuse it. */
function beyond(schema: JsonObject, limits: SizeLimits): string | undefined {
  if (Object.keys(limits).length === 0) return undefined
  const found = { properties: 0, enumValues: 0, characters: 0, optional: 0, unions: 0 }
  const measure = (node: JsonObject): void => {
    if (Array.isArray(node.enum)) {
      found.enumValues += node.enum.length
      for (const value of node.enum) found.characters += asText(value).length
    }
    if (Array.isArray(node.anyOf) || Array.isArray(node.type)) found.unions += 1
    const keys = isJsonObject(node.properties) ? Object.keys(node.properties) : []
    found.properties += keys.length
    found.optional += keys.length - (Array.isArray(node.required) ? node.required.length : 0)
    for (const key of keys) found.characters += key.length
    for (const inner of innerSchemas(node)) measure(inner)
  }
  measure(schema)
  const words = {
    properties: 'properties',
    enumValues: 'values in enums',
    characters: 'characters of names and enum values',
    optional: 'optional properties',
    unions: 'unions',
  } as const
  for (const [key, word] of Object.entries(words) as [keyof typeof words, string][]) {
    const most = limits[key]
    if (most !== undefined && found[key] > most) return `the schema has ${found[key]} ${word}; the most is ${most}`
  }
  return undefined
}

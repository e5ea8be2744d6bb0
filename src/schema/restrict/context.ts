// What the parts of the compiler share while one schema is lowered.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Resolve } from '../document.js'
import type { Dialect } from './dialects.js'
import type { Targets } from './targets.js'
import type { ValueMap } from './value-map.js'

/**
 * What did not cross as it was. `lowered`: said in another form, nothing lost. `widened`: values are let through that the original
 * refuses; its check finds them. `narrowed`: values of the original that can no longer be said. `moved`: told in the description only.
 */
export type SchemaLossKind = 'lowered' | 'widened' | 'narrowed' | 'moved'
export interface SchemaLoss {
  readonly kind: SchemaLossKind
  /** JSON Pointer into the original schema, by the way that leads there; references are followed. */
  readonly path: string
  readonly message: string
}

export interface Lowered {
  readonly schema: JsonObject
  /** How values come back; nothing when they come back as they are. */
  readonly map?: ValueMap | undefined
}

export interface Place {
  readonly path: string
  /** Objects around it, itself included. */
  readonly level: number
}

export interface Context {
  readonly dialect: Dialect
  readonly root: JsonObject
  readonly resolve: Resolve
  readonly targets: Targets
  /** How often a reference is followed into itself before the rest is left open. */
  readonly unroll: number
  readonly losses: SchemaLoss[]
  /** The lowered definitions by name; the record that alternatives refer to. */
  readonly definitions: { [name: string]: JsonObject }
  readonly named: Map<string, ValueMap | undefined>
  /** Targets that are written out in place right now, outermost first. */
  readonly open: JsonObject[]
  count: number
  /** Nothing when no value could match. */
  lower(source: Json, place: Place): Lowered | undefined
}

/** The schema needs more nodes than one may have. */
export class TooLarge extends Error {}

export function tell(context: Context, kind: SchemaLossKind, path: string, message: string): void {
  context.losses.push({ kind, path, message })
}

export function allows(context: Context, keyword: string): boolean {
  const { keywords } = context.dialect
  return keywords === 'all' || keywords.has(keyword)
}

/** A value of any shape: an open schema where the dialect has one, else a string with its JSON text. */
export function anything(context: Context, source: JsonObject, place: Place): Lowered {
  const { untyped, mapped } = context.dialect
  if (untyped || !mapped) return { schema: described({}, source, []) }
  tell(context, 'lowered', place.path, 'a value of any shape is written as JSON text')
  return { schema: described({ type: 'string' }, source, ['as JSON text']), map: { kind: 'text' } }
}

/** The schema with the title and description of its source, and with notes in the description. */
export function described(schema: JsonObject, source: JsonObject, notes: readonly string[]): JsonObject {
  const { title, description } = source
  const text = typeof description === 'string' ? description : ''
  if (notes.length === 0 && title === undefined && description === undefined) return schema
  const note = notes.length === 0 ? '' : `(${notes.join('; ')})`
  const words = text === '' || note === '' ? text + note : `${text} ${note}`
  const whole: { [keyword: string]: Json } = {}
  if (schema.type !== undefined) whole.type = schema.type
  if (typeof title === 'string') whole.title = title
  if (words !== '' || description !== undefined) whole.description = words
  return Object.assign(whole, schema)
}

const acceptingNull = { type: 'null' } as const

/** The schema, with null allowed too. */
export function withNull(schema: JsonObject, dialect: Dialect): JsonObject {
  const { type, enum: values, anyOf } = schema
  if (acceptsNull(schema, {})) return schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, acceptingNull] }
  const isListed = schema.const === undefined
  if (isListed && typeof type === 'string') {
    return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
  }
  if (dialect.types === 'list' && Array.isArray(type)) {
    return { ...schema, type: [...type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
  }
  return { anyOf: [schema, acceptingNull] }
}

/** Whether a lowered schema lets null through. */
export function acceptsNull(schema: JsonObject, definitions: Context['definitions']): boolean {
  const { type, enum: values, anyOf, $ref } = schema
  if (typeof $ref === 'string') {
    const target = definitions[$ref.slice('#/$defs/'.length)]
    return target !== undefined && target.$ref === undefined && acceptsNull(target, definitions)
  }
  if (Array.isArray(values)) return values.includes(null)
  if (schema.const !== undefined) return schema.const === null
  if (Array.isArray(anyOf)) return anyOf.some((option) => isJsonObject(option) && acceptsNull(option, definitions))
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))
}

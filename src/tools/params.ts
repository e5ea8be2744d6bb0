// Factories for parameters: a JSON Schema and its TypeScript type in one.
import type { Json, JsonObject } from '../json/types.js'
import type { Flat } from '../schema/infer.js'
import { makeOptional, makeParam, type Param } from '../schema/param.js'

export type { Param } from '../schema/param.js'

/** What every parameter may say. */
export interface ParamOptions<T = unknown> {
  readonly description?: string
  /** Given to the handler when the model leaves the parameter out. */
  readonly default?: T
}
interface EnumOptions<T extends Json> extends ParamOptions<T> {
  /** The only values allowed; they become the type. */
  readonly enum?: readonly T[]
}
interface StringOptions<T extends string> extends EnumOptions<T> {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}
interface NumberOptions<T extends number> extends EnumOptions<T> {
  readonly minimum?: number
  readonly maximum?: number
}
interface ArrayOptions<T> extends ParamOptions<T> {
  readonly minItems?: number
  readonly maxItems?: number
}

type ParamMap = { readonly [name: string]: Param }
type TypeOf<P> = P extends Param<infer T> ? T : never
/** The object that a map of parameters describes: members made with `params.optional` may be absent. */
type ObjectOf<Properties extends ParamMap> = Flat<
  {
    -readonly [Key in keyof Properties as Properties[Key] extends OptionalParam ? never : Key]: TypeOf<Properties[Key]>
  } & {
    -readonly [Key in keyof Properties as Properties[Key] extends OptionalParam ? Key : never]?: TypeOf<Properties[Key]>
  }
>
interface OptionalParam {
  readonly optional: true
}

export interface Params {
  string<const T extends string = string>(options?: StringOptions<T>): Param<T>
  number<const T extends number = number>(options?: NumberOptions<T>): Param<T>
  /** An integer beyond ±(2^53−1) reaches the handler as a bigint. */
  integer<const T extends number = number>(options?: NumberOptions<T>): Param<T>
  boolean(options?: ParamOptions<boolean>): Param<boolean>
  array<T>(items: Param<T>, options?: ArrayOptions<T[]>): Param<T[]>
  object<const Properties extends ParamMap>(properties: Properties, options?: ParamOptions): Param<ObjectOf<Properties>>
  /** Marks a member of an object as one that may be absent. */
  optional<P extends Param>(param: P): P & OptionalParam
}

/** Describes the input of a tool without a schema library; the type of the handler's input follows from it. */
export const params: Params = {
  string: (options) => makeParam(paramSchemaOf('string', options)),
  number: (options) => makeParam(paramSchemaOf('number', options)),
  integer: (options) => makeParam(paramSchemaOf('integer', options)),
  boolean: (options) => makeParam(paramSchemaOf('boolean', options)),
  array: (items, options) => makeParam(paramSchemaOf('array', options, { items: items.schema })),
  object: (properties, options) => makeParam(objectSchema(Object.entries(properties), options)),
  optional: (param) => makeOptional(param),
}

/** The schema of an object from its members in order. */
export function objectSchema(members: readonly (readonly [string, Param])[], options?: ParamOptions): JsonObject {
  const required = members.filter(([, param]) => !param.optional).map(([name]) => name)
  const properties = Object.fromEntries(members.map(([name, param]) => [name, param.schema]))
  return paramSchemaOf('object', options, { properties, ...(required.length > 0 ? { required } : {}) })
}

/** The schema of one parameter: its type, what was said of it, and what it holds. */
export function paramSchemaOf(type: string, options: object | undefined, more: JsonObject = {}): JsonObject {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries<Json>([['type', type], ...said, ...Object.entries(more)])
}

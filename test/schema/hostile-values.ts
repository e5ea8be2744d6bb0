// Builds the large and deep values and schemas of the hostile rows.
import type { Json, JsonObject } from '../../src/json/types.js'

export function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}
export function named(length: number, schema: Json): JsonObject {
  return Object.fromEntries(many(length, (index) => [`p${index}`, schema]))
}
export function nested(depth: number): unknown {
  return many(depth, () => 0).reduce((inner: unknown) => [inner], 1 as unknown)
}
export function keyed(length: number): { readonly [key: string]: number } {
  return Object.fromEntries(many(length, (index) => [`k${index}`, index]))
}
/** A schema in which each definition applies the next one twice. */
export function doubling(keyword: string, depth: number): JsonObject {
  const definitions = many(depth, (index) => [
    `d${index}`,
    { [keyword]: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${depth}`]: { type: 'string' } } }
}
/** Alternatives within alternatives, each asking what was not looked at. */
export function unevaluated(depth: number): JsonObject {
  return many(depth, (index) => index).reduce<JsonObject>(
    (inner, index) => ({
      anyOf: [inner, { properties: { [`p${index}`]: {} } }],
      unevaluatedProperties: { type: 'integer' },
    }),
    { properties: { k0: {} } },
  )
}

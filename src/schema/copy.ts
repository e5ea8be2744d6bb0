// Copies of values: plain JSON out of what a program wrote, and a handler's own copy of its arguments.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { schemaLimits } from './rules.js'

/** A copy made of JSON values only, or undefined when there is something else in it, a cycle, or far too much of it. */
export function plainCopy(value: unknown): Json | undefined {
  let count = 0
  function copy(at: unknown, depth: number): Json | undefined {
    if (++count > 2 * schemaLimits.nodes || depth > 2 * schemaLimits.depth) return undefined
    if (at === null || typeof at === 'string' || typeof at === 'boolean') return at
    if (typeof at === 'number') return Number.isFinite(at) ? at : undefined
    if (Array.isArray(at)) {
      const items = at.map((item) => copy(item, depth + 1))
      return items.every((item) => item !== undefined) ? items : undefined
    }
    if (!isPlain(at)) return undefined
    const members: [string, Json][] = []
    for (const [key, member] of Object.entries(at)) {
      if (member === undefined) continue
      const copied = copy(member, depth + 1)
      if (copied === undefined) return undefined
      members.push([key, copied])
    }
    return Object.fromEntries(members)
  }
  return copy(value, 0)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm's Object.prototype is plain too: it has no prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A deep copy with the defaults of absent properties filled in, where `properties` and `items` say so plainly. */
export function withDefaults(value: unknown, schema: Json | undefined): unknown {
  const node: JsonObject = isJsonObject(schema) ? schema : {}
  if (Array.isArray(value)) return value.map((item) => withDefaults(item, node.items))
  if (typeof value !== 'object' || value === null) return value
  const properties = isJsonObject(node.properties) ? node.properties : {}
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    withDefaults(member, Object.hasOwn(properties, key) ? properties[key] : undefined),
  ])
  for (const [key, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key) && isJsonObject(property) && property.default !== undefined) {
      members.push([key, withDefaults(property.default, property)])
    }
  }
  return Object.fromEntries(members)
}

// A handler's own copy of its arguments.
import { isJsonObject } from '../json/parse.js'
import type { Json } from '../json/types.js'
import { Exhausted, type Meter, memberUnits, spend } from './meter.js'
import { schemaLimits } from './rules.js'

/** A deep copy for a handler, which may change it. Fails as a check does when there is too much to copy. */
export function ownCopy(value: unknown, meter: Meter, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= schemaLimits.valueDepth) throw new Exhausted('depth')
  if (Array.isArray(value)) {
    spend(meter, 1 + value.length)
    const copy: unknown[] = value.slice()
    for (let index = 0; index < copy.length; index++) {
      const item = copy[index]
      if (typeof item === 'object' && item !== null) copy[index] = ownCopy(item, meter, depth + 1)
    }
    return copy
  }
  // A key `__proto__` is an own property of the copy, so that assigning to it does no harm.
  const copy: { [key: string]: unknown } = { ...value }
  let count = 0
  for (const key in copy) {
    spend(meter, memberUnits(count++))
    const member = copy[key]
    if (typeof member === 'object' && member !== null && Object.hasOwn(copy, key))
      copy[key] = ownCopy(member, meter, depth + 1)
  }
  return copy
}

/** Puts the defaults of absent properties into an own copy, where `properties` and `items` say so plainly. Whether there were any. */
export function fillDefaults(copy: unknown, schema: Json | undefined, meter: Meter): boolean {
  if (!isJsonObject(schema)) return false
  let filled = false
  if (Array.isArray(copy)) {
    for (const item of copy) {
      spend(meter, 1)
      if (fillDefaults(item, schema.items, meter)) filled = true
    }
    return filled
  }
  if (!isJsonObject(copy) || !isJsonObject(schema.properties)) return false
  for (const [key, property] of Object.entries(schema.properties)) {
    spend(meter, 1)
    if (Object.hasOwn(copy, key)) {
      if (fillDefaults(copy[key], property, meter)) filled = true
    } else if (isJsonObject(property) && property.default !== undefined) {
      const value = ownCopy(property.default, meter)
      fillDefaults(value, property, meter)
      Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true })
      filled = true
    }
  }
  return filled
}

/** Whether `fillDefaults` could ever find something to put in. */
export function hasDefaults(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return false
  if (hasDefaults(schema.items)) return true
  const properties = isJsonObject(schema.properties) ? Object.values(schema.properties) : []
  return properties.some(
    (property) => (isJsonObject(property) && property.default !== undefined) || hasDefaults(property),
  )
}

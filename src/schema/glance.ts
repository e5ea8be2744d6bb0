// What is seen of a value without a call: most members of most values are strings, numbers and booleans of which a schema asks no more
// than a type and perhaps a range. A value that is not seen to fit may fit all the same, which only the check of its schema knows.
import type { JsonObject } from '../json/types.js'

export interface Glance {
  /** 0 nothing, 1 strings, 2 strings of some lengths, 3 numbers, 4 integers, 5 booleans. Numbers are faster to compare than names. */
  readonly kind: 0 | 1 | 2 | 3 | 4 | 5
  /** The range of the numbers or of the lengths. */
  readonly low: number
  readonly high: number
}

export const unseen: Glance = { kind: 0, low: 0, high: 0 }

/** Whether a value is seen to fit. The range is only looked up where there is one. */
export function isSeen(value: unknown, glance: Glance): boolean {
  const { kind } = glance
  if (typeof value === 'string') return kind === 1 || (kind === 2 && isWithin(value.length, glance))
  if (typeof value === 'number')
    return (kind === 3 || (kind === 4 && Number.isInteger(value))) && isWithin(value, glance)
  return typeof value === 'boolean' && kind === 5
}

function isWithin(size: number, glance: Glance): boolean {
  return size >= glance.low && size <= glance.high
}

/** The glance at a schema that has so many checks: there may be none but those of its type and of its bounds. */
export function glanceOf(schema: JsonObject, checks: number): Glance {
  if (schema.enum !== undefined) return unseen
  switch (schema.type) {
    case 'string': {
      const { minLength, maxLength } = schema
      const isBounded = minLength !== undefined || maxLength !== undefined
      if (checks !== (isBounded ? 2 : 1)) return unseen
      // A character may take two places of a string.
      const [low, high] = [2 * Number(minLength ?? 0), Number(maxLength ?? Number.MAX_VALUE)]
      return { kind: isBounded ? 2 : 1, low, high }
    }
    case 'number':
    case 'integer': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
      const isBounded = minimum !== undefined || maximum !== undefined
      const isOpen = exclusiveMinimum !== undefined || exclusiveMaximum !== undefined
      if (isOpen || checks !== (isBounded ? 2 : 1)) return unseen
      const [low, high] = [Number(minimum ?? -Number.MAX_VALUE), Number(maximum ?? Number.MAX_VALUE)]
      return { kind: schema.type === 'number' ? 3 : 4, low, high }
    }
    case 'boolean':
      return checks === 1 ? { ...unseen, kind: 5 } : unseen
    default:
      return unseen
  }
}

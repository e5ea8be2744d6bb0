// Plain JSON out of what a program wrote.
import type { Json } from '../json/types.js'
import { schemaLimits } from './rules.js'

class NotPlain extends Error {}

/** A copy made of JSON values only, or undefined when there is something else in it, a cycle, or far too much of it. */
export function plainCopy(source: unknown): Json | undefined {
  try {
    return copied(source, 0, { left: 4 * schemaLimits.nodes })
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

function copied(value: unknown, depth: number, budget: { left: number }): Json {
  budget.left -= 1
  if (budget.left < 0 || depth > 2 * schemaLimits.depth) throw new NotPlain()
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map((item) => copied(item, depth + 1, budget))
  if (!isPlain(value)) throw new NotPlain()
  const source = value as { readonly [key: string]: unknown }
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(source)) {
    const member = source[key]
    if (member !== undefined) put(copy, key, copied(member, depth + 1, budget))
  }
  return copy
}

/** A key `__proto__` is a member like any other. */
function put(copy: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true })
  else copy[key] = value
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm's Object.prototype is plain too: it has no prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

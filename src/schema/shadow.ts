// What the engine is shown of a value: the value itself, or, where it holds bigints, a copy with numbers in their place
// (the engine knows only numbers). Nothing of the copy ever reaches a handler.
import { schemaLimits } from './rules.js'

export interface Survey {
  readonly bigints: boolean
  /** Why the value cannot be checked at all. */
  readonly refused?: string
}

const widths = new WeakMap<object, number>()

/** How many keys an object has; for wide ones what the survey counted, because listing keys is dear. */
export function keyCount(data: object): number {
  return widths.get(data) ?? Object.keys(data).length
}

/** Looks once over a value: its size, its depth, and whether it holds bigints. */
export function survey(value: unknown): Survey {
  let count = 0
  let bigints = false
  function look(at: unknown, depth: number): boolean {
    if (++count > schemaLimits.valueNodes || depth > schemaLimits.valueDepth) return false
    if (typeof at === 'bigint') bigints = true
    if (typeof at !== 'object' || at === null) return true
    if (Array.isArray(at)) return at.length <= schemaLimits.valueNodes && at.every((member) => look(member, depth + 1))
    const keys = Object.keys(at)
    if (count + keys.length > schemaLimits.valueNodes) return false
    if (keys.length > 1_000) widths.set(at, keys.length)
    return keys.every((key) => look((at as { [key: string]: unknown })[key], depth + 1))
  }
  if (look(value, 0)) return { bigints }
  return { bigints, refused: 'is too large or nested too deeply to check' }
}

const originals = new WeakMap<object, object>()

/** The value with every bigint as the nearest number. */
export function engineForm(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(engineForm)
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, engineForm(member)]))
  originals.set(copy, value)
  return copy
}

/** The array an engine form was made from: two ids that round to the same number are still different. */
export function originalOf(data: unknown): unknown {
  return (typeof data === 'object' && data !== null ? originals.get(data) : undefined) ?? data
}

/** Whether no two items are equal as JSON; linear, whatever the items are. */
export function isUnique(data: unknown, spend: (units: number) => void): boolean {
  if (!Array.isArray(data)) return true
  const seen = new Set<string>()
  for (const item of data) {
    const text = identity(item, spend)
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}

function identity(value: unknown, spend: (units: number) => void): string {
  spend(8)
  if (typeof value === 'string') {
    spend(value.length / 50)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => identity(item, spend)).join()}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${identity(member, spend)}`).join()}}`
}

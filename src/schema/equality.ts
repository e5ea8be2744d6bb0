// Equality of JSON values without comparing each with each: scalars stand for themselves in a Set, the rest for its canonical text.
// Trap: a bigint is exact among values, but a schema was parsed with rounded numbers, so that there it equals its nearest number.
import type { Json } from '../json/types.js'
import { type Meter, spend } from './meter.js'

/** Whether no two items are equal as JSON; linear, whatever the items are. */
export function isUnique(items: readonly unknown[], meter: Meter): boolean {
  const seen = new Set<unknown>()
  const texts = new Set<string>()
  for (const item of items) {
    spend(meter, 6)
    const isCompound = typeof item === 'object' && item !== null
    const known: Set<unknown> = isCompound ? texts : seen
    const key = isCompound ? identity(item, meter) : scalarKey(item)
    if (known.has(key)) return false
    known.add(key)
  }
  return true
}

/** Numbers beyond 2^53 may be written as an integer (a bigint) or with an exponent (a number). */
function scalarKey(value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Whether a value is one of those a schema lists. The lists are read once. */
export function memberTest(members: readonly Json[]): (value: unknown, meter: Meter) => boolean {
  const [only] = members
  if (members.length === 1 && (typeof only !== 'object' || only === null)) {
    return (value) => (typeof value === 'bigint' ? Number(value) : value) === only
  }
  const simple: readonly unknown[] = members.filter((member) => typeof member !== 'object' || member === null)
  const isScalar = scalarTest(simple)
  const compounds = members.filter((member) => typeof member === 'object' && member !== null)
  let texts: Set<string> | undefined
  return (value, meter) => {
    if (typeof value === 'bigint') return isScalar(Number(value))
    if (typeof value !== 'object' || value === null) return isScalar(value)
    if (compounds.length === 0) return false
    texts ??= new Set(compounds.map((member) => identity(member)))
    return texts.has(identity(value, meter, true))
  }
}

/** So many comparisons are faster than one lookup, which must hash the text. */
export const fewMembers = 12

function scalarTest(members: readonly unknown[]): (value: unknown) => boolean {
  if (members.length > fewMembers) {
    const known = new Set(members)
    return (value) => known.has(value)
  }
  return (value) => {
    for (let index = 0; index < members.length; index++) if (members[index] === value) return true
    return false
  }
}

/** Text that is equal for equal values: keys sorted, `rounded` bigints as the numbers nearest to them. */
function identity(value: unknown, meter?: Meter, rounded = false): string {
  if (meter !== undefined) spend(meter, 25)
  if (typeof value === 'string') {
    if (meter !== undefined) spend(meter, value.length >> 4)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return String(rounded ? roundedNumber(value) : scalarKey(value))
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${identity(item, meter, rounded)},`
    return `[${text}]`
  }
  const keys = Object.keys(value).sort()
  if (meter !== undefined) spend(meter, 25 * keys.length)
  for (const key of keys) {
    const member = (value as { readonly [key: string]: unknown })[key]
    if (member !== undefined) text += `${JSON.stringify(key)}:${identity(member, meter, rounded)},`
  }
  return `{${text}}`
}

function roundedNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

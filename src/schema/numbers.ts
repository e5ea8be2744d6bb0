// The number keywords, for numbers and for the bigints that stand for integers beyond 2^53−1.
import type { Json, JsonObject } from '../json/types.js'
import { spend } from './meter.js'
import { type Check, fail } from './run.js'

type AnyNumber = number | bigint

/** Adds the checks of the number keywords a schema has. */
export function numberChecks(schema: JsonObject, checks: Check[]): void {
  const bounds = boundsCheck(schema)
  if (bounds !== undefined) checks.push(bounds)
  if (typeof schema.multipleOf === 'number') checks.push(multipleCheck(schema.multipleOf))
}

function boundsCheck(schema: JsonObject): Check | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (
    minimum === undefined &&
    maximum === undefined &&
    exclusiveMinimum === undefined &&
    exclusiveMaximum === undefined
  )
    return undefined
  const low = limitOf(minimum, Number.NEGATIVE_INFINITY)
  const high = limitOf(maximum, Number.POSITIVE_INFINITY)
  const above = limitOf(exclusiveMinimum, Number.NEGATIVE_INFINITY)
  const below = limitOf(exclusiveMaximum, Number.POSITIVE_INFINITY)
  return (value, run) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return true
    let fits = true
    // A limit beyond 2^53 was rounded when the schema was parsed: an integer that rounds to it is the one that was written.
    const rounded = Number(value)
    if (rounded < low) fits = fail(run, `must be ${low} or more`)
    if (rounded > high) fits = fail(run, `must be ${high} or less`)
    if (exclusiveMinimum !== undefined && value <= above) fits = fail(run, `must be more than ${above}`)
    if (exclusiveMaximum !== undefined && value >= below) fits = fail(run, `must be less than ${below}`)
    return fits
  }
}

function limitOf(limit: Json | undefined, none: number): number {
  return typeof limit === 'number' ? limit : none
}

function multipleCheck(divisor: number): Check {
  const text = `must be a multiple of ${divisor}`
  return (value, run) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return true
    // Arithmetic on long decimals is dear.
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) spend(run, 300)
    return isMultiple(value, divisor) || fail(run, text)
  }
}

/** Exact in decimals: 0.3 is a multiple of 0.1, as it is on paper and not in binary. */
function isMultiple(value: AnyNumber, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return Number(value) % divisor === 0
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  const [a, b] = [decimalOf(value), decimalOf(divisor)]
  const scale = Math.min(a.exponent, b.exponent)
  return (a.digits * power(a.exponent - scale)) % (b.digits * power(b.exponent - scale)) === 0n
}

interface Decimal {
  readonly digits: bigint
  /** The power of ten the digits are multiplied by. */
  readonly exponent: number
}

function decimalOf(value: AnyNumber): Decimal {
  if (typeof value === 'bigint') return { digits: value, exponent: 0 }
  const [mantissa = '0', power = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}

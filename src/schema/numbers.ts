// The number keywords, for numbers and for the bigints that stand for integers beyond 2^53−1.
import type { JsonObject } from '../json/types.js'
import { spend } from './meter.js'
import { type Check, fail } from './run.js'

type AnyNumber = number | bigint
type Test = (value: AnyNumber) => boolean

/** The checks of the number keywords a schema has, in this order. */
export function numberChecks(schema: JsonObject): readonly Check[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const checks: Check[] = []
  const add = (limit: unknown, test: (limit: number) => Test, text: string): void => {
    if (typeof limit === 'number') checks.push(numberCheck(test(limit), text))
  }
  add(minimum, atLeast, `must be ${minimum} or more`)
  add(maximum, atMost, `must be ${maximum} or less`)
  add(exclusiveMinimum, (limit) => (value) => value > limit, `must be more than ${exclusiveMinimum}`)
  add(exclusiveMaximum, (limit) => (value) => value < limit, `must be less than ${exclusiveMaximum}`)
  if (typeof multipleOf === 'number') checks.push(multipleCheck(multipleOf))
  return checks
}

function numberCheck(test: Test, text: string): Check {
  return (value, run) => (typeof value !== 'number' && typeof value !== 'bigint') || test(value) || fail(run, text)
}

// A limit beyond 2^53 was rounded when the schema was parsed: an integer that rounds to it is the one that was written.
const atLeast =
  (limit: number): Test =>
  (value) =>
    value >= limit || (typeof value === 'bigint' && Number(value) === limit)

const atMost =
  (limit: number): Test =>
  (value) =>
    value <= limit || (typeof value === 'bigint' && Number(value) === limit)

function multipleCheck(divisor: number): Check {
  const text = `must be a multiple of ${divisor}`
  return (value, run) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return true
    // Arithmetic on long decimals is dear.
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) spend(run.meter, 100)
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

// The string keywords. Trap: JSON Schema counts characters as code points, and a text may be megabytes long.
import type { JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import { shown } from './messages.js'
import { type Meter, spend } from './meter.js'
import type { Pattern } from './pattern.js'
import { type Check, fail } from './run.js'

export function stringChecks(schema: JsonObject, context: Context): readonly Check[] {
  const { minLength, maxLength, pattern } = schema
  const checks: Check[] = []
  if (typeof minLength === 'number') checks.push(shortest(minLength))
  if (typeof maxLength === 'number') checks.push(longest(maxLength))
  const linear = typeof pattern === 'string' ? context.pattern(pattern) : undefined
  if (linear !== undefined) checks.push(patternCheck(linear, `must match the pattern ${shown(pattern)}`))
  return checks
}

function shortest(limit: number): Check {
  const text = `must have at least ${limit} characters`
  return (value, run) => typeof value !== 'string' || lengthOf(value, limit, run.meter) >= limit || fail(run, text)
}

function longest(limit: number): Check {
  const text = `must have at most ${limit} characters`
  return (value, run) => typeof value !== 'string' || lengthOf(value, limit, run.meter) <= limit || fail(run, text)
}

function patternCheck(pattern: Pattern, text: string): Check {
  return (value, run) => typeof value !== 'string' || isMatch(pattern, value, run.meter) || fail(run, text)
}

/** Matches in time that was paid for. */
export function isMatch(pattern: Pattern, text: string, meter: Meter): boolean {
  spend(meter, 10 + text.length * pattern.unitsPerCharacter)
  return pattern.test(text)
}

/** The length in code points, counted only where the limit depends on it. */
function lengthOf(text: string, limit: number, meter: Meter): number {
  if (text.length < limit || text.length > 2 * limit) return text.length
  spend(meter, text.length / 16)
  let pairs = 0
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) pairs++
  }
  return text.length - pairs
}

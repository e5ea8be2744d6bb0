// The string keywords. Trap: JSON Schema counts characters as code points, and a text may be megabytes long.
import type { Json, JsonObject } from '../json/types.js'
import type { Context } from './context.js'
import type { Formats } from './formats/formats.js'
import { shown } from './messages.js'
import { type Meter, spend } from './meter.js'
import type { Pattern } from './pattern.js'
import { type Check, fail } from './run.js'

export function stringChecks(schema: JsonObject, checks: Check[], context: Context): void {
  const { minLength, maxLength, pattern, format } = schema
  const linear = typeof pattern === 'string' ? context.pattern(pattern) : undefined
  if (minLength !== undefined || maxLength !== undefined) checks.push(lengthCheck(Number(minLength ?? 0), maxLength))
  if (linear !== undefined) checks.push(patternCheck(linear, `must match the pattern ${shown(pattern)}`))
  if (context.formats !== undefined && typeof format === 'string') addFormat(format, context.formats, checks)
}

/** A format that is not among those to check says nothing. */
function addFormat(name: string, formats: Formats, checks: Check[]): void {
  const isFit = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (isFit === undefined) return
  const text = `must be in the format ${shown(name)}`
  checks.push((value, run) => {
    if (typeof value !== 'string') return true
    spend(run, 20 + (value.length >> 2))
    return isFit(value) || fail(run, text)
  })
}

function lengthCheck(least: number, limit: Json | undefined): Check {
  const most = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
  return (value, run) => {
    if (typeof value !== 'string') return true
    if (value.length <= most && value.length >= 2 * least) return true
    let fits = true
    if (lengthOf(value, least, run) < least) fits = fail(run, `must have at least ${least} characters`)
    if (lengthOf(value, most, run) > most) fits = fail(run, `must have at most ${most} characters`)
    return fits
  }
}

function patternCheck(pattern: Pattern, text: string): Check {
  return (value, run) => typeof value !== 'string' || isMatch(pattern, value, run) || fail(run, text)
}

/** Matches in time that was paid for. */
export function isMatch(pattern: Pattern, text: string, meter: Meter): boolean {
  spend(meter, 10 + Math.ceil(text.length * pattern.unitsPerCharacter))
  return pattern.test(text)
}

/** The length in code points, counted only where the limit depends on it. */
function lengthOf(text: string, limit: number, meter: Meter): number {
  if (text.length < limit || text.length > 2 * limit) return text.length
  spend(meter, text.length >> 4)
  let pairs = 0
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) pairs++
  }
  return text.length - pairs
}

// A candidate as the value its parameter's type and description ask for.
import type { Json } from '../json/types.js'
import type { Candidate } from './candidate.js'
import { currencyOf } from './currencies.js'
import type { Parameter } from './parameters.js'

/** Words that say what a value is, not which: "the src folder". */
const kindWords: readonly (readonly [Parameter['class'], RegExp])[] = [
  ['path', /^(?:the\s+)?(?:file|folder|directory)\s+|\s+(?:file|folder|directory|dir)$/gi],
  ['place', /^(?:the\s+)?(?:city of|town of)\s+|\s+(?:right now|now|time|city|please)$/gi],
]

/** Undefined when the candidate cannot be one. */
export function typedValue(parameter: Parameter, candidate: Candidate): Json | undefined {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return numberOf(parameter, candidate)
    case 'string':
      return textOf(parameter, candidate)
    default:
      return undefined
  }
}

function numberOf({ type, name, description }: Parameter, candidate: Candidate): number | undefined {
  const { value, percent, year } = candidate
  if (value === undefined) return year
  const share = percent === true && type === 'number' && !/percent|%/i.test(`${name} ${description}`)
  const result = share ? Number((value / 100).toPrecision(12)) : value
  return Number.isFinite(result) && (type === 'number' || Number.isInteger(result)) ? result : undefined
}

function textOf(parameter: Parameter, candidate: Candidate): string | undefined {
  const { description, format } = parameter
  if (candidate.kind === 'date' && (format === 'date' || /yyyy-mm-dd|iso ?8601|%y-%m-%d/i.test(description))) {
    return candidate.standard ?? candidate.text
  }
  if (candidate.kind === 'time' && (format === 'time' || /hh:mm|24[- ]?h/i.test(description))) return candidate.standard
  if (parameter.class === 'currency') return currencyOf(candidate.text) ?? candidate.text
  let text = candidate.text
  for (const [own, pattern] of kindWords)
    if (own === parameter.class && candidate.kind === 'chunk') text = text.replace(pattern, '')
  const trimmed = text
    .trim()
    .replace(candidate.kind === 'quote' ? /^$/ : /(?:[,;:?!]|\.(?!\w)|\s+(?:please|for me|thanks))+$/, '')
  return trimmed === '' ? undefined : trimmed
}

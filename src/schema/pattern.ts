// Regular expressions of schemas, matched in linear time: a schema may come from anywhere, and `^(a+)+$` must not stop the process.
import { RE2JS } from 're2js'
import { schemaLimits } from './rules.js'

export interface Pattern {
  /** Instructions of the compiled program: matching costs up to this much per character. */
  readonly size: number
  test(text: string): boolean
}

const compiled = new Map<string, Pattern | undefined>()

/** The pattern, searched for anywhere in a text as JSON Schema wants; undefined when no linear engine can run it. */
export function linearPattern(source: string): Pattern | undefined {
  if (compiled.has(source)) return compiled.get(source)
  const pattern = compile(source)
  if (compiled.size >= 500) compiled.clear()
  compiled.set(source, pattern)
  return pattern
}

function compile(source: string): Pattern | undefined {
  if (source.length > schemaLimits.patternLength || repeats(source) > schemaLimits.patternRepeats) return undefined
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source))
    return { size: expression.programSize(), test: (text) => expression.test(text) }
  } catch {
    return undefined
  }
}

/** The sum of all counted repetitions: each is unrolled by the engine. */
function repeats(source: string): number {
  let sum = 0
  for (const [, low = '0', high = ''] of source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) {
    sum += Math.max(Number(low), Number(high))
  }
  return sum
}

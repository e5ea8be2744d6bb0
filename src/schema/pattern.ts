// Regular expressions of schemas, matched in linear time: a schema may come from anywhere, and `^(a+)+$` must not stop the process.
// Trap: linear in the text is not cheap. The linear engine unrolls counted repetitions and is a hundred times slower than the
// runtime's own, so that its programs are bounded, its matches are metered, and patterns that cannot backtrack go to the runtime.
import { RE2JS } from 're2js'
import { schemaLimits } from './rules.js'

export interface Pattern {
  /** What one compilation costs, about the instructions of the program; 1 for the runtime's engine. */
  readonly weight: number
  /** Work units of matching one character. */
  readonly unitsPerCharacter: number
  test(text: string): boolean
}

const compiled = new Map<string, Pattern | undefined>()

/** The pattern, searched for anywhere in a text as JSON Schema wants; undefined when it cannot be matched in linear time. */
export function linearPattern(source: string): Pattern | undefined {
  if (compiled.has(source)) return compiled.get(source)
  const pattern = straightPattern(source) ?? automaton(source)
  if (compiled.size >= 1_000) compiled.clear()
  compiled.set(source, pattern)
  return pattern
}

/** One character of the text, and how often. */
const step =
  /(?:\\[dDwWsSnrtfv]|\\[^\w\s]|\[(?:\\[\s\S]|[^\]\\])*\]|[^\\^$*+?()|[\]{}])(?:\{(?<count>\d{1,6})\}|(?<varying>[*+?]|\{\d{1,6},\d{0,6}\}))?/uy

/**
 * For a pattern tied to the start, without groups and alternatives, with one length that varies: how many characters follow that
 * one, which is how often an engine that backtracks may look at a character again. Undefined for any other pattern.
 */
function tailLength(source: string): number | undefined {
  if (source.length > schemaLimits.patternLength || source[0] !== '^') return undefined
  const end = source.endsWith('$') && !source.endsWith('\\$') ? source.length - 1 : source.length
  let varying = 0
  let tail = 0
  step.lastIndex = 1
  while (step.lastIndex < end) {
    const { groups } = step.exec(source) ?? {}
    if (groups === undefined) return undefined
    if (groups.varying !== undefined) varying += 1
    else if (varying > 0) tail += Number(groups.count ?? 1)
  }
  return varying <= 1 ? tail : undefined
}

/** A pattern for the runtime's own engine. */
function straightPattern(source: string): Pattern | undefined {
  const tail = tailLength(source)
  if (tail === undefined) return undefined
  try {
    const expression = new RegExp(source, 'u')
    return { weight: 1, unitsPerCharacter: (1 + tail) / 32, test: (text) => expression.test(text) }
  } catch {
    return undefined
  }
}

/** What an instruction may cost on a character when no state of the engine's automaton is met twice. */
const unitsPerInstruction = 3

/** What compiling weighs before the first instruction. */
const engineWeight = 20

function automaton(source: string): Pattern | undefined {
  const weight = engineWeight + patternWeight(source)
  if (weight > schemaLimits.patternWeight) return undefined
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source))
    const unitsPerCharacter = expression.programSize() * unitsPerInstruction
    return { weight, unitsPerCharacter, test: (text) => expression.test(text) }
  } catch {
    return undefined
  }
}

const token = /\\[pP](?:\{[^}]*\}|.)|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/gu
const unicodeClass = /\\[pP]/

/** About how many instructions a pattern compiles to, without compiling it: repetitions multiply what they repeat. */
function patternWeight(source: string): number {
  if (source.length > schemaLimits.patternLength) return Number.POSITIVE_INFINITY
  const outer: number[] = []
  let sum = 0
  let last = 0
  for (const [text] of source.matchAll(token)) {
    const count = /^\{(\d+)(?:,(\d*))?\}$/.exec(text)
    if (count !== null) {
      const times = Math.max(Number(count[1]), Number(count[2] ?? 0), 1)
      sum += last * (times - 1)
      last *= times
    } else if (text === '(') {
      outer.push(sum)
      sum = 1
      last = 0
    } else if (text === ')') {
      last = sum
      sum += outer.pop() ?? 0
    } else {
      // A Unicode class holds hundreds of ranges.
      last = unicodeClass.test(text) ? 20 : 1
      sum += last
    }
  }
  return outer.reduce((total, part) => total + part, sum)
}

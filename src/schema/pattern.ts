// Regular expressions of schemas, matched in linear time: a schema may come from anywhere, and `^(a+)+$` must not stop the process.
// Trap: linear in the text is not cheap. A step of the automaton may visit its whole program, so that programs are bounded, matches
// are metered, and patterns that cannot backtrack go to the runtime's own engine.
import { automaton } from './automaton.js'
import { programOf, unicodeSource } from './pattern-syntax.js'
import { schemaLimits } from './rules.js'

export interface Pattern {
  /** What one compilation costs, about the instructions of the program. */
  readonly weight: number
  /** Work units of matching one character. */
  readonly unitsPerCharacter: number
  test(text: string): boolean
}

const compiled = new Map<string, Pattern | undefined>()

/** The pattern, searched for anywhere in a text as JSON Schema wants; undefined when it cannot be matched in linear time. */
export function linearPattern(source: string): Pattern | undefined {
  if (compiled.has(source)) return compiled.get(source)
  const pattern = patternOf(source)
  if (compiled.size >= 1_000) compiled.clear()
  compiled.set(source, pattern)
  return pattern
}

/** Unicode properties in one pattern, and what each weighs: the runtime makes its table anew every time. */
const propertiesLimit = 20
const propertyWeight = 10

function patternOf(given: string): Pattern | undefined {
  if (given.length > schemaLimits.patternLength) return undefined
  const properties = given.match(/\\[pP]/g)?.length ?? 0
  const source = properties > propertiesLimit ? undefined : unicodeSource(given)
  const pattern = source === undefined ? undefined : (straightPattern(source) ?? automatonPattern(source))
  return pattern && { ...pattern, weight: pattern.weight + properties * propertyWeight }
}

/** One character of the text, and how often. */
const step =
  /(?:\\[dDwWsSnrtfv]|\\[^\w\s]|\[(?:\\[\s\S]|[^\]\\])*\]|[^\\^$*+?()|[\]{}])(?:\{(?<count>\d{1,6})\}|(?<varying>[*+?]|\{\d{1,6},\d{0,6}\}))?/uy

/**
 * For a pattern tied to the start, without groups and alternatives, with one length that varies: how many characters follow that
 * one, which is how often an engine that backtracks may look at a character again. Undefined for any other pattern.
 */
function tailLength(source: string): number | undefined {
  if (source[0] !== '^') return undefined
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
  const expression = new RegExp(source, 'u')
  return { weight: 1, unitsPerCharacter: (1 + tail) / 32, test: (text) => expression.test(text) }
}

/** What an instruction may cost on a character when no state of the automaton is met twice. */
const unitsPerInstruction = 3

/** What compiling weighs before the first instruction. */
const engineWeight = 19

function automatonPattern(source: string): Pattern | undefined {
  const program = programOf(source, schemaLimits.patternWeight - engineWeight)
  if (program === undefined) return undefined
  const unitsPerCharacter = program.instructions.length * unitsPerInstruction
  return { weight: engineWeight + program.weight, unitsPerCharacter, test: automaton(program) }
}

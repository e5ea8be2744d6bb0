// What the words around a candidate say for a parameter: its name nearby, the preposition before.
import type { Candidate } from './candidate.js'
import type { Parameter, ParameterClass } from './parameters.js'
import type { Passage } from './passage.js'
import { prepositions, stopWords } from './vocabulary.js'
import { nearest, type Word } from './words.js'

const typical: readonly (readonly [ParameterClass, RegExp, number])[] = [
  ['place', /^(?:in|at|near|around|from|to|for)$/, 0.35],
  ['path', /^(?:in|from|inside|under|within)$/, 0.45],
  ['person', /^(?:by|with|from)$/, 0.35],
  ['query', /^(?:about|for|on)$/, 0.25],
]
const fromWords = /\b(?:from|source|origin|start|begin|base|departure|initial|check ?in|min(?:imum)?|lower|sender)\b/
const toWords =
  /\b(?:to|target|destination|dest|end|finish|final|arrival|check ?out|max(?:imum)?|upper|recipient|until)\b/
/** May stand between a preposition and its value. */
const transparent = /^(?:the|a|an|my|["'“$€£]|city|town|state|country|folder|directory|file)$/

/** What the words around a candidate say for the parameter. */
export function cueScore(parameter: Parameter, candidate: Candidate, { around }: Passage): number {
  const { before = [], after = [] } = around.get(candidate) ?? {}
  return wordsBefore(parameter, before) + wordsAfter(parameter, after) + prepositionScore(parameter, candidate, before)
}

function wordsBefore(parameter: Parameter, before: readonly Word[]): number {
  let [score, reach] = [0, 1]
  for (const [distance, word] of before.entries()) {
    if (/^[.;?!]$/.test(word.text)) break
    if (/^(?:from|in|at|by|to|on|with|and|for|,)$/.test(word.lower)) reach *= 0.45
    score += (reach * wordScore(parameter, word, 1.2, 0.4)) / (1 + 0.35 * distance)
  }
  return score
}

function wordsAfter(parameter: Parameter, after: readonly Word[]): number {
  let score = 0
  for (const [distance, word] of after.entries()) {
    if (/^[,.;?!]$/.test(word.text) || /^(?:and|to|from|in|at|for|with|of|by|on)$/.test(word.lower)) break
    score += wordScore(parameter, word, 0.9, 0.5) / (1 + 0.6 * distance)
  }
  return score
}

function wordScore(parameter: Parameter, word: Word, named: number, described: number): number {
  if (parameter.name.length === 1 && word.text === parameter.name) return 1.5
  if (!/^\p{L}/u.test(word.text) || stopWords.has(word.lower)) return 0
  const match = nearest(word.stem, parameter.stems)
  if (match > 0) return named * match
  return parameter.descriptionStems.includes(word.stem) ? described : 0
}

function prepositionScore(parameter: Parameter, candidate: Candidate, before: readonly Word[]): number {
  const preposition = before.slice(0, 3).find((word) => !transparent.test(word.lower))?.lower ?? ''
  if (!prepositions.has(preposition) && preposition !== 'inside') return 0
  const name = parameter.words.join(' ')
  let score = name === preposition ? 1 : 0
  if (fromWords.test(name)) score += direction(preposition, /^(?:from|between|since)$/, /^(?:to|into|until)$/)
  if (toWords.test(name)) score += direction(preposition, /^(?:to|into|until|and|in)$/, /^(?:from|between)$/)
  const fits = typical.find(([own, pattern]) => own === parameter.class && pattern.test(preposition))
  if (fits === undefined) return score
  const plain = candidate.kind === 'chunk' && opensValue(parameter, candidate, before)
  return score + fits[2] + (plain ? (parameter.class === 'path' ? 1.2 : 0.6) : 0)
}

/** "in tokyo", "in the src folder": words in lower case right after the preposition; "in the morning" is no place. */
function opensValue({ class: own }: Parameter, { text }: Candidate, before: readonly Word[]): boolean {
  if (own === 'path') return /^[a-z_.][\w.-]*(?:\s(?:folder|directory))?$/.test(text)
  return own === 'place' && /^(?:in|near|at|for)$/.test(before[0]?.lower ?? '')
}

function direction(preposition: string, along: RegExp, against: RegExp): number {
  return along.test(preposition) ? 0.9 : against.test(preposition) ? -0.7 : 0
}

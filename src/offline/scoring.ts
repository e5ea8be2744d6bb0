// How well the words of a request fit a tool: how much of the tool's name and description they mention, and how much of them the
// tool explains. Trap: a request that fits no tool still shares words such as "get" and "new" with some; only a word that says
// what a tool is about (an anchor) counts as a reason to call it.
import type { ToolSpec } from '../conversation/request.js'
import { type Candidate, type CandidateKind, contains, type Span } from './candidate.js'
import { isNumberWord } from './numbers.js'
import type { Parameter, ParameterClass } from './parameters.js'
import { parametersOf } from './parameters.js'
import type { Passage } from './passage.js'
import { prepositions, stopWords } from './vocabulary.js'
import { contentStems, identifierWords, nearest, plainWords, similarity, stem, verbKindOf, type Word } from './words.js'

/** A tool with its words counted once. */
export interface ToolWords {
  readonly tool: ToolSpec
  readonly parameters: readonly Parameter[]
  readonly nameStems: readonly string[]
  readonly descriptionStems: readonly string[]
  /** Every word the tool uses, with how much it says about the tool. */
  readonly weights: ReadonlyMap<string, number>
}
export interface Fit {
  /** What the words say, 0 to about 1.1. */
  readonly words: number
  /** What the kinds of values in the request say, 0 to 0.4. */
  readonly evidence: number
  /** Whether a word or a value says what this tool is about. */
  readonly anchored: boolean
  /** The same, but by the tool's name or a value only. */
  readonly named: boolean
  /** The words of the request that say something, with how well the tool knows each. */
  readonly known: ReadonlyMap<Word, number>
}

const weightOf = { name: 0.4, description: 0.25, request: 0.45 }
const prepared = new WeakMap<ToolSpec, ToolWords>()
const questionWords = /^(?:what|what's|whats|which|who|when|where|how|show|list|am|is|are|does|do|will|did|tell)$/

export function toolWords(tool: ToolSpec): ToolWords {
  const known = prepared.get(tool)
  if (known !== undefined) return known
  const made = countWords(tool)
  prepared.set(tool, made)
  return made
}

function countWords(tool: ToolSpec): ToolWords {
  const parameters = parametersOf(tool)
  const name = identifierWords(tool.name)
  const description = plainWords((tool.description ?? '').slice(0, 400))
  const weights = new Map<string, number>()
  const put = (word: string, weight: number): void => {
    if (!stopWords.has(word)) weights.set(stem(word), Math.max(weight, weights.get(stem(word)) ?? 0))
  }
  for (const word of name) put(word, 1)
  for (const [index, word] of description.entries()) put(word, index < 14 ? 0.8 : 0.55)
  for (const parameter of parameters) {
    for (const word of parameter.words) put(word, 0.6)
    for (const own of parameter.descriptionStems.slice(0, 25)) put(own, 0.35)
    for (const choice of parameter.choices ?? parameter.item?.choices ?? []) {
      for (const word of plainWords(String(choice))) put(word, 0.55)
    }
  }
  const start = plainWords((tool.description ?? '').slice(0, 160))
  return { tool, parameters, nameStems: contentStems(name), descriptionStems: contentStems(start), weights }
}

/** How well a passage fits a tool, by its words and by the kinds of values in it. */
export function fitOf(passage: Passage, tool: ToolWords): Fit {
  const known = knownWords(passage, tool)
  const stems = [...known.keys()].map((word) => word.stem)
  const words =
    weightOf.name * coverage(tool.nameStems, stems) +
    weightOf.description * coverage(tool.descriptionStems, stems) +
    weightOf.request * requestCoverage(passage, known, [])
  const evidence = valueEvidence(passage.candidates, tool.parameters)
  const named = evidence >= 0.3 || isNamed(passage, tool, known)
  const anchored = named || evidence > 0 || isDescribed(passage, tool, known)
  return { words: words * purposeFactor(passage, tool), evidence, anchored, named, known }
}

/** How much of the request the tool knows, what became an argument left aside; names, quotes and dates count little. */
function requestCoverage(passage: Passage, known: ReadonlyMap<Word, number>, uses: readonly Span[]): number {
  let [total, hit] = [0, 0]
  for (const [word, match] of known) {
    if (uses.some((use) => contains(use, word))) continue
    const weight = passage.values.has(word) ? 0.3 : 1
    total += weight
    hit += weight * match
  }
  return total === 0 ? 0 : hit / total
}

/** What the score gains when the words that became arguments are left aside. */
export function argumentGain(passage: Passage, { known }: Fit, uses: readonly Span[]): number {
  return weightOf.request * Math.max(0, requestCoverage(passage, known, uses) - requestCoverage(passage, known, []))
}

function knownWords(passage: Passage, { weights }: ToolWords): ReadonlyMap<Word, number> {
  const known = new Map<Word, number>()
  const seen = new Set<string>()
  for (const word of passage.words) {
    if (!isContent(word) || seen.has(word.stem) || seen.size >= 60) continue
    seen.add(word.stem)
    let best = 0
    for (const [own, weight] of weights) {
      if (weight > best) best = Math.max(best, weight * similarity(word.stem, own))
    }
    known.set(word, best)
  }
  return known
}

export function isContent(word: Word): boolean {
  if (!/^\p{L}./u.test(word.text) || stopWords.has(word.lower)) return false
  return !prepositions.has(word.lower) && !isNumberWord(word.lower)
}

function coverage(own: readonly string[], stems: readonly string[]): number {
  let [total, hit] = [0, 0]
  for (const ownStem of own) {
    const weight = verbKindOf(ownStem) === undefined ? 1 : 0.4
    total += weight
    hit += weight * nearest(ownStem, stems)
  }
  return total === 0 ? 0 : hit / total
}

/** The same word, or a like one unless both are general verbs: "get" and "check" say nothing of what is meant. */
function isAbout(said: string, own: string): boolean {
  if (said === own) return true
  return similarity(said, own) >= 0.5 && (verbKindOf(said) === undefined || verbKindOf(own) === undefined)
}

/** A word of the request is about a word of the name. */
function isNamed(passage: Passage, { nameStems }: ToolWords, known: ReadonlyMap<Word, number>): boolean {
  return [...known.keys()].some((word) => {
    if (passage.values.has(word)) return false
    return nameStems.some((own) => isAbout(word.stem, own))
  })
}

/** A word of the start of the description that is no general verb. */
function isDescribed(passage: Passage, { descriptionStems }: ToolWords, known: ReadonlyMap<Word, number>): boolean {
  return [...known.keys()].some(
    (word) =>
      !passage.values.has(word) && verbKindOf(word.stem) === undefined && nearest(word.stem, descriptionStems) >= 0.85,
  )
}

/** Less than 1 where the request asks and the tool acts, or one of them removes and the other does not. */
function purposeFactor(passage: Passage, tool: ToolWords): number {
  const asked = new Set(passage.words.map((word) => verbKindOf(word.stem)))
  const own = tool.nameStems.map(verbKindOf).find((kind) => kind !== undefined)
  const acts = own === 'create' || own === 'remove' || own === 'change' || own === 'send'
  const asks = passage.words.slice(0, 3).some((word) => questionWords.test(word.lower))
  let factor = 1
  if (asks && acts && !asked.has(own)) factor *= 0.7
  if (own !== undefined && (own === 'remove') !== asked.has('remove')) factor *= 0.6
  return factor
}

/** A value of a rare kind speaks for the tool that has a parameter for it; of some kinds it takes more than one. */
const evidenceByKind: readonly (readonly [CandidateKind, ParameterClass, each: number, most: number])[] = [
  ['path', 'path', 0.3, 0.3],
  ['url', 'url', 0.3, 0.3],
  ['email', 'email', 0.15, 0.15],
  ['expression', 'expression', 0.4, 0.4],
  ['currency', 'currency', 0.2, 0.4],
  ['language', 'language', 0.1, 0.1],
]

function valueEvidence(candidates: readonly Candidate[], parameters: readonly Parameter[]): number {
  let best = 0
  for (const [kind, own, each, most] of evidenceByKind) {
    if (!parameters.some((parameter) => parameter.class === own)) continue
    const count = candidates.filter((candidate) => candidate.kind === kind).length
    best = Math.max(best, Math.min(most, count * each))
  }
  return best
}

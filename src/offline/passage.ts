// A request, or a clause of it, read once: its words and what in it may be a value.
import { type Candidate, contains } from './candidate.js'
import { chunkCandidates, nameCandidates } from './names.js'
import { phraseCandidates } from './phrases.js'
import { formCandidates, isInside } from './spans.js'
import { plainWords, stem, type Word, wordsOf } from './words.js'

export interface Surroundings {
  readonly before: readonly Word[]
  readonly after: readonly Word[]
  /** The stems of the candidate's own words. */
  readonly stems: readonly string[]
}
export interface Passage {
  readonly text: string
  readonly words: readonly Word[]
  readonly candidates: readonly Candidate[]
  /** The words just before a candidate, nearest first, and just after it. */
  readonly around: ReadonlyMap<Candidate, Surroundings>
  /** Words inside names, quotes, dates and addresses: values, not descriptions of a task. */
  readonly values: ReadonlySet<Word>
}

/** Longer requests are read at their beginning and their end: the task stands there, pasted material in between. */
const maxCharacters = 4_000

export function readPassage(text: string): Passage {
  const half = maxCharacters / 2
  const kept = text.length <= maxCharacters ? text : `${text.slice(0, half)}\n${text.slice(-half)}`
  const words = wordsOf(kept)
  const forms = formCandidates(kept, words)
  const quotes = forms.filter(({ kind }) => kind === 'quote')
  const names = nameCandidates(kept, words).filter((name) => !isInside(name, quotes))
  const candidates = [...forms, ...names, ...phraseCandidates(kept, words, forms), ...chunkCandidates(kept, words)]
  const around = new Map(candidates.map((each) => [each, surroundings(words, each)]))
  const fixed = candidates.filter(({ kind }) => !/^(?:phrase|chunk|list|named)$/.test(kind))
  // The first word is the verb of an order as often as the start of a name.
  const isValue = (word: Word, index: number): boolean =>
    fixed.some((each) => contains(each, word) && !(index === 0 && each.kind === 'name' && each.text !== word.text))
  const values = new Set(words.filter(isValue))
  return { text: kept, words, candidates, around, values }
}

function surroundings(words: readonly Word[], { start, end, text }: Candidate): Surroundings {
  const first = words.findIndex((word) => word.end > start)
  const before = words.slice(Math.max(0, first - 6), Math.max(0, first)).reverse()
  const last = words.findIndex((word) => word.start >= end)
  return { before, after: last === -1 ? [] : words.slice(last, last + 3), stems: plainWords(text).map(stem) }
}

// Parameters with few possible values: enums by phrase or stem, booleans by the words of their name and a negation nearby.
import type { Json } from '../json/types.js'
import type { Span } from './candidate.js'
import { currencyOf } from './currencies.js'
import type { Parameter } from './parameters.js'
import type { Passage } from './passage.js'
import type { ToolWords } from './scoring.js'
import { negations, stopWords } from './vocabulary.js'
import { identifierWords, nearest, similarity, stem } from './words.js'

export interface FoundChoice extends Span {
  readonly choice: Json
  /** 3 for the very words, 2 for their stems, 1 for words like them. */
  readonly strength: number
}

/** The choice the passage names most clearly; among equals the longest, then the first. */
export function choiceIn(passage: Passage, parameter: Parameter): FoundChoice | undefined {
  return choicesIn(passage, parameter)[0]
}

/** Every choice the passage names, the clearest first. */
export function choicesIn(passage: Passage, { choices = [], stems, class: own }: Parameter): readonly FoundChoice[] {
  const found = choices.flatMap((choice) => {
    const place = placeOf(passage, choice, own === 'currency')
    return place === undefined ? [] : [{ choice, ...place }]
  })
  // A name such as "unit" next to the word settles between two uses of it.
  const bonus = ({ start }: Span): number =>
    passage.words.some((word) => stems.includes(word.stem) && Math.abs(word.start - start) < 25) ? 0.5 : 0
  return found.sort(
    (a, b) => b.strength + bonus(b) - a.strength - bonus(a) || b.end - b.start - (a.end - a.start) || a.start - b.start,
  )
}

function placeOf(passage: Passage, choice: Json, currency: boolean): Omit<FoundChoice, 'choice'> | undefined {
  const parts = typeof choice === 'number' ? [String(choice)] : identifierWords(String(choice))
  if (parts.length === 0) return undefined
  const partStems = parts.map(stem)
  return (
    wordRun(passage, 3, (index, word) => word.lower === parts[index], parts.length) ??
    wordRun(passage, 2, (index, word) => word.stem === partStems[index], parts.length) ??
    (currency ? wordRun(passage, 2, (_, word) => currencyOf(word.text) === choice, 1) : undefined) ??
    wordRun(
      passage,
      1,
      (index, word) => similarity(word.stem, partStems[index] ?? '') > 0.8 && word.lower.length > 4,
      parts.length,
    )
  )
}

function wordRun(
  { words }: Passage,
  strength: number,
  fits: (index: number, word: Passage['words'][number]) => boolean,
  length: number,
): Omit<FoundChoice, 'choice'> | undefined {
  for (let first = 0; first + length <= words.length; first += 1) {
    const run = words.slice(first, first + length)
    if (!run.every((word, index) => fits(index, word))) continue
    return { start: run[0]?.start ?? 0, end: run.at(-1)?.end ?? 0, strength }
  }
  return undefined
}

const fillers = /^(?:includ|is|ha|with|enabl|show|return|get|want|need|us|allow|flag|option|requir|do|should)/

/** What the passage says of a yes-or-no parameter; undefined when it says nothing. */
export function flagIn({ words }: Passage, parameter: Parameter, tool: ToolWords): boolean | undefined {
  const keys = parameter.stems.filter(
    (own, index) => !stopWords.has(parameter.words[index] ?? '') && !fillers.test(own),
  )
  if (keys.length === 0 || keys.every((key) => /^(?:enabl|activ|power|state)/.test(key))) return switchIn(words)
  if (keys.every((key) => tool.nameStems.includes(key))) return undefined
  const hits = keys.filter((key) => words.some((word) => similarity(word.stem, key) >= 0.5))
  const [hit] = hits
  if (hit === undefined || hits.length * 2 < keys.length) return undefined
  const at = words.findIndex((word) => nearest(word.stem, [hit]) >= 0.5)
  return !words.slice(Math.max(0, at - 4), at + 2).some((word) => negations.has(word.lower))
}

function switchIn(words: Passage['words']): boolean | undefined {
  for (const word of words) {
    if (/^(?:off|disable|deactivate)$/.test(word.lower)) return false
    if (/^(?:on|enable|activate)$/.test(word.lower)) return true
  }
  return undefined
}

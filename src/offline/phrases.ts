// Candidates that are told by a cue before them: what is said, searched for or to be done. Where such a phrase ends is not known
// here, so there is one candidate for every place where it may.
import type { Candidate } from './candidate.js'
import { spanOf } from './names.js'
import { prepositions, stopWords } from './vocabulary.js'
import type { Word } from './words.js'

/** Cues after which every word belongs to the value. */
const labels: ReadonlySet<string> = new Set('saying says : subject body message text note content'.split(' '))
const cues: ReadonlySet<string> = new Set([
  ...labels,
  ...'about regarding for on to that called named titled title query task topic'.split(' '),
])
const determiners: ReadonlySet<string> = new Set('the a an my our your his her their some this that'.split(' '))
/** What may stand between the verb of a request and what it is about. */
const afterVerb: ReadonlySet<string> = new Set('me us up to for about :'.split(' '))
const mostEnds = 12
const mostPhrases = 200

/** What may stand before the verb of a request. */
const leadIn =
  /^(?:(?:and|then|also|please|now|hey|ok|okay|so|kindly|next|finally|,|(?:can|could|would|will) you|i (?:want|need|would like) (?:you )?to|i'd like (?:you )?to|let's|help me|go ahead and)\s*,?\s+)+/i

/** Where the request proper begins, after "could you please". */
export function requestStart(text: string): number {
  return leadIn.exec(text)?.[0].length ?? 0
}

/** What follows each cue and the first verb. `others` are the candidates a phrase may end before. */
export function phraseCandidates(
  text: string,
  words: readonly Word[],
  others: readonly Candidate[],
): readonly Candidate[] {
  const found: Candidate[] = []
  const opening = requestStart(text)
  const verb = words.findIndex((word) => word.start >= opening)
  const stops = new Set(others.filter(({ kind }) => kind === 'date' || kind === 'time').map(({ start }) => start))
  for (const [index, word] of words.entries()) {
    const cue = index === verb ? 'verb' : cues.has(word.lower) ? word.lower : undefined
    if (cue === undefined || found.length > mostPhrases) continue
    if (cue === 'to' && determiners.has(words[index + 1]?.lower ?? '')) continue
    const first = phraseStart(words, index + 1, cue)
    if (!/^[\p{L}\p{N}"“'(+-]/u.test(words[first]?.text ?? '')) continue
    const says = (last: number): boolean => words.slice(first, last + 1).some((each) => !stopWords.has(each.lower))
    for (const last of phraseEnds(words, first, stops).filter(says))
      found.push({ ...spanOf('phrase', text, words, first, last), cue })
  }
  return found
}

function phraseStart(words: readonly Word[], from: number, cue: string): number {
  const skips = (word: Word | undefined): boolean => {
    if (word === undefined) return false
    if (labels.has(cue)) return word.text === ':'
    return determiners.has(word.lower) || (afterVerb.has(word.lower) && (cue === 'verb' || cue === 'task'))
  }
  let first = from
  while (skips(words[first])) first += 1
  return first
}

function phraseEnds(words: readonly Word[], first: number, stops: ReadonlySet<number>): readonly number[] {
  const ends: number[] = []
  for (let index = first; index < words.length && ends.length < mostEnds; index += 1) {
    const next = words[index + 1]
    const closed = next === undefined || endsSentence(words, index + 1)
    const mayEnd = closed || prepositions.has(next.lower) || next.text === ',' || stops.has(next.start)
    if (mayEnd && isLastWord(words[index])) ends.push(index)
    if (closed || opensLabel(words, index + 1)) break
  }
  return ends
}

function isLastWord(word: Word | undefined): boolean {
  if (word === undefined || prepositions.has(word.lower) || determiners.has(word.lower)) return false
  return /^[\p{L}\p{N}%)'"”]/u.test(word.text)
}

function endsSentence(words: readonly Word[], index: number): boolean {
  const after = words[index + 1]
  return /^[.?!;]$/.test(words[index]?.text ?? '') && (after === undefined || /^\p{Lu}/u.test(after.text))
}

/** "subject Lunch and body See you": the next labelled value ends this one. */
function opensLabel(words: readonly Word[], index: number): boolean {
  const label = words[index + 1]?.lower ?? ''
  return (
    /^(?:and|with|,)$/.test(words[index]?.lower ?? '') && (label === 'title' || (label !== ':' && labels.has(label)))
  )
}

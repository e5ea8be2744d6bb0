// Candidates that are told by the words around them: proper names, "City, Country", and short runs of words.
import type { Candidate } from './candidate.js'
import { nameJoiners, prepositions, stopWords } from './vocabulary.js'
import { verbKindOf, type Word } from './words.js'

const capital = /^\p{Lu}/u

export function nameCandidates(text: string, words: readonly Word[]): readonly Candidate[] {
  const found: Candidate[] = []
  for (let index = 0; index < words.length; index += 1) {
    const last = capital.test(words[index]?.text ?? '') ? nameEnd(words, index) : -1
    if (last === -1) continue
    let first = opensSentence(words, index) ? index + leadingWords(words, index, last) : index
    while (first <= last && nameJoiners.has(words[first]?.text ?? '')) first += 1
    if (first <= last) {
      found.push(spanOf('name', text, words, first, last))
      if (first === 0 && last > 0) found.push(spanOf('name', text, words, 1, last))
      const country =
        words[last + 1]?.text === ',' && capital.test(words[last + 2]?.text ?? '') ? nameEnd(words, last + 2) : -1
      if (country !== -1) found.push(spanOf('place', text, words, first, country))
    }
    index = last
  }
  return found
}

function opensSentence(words: readonly Word[], index: number): boolean {
  return index === 0 || /^[.?!:"“']$/.test(words[index - 1]?.text ?? '')
}

/** 1 when the first word of a sentence is capitalised only because it stands there, else 0. */
function leadingWords(words: readonly Word[], index: number, last: number): 0 | 1 {
  const word = words[index]
  if (word === undefined) return 0
  if (stopWords.has(word.lower) || verbKindOf(word.stem) !== undefined) return 1
  if (/['’]s$/.test(word.text)) return 0
  const whole = words.length - (/^[.?!]$/.test(words.at(-1)?.text ?? '') ? 1 : 0) === last - index + 1
  return index === 0 && !whole ? 1 : 0
}

/** The last word of the name that begins at a capitalised word; -1 for words such as "I". */
function nameEnd(words: readonly Word[], index: number): number {
  if (/^(?:I|I'm|I'd|I've|I'll)$/.test(words[index]?.text.replace('’', "'") ?? '')) return -1
  let last = index
  for (;;) {
    const [own, next, after] = [words[last], words[last + 1], words[last + 2]]
    if (own === undefined || next === undefined) return last
    const near = next.start - own.end <= 1
    if (near && next.start > own.end && (capital.test(next.text) || isOrdinal(words, last, index))) last += 1
    else if (after === undefined || !capital.test(after.text)) return last
    else if (
      nameJoiners.has(next.lower) ||
      (/^[&'’.-]$/.test(next.text) && next.start === own.end && joins(own, next, after))
    )
      last += 2
    else return last
  }
}

/** The number of "Windows 11" and "Terminal 2"; not that of "Convert 20 USD". */
function isOrdinal(words: readonly Word[], last: number, first: number): boolean {
  return first > 0 && /^\d+$/.test(words[last + 1]?.text ?? '') && !capital.test(words[last + 2]?.text ?? '')
}

function joins(own: Word, sign: Word, after: Word): boolean {
  return sign.text === '.' ? own.text.length <= 3 && after.start - sign.end <= 1 : after.start === sign.end
}

/** Runs of words between prepositions and punctuation. */
export function chunkCandidates(text: string, words: readonly Word[]): readonly Candidate[] {
  const found: Candidate[] = []
  for (let index = 0; index < words.length; index += 1) {
    if (!opensChunk(words[index]) || (index > 0 && opensChunk(words[index - 1]))) continue
    let last = index
    while (last - index < 7 && continuesChunk(words[last + 1])) last += 1
    found.push(spanOf('chunk', text, words, index, last))
  }
  return found
}

function opensChunk(word: Word | undefined): boolean {
  if (word === undefined || !/^[\p{L}\p{N}]/u.test(word.text)) return false
  return !prepositions.has(word.lower) && !stopWords.has(word.lower)
}

function continuesChunk(word: Word | undefined): boolean {
  return word !== undefined && !prepositions.has(word.lower) && !/^[,.;:?!()"“”]$/.test(word.text)
}

/** The words from first to last as a candidate, without a possessive ending. */
export function spanOf(
  kind: Candidate['kind'],
  text: string,
  words: readonly Word[],
  first: number,
  last: number,
): Candidate {
  const start = words[first]?.start ?? 0
  const end = words[last]?.end ?? start
  return { kind, start, end, text: text.slice(start, end).replace(/['’]s$/, '') }
}

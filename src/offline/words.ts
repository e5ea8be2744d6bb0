// Text as words with their places, and how alike two words are. Trap: words are looked up in Maps and Sets only, so that
// "constructor" is a word like any other.
import { stopWords, synonymGroups, type VerbKind, verbKinds } from './vocabulary.js'

export interface Word {
  readonly text: string
  readonly lower: string
  readonly stem: string
  readonly start: number
  readonly end: number
}

const token =
  /\d+(?:,\d{3})+(?:\.\d+)?(?![\w])|\d+\.\d+(?![\w])|\d+(?![\w])|\p{L}[\p{L}\p{N}\p{M}_]*(?:['’]\p{Ll}{1,2}(?!\p{L}))?|[\p{L}\p{N}_]+|\S/gu
const irregular: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    children: 'child',
    people: 'person',
    men: 'man',
    women: 'woman',
    indices: 'index',
    feet: 'foot',
  }),
  ...Object.entries({ bought: 'buy', sent: 'send', found: 'find', written: 'write', wrote: 'write', made: 'make' }),
  ...Object.entries({ paid: 'pay', told: 'tell', data: 'data', news: 'news', e: 'e', emails: 'email' }),
])
/** Endings, what replaces them, and how many characters must be left before them. */
const endings: readonly (readonly [ending: string, replacement: string, least: number])[] = [
  ['ization', 'ize', 3],
  ['isation', 'ize', 3],
  ['ication', 'y', 3],
  ['ation', 'ate', 3],
  ['ition', 'it', 3],
  ['tion', 't', 3],
  ['ment', '', 4],
  ['ness', '', 3],
  ['ing', '', 3],
  ['ed', '', 3],
  ['ly', '', 4],
  ['ator', 'ate', 3],
  ['er', '', 4],
  ['or', '', 4],
]

/** The word without its common endings: "files" and "file", "calculator" and "calculate" give the same. */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, '')
  const known = irregular.get(lower)
  if (known !== undefined) return known
  if (lower.length <= 3 || /\d/.test(lower)) return lower
  let result = shortened(singular(lower))
  if (result.length > 3 && /([bdfgklmnprt])\1$/.test(result)) result = result.slice(0, -1)
  if (result.length > 3 && result.endsWith('e')) result = result.slice(0, -1)
  return result.length > 4 && result.endsWith('y') ? `${result.slice(0, -1)}i` : result
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|us|is)$/.test(word)) return word
  if (/(?:xes|ches|shes|sses|zes)$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}

function shortened(word: string): string {
  for (const [ending, replacement, least] of endings) {
    if (word.endsWith(ending) && word.length - ending.length >= least)
      return word.slice(0, -ending.length) + replacement
  }
  return word
}

/** Words, numbers and single signs, with their places in the text. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(token)) {
    const [word] = match
    const lower = word.toLowerCase().replaceAll('’', "'")
    words.push({ text: word, lower, stem: stem(word), start: match.index, end: match.index + word.length })
  }
  return words
}

/** The words of an identifier, split at underscores, case and digits: `getHTTPStatus2` is get, http, status, 2. */
export function identifierWords(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\d)/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** The stems of the words of a text that say something, each once, in order. */
export function contentStems(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word) => !stopWords.has(word)).map(stem))]
}

/** Lower-case words of a text, without signs. */
export function plainWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’]\p{Ll}+)?/gu) ?? []
}

const synonyms: ReadonlyMap<string, ReadonlySet<string>> = synonymsByStem()
const kinds: ReadonlyMap<string, VerbKind> = new Map(
  verbKinds.flatMap(([kind, verbs]) => verbs.map((verb): [string, VerbKind] => [stem(verb), kind])),
)

export function verbKindOf(wordStem: string): VerbKind | undefined {
  return kinds.get(wordStem)
}

/** 1 for the same stem, 0.85 for a long common beginning, 0.5 for words of one synonym group, else 0. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  if (a.length >= 5 && b.length >= 5 && sharesBeginning(a, b)) return 0.85
  return synonyms.get(a)?.has(b) === true ? 0.5 : 0
}

/** The best similarity of a stem to any of a list. */
export function nearest(wordStem: string, stems: Iterable<string>): number {
  let best = 0
  for (const other of stems) best = Math.max(best, similarity(wordStem, other))
  return best
}

function sharesBeginning(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  let same = 0
  while (same < shorter && a[same] === b[same]) same += 1
  return same >= 5 && same >= shorter - 1 && Math.abs(a.length - b.length) <= 4
}

function synonymsByStem(): ReadonlyMap<string, ReadonlySet<string>> {
  const result = new Map<string, Set<string>>()
  for (const group of synonymGroups) {
    const stems = group.map(stem)
    for (const own of stems) result.set(own, new Set([...(result.get(own) ?? []), ...stems]))
  }
  return result
}

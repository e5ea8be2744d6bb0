// Candidates that can be told by their form alone: quotes, lists, addresses, paths, dates, numbers, expressions.
// Trap: every pattern must be linear; the request is foreign text.
import { type Candidate, type CandidateKind, contains, overlaps } from './candidate.js'
import { currencyOf } from './currencies.js'
import { datesIn, timesIn } from './dates.js'
import { expressionsIn } from './expressions.js'
import { numberAt } from './numbers.js'
import { languages } from './vocabulary.js'
import type { Word } from './words.js'

const quoted =
  /"([^"]+)"|“([^”]+)”|`([^`]+)`|«([^»]+)»|(?<![\p{L}\p{N}])'([^'\n]+(?:'\p{Ll}{1,2}\b[^'\n]*)*)'(?!\p{L})/gu
const bracketed = /\[([^[\]]+)\]/g
const email = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g
const url = /\b(?:https?:\/\/|www\.)[^\s,'"<>]+/gi
const extensions =
  'txt|md|json|jsonl|csv|tsv|pdf|docx?|xlsx?|png|jpe?g|gif|svg|py|mjs|cjs|jsx?|tsx?|html?|css|xml|ya?ml|log|zip|gz|mp[34]|wav|toml|ini|env|lock|sql|java|c|h|cpp|rs|go|rb|php|sh|conf|cfg'
const path = new RegExp(
  `(?<![\\w:/@.-])(?:(?:~|\\.{1,2})?/)?(?:[\\w.-]{1,100}/)*[\\w-][\\w.-]{0,100}\\.(?:${extensions})\\b(?!/)|` +
    '(?<![\\w:/@.-])(?:~|\\.{1,2})/(?:[\\w.-]{1,100}/)*[\\w.-]{0,100}|(?<![\\w:/@.-])/(?=[\\w.])(?:[\\w.-]{1,100}/)*[\\w.-]{0,100}|' +
    '(?<![\\w:/@.-])[a-z_.][\\w.-]{0,100}/(?:[\\w.-]{1,100}/)*[\\w.-]{0,100}',
  'g',
)
/** "the src folder", "directory docs". */
const folder =
  /\b(?!(?:this|that|the|current|working|same|a|my|which|what|root|or|and|of)\b)([\w.-]{1,100})\s+(?:folder|directory)\b/gi
const zone = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/g
const naming =
  /\b(?:named|called|titled|entitled)\s+(?!by\b|["'“])([^,.?!;"]+?)(?=\s+(?:on|at|for|in|from|to|with|by|and|using|that|which|who|as)\b|[,.?!;]|$)/gi

/** All candidates of fixed form, in no particular order; they may overlap. What a quote contains is not looked at alone. */
export function formCandidates(text: string, words: readonly Word[]): readonly Candidate[] {
  const quotes = matches('quote', text, quoted)
  const moments = [
    ...datesIn(text).map(
      ({ iso, ...date }): Candidate => ({ kind: 'date', ...date, ...(iso === undefined ? {} : { standard: iso }) }),
    ),
    ...timesIn(text).map(({ clock, ...time }): Candidate => ({ kind: 'time', ...time, standard: clock })),
  ]
  const fixed = [
    ...moments,
    ...matches('email', text, email),
    ...matches('url', text, url),
    ...matches('path', text, path),
    ...matches('path', text, folder),
    ...matches('name', text, zone),
  ]
  const free = (candidate: Candidate): boolean => !fixed.some((other) => contains(other, candidate))
  const found = [
    ...fixed,
    ...matches('list', text, bracketed).map((list) => ({ ...list, items: itemsOf(list.text) })),
    ...matches('named', text, naming).flatMap((named) => endingBefore(text, named, moments)),
    ...expressionsIn(text, words)
      .map((expression): Candidate => ({ kind: 'expression', ...expression }))
      .filter(free),
    ...numbersIn(words).filter(free),
    ...identifiersIn(text, words).filter(free),
    ...words.flatMap(termAt),
  ]
  return [...quotes, ...found.filter((candidate) => !isInside(candidate, quotes))]
}

/** Whether the candidate is only a part of what is quoted. */
export function isInside(candidate: Candidate, quotes: readonly Candidate[]): boolean {
  return quotes.some((quote) => contains(quote, candidate) && candidate.text !== quote.text)
}

/** "a meeting called Standup tomorrow" is called Standup. */
function endingBefore(text: string, named: Candidate, moments: readonly Candidate[]): readonly Candidate[] {
  const [first] = moments.filter((moment) => overlaps(moment, named)).sort((a, b) => a.start - b.start)
  if (first === undefined) return [named]
  const value = text.slice(named.start, first.start).trim()
  return value === '' ? [] : [{ ...named, end: named.start + value.length, text: value }]
}

function termAt({ text, lower, start, end }: Word): readonly Candidate[] {
  if (languages.has(lower)) return [{ kind: 'language', start, end, text }]
  return currencyOf(text) === undefined ? [] : [{ kind: 'currency', start, end, text }]
}

/** The whole match, or its one group that took part, without closing punctuation. */
function matches(kind: CandidateKind, text: string, pattern: RegExp): readonly Candidate[] {
  const found: Candidate[] = []
  for (const match of text.matchAll(pattern)) {
    const inner = match.slice(1).find((group) => group !== undefined)
    const raw = inner ?? match[0]
    const value = (kind === 'quote' ? raw.replace(/[,.]$/, '') : raw.replace(/[.,;:?!)]+$/, '')).trim()
    const start = match.index + (inner === undefined ? 0 : match[0].indexOf(inner))
    if (value !== '')
      found.push({ kind, start, end: start + (inner === undefined ? value.length : raw.length), text: value })
  }
  return found
}

function itemsOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^['"]|['"]$/g, ''))
    .filter((item) => item !== '')
}

function numbersIn(words: readonly Word[]): readonly Candidate[] {
  const found: Candidate[] = []
  for (let index = 0; index < words.length; index += 1) {
    const number = numberAt(words, index)
    const [before, first, last] = [words[index - 1], words[index], words[index + (number?.count ?? 1) - 1]]
    if (number === undefined || first === undefined || last === undefined) continue
    const after = words[index + number.count + (number.percent ? 1 : 0)]
    const touches = before?.end === first.start
    found.push({
      kind: 'number',
      start: first.start,
      end: last.end,
      text: String(number.value),
      value: number.value,
      percent: number.percent,
      ...(touches && /^[$€£¥]$/.test(before.text) ? { sign: before.text } : {}),
      ...(after !== undefined && /^\p{L}/u.test(after.text) ? { unit: after.lower } : {}),
    })
    index += number.count - 1
  }
  return found
}

/** Words of letters and digits, such as `AB-123`: orders, flights, rooms. */
function identifiersIn(text: string, words: readonly Word[]): readonly Candidate[] {
  const identifiers: Candidate[] = []
  for (let index = 0; index < words.length; index += 1) {
    let last = index
    while (joinsNext(words, last)) last += 2
    const [first, end] = [words[index], words[last]]
    if (first === undefined || end === undefined) continue
    const value = text.slice(first.start, end.end)
    index = last
    if (!/\d/.test(value) || !/\p{L}/u.test(value) || /^\d+(?:st|nd|rd|th|am|pm|k|m|bn|x)$/i.test(value)) continue
    const span = { start: first.start, end: end.end }
    identifiers.push({ kind: 'id', ...span, text: value })
  }
  return identifiers
}

function joinsNext(words: readonly Word[], index: number): boolean {
  const [word, joiner, next] = [words[index], words[index + 1], words[index + 2]]
  if (word === undefined || joiner === undefined || next === undefined) return false
  return (
    /^[-_]$/.test(joiner.text) &&
    joiner.start === word.end &&
    next.start === joiner.end &&
    /^[\p{L}\p{N}]/u.test(next.text)
  )
}

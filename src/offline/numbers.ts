// Numbers in words: digits with thousands separators, number words, multiples.
import type { Word } from './words.js'

export interface SpelledNumber {
  readonly value: number
  /** How many words it takes. */
  readonly count: number
  readonly percent: boolean
}

const units: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value): [string, number] => [word, value]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index): [string, number] => [word, (index + 2) * 10]),
])
const multiples: ReadonlyMap<string, number> = new Map(
  Object.entries({ hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12, dozen: 12 }),
)
/** Written onto the digits: 5k, 2m. */
const suffixes: ReadonlyMap<string, number> = new Map(Object.entries({ k: 1e3, m: 1e6, bn: 1e9 }))

export function isNumberWord(word: string): boolean {
  return units.has(word) || multiples.has(word)
}

/** The number that begins at a word; undefined when none does. */
export function numberAt(words: readonly Word[], index: number): SpelledNumber | undefined {
  const sign = signAt(words, index)
  const first = index + (sign === -1 ? 1 : 0)
  const found = digitsAt(words, first) ?? (sign === 1 ? spelledAt(words, first) : undefined)
  if (found === undefined) return undefined
  const next = words[first + found.count]?.lower
  const count = found.count + (sign === -1 ? 1 : 0)
  return { value: sign * found.value, count, percent: next === '%' || next === 'percent' }
}

interface Found {
  readonly value: number
  readonly count: number
}

/** A minus belongs to the number when it touches it and nothing that could be subtracted from stands before. */
function signAt(words: readonly Word[], index: number): 1 | -1 {
  const [before, sign, digits] = [words[index - 1], words[index], words[index + 1]]
  if (sign === undefined || !/^[-−]$/.test(sign.text) || digits?.start !== sign.end || !/^\d/.test(digits.text))
    return 1
  const subtracts =
    before !== undefined && (/[\d)]$/.test(before.text) || (before.end === sign.start && /\w$/.test(before.text)))
  return subtracts ? 1 : -1
}

function digitsAt(words: readonly Word[], index: number): Found | undefined {
  const word = words[index]
  const attached = /^(\d+)(k|m|bn)$/.exec(word?.lower ?? '')
  if (attached !== null) return { value: Number(attached[1]) * (suffixes.get(attached[2] ?? '') ?? 1), count: 1 }
  if (word === undefined || !/^\d[\d,]*(?:\.\d+)?$/.test(word.text)) return undefined
  const value = Number(word.text.replaceAll(',', ''))
  const multiple = multiples.get(words[index + 1]?.lower ?? '')
  return multiple === undefined ? { value, count: 1 } : { value: value * multiple, count: 2 }
}

function spelledAt(words: readonly Word[], index: number): Found | undefined {
  const start = words[index]?.lower
  const article = start === 'a' || start === 'an'
  if (article) {
    const multiple = multiples.get(words[index + 1]?.lower ?? '')
    return multiple === undefined ? undefined : { value: multiple, count: 2 }
  }
  if (start === undefined || !units.has(start)) return undefined
  let [total, current, at] = [0, 0, index]
  for (; at < words.length; at += 1) {
    const word = words[at]?.lower ?? ''
    const unit = units.get(word)
    const multiple = multiples.get(word)
    if (unit !== undefined) {
      if (at > index && !continues(current, unit)) break
      current += unit
    } else if (multiple === 100) current *= 100
    else if (multiple !== undefined) {
      total += current * multiple
      current = 0
    } else if (!connects(words, at, current + total)) break
  }
  return { value: total + current, count: at - index }
}

/** "twenty three" and "hundred five" go on; "three four" are two numbers. */
function continues(current: number, unit: number): boolean {
  if (current === 0 || (current % 100 === 0 && unit < 100)) return true
  return current % 10 === 0 && current % 100 >= 20 && unit > 0 && unit < 10
}

/** The hyphen of twenty-three, the "and" of one hundred and five. */
function connects(words: readonly Word[], at: number, sofar: number): boolean {
  const next = units.get(words[at + 1]?.lower ?? '')
  if (next === undefined) return false
  const word = words[at]
  if (word?.text === '-') return word.start === words[at - 1]?.end && sofar % 10 === 0 && next < 10
  return word?.lower === 'and' && sofar >= 100 && sofar % 100 === 0
}

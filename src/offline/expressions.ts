// Arithmetic said in signs or in words: "17 * 23", "two plus three", "15% of 80", "multiply 6 by 7".
import { numberAt } from './numbers.js'
import type { Word } from './words.js'

export interface FoundExpression {
  readonly start: number
  readonly end: number
  /** In signs: digits, + - * / % ^ and parentheses. */
  readonly text: string
}

const signs: ReadonlyMap<string, string> = new Map(
  Object.entries({ '+': '+', '-': '-', '−': '-', '*': '*', '×': '*', '/': '/', '÷': '/', '%': '%', '^': '^', x: '*' }),
)
/** Said before a second number. */
const infix: readonly (readonly [words: readonly string[], sign: string])[] = [
  [['to', 'the', 'power', 'of'], '^'],
  [['raised', 'to', 'the'], '^'],
  [['multiplied', 'by'], '*'],
  [['divided', 'by'], '/'],
  [['percent', 'of'], '/ 100 *'],
  [['%', 'of'], '/ 100 *'],
  [['plus'], '+'],
  [['minus'], '-'],
  [['times'], '*'],
  [['over'], '/'],
  [['modulo'], '%'],
  [['mod'], '%'],
]
const powers: ReadonlyMap<string, string> = new Map(Object.entries({ squared: '^ 2', cubed: '^ 3' }))
/** Said before a list of numbers; `reversed` where the second is the one to begin with. */
const leads: readonly { readonly words: readonly string[]; readonly sign: string; readonly reversed?: boolean }[] = [
  { words: ['sum', 'of'], sign: '+' },
  { words: ['total', 'of'], sign: '+' },
  { words: ['product', 'of'], sign: '*' },
  { words: ['difference', 'between'], sign: '-' },
  { words: ['difference', 'of'], sign: '-' },
  { words: ['quotient', 'of'], sign: '/' },
  { words: ['subtract'], sign: '-', reversed: true },
  { words: ['multiply'], sign: '*' },
  { words: ['divide'], sign: '/' },
  { words: ['add'], sign: '+' },
]
const separators: ReadonlySet<string> = new Set([',', 'and', 'by', 'from', 'to', 'with', '&'])

/** The expressions of a text with at least one operation each, in order. */
export function expressionsIn(text: string, words: readonly Word[]): readonly FoundExpression[] {
  const found: FoundExpression[] = []
  for (let index = 0; index < words.length; ) {
    const read = ledAt(words, index) ?? chainAt(text, words, index)
    const [first, last] = [words[index], words[index + (read?.count ?? 1) - 1]]
    if (read !== undefined && first !== undefined && last !== undefined) {
      found.push({ start: first.start, end: last.end, text: read.text })
    }
    index += read?.count ?? 1
  }
  return found
}

interface Read {
  readonly text: string
  readonly count: number
}

interface Chain {
  readonly parts: string[]
  /** The next word to read. */
  at: number
  open: number
  /** Whether something was said in words, so that the text itself is no expression. */
  spoken: boolean
}

/** Number, operator, number and so on, up to the last place where all parentheses are closed. */
function chainAt(text: string, words: readonly Word[], index: number): Read | undefined {
  const chain: Chain = { parts: [], at: index, open: 0, spoken: false }
  let [complete, end] = [0, index]
  while (readOperand(words, chain)) {
    if (chain.open === 0) [complete, end] = [chain.parts.length, chain.at]
    const operator = operatorAt(words, chain.at)
    if (operator === undefined) break
    chain.parts.push(operator.text)
    chain.spoken ||= operator.spoken
    chain.at += operator.count
  }
  const [first, last] = [words[index], words[end - 1]]
  if (complete < 2 || first === undefined || last === undefined) return undefined
  const whole = chain.parts.slice(0, complete)
  if (whole.every((part) => /^[\d.()]+$/.test(part))) return undefined
  return { text: chain.spoken ? joined(whole) : text.slice(first.start, last.end), count: end - index }
}

/** A number with the parentheses around it and "squared" after it; false when there is none. */
function readOperand(words: readonly Word[], chain: Chain): boolean {
  const textAt = (): string => words[chain.at]?.lower ?? ''
  for (; textAt() === '('; chain.at += 1, chain.open += 1) chain.parts.push('(')
  const number = numberAt(words, chain.at)
  if (number === undefined) return false
  const digits = number.count === 1 && /^\d[\d,.]*$/.test(textAt())
  chain.parts.push(digits ? textAt().replaceAll(',', '') : String(number.value))
  chain.spoken ||= !digits && !/^[-−]$/.test(textAt())
  chain.at += number.count
  for (; chain.open > 0 && textAt() === ')'; chain.at += 1, chain.open -= 1) chain.parts.push(')')
  const power = powers.get(textAt())
  if (power === undefined) return true
  chain.parts.push(power)
  chain.spoken = true
  chain.at += 1
  return true
}

function operatorAt(words: readonly Word[], at: number): (Read & { readonly spoken: boolean }) | undefined {
  for (const [phrase, sign] of infix) {
    if (phrase.every((word, offset) => words[at + offset]?.lower === word)) {
      return { text: sign, count: phrase.length, spoken: true }
    }
  }
  const word = words[at]
  if (word?.text === '*' && words[at + 1]?.text === '*') return { text: '^', count: 2, spoken: false }
  const sign = signs.get(word?.lower ?? '')
  return sign === undefined ? undefined : { text: sign, count: 1, spoken: word?.lower === 'x' }
}

/** "sum of 4, 5 and 6", "subtract 5 from 20". */
function ledAt(words: readonly Word[], index: number): Read | undefined {
  const lead = leads.find(({ words: phrase }) => phrase.every((word, offset) => words[index + offset]?.lower === word))
  if (lead === undefined) return undefined
  const numbers: string[] = []
  let [at, end] = [index + lead.words.length, index]
  for (;;) {
    const number = numberAt(words, at)
    if (number === undefined) break
    numbers.push(String(number.value))
    at += number.count
    end = at
    while (separators.has(words[at]?.lower ?? '')) at += 1
    if (at === end) break
  }
  if (numbers.length < 2) return undefined
  const operands = lead.reversed === true ? numbers.reverse() : numbers
  return { text: operands.join(` ${lead.sign} `), count: end - index }
}

function joined(parts: readonly string[]): string {
  return parts.join(' ').replaceAll('( ', '(').replaceAll(' )', ')')
}

// Literals as models write them outside JSON: Python's, and Gemma's with its own quotes and bare keys. They become JSON text,
// numbers as they were written. Whatever is not one of them is refused, never guessed.
import { maxDepth, skipSpace } from '../../json/scan.js'
import { matchAt } from './text-call.js'

/** A literal as JSON text, and the index behind it. */
export interface Literal {
  readonly json: string
  readonly end: number
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const word = /(?:True|true|False|false|None|null)(?!\w)/y
const bareKey = /[A-Za-z_$][\w$-]*/y
const words: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }
/** The signs a string may stand between; Gemma's are tokens of its own. */
const quotes = ['<|"|>', '<escape>', '"', "'"] as const

export function literalAt(text: string, from: number, depth = 0): Literal | undefined {
  const index = skipSpace(text, from)
  if (depth > maxDepth) return undefined
  const scalar = matchAt(number, text, index)?.[0] ?? matchAt(word, text, index)?.[0]
  if (scalar !== undefined) return { json: words[scalar] ?? scalar, end: index + scalar.length }
  switch (text[index]) {
    case '[':
      return listAt(text, index + 1, depth)
    case '{':
      return membersAt(text, index + 1, { separator: ':', close: '}', depth })
    default:
      return stringAt(text, index)
  }
}

function listAt(text: string, from: number, depth: number): Literal | undefined {
  const items: string[] = []
  for (let index = skipSpace(text, from); ; ) {
    if (text[index] === ']') return { json: `[${items.join(', ')}]`, end: index + 1 }
    const item = literalAt(text, index, depth + 1)
    if (item === undefined) return undefined
    items.push(item.json)
    const next = behindComma(text, item.end, ']')
    if (next === undefined) return undefined
    index = next
  }
}

/** Named values up to `close`, as the text of an object: `city: 'Paris'}` or `city='Paris')`. A name may stand once. */
export function membersAt(
  text: string,
  from: number,
  {
    separator,
    close,
    depth = 0,
  }: { readonly separator: ':' | '='; readonly close: '}' | ')'; readonly depth?: number },
): Literal | undefined {
  const members = new Map<string, string>()
  for (let index = skipSpace(text, from); ; ) {
    if (text[index] === close) {
      return { json: `{${[...members].map(([key, json]) => `${key}: ${json}`).join(', ')}}`, end: index + 1 }
    }
    const key = keyAt(text, index)
    const colon = key === undefined ? -1 : skipSpace(text, key.end)
    if (key === undefined || members.has(key.json) || text[colon] !== separator) return undefined
    const value = literalAt(text, colon + 1, depth + 1)
    if (value === undefined) return undefined
    members.set(key.json, value.json)
    const next = behindComma(text, value.end, close)
    if (next === undefined) return undefined
    index = next
  }
}

function keyAt(text: string, index: number): Literal | undefined {
  const bare = matchAt(bareKey, text, index)?.[0]
  return bare === undefined ? stringAt(text, index) : { json: JSON.stringify(bare), end: index + bare.length }
}

/** Where the next item or the end of the list begins; nothing when neither a comma nor the end follows. */
function behindComma(text: string, from: number, close: string): number | undefined {
  const index = skipSpace(text, from)
  if (text[index] === ',') return skipSpace(text, index + 1)
  return text[index] === close ? index : undefined
}

function stringAt(text: string, index: number): Literal | undefined {
  const quote = quotes.find((sign) => text.startsWith(sign, index))
  if (quote === undefined) return undefined
  const from = index + quote.length
  if (quote.length > 1) {
    const close = text.indexOf(quote, from)
    return close === -1 ? undefined : { json: JSON.stringify(text.slice(from, close)), end: close + quote.length }
  }
  let value = ''
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === quote) return { json: JSON.stringify(value), end: at + 1 }
    const sequence = character === '\\' ? matchAt(escaped, text, at)?.[0] : undefined
    value += sequence === undefined ? character : unescaped(sequence)
    if (sequence !== undefined) at += sequence.length - 1
  }
  return undefined
}

const escaped = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])/y
const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' }

function unescaped(sequence: string): string {
  const sign = sequence[1] ?? ''
  if (sequence.length > 2) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
  if (Object.hasOwn(named, sign)) return named[sign] ?? ''
  return /[\\'"/]/.test(sign) ? sign : sequence
}

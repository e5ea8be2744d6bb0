// The text of a signature, read from left to right: white space, names, quoted texts, numbers and single marks.
import { closingQuote } from '../json/scan.js'
import { syntaxError } from './syntax-error.js'

export class Scanner {
  readonly text: string
  index = 0
  /** Where each field of the signature began. */
  readonly places: number[] = []

  constructor(text: string) {
    this.text = text
  }

  /** What a sticky pattern finds at the place; empty when nothing. */
  #find(pattern: RegExp): string {
    pattern.lastIndex = this.index
    return pattern.exec(this.text)?.[0] ?? ''
  }

  /** Steps over white space and gives the place it ends at. */
  skip(): number {
    this.index += this.#find(/\s+/y).length
    return this.index
  }

  get atEnd(): boolean {
    return this.skip() === this.text.length
  }

  /** Whether the mark comes next, which is not taken. */
  sees(mark: string): boolean {
    return this.text.startsWith(mark, this.skip())
  }

  take(mark: string): boolean {
    if (!this.sees(mark)) return false
    this.index += mark.length
    return true
  }

  /** Takes the mark directly behind what was read last. */
  takeAdjacent(mark: string): boolean {
    if (!this.text.startsWith(mark, this.index)) return false
    this.index += mark.length
    return true
  }

  /** A run of letters, digits and `_`; empty when none comes next. */
  word(): string {
    this.skip()
    const word = this.#find(/\w+/y)
    this.index += word.length
    return word
  }

  number(): number {
    const from = this.skip()
    const token = this.#find(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (token === '') return this.fail('a number is missing here', from)
    if (!Number.isFinite(Number(token))) return this.fail('this number is too large', from)
    this.index += token.length
    return Number(token)
  }

  /** A text in double quotes with the escapes of JSON; line breaks may stand in it as they are. */
  quoted(what: string): string {
    const from = this.skip()
    if (this.text[from] === "'") return this.fail(`${what} is in single quotes`, from, 'use double quotes')
    if (this.text[from] !== '"') return this.fail(`${what} is missing here`, from, 'write it in double quotes')
    const close = closingQuote(this.text, from, this.text.length)
    if (close === -1) return this.fail(`${what} is never closed`, from, 'add a "')
    const end = close + 1
    const token = this.text.slice(from, end)
    this.index = end
    const escaped = token.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
    try {
      return JSON.parse(escaped) as string
    } catch {
      return this.fail('this escape is not known', from + wrongEscape(token), 'write \\\\ for a backslash')
    }
  }

  fail(problem: string, position: number = this.skip(), suggestion?: string): never {
    throw syntaxError(this.text, position, problem, suggestion)
  }

  /** What stands at a place, for a message. */
  shown(position: number = this.skip()): string {
    const word = /^(?:\w+|[-=]>|\S)/u.exec(this.text.slice(position, position + 100))?.[0]
    return word === undefined ? 'the end' : JSON.stringify(word)
  }
}

/** The place of the first backslash that begins no escape. */
function wrongEscape(token: string): number {
  for (let index = token.indexOf('\\'); index !== -1; index = token.indexOf('\\', index + 2)) {
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(token.slice(index, index + 6))) return index
  }
  return 0
}

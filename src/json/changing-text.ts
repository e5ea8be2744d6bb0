// JSON texts that differ from one to the next in one string alone, as the deltas of a stream do: what stands around it is known,
// and only the string is parsed. The trap: the shortcut gives what reading the whole text gives, or nothing.
import { skipSpace, stringEnd } from './scan.js'
import type { Json } from './types.js'

/** A stream whose texts change elsewhere, too, is not learned again and again. */
const maxLearned = 8

export class ChangingText {
  #before = ''
  #after = ''
  #learned = 0

  /** The string in a text that is the learned one otherwise; nothing for any other text, which has to be read whole. */
  read(text: string): string | undefined {
    const start = this.#before.length
    const end = text.length - this.#after.length
    // Compared as slices: `startsWith` takes a character at a time, twenty times as long.
    if (start === 0 || start >= end || text.slice(0, start) !== this.#before || text.slice(end) !== this.#after)
      return undefined
    try {
      const value = JSON.parse(text.slice(start, end)) as Json
      return typeof value === 'string' ? value : undefined
    } catch {
      return undefined // the whole text may be JSON all the same, or its reader says what is wrong with it
    }
  }

  /**
   * Learns a text that was read whole, and where the member `key` is a string. False where that member cannot be told apart from what
   * stands around it: what was learned before still holds then.
   */
  learn(text: string, key: string): boolean {
    if (this.#learned >= maxLearned) return false
    this.#learned += 1
    const name = `"${key}"`
    const colon = skipSpace(text, text.indexOf(name) + name.length)
    const start = skipSpace(text, colon + 1)
    // A text of its own: parts of the given one would keep all that arrived with it.
    const around = text.slice(0, start) + text.slice(stringEnd(text, start))
    // Where no quote is escaped, the name is a whole string; before a colon it is a key, and the only one that can be spelt so.
    if (text[colon] !== ':' || around.includes('\\') || around.split(name).length !== 2) return false
    this.#before = around.slice(0, start)
    this.#after = around.slice(start)
    return true
  }
}

// JSON texts that differ from one to the next in one string alone, as the deltas of a stream do: what stands around it is known,
// and only the string is parsed. The trap: the shortcut gives what reading the whole text gives, or nothing.
import { skipSpace, stringEnd } from './scan.js'
import type { Json } from './types.js'

/** A stream whose texts change elsewhere, too, is not learned again and again. */
const maxLearned = 8
const probe = '"\\u0000"'
const probed = JSON.parse(probe) as string

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
   * Learns a text that was read whole, whose member `key` is a string; `find` gives what a text read whole has there. Where that
   * cannot be told apart from what stands around it, this is false, and what was learned before still holds.
   */
  learn(text: string, key: string, find: (json: Json) => Json | undefined): boolean {
    if (this.#learned >= maxLearned) return false
    this.#learned += 1
    const name = `"${key}":`
    const start = skipSpace(text, text.lastIndexOf(name) + name.length)
    const known = text.slice(0, start) + probe + text.slice(stringEnd(text, start))
    try {
      if (text.includes(probe) || find(JSON.parse(known) as Json) !== probed) return false
    } catch {
      return false // the string is not there at all, or under another spelling of its name
    }
    // Parts of a text of its own: parts of the given one would keep all that arrived with it.
    this.#before = known.slice(0, start)
    this.#after = known.slice(start + probe.length)
    return true
  }
}

// Long values that stand in text after text, such as the tools in the requests of a client: recognised, not gone through again.
// The trap: a slice of a text holds all of it, so what is kept is written anew.
import { valueEnd } from './scan.js'

/** A value that was met before. */
export interface KnownValue<T> {
  readonly text: string
  /** What its owner made of it. */
  made: T | undefined
  /** The text in UTF-8, once somebody sent it on. */
  bytes: Uint8Array | undefined
}

export interface KnownValues<T> {
  /** The value that stands at `start`, where a list or an object begins. One that is not known may be known the next time. */
  at(text: string, start: number): KnownValue<T> | undefined
}

/** Below this a value is gone through as fast as recognised. */
export const minCharacters = 1_024
const maxCharacters = 262_144
const maxKnown = 32
/** Only one in so many unknown values is kept: those that never come again should cost nothing. */
const strangersPerKept = 8

export function knownValues<T>(): KnownValues<T> {
  /** The last used first. */
  const known: KnownValue<T>[] = []
  let strangers = 0
  const keep = (text: string, start: number): void => {
    const end = valueEnd(text, start)
    if (end - start < minCharacters || end - start > maxCharacters) return
    const own = JSON.parse(JSON.stringify(text.slice(start, end))) as string
    known.unshift({ text: own, made: undefined, bytes: undefined })
    known.length = Math.min(known.length, maxKnown)
  }
  return {
    at(text, start) {
      if (text.length - start < minCharacters) return undefined
      const index = known.findIndex((one) => text.slice(start, start + one.text.length) === one.text)
      const found = known[index]
      if (index > 0 && found !== undefined) {
        known.splice(index, 1)
        known.unshift(found)
      }
      if (found === undefined && strangers++ % strangersPerKept === 0) keep(text, start)
      return found
    },
  }
}

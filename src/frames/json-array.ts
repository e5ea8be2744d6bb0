// A JSON array that grows: `[{…}\n,\n{…}]`, its elements one by one. Trap: nothing separates them but brackets
// and commas, so every character outside strings counts.
import type { Framer } from './framer.js'
import { defaultLimits, type Limits, overLimit } from './limits.js'
import { readText } from './text.js'

/** What is being read. A `container` ends with its last bracket, a `scalar` before a comma, garbage with the answer. */
interface Element {
  readonly kind: 'container' | 'scalar' | 'garbage'
  /** What earlier bytes gave of it. */
  readonly pieces: string[]
  length: number
  depth: number
  inString: boolean
  escaped: boolean
  done: boolean
}

/** Frames of a streamed array, or of a single bare object. What cannot be JSON is a frame as it stands. */
export function jsonArrayFrames(limits: Limits = defaultLimits): Framer<string> {
  const reader = readText(limits)
  let inArray = false
  let element: Element | undefined

  /** Skips what stands between elements and gives the index where one begins, or the end of the text. */
  const begin = (text: string, from: number): number => {
    for (let index = from; index < text.length; index += 1) {
      const character = text[index] ?? ''
      if (character <= ' ' || (inArray && character === ',')) continue
      if (inArray ? character === ']' : character === '[') inArray = !inArray
      else {
        element = openElement(character, inArray)
        return index
      }
    }
    return text.length
  }

  const scan = (text: string): readonly string[] => {
    const frames: string[] = []
    let index = 0
    while (index < text.length) {
      if (element === undefined) index = begin(text, index)
      if (element === undefined) break
      const end = advance(element, text, index)
      element.length += end - index
      if (element.length > limits.lineBytes) throw overLimit('line', limits)
      element.pieces.push(text.slice(index, end))
      index = end
      if (!element.done) break
      frames.push(textOf(element))
      element = undefined
    }
    return frames
  }
  return {
    push: (bytes) => scan(reader.push(bytes)),
    end() {
      const frames = scan(reader.end())
      const rest = element === undefined ? [] : [textOf(element)]
      element = undefined
      return [...frames, ...rest]
    },
  }
}

function openElement(character: string, inArray: boolean): Element {
  const kind = character === '{' || character === '[' ? 'container' : inArray ? 'scalar' : 'garbage'
  return { kind, pieces: [], length: 0, depth: 0, inString: false, escaped: false, done: false }
}

function textOf(element: Element): string {
  return element.pieces.join('').trim()
}

/** The index just past what belongs to the element; `done` says whether that is its end. */
function advance(element: Element, text: string, from: number): number {
  if (element.kind === 'garbage') return text.length
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (element.inString) {
      if (element.escaped) element.escaped = false
      else if (code === 92) element.escaped = true
      else if (code === 34) element.inString = false
    } else if (code === 34) element.inString = true
    else if (element.depth === 0 && element.kind === 'scalar' && (code === 44 || code === 93)) {
      element.done = true
      return index
    } else if (code === 123 || code === 91) element.depth += 1
    else if (code === 125 || code === 93) {
      element.depth -= 1
      if (element.depth === 0 && element.kind === 'container') {
        element.done = true
        return index + 1
      }
    }
  }
  return text.length
}

// One JSON text per line. Trap: some servers print an object over several lines: one that leaves a bracket open waits.
import { closingQuote } from '../json/scan.js'
import type { Framer } from './framer.js'
import { defaultLimits, type Limits, overLimit } from './limits.js'
import { splitLines } from './lines.js'
import { readText } from './text.js'

const none: string[] = []

/** Frames of newline-delimited JSON, white space around them removed. What cannot be JSON is a frame as it stands. */
export function ndjsonFrames(limits: Limits = defaultLimits): Framer<string> {
  const reader = readText(limits)
  let frames = none
  /** The lines of an object that is not closed yet. */
  let held: string[] = []
  let heldLength = 0
  let depth = 0

  const release = (): string => {
    const frame = held.length === 1 ? (held[0] ?? '') : held.join('\n')
    held = []
    heldLength = 0
    depth = 0
    return frame
  }
  const lines = splitLines(limits, (text, from) => {
    let start = from
    for (let end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      if (held.length === 0 && isWhole(text, start, end)) {
        if (end - start > limits.lineBytes) throw overLimit('line', limits)
        frames.push(text.slice(start, end))
        start = end + 1
        continue
      }
      const line = text.slice(start, end).trim()
      if (line !== '') {
        heldLength += line.length
        if (heldLength > limits.lineBytes) throw overLimit('line', limits)
        depth += openBrackets(text, start, end)
        held.push(line)
        if (depth <= 0) frames.push(release())
      }
      start = end + 1
    }
  })
  const framesOf = (piece: string): string[] => {
    const found: string[] = []
    frames = found
    lines(piece)
    frames = none // a stream that waits for its next piece holds nothing of the last one
    return found
  }
  return {
    push: (bytes) => framesOf(reader.push(bytes)),
    end() {
      const last = framesOf(`${reader.end()}\n`)
      return held.length === 0 ? last : [...last, release()]
    },
  }
}

/** Whether a line is surely one object: it has both braces, and no object goes on with a brace that opens. */
function isWhole(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) === 123 && text.charCodeAt(end - 1) === 125 && text.charCodeAt(end + 1) === 123
}

/**
 * How many brackets a line leaves open; below zero when it closes more, or ends inside a string (no other line helps
 * then). Reads the text in place: characters of a slice cost several times as much.
 */
function openBrackets(text: string, start: number, end: number): number {
  let depth = 0
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 34) {
      index = closingQuote(text, index, end)
      if (index === -1) return Number.NEGATIVE_INFINITY
    } else if (code >= 91) {
      // [ and {, then ] and }
      if (code === 91 || code === 123) depth += 1
      else if (code === 93 || code === 125) depth -= 1
    }
  }
  return depth
}

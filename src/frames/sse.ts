// Server-sent events. Trap: the last event may come without its blank line, or without any newline; it still counts.
import type { Framer } from './framer.js'
import { defaultLimits, type Limits, overLimit } from './limits.js'
import { splitLines } from './lines.js'
import { readText } from './text.js'

export interface SseFrame {
  readonly event?: string
  readonly data: string
}

const none: SseFrame[] = []

/** Frames of an event stream. Comments, `id`, `retry` and unknown fields are passed over; no data means no event. */
export function sseFrames(limits: Limits = defaultLimits): Framer<SseFrame> {
  const reader = readText(limits)
  let frames = none
  let data: string | undefined
  let event = ''

  const lines = splitLines(limits, (text, from) => {
    let start = from
    for (let end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      if (start === end) {
        if (data !== undefined) frames.push(event === '' ? { data } : { event, data })
        data = undefined
        event = ''
      } else if (end - start + (data?.length ?? 0) > limits.lineBytes) throw overLimit('line', limits)
      else if (isData(text, start, end)) {
        const value = fieldValue(text, start + 4, end)
        data = data === undefined ? value : `${data}\n${value}`
      } else if (isEvent(text, start, end)) event = fieldValue(text, start + 5, end)
      start = end + 1
    }
  })
  const framesOf = (piece: string): readonly SseFrame[] => {
    const found: SseFrame[] = []
    frames = found
    lines(piece)
    frames = none // a stream that waits for its next piece holds nothing of the last one
    return found
  }
  return {
    push: (bytes) => framesOf(reader.push(bytes)),
    end: () => framesOf(`${reader.end()}\n\n`),
  }
}

// Compared by character code: twice as fast as startsWith, on every line of every stream.
function isData(text: string, start: number, end: number): boolean {
  return (
    text.charCodeAt(start) === 100 &&
    text.charCodeAt(start + 1) === 97 &&
    text.charCodeAt(start + 2) === 116 &&
    text.charCodeAt(start + 3) === 97 &&
    endsField(text, start + 4, end)
  )
}

function isEvent(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) === 101 && text.startsWith('event', start) && endsField(text, start + 5, end)
}

/** A field name ends with a colon, or with the line. */
function endsField(text: string, index: number, end: number): boolean {
  return text.charCodeAt(index) === 58 || index === end
}

/** What follows the colon, without one space. */
function fieldValue(text: string, colon: number, end: number): string {
  return text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1, end)
}

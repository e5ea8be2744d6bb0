// Usage of a Chat Completions stream: the gateway always asks for it, and takes the chunk that holds it away from clients that did not.
// The trap: that chunk has no choices, and clients that did not ask for it read the first of them.
import type { Replacement } from '../json/members.js'
import { isJsonObject } from '../json/parse.js'
import type { NamedBody } from './asked.js'
import { memberOf, valueIn } from './request-rules.js'

/** What to write into a body so that its stream reports usage. */
export function usageRequest({ sparse: { text }, object }: NamedBody): Replacement {
  const member = memberOf(object.members, 'stream_options')
  const given = valueIn(text, member)
  const options = JSON.stringify({ ...(isJsonObject(given) ? given : {}), include_usage: true })
  if (member !== undefined) return { start: member.start, end: member.end, text: options }
  return { start: object.start, end: object.start, text: `"stream_options":${options},` }
}

export interface ChunkFilter {
  /** The bytes that the client gets now; perhaps none. */
  push(piece: Uint8Array): Uint8Array
  /** Nothing follows: what was held back. */
  end(): Uint8Array
}

const lineFeed = 10
/** A line that is longer without an end is not the chunk with the usage. */
const maxLineBytes = 16 * 1024
const none = new Uint8Array(0)
/** One character for each byte. */
const latin1 = new TextDecoder('latin1')
const usageMark = /"usage":\s*\{/
const choices = /"choices":\s*\[\s*[^\s\]]/

/** Takes the events away that hold usage and no choices. Everything else stays byte for byte. */
export function usageChunkFilter(): ChunkFilter {
  let held = none
  let isInLongLine = false
  let isBlankDropped = false
  const filterLines = (lines: Uint8Array): Uint8Array => {
    const text = latin1.decode(lines)
    if (!isBlankDropped && !usageMark.test(text)) return lines
    const kept: Uint8Array[] = []
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf('\n', start) + 1 || text.length
      const line = text.slice(start, end)
      const isBlank = line.trim() === ''
      const isUsage = line.startsWith('data:') && usageMark.test(line) && !choices.test(line)
      if (!isUsage && !(isBlank && isBlankDropped)) kept.push(lines.subarray(start, end))
      isBlankDropped = isUsage
      start = end
    }
    return joinBytes(kept)
  }
  return {
    push(piece) {
      const bytes = held.length === 0 ? piece : joinBytes([held, piece])
      held = none
      const past = bytes.lastIndexOf(lineFeed) + 1
      if (isInLongLine && past === 0) return bytes
      const begin = isInLongLine ? bytes.indexOf(lineFeed) + 1 : 0
      isInLongLine = bytes.length - past > maxLineBytes
      if (!isInLongLine) held = bytes.slice(past)
      const lines = bytes.subarray(begin, past)
      return joinBytes([bytes.subarray(0, begin), filterLines(lines), isInLongLine ? bytes.subarray(past) : none])
    },
    end() {
      const rest = held
      held = none
      return filterLines(rest)
    },
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const full = pieces.filter(({ length }) => length > 0)
  const [only = none] = full
  if (full.length < 2) return only
  const bytes = new Uint8Array(full.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of full) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

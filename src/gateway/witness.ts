// What the bytes of a stream tell that goes to the client as it came: usage, how it ended, and whether it came to its end.
// The trap: a line may be many megabytes long, so what was looked at once must not be looked at again.
import type { CompletionEvent } from '../conversation/events.js'
import type { Wire } from '../conversation/messages.js'
import type { ErrorCode } from '../errors/error.js'
import { utf8 } from '../frames/body.js'
import { defaultLimits } from '../frames/limits.js'
import { readText } from '../frames/text.js'
import type { StreamDecoder } from '../wire/codec.js'

export interface Witness {
  push(piece: Uint8Array): void
  /** What was told so far of usage, of the end and of errors, perhaps with more. */
  events(): readonly CompletionEvent[]
  /** The lines that were kept since the last time: those that tell of usage and of the end. */
  newLines(): readonly string[]
  /** Nothing comes any more: whether the answer came to its end. */
  end(): boolean
}

/** `decoder` makes what reads the wire's streams. One JSON array over many lines is read whole, anything else by its telling lines. */
export function streamWitness(wire: Wire, isArray: boolean, decoder: () => StreamDecoder): Witness {
  return isArray ? wholeWitness(decoder()) : lineWitness(wire, decoder)
}

function wholeWitness(decoder: StreamDecoder): Witness {
  const told: CompletionEvent[] = []
  let ended = false
  const see = (events: readonly CompletionEvent[]): void => {
    for (const event of events) {
      if (event.type === 'usage' || event.type === 'finish' || event.type === 'error') told.push(event)
    }
  }
  return {
    push: (piece) => see(decoder.push(piece)),
    events: () => told,
    newLines: () => [],
    end() {
      if (!ended) see(decoder.end())
      ended = true
      return told.some(({ type }) => type === 'finish')
    },
  }
}

const usageMark = /"usage\w*":\s*\{|_eval_count"/
/** What one of the last lines of a stream holds. An error is an end, too. */
const endMarks: Readonly<Record<Wire, RegExp>> = {
  'openai-chat': /\[DONE\]|"finish_reason":\s*"|"error":\s*[{"]/,
  'openai-responses': /"response\.(?:completed|incomplete|failed|cancelled)"|"type":\s*"error"/,
  anthropic: /"message_stop"|"type":\s*"error"/,
  ollama: /"done":\s*true|"error":\s*[{"]/,
  gemini: /"finishReason":|"blockReason":|"error":\s*\{/,
}

/** What the line holds that decides how an answer ended, where the last lines do not tell: the first call, a refusal. */
const decidingMarks: Partial<Readonly<Record<Wire, RegExp>>> = {
  'openai-chat': /"tool_calls":\s*\[|"refusal":\s*"[^"]/,
  anthropic: /"type":\s*"tool_use"/,
  ollama: /"tool_calls":\s*\[/,
  gemini: /"functionCall":/,
}

/** What a decoder says of the lines that were left out. */
const missing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['malformed_response', 'truncated'])

/** The transport holds the cap. */
const uncapped = { ...defaultLimits, totalBytes: Number.POSITIVE_INFINITY }

/** So many of the telling lines are kept, half of them the first: Anthropic tells the input at the beginning. */
const maxLines = 8

/** Keeps the first line, and those that speak of usage, of the end or of what decides about it; pieces without such a line are not taken apart. */
function lineWitness(wire: Wire, decoder: () => StreamDecoder): Witness {
  const reader = readText(uncapped)
  const endMark = endMarks[wire]
  const decidingMark = decidingMarks[wire]
  const told: string[] = []
  let fresh: readonly string[] = []
  let first = ''
  let deciding: string | undefined
  let tail = ''
  let ended = false
  const decides = (text: string): boolean => deciding === undefined && decidingMark?.test(text) === true
  const see = (line: string): void => {
    const isEnd = endMark.test(line)
    const isDeciding = decides(line)
    ended ||= isEnd
    if (!isEnd && !isDeciding && !usageMark.test(line)) return
    if (isDeciding) deciding = line
    if (told.length === maxLines) told.splice(told[maxLines / 2] === deciding ? maxLines / 2 + 1 : maxLines / 2, 1)
    told.push(line)
    fresh = [...fresh.slice(1 - maxLines), line]
  }
  return {
    push(piece) {
      const text = reader.push(piece)
      const past = text.lastIndexOf('\n') + 1
      if (past === 0) {
        tail += text
        return
      }
      const lines = tail + text.slice(0, past)
      tail = text.slice(past)
      if (first === '') first = firstOf(lines)
      if (endMark.test(lines) || usageMark.test(lines) || decides(lines)) lines.split('\n').forEach(see)
    },
    newLines() {
      const lines = fresh
      fresh = []
      return lines
    },
    events() {
      if (told.length === 0) return []
      const reader = decoder()
      const lines = told.includes(first) ? told : [first, ...told]
      const events = [...reader.push(utf8(lines.map((line) => `${line}\n\n`).join(''))), ...reader.end()]
      return events.filter((event) => event.type !== 'error' || !missing.has(event.error.code))
    },
    end() {
      see(tail + reader.end())
      return ended
    },
  }
}

/** Without it no decoder knows whose answer it is. Blank lines go ahead of it at some servers. */
function firstOf(lines: string): string {
  const [first = ''] = /\S.*/.exec(lines) ?? []
  return first
}

// What the bytes of a stream tell that goes to the client as it came: usage, how it ended, and whether it came to its end.
// The trap: a line may be many megabytes long, so what was looked at once must not be looked at again.
import type { Wire } from '../conversation/messages.js'
import { defaultLimits } from '../frames/limits.js'
import { readText } from '../frames/text.js'

export interface Witness {
  push(piece: Uint8Array): void
  /** What is worth reading of all that was pushed. */
  text(): string
  /** Nothing comes any more: whether the answer came to its end. */
  end(): boolean
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

/** What the line holds in which a call begins, on wires whose last lines do not tell of it: calls decide how an answer ended. */
const callMarks: Partial<Readonly<Record<Wire, RegExp>>> = {
  'openai-chat': /"tool_calls":\s*\[/,
  anthropic: /"type":\s*"tool_use"/,
  ollama: /"tool_calls":\s*\[/,
  gemini: /"functionCall":/,
}

/** The transport holds the cap. */
const uncapped = { ...defaultLimits, totalBytes: Number.POSITIVE_INFINITY }

/** So many of the telling lines are kept, half of them the first: Anthropic tells the input at the beginning. */
const maxLines = 8

/** Keeps the lines that speak of usage, of the first call or of the end; pieces without such a line are not taken apart. */
export function streamWitness(wire: Wire): Witness {
  const reader = readText(uncapped)
  const endMark = endMarks[wire]
  const callMark = callMarks[wire]
  const told: string[] = []
  let call: string | undefined
  let tail = ''
  let ended = false
  const tellsOfCall = (text: string): boolean => call === undefined && callMark?.test(text) === true
  const see = (line: string): void => {
    const isEnd = endMark.test(line)
    const isCall = tellsOfCall(line)
    ended ||= isEnd
    if (!isEnd && !isCall && !usageMark.test(line)) return
    if (isCall) call = line
    if (told.length === maxLines) told.splice(told[maxLines / 2] === call ? maxLines / 2 + 1 : maxLines / 2, 1)
    told.push(line)
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
      if (endMark.test(lines) || usageMark.test(lines) || tellsOfCall(lines)) lines.split('\n').forEach(see)
    },
    text: () => told.map((line) => `${line}\n\n`).join(''),
    end() {
      see(tail + reader.end())
      return ended
    },
  }
}

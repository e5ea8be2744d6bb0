// JSON lines in, one JSON line out for each, whatever a line holds. A bad line is answered, never fatal.
import { createInterface } from 'node:readline'
import type { Readable, Writable as Sink } from 'node:stream'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { type Writable, writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'

/** One input line: its text (for exact digits) and the object it holds. */
export interface Line {
  readonly text: string
  readonly record: JsonObject
}
export type Answer = { readonly [key: string]: unknown }

/** Answers every line of `input` in order. Blank lines are passed over. Returns how many were answered. */
export async function answerLines(input: Readable, output: Sink, answer: (line: Line) => Answer): Promise<number> {
  let count = 0
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (text.trim() === '') continue
    count += 1
    if (!output.write(answerLine(text, answer))) await drained(output)
  }
  return count
}

function answerLine(text: string, answer: (line: Line) => Answer): string {
  let id: Json = null
  try {
    const record = parseBody(text)
    if (!isJsonObject(record)) throw new ToolwireError('invalid_request', 'a line must hold one JSON object')
    id = record.id ?? null
    return jsonLine({ id, ...answer({ text, record }) } as Writable)
  } catch (error) {
    return jsonLine({ id, ok: false, error: errorRecord(error) })
  }
}

/**
 * A value as exactly one line of JSON, with its line end. JSON taken over as it was written may have line breaks between its
 * tokens, and strings may hold characters that some readers of lines take for a line break.
 */
export function jsonLine(value: Writable): string {
  const text = writeJson(value)
  return `${hasBreak.test(text) ? text.replace(breaks, (found) => escapes.get(found) ?? ' ') : text}\n`
}

const hasBreak = /[\r\n\u0085\u2028\u2029]/
const breaks = new RegExp(hasBreak, 'g')
/** CR and LF stand between tokens only, where a blank says as much; the others stand inside strings only. */
const escapes: ReadonlyMap<string, string> = new Map([
  ['\u0085', '\\u0085'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
])

/** An error as the command line shows it. Anything that is not ours is a bug, and says so. */
export function errorRecord(error: unknown): JsonObject {
  if (!ToolwireError.is(error)) {
    return { code: 'misuse', message: `internal error: ${String(error)}`, retryable: false }
  }
  return error.toJSON()
}

/** Fulfilled when the output takes more. */
export function drained(output: { once(event: 'drain', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    output.once('drain', resolve)
  })
}

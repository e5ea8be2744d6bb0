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
    if (!output.write(`${answerLine(text, answer)}\n`)) await drained(output)
  }
  return count
}

function answerLine(text: string, answer: (line: Line) => Answer): string {
  let id: Json = null
  try {
    const record = parseBody(text)
    if (!isJsonObject(record)) throw new ToolwireError('invalid_request', 'a line must hold one JSON object')
    id = record.id ?? null
    return writeJson({ id, ...answer({ text, record }) } as Writable)
  } catch (error) {
    return writeJson({ id, ok: false, error: errorRecord(error) })
  }
}

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

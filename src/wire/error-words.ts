// What an error says in words that only its own wire has: kept with the error, written back on that wire and nowhere else.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { hasMember } from './extra.js'

/** An error as a wire says it, but for its message. */
export interface ErrorWords {
  readonly status: number
  readonly fields: JsonObject
}

/** The error with the `fields` of its body. */
export function withWords(wire: Wire, error: ToolwireError, fields: JsonObject): ToolwireError {
  if (!hasMember(fields)) return error
  const { code, message, retryable, retryAfterMs, status, requestId } = error
  const detail = { ...error.detail, [wire]: fields }
  return new ToolwireError(code, message, { retryable, retryAfterMs, status, requestId, detail })
}

/** How the error is written: as it came from the wire, else as `plain`, what our code is there. */
export function wordsFor(wire: Wire, { detail, status = 0 }: ToolwireError, plain: ErrorWords): ErrorWords {
  const own = detail?.[wire]
  if (!isJsonObject(own)) return plain
  const isTelling = status >= 400 && status < 600
  return { status: isTelling ? status : plain.status, fields: { ...plain.fields, ...own } }
}

/** `type`, `param` and `code` of an error of OpenAI's wires, in a body or flat in an event of a stream. */
export function openaiFields(body: Json | undefined): JsonObject {
  if (!isJsonObject(body)) return {}
  const said = isJsonObject(body.error) ? body.error : body
  const fields = Object.entries(said).filter(([name, value]) => openaiNames.has(name) && isScalar(value))
  // The type of a flat one is that of the event.
  return Object.fromEntries(fields.filter(([name, value]) => name !== 'type' || value !== 'error'))
}

const openaiNames: ReadonlySet<string> = new Set(['type', 'param', 'code'])

function isScalar(value: Json): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number'
}

// A whole answer: one object, read as the only line of a stream.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { utf8 } from '../../frames/body.js'
import { ndjsonFrames } from '../../frames/ndjson.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { JsonObject } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { decode as decodeError, errorIn } from './error.js'
import { lineReader } from './lines.js'
import { decode as decodeStream, truncated } from './stream.js'

export { encode } from './response-encode.js'

export function decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (http.status >= 400) return [{ type: 'error', error: decodeError(http) }]
  try {
    const body = parseBody(http.body)
    if (isJsonObject(body) && isAnswer(body)) return answerEvents(body, http.body, exchange, env)
    return [{ type: 'error', error: createMalformedError('expected an object with a message') }]
  } catch (error) {
    if (isStream(http.body)) return streamEvents(http.body, exchange, env)
    return [{ type: 'error', error: error as ToolwireError }]
  }
}

function isAnswer(body: JsonObject): boolean {
  return isJsonObject(body.message) || body.done === true || errorIn(body) !== undefined
}

function answerEvents(body: JsonObject, text: string, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  const events: CompletionEvent[] = []
  const reader = lineReader(exchange, env)
  reader.read(body, text, events)
  if (reader.isOpen()) reader.fail(truncated(), events)
  return events
}

/** A server that streams although it was asked not to: streaming is what this wire does by default. */
function isStream(body: string): boolean {
  const end = body.indexOf('\n')
  if (end < 0 || !body.startsWith('{')) return false
  try {
    const [first] = ndjsonFrames().push(utf8(body.slice(0, end + 1)))
    return first !== undefined && isJsonObject(parseBody(first))
  } catch {
    return false
  }
}

function streamEvents(body: string, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (hasTrailingText(body, env))
    return [{ type: 'error', error: createMalformedError('there is text behind the last line') }]
  const machine = decodeStream(exchange, env)
  return [...machine.push(utf8(body)), ...machine.end()]
}

/** Whether anything follows the line that ends the answer. Of a stream it would be ignored; a whole body is damaged. */
function hasTrailingText(body: string, { limits }: Env): boolean {
  const framer = ndjsonFrames(limits)
  try {
    const lines = [...framer.push(utf8(body)), ...framer.end()]
    return lines.slice(0, -1).some((line) => {
      const value = parseBody(line)
      return isJsonObject(value) && value.done === true
    })
  } catch {
    return false // the reader of the stream says what is wrong
  }
}

function createMalformedError(what: string): ToolwireError {
  return new ToolwireError('malformed_response', `not an answer of /api/chat: ${what}`)
}

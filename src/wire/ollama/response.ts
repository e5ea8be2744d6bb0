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
    const message = 'the answer is JSON but has no message; is this server one that speaks /api/chat?'
    return [{ type: 'error', error: new ToolwireError('malformed_response', message) }]
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
  const machine = decodeStream(exchange, env)
  return [...machine.push(utf8(body)), ...machine.end()]
}

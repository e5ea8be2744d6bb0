// A whole answer, read. Without alt=sse a streamed answer is one JSON array of response objects: it is read all the same.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { utf8 } from '../../frames/body.js'
import { jsonArrayFrames } from '../../frames/json-array.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { answerReader } from './answer.js'
import { decode as decodeError } from './error.js'

export function decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (http.status >= 400) return [{ type: 'error', error: decodeError(http) }]
  const events: CompletionEvent[] = []
  try {
    const reader = answerReader(exchange, env)
    for (const text of chunksOf(http.body)) {
      const chunk = parseBody(text)
      if (!isJsonObject(chunk)) throw unreadable()
      if (!reader.push(chunk, text, events)) return events
    }
    if (!events.some((event) => event.type === 'start')) throw unreadable()
    reader.finish('malformed_response', events)
  } catch (error) {
    return [{ type: 'error', error: ToolwireError.is(error) ? error : unreadable() }]
  }
  return events
}

function chunksOf(body: string): readonly string[] {
  if (!body.trimStart().startsWith('[')) return [body]
  const frames = jsonArrayFrames()
  return [...frames.push(utf8(body)), ...frames.end()]
}

function unreadable(): ToolwireError {
  const message = 'the answer is no response of Gemini: it has no candidates; is this server one that speaks this wire?'
  return new ToolwireError('malformed_response', message)
}

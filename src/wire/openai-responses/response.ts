// Whole answers. Reading one is reading the terminal event of a stream that had no others.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { readFailure } from '../failure.js'
import { decode as decodeError, failureError } from './error.js'
import { createOutputReader } from './output-decode.js'

export function decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (http.status >= 400) return [{ type: 'error', error: decodeError(http) }]
  let body: Json
  try {
    body = parseBody(http.body)
  } catch (cause) {
    return [{ type: 'error', error: unreadable(http, 'is no JSON', cause) }]
  }
  if (isJsonObject(body) && Array.isArray(body.output)) {
    const events: CompletionEvent[] = []
    createOutputReader(exchange, env).complete(body, events)
    return events
  }
  const failure = readFailure(body)
  return [{ type: 'error', error: failure === undefined ? unreadable(http, 'has no output') : failureError(failure) }]
}

function unreadable(http: HttpResponse, what: string, cause?: unknown): ToolwireError {
  const message = `the answer (status ${http.status}, ${http.body.length} characters) ${what}; is the address that of a Responses server?`
  const code =
    cause instanceof ToolwireError && cause.code === 'limit_exceeded' ? 'limit_exceeded' : 'malformed_response'
  return new ToolwireError(code, message, { status: http.status, cause })
}

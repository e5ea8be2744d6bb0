// A whole answer as events, whatever the status and whatever the body.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { finishAnswer, openAnswer, readChunk } from './answer.js'
import { decode as decodeError, errorIn } from './error.js'

export function decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  if (http.status >= 400) return [{ type: 'error', error: decodeError(http) }]
  let body: Json
  try {
    body = parseBody(http.body)
  } catch (error) {
    return [{ type: 'error', error: unreadable(http, error) }]
  }
  const failure =
    isJsonObject(body) && hasChoices(body.choices) && !hasError(body.error) ? undefined : errorIn(body, http)
  if (failure !== undefined) return [{ type: 'error', error: failure }]
  if (!isJsonObject(body) || !hasChoices(body.choices)) return [{ type: 'error', error: noChoices() }]
  const events: CompletionEvent[] = []
  const answer = openAnswer(exchange, env, true)
  readChunk(answer, body, body.choices, http.body, events)
  if (answer.failure === undefined) finishAnswer(answer, events)
  else events.push({ type: 'error', error: answer.failure })
  return events
}

/** Some servers send `error: null` with every answer. */
export function hasError(error: Json | undefined): boolean {
  return isJsonObject(error) || (typeof error === 'string' && error !== '')
}

function hasChoices(choices: Json | undefined): choices is readonly Json[] {
  return Array.isArray(choices) && choices.length > 0
}

export function noChoices(): ToolwireError {
  return new ToolwireError('malformed_response', 'not a Chat Completions response: expected an object with choices')
}

function unreadable(http: HttpResponse, cause: unknown): ToolwireError {
  const what = http.body.trim() === '' ? 'is empty' : 'is not JSON'
  return new ToolwireError('malformed_response', `the answer of status ${http.status} ${what}`, {
    status: http.status,
    requestId: http.headers['x-request-id'],
    cause,
  })
}

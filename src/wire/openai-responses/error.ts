// Errors of this wire: `{ error: { message, type, param, code } }`, as a body, as an event of a stream, or inside a response.
import { type ErrorCode, errorCodes, ToolwireError } from '../../errors/error.js'
import { parseBody } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { HttpResponse } from '../codec.js'
import { type ErrorWords, openaiFields, withWords, wordsFor } from '../error-words.js'
import { errorFrom, errorOf, type Failure } from '../failure.js'
import { wire } from './types.js'

/** Status, type and code of the wire for our codes. A code that is not here is written as it is, with the status 500. */
const spellings: ReadonlyMap<ErrorCode, readonly [status: number, type: string, code: string | null]> = new Map([
  ['authentication', [401, 'invalid_request_error', 'invalid_api_key']],
  ['permission', [403, 'invalid_request_error', 'permission_denied']],
  ['not_found', [404, 'invalid_request_error', 'model_not_found']],
  ['rate_limited', [429, 'rate_limit_error', 'rate_limit_exceeded']],
  ['quota_exceeded', [429, 'insufficient_quota', 'insufficient_quota']],
  ['context_too_long', [400, 'invalid_request_error', 'context_length_exceeded']],
  ['content_filtered', [400, 'invalid_request_error', 'content_filter']],
  ['overloaded', [503, 'server_error', 'overloaded']],
  ['server_error', [500, 'server_error', 'server_error']],
  ['timeout', [504, 'server_error', 'timeout']],
  ['network', [502, 'server_error', 'network']],
  ['truncated', [502, 'server_error', 'truncated']],
  ['malformed_response', [502, 'server_error', 'malformed_response']],
  ['invalid_request', [400, 'invalid_request_error', null]],
  ['unsupported_feature', [400, 'invalid_request_error', 'unsupported_feature']],
  ['invalid_tool_spec', [400, 'invalid_request_error', 'invalid_tool_spec']],
  ['limit_exceeded', [413, 'invalid_request_error', 'limit_exceeded']],
])

/** The error object, as it stands in a body and in an event. */
export function errorObject(error: ToolwireError): JsonObject {
  return { message: error.message, ...wordsFor(wire, error, plainWords(error)).fields }
}

function plainWords({ code }: ToolwireError): ErrorWords {
  const [status, type, word] = spellings.get(code) ?? [500, 'server_error', code]
  return { status, fields: { type, param: null, code: word } }
}

export function encode(error: ToolwireError): HttpResponse {
  const { status } = wordsFor(wire, error, plainWords(error))
  const { retryAfterMs, requestId } = error
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterMs === undefined
        ? {}
        : { 'retry-after-ms': String(retryAfterMs), 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
      ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    },
    body: JSON.stringify({ error: errorObject(error) }),
  }
}

export function decode(http: HttpResponse): ToolwireError {
  return worded(spelt(errorFrom(http)), parsed(http.body))
}

/** An error that a stream or a response object reports. */
export function failureError(failure: Failure): ToolwireError {
  return worded(spelt(errorOf(failure)), failure.body)
}

function worded(error: ToolwireError, body: Json | undefined): ToolwireError {
  return withWords(wire, error, openaiFields(body))
}

function parsed(text: string): Json | undefined {
  try {
    return parseBody(text)
  } catch {
    return undefined
  }
}

/** Words that only say whose fault it is. */
function isVague(kind: string): boolean {
  return kind === 'error' || kind === 'invalid_request_error' || kind === 'server_error'
}

/** The error under our own code when the server spelt it so. */
function spelt(error: ToolwireError): ToolwireError {
  const kinds = Array.isArray(error.detail?.kinds) ? error.detail.kinds : []
  const own = kinds.filter((kind): kind is ErrorCode => typeof kind === 'string' && Object.hasOwn(errorCodes, kind))
  const code = own.find((kind) => !isVague(kind)) ?? own[0]
  if (code === undefined || code === error.code) return error
  const { retryAfterMs, status, requestId, detail } = error
  return new ToolwireError(code, error.message, { retryAfterMs, status, requestId, detail })
}

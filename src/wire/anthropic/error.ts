// Errors in the wire's own body. Our code travels in `details.error_code`, where the wire's type says less.
import { type ErrorCode, errorCodes, ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Exchange, HttpResponse } from '../codec.js'
import { type ErrorWords, wordsFor } from '../error-words.js'
import { errorFrom, errorOf, readFailure } from '../failure.js'
import { wire } from './types.js'

/** Status and type of each code; what is not here is the server's own failure. */
const spoken: Readonly<Partial<Record<ErrorCode, readonly [number, string]>>> = {
  invalid_request: [400, 'invalid_request_error'],
  invalid_tool_spec: [400, 'invalid_request_error'],
  invalid_tool_fields: [400, 'invalid_request_error'],
  unsupported_feature: [400, 'invalid_request_error'],
  content_filtered: [400, 'invalid_request_error'],
  context_too_long: [400, 'invalid_request_error'],
  misuse: [400, 'invalid_request_error'],
  limit_exceeded: [413, 'request_too_large'],
  authentication: [401, 'authentication_error'],
  quota_exceeded: [402, 'billing_error'],
  permission: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  rate_limited: [429, 'rate_limit_error'],
  timeout: [504, 'timeout_error'],
  overloaded: [529, 'overloaded_error'],
}

/** Codes the type alone brings back. */
const plain: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_request',
  'authentication',
  'quota_exceeded',
  'permission',
  'not_found',
  'rate_limited',
  'timeout',
  'overloaded',
  'server_error',
])

/** The body of an error, also of one in the middle of a stream. */
export function errorBody(error: ToolwireError): JsonObject {
  const { type = null, message: _, ...others } = wordsFor(wire, error, plainWords(error)).fields
  return { type: 'error', error: { type, message: messageOf(error), ...others }, request_id: error.requestId ?? null }
}

function plainWords({ code }: ToolwireError): ErrorWords {
  const [status, type] = spoken[code] ?? [500, 'api_error']
  return { status, fields: { type, details: plain.has(code) ? null : { error_code: code } } }
}

/** Clients shorten their history when they read these words, and know no other sign. */
function messageOf(error: ToolwireError): string {
  const isKnown = error.code !== 'context_too_long' || /prompt is too long/i.test(error.message)
  return isKnown ? error.message : `prompt is too long: ${error.message}`
}

export function encode(error: ToolwireError, _exchange: Exchange): HttpResponse {
  const { status } = wordsFor(wire, error, plainWords(error))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-should-retry': String(error.retryable),
  }
  if (error.requestId !== undefined) headers['request-id'] = error.requestId
  if (error.retryAfterMs !== undefined) {
    headers['retry-after-ms'] = String(Math.round(error.retryAfterMs))
    headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000))
  }
  return { status, headers, body: JSON.stringify(errorBody(error)) }
}

export function decode(http: HttpResponse): ToolwireError {
  const error = errorFrom(http)
  try {
    return worded(error, parseBody(http.body))
  } catch {
    return error
  }
}

/** An error object inside an answer that was to be a message, or inside a stream. Nothing when there is none. */
export function errorIn(body: Json): ToolwireError | undefined {
  const failure = readFailure(body)
  return failure === undefined ? undefined : worded(errorOf(failure), body)
}

/** The error with our own code, where it has one, and with the words of the wire that say more than the code. */
function worded(error: ToolwireError, body: Json): ToolwireError {
  if (!isJsonObject(body) || !isJsonObject(body.error)) return error
  const words = body.error
  const own = (words.details as JsonObject | null | undefined)?.error_code
  const isOurs = typeof own === 'string' && Object.hasOwn(errorCodes, own)
  const { code, message, retryable, retryAfterMs, status, requestId, detail } = error
  return new ToolwireError(isOurs ? (own as ErrorCode) : code, message, {
    retryable: retryable === errorCodes[code] ? undefined : retryable,
    retryAfterMs,
    status,
    requestId: requestId ?? (typeof body.request_id === 'string' ? body.request_id : undefined),
    detail: { ...detail, [wire]: words },
  })
}

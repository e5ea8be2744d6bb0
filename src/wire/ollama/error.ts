// Errors in the wire's own body, `{"error":"text"}`. It has no room for a kind, so our code is added where the status alone
// does not bring it back; official clients pass over it.
import { type ErrorCode, errorCodes, ToolwireError } from '../../errors/error.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Exchange, HttpResponse } from '../codec.js'
import { errorFrom, errorOf, readFailure } from '../failure.js'

/** The status of each code; what is not here is the server's own failure. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  invalid_tool_spec: 400,
  invalid_tool_fields: 400,
  unsupported_feature: 400,
  context_too_long: 400,
  content_filtered: 400,
  misuse: 400,
  authentication: 401,
  quota_exceeded: 402,
  permission: 403,
  not_found: 404,
  limit_exceeded: 413,
  rate_limited: 429,
  aborted: 499,
  network: 502,
  malformed_response: 502,
  truncated: 502,
  overloaded: 503,
  timeout: 504,
}

export function encode(error: ToolwireError, _exchange: Exchange): HttpResponse {
  const status = statuses[error.code] ?? 500
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' }
  if (error.requestId !== undefined) headers['x-request-id'] = error.requestId
  if (error.retryAfterMs !== undefined) {
    headers['retry-after-ms'] = String(Math.round(error.retryAfterMs))
    headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000))
  }
  const plain: HttpResponse = { status, headers, body: JSON.stringify({ error: error.message }) }
  return errorFrom(plain).code === error.code ? plain : { ...plain, body: JSON.stringify(errorLine(error)) }
}

/** An error in the middle of a stream, where no status can speak. */
export function errorLine(error: ToolwireError): JsonObject {
  return { error: error.message, code: error.code }
}

export function decode(http: HttpResponse): ToolwireError {
  const error = errorFrom(http)
  try {
    return withOwnCode(error, JSON.parse(http.body) as Json)
  } catch {
    return error
  }
}

/** The error that a line or a body says it is; nothing when it is an answer. */
export function errorIn(body: JsonObject): ToolwireError | undefined {
  const { error } = body
  if (error === undefined || error === null || (error === '' && body.message !== undefined)) return undefined
  const failure = readFailure(body) ?? { message: 'the provider reported an error without a message', kinds: [] }
  return withOwnCode(errorOf(failure), body)
}

function withOwnCode(error: ToolwireError, body: Json): ToolwireError {
  const code = isJsonObject(body) ? body.code : undefined
  if (typeof code !== 'string' || code === error.code || !Object.hasOwn(errorCodes, code)) return error
  const { retryAfterMs, status, requestId, detail } = error
  return new ToolwireError(code as ErrorCode, error.message, { retryAfterMs, status, requestId, detail })
}

// Errors as Google says them: a number, a status word, details. Trap: the daily quota and the limit per minute share one status
// and one text; only the details tell which, and whether waiting helps.
import { type ErrorCode, errorCodes, ToolwireError } from '../../errors/error.js'
import { asText, isJsonObject, isList } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Exchange, HttpResponse } from '../codec.js'
import { errorFrom, errorOf, readFailure } from '../failure.js'

/** The code of an answer that failed. */
export function decode(http: HttpResponse): ToolwireError {
  return refined(errorFrom(http), parsed(http.body))
}

/** The error inside a body that came with a good status, or inside a stream. */
export function errorIn(value: Json): ToolwireError | undefined {
  const failure = readFailure(value)
  return failure === undefined ? undefined : refined(errorOf(failure), value)
}

function refined(error: ToolwireError, body: Json | undefined): ToolwireError {
  const code = codeIn(detailsOf(body)) ?? error.code
  if (code === error.code) return error
  const { message, retryAfterMs, status, requestId, detail } = error
  return new ToolwireError(code, message, { retryAfterMs, status, requestId, detail })
}

function detailsOf(body: Json | undefined): readonly JsonObject[] {
  const object = isList(body) ? body[0] : body
  const error = isJsonObject(object) ? object.error : undefined
  const details = isJsonObject(error) ? error.details : undefined
  return isList(details) ? details.filter(isJsonObject) : []
}

/** What the details decide: a code of our own, a limit that passes soon, or one that does not. */
function codeIn(details: readonly JsonObject[]): ErrorCode | undefined {
  for (const { domain, reason, violations } of details) {
    if (domain === 'toolwire' && typeof reason === 'string') {
      const code = reason.toLowerCase()
      if (Object.hasOwn(errorCodes, code)) return code as ErrorCode
    }
    if (isList(violations)) {
      const daily = violations.some((item) => isJsonObject(item) && /PerDay/i.test(asText(item.quotaId ?? '')))
      return daily ? 'quota_exceeded' : 'rate_limited'
    }
  }
  return details.some((detail) => typeof detail.retryDelay === 'string') ? 'rate_limited' : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Status and status word by code; the rest are faults of the request. */
const statuses: { readonly [C in ErrorCode]?: readonly [number, string] } = {
  authentication: [401, 'UNAUTHENTICATED'],
  permission: [403, 'PERMISSION_DENIED'],
  not_found: [404, 'NOT_FOUND'],
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  quota_exceeded: [429, 'RESOURCE_EXHAUSTED'],
  aborted: [499, 'CANCELLED'],
  server_error: [500, 'INTERNAL'],
  malformed_response: [502, 'INTERNAL'],
  network: [502, 'UNAVAILABLE'],
  truncated: [502, 'UNAVAILABLE'],
  overloaded: [503, 'UNAVAILABLE'],
  timeout: [504, 'DEADLINE_EXCEEDED'],
}

/** The error object, with our own code among the details so that it survives, and how long to wait. */
export function errorBody(error: ToolwireError): JsonObject {
  const [code, status] = statuses[error.code] ?? [400, 'INVALID_ARGUMENT']
  const details: JsonObject[] = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: error.code.toUpperCase(),
      domain: 'toolwire',
    },
  ]
  if (error.retryAfterMs !== undefined) {
    const retryDelay = `${error.retryAfterMs / 1000}s`
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
  }
  return { error: { code, message: error.message.toWellFormed(), status, details } }
}

/** An error answer. A stream that is one JSON array fails with an array too. */
export function encode(error: ToolwireError, exchange: Exchange): HttpResponse {
  const body = errorBody(error)
  const [status] = statuses[error.code] ?? [400]
  const listed = exchange.stream && exchange.client?.alt === 'json'
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(listed ? [body] : body),
  }
}

// Error answers in both directions. Every code goes out in a form that any client understands and that reads back as itself.
import { type ErrorCode, errorCodes, ToolwireError } from '../../errors/error.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Exchange, HttpResponse } from '../codec.js'
import { type ErrorWords, openaiFields, withWords, wordsFor } from '../error-words.js'
import { errorFrom, errorOf, readFailure } from '../failure.js'
import { wire } from './types.js'

/** Status, `type` and `code` of the errors this wire has words for; any other goes out under its own name. */
const words: { readonly [Code in ErrorCode]?: readonly [status: number, type: string, code: string | null] } = {
  invalid_request: [400, 'invalid_request_error', null],
  unsupported_feature: [400, 'invalid_request_error', 'unsupported_feature'],
  authentication: [401, 'invalid_request_error', 'invalid_api_key'],
  permission: [403, 'permission_error', 'permission'],
  not_found: [404, 'invalid_request_error', 'model_not_found'],
  rate_limited: [429, 'requests', 'rate_limit_exceeded'],
  quota_exceeded: [429, 'insufficient_quota', 'insufficient_quota'],
  context_too_long: [400, 'invalid_request_error', 'context_length_exceeded'],
  content_filtered: [400, 'invalid_request_error', 'content_filter'],
  overloaded: [503, 'server_error', 'overloaded'],
  server_error: [500, 'server_error', null],
  timeout: [504, 'server_error', 'timeout'],
  network: [502, 'server_error', 'network'],
  limit_exceeded: [413, 'invalid_request_error', 'limit_exceeded'],
}

/** Codes that only a word of ours can tell; those of `failure.ts` are read there. */
const byWord: ReadonlyMap<string, ErrorCode> = new Map([
  ...Object.keys(errorCodes).map((code) => [code, code as ErrorCode] as const),
  ...Object.entries(words).flatMap(([code, [, , word]]) => (word === null ? [] : [[word, code as ErrorCode] as const])),
])

export function encode(error: ToolwireError, _exchange: Exchange): HttpResponse {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-should-retry': String(error.retryable),
  }
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000))
    headers['retry-after-ms'] = String(Math.ceil(error.retryAfterMs))
  }
  if (error.requestId !== undefined) headers['x-request-id'] = error.requestId
  const { status } = wordsFor(wire, error, plainWords(error))
  return { status, headers, body: writeJson(errorBody(error)) }
}

/** The body of an error answer, also the form of an error inside a stream. */
export function errorBody(error: ToolwireError): JsonObject {
  return { error: { message: error.message, ...wordsFor(wire, error, plainWords(error)).fields } }
}

function plainWords({ code }: ToolwireError): ErrorWords {
  const [status, type, word] = words[code] ?? [500, 'server_error', code]
  return { status, fields: { type, param: null, code: word } }
}

export function decode(http: HttpResponse): ToolwireError {
  return refined(errorFrom(http), parsed(http.body), http)
}

/** The error inside a parsed answer of any status, or nothing when it holds none. */
export function errorIn(body: Json, http?: HttpResponse): ToolwireError | undefined {
  const failure = readFailure(body)
  return failure === undefined ? undefined : refined(errorOf(failure, http), body, http)
}

/** The error with the code its own word says, with the raw text of a generation that the server refused, and with its words. */
function refined(error: ToolwireError, body: Json | undefined, http: HttpResponse | undefined): ToolwireError {
  return withWords(wire, coded(error, body, http), openaiFields(body))
}

function coded(error: ToolwireError, body: Json | undefined, http: HttpResponse | undefined): ToolwireError {
  const inner = isJsonObject(body) && isJsonObject(body.error) ? body.error : undefined
  const word = typeof inner?.code === 'string' ? byWord.get(inner.code) : undefined
  const failed = inner?.failed_generation
  if ((word === undefined || word === error.code) && typeof failed !== 'string') return error
  const { retryAfterMs, status, requestId } = error
  // What the server says of trying again stands; else the code tells.
  const retryable = http?.headers['x-should-retry'] === undefined ? undefined : error.retryable
  const detail = typeof failed === 'string' ? { ...error.detail, failedGeneration: failed } : error.detail
  return new ToolwireError(word ?? error.code, error.message, { retryable, retryAfterMs, status, requestId, detail })
}

function parsed(body: string): Json | undefined {
  try {
    return parseBody(body)
  } catch {
    return undefined
  }
}

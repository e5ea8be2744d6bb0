// Error answers of any provider: one reading of every known body shape, one table from status and type to a code.
import type { Metadata } from '../conversation/response.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { HttpResponse } from './codec.js'

/** What a provider said went wrong, whatever shape it said it in. */
export interface Failure {
  readonly message: string
  /** The provider's own word for it (`rate_limit_error`, `RESOURCE_EXHAUSTED`, `invalid_api_key`, …), lower case. */
  readonly kinds: readonly string[]
  readonly status?: number | undefined
  readonly body?: JsonObject | undefined
}

/** Reads an error out of a parsed body: `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail}`, `[{error}]`. Nothing when it has none. */
export function readFailure(body: Json | undefined): Failure | undefined {
  const object = Array.isArray(body) ? body[0] : body
  if (!isJsonObject(object)) return undefined
  const inner = object.error
  if (isJsonObject(inner)) {
    const kinds = wordsOf(
      inner.type,
      inner.code,
      inner.status,
      detailCode(inner),
      isJsonObject(inner.error) ? inner.error.type : undefined,
    )
    return { message: textIn(inner) ?? 'the provider gave no message', kinds, status: statusIn(inner), body: object }
  }
  if (typeof inner === 'string') {
    return { message: inner, kinds: wordsOf(object.code, object.type), status: statusIn(object), body: object }
  }
  if (
    object.object === 'error' ||
    object.type === 'error' ||
    object.detail !== undefined ||
    typeof object.message === 'string'
  ) {
    const message = textIn(object)
    if (message !== undefined)
      return { message, kinds: wordsOf(object.type, object.code), status: statusIn(object), body: object }
  }
  return undefined
}

/** An error answer as a coded error: its status, request id and waiting time kept. Never throws, whatever the body is. */
export function errorFrom(http: HttpResponse): ToolwireError {
  const failure = readFailure(parsed(http.body)) ?? { message: plainText(http), kinds: [] }
  return errorOf(failure, http)
}

export function errorOf(failure: Failure, http?: Pick<HttpResponse, 'status' | 'headers'>): ToolwireError {
  const status = http !== undefined && http.status >= 400 ? http.status : failure.status
  const code = codeOf(failure, status)
  const should = http?.headers['x-should-retry']
  return new ToolwireError(code, failure.message, {
    retryable: should === 'true' ? true : should === 'false' ? false : undefined,
    retryAfterMs: retryAfterMs(http?.headers ?? {}, failure.body),
    status,
    requestId: http?.headers['x-request-id'] ?? http?.headers['request-id'],
    detail: failure.kinds.length === 0 ? undefined : { kinds: failure.kinds },
  })
}

/** What a provider said of an answer that it ended as failed, where it says so beside the answer. */
export function endingWords(metadata: Metadata | undefined): string | undefined {
  const candidate = metadata?.gemini?.candidate
  return isJsonObject(candidate) && typeof candidate.finishMessage === 'string' ? candidate.finishMessage : undefined
}

/** What the end of the bytes left of a frame cannot be read because it was cut, not because it was wrong. */
export function cutShort(error: unknown): unknown {
  if (!ToolwireError.is(error) || error.code !== 'malformed_response') return error
  return new ToolwireError('truncated', 'the stream ended inside of an event; what came is not a whole answer')
}

/** Words that decide before the status does; the first match wins. */
const byKind: readonly (readonly [RegExp, ErrorCode])[] = [
  [/insufficient_quota|billing|quota_exceeded|credit|payment/, 'quota_exceeded'],
  [/context_length|context_window|exceed_context_size|request_too_large|string_above_max_length/, 'context_too_long'],
  [/content_filter|content_policy|safety|prohibited_content|responsible_ai/, 'content_filtered'],
  [/invalid_api_key|authentication|unauthenticated|unauthorized|api_key_invalid/, 'authentication'],
  [/permission|forbidden/, 'permission'],
  [/not_found|model_not_found/, 'not_found'],
  [/rate_limit|resource_exhausted|too_many_requests/, 'rate_limited'],
  [/overloaded|unavailable|insufficient_system_resource/, 'overloaded'],
  [/timeout|deadline_exceeded/, 'timeout'],
  [
    /invalid_request|invalid_argument|failed_precondition|not_supported|unprocessable|tool_use_failed|invalid_prompt/,
    'invalid_request',
  ],
  [/api_error|server_error|internal/, 'server_error'],
]

const byMessage: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /maximum context length|context (length|window|size)|prompt is too long|too many tokens|input token count/i,
    'context_too_long',
  ],
  [/api key not valid|invalid api key|incorrect api key/i, 'authentication'],
  [/exceeded your current quota.*billing|insufficient (quota|credits|balance)/i, 'quota_exceeded'],
  [/does not support (tools|thinking)/i, 'unsupported_feature'],
]

function codeOf(failure: Failure, status: number | undefined): ErrorCode {
  const spoken = byMessage.find(([pattern]) => pattern.test(failure.message.slice(0, 2000)))
  if (spoken !== undefined) return spoken[1]
  const quota = failure.kinds.some((kind) => /insufficient_quota|billing/.test(kind))
  if (quota) return 'quota_exceeded'
  const codes = failure.kinds.map((kind) => byKind.find(([pattern]) => pattern.test(kind))?.[1])
  const telling = codes.find((code) => code !== undefined && code !== 'invalid_request' && code !== 'server_error')
  const vague = codes.find((code) => code !== undefined && !contradicts(code, status))
  return telling ?? vague ?? byStatus(status)
}

/** A vague type (`invalid_request_error`) does not overrule a telling status. */
function contradicts(code: ErrorCode, status: number | undefined): boolean {
  return (code === 'invalid_request' || code === 'server_error') && status !== undefined && byStatus(status) !== code
}

function byStatus(status: number | undefined): ErrorCode {
  switch (status) {
    case undefined:
      return 'server_error'
    case 401:
      return 'authentication'
    case 402:
      return 'quota_exceeded'
    case 403:
      return 'permission'
    case 404:
      return 'not_found'
    case 408:
    case 504:
      return 'timeout'
    case 413:
      return 'context_too_long'
    case 429:
      return 'rate_limited'
    case 503:
    case 529:
      return 'overloaded'
    default:
      return status >= 500 ? 'server_error' : status === 409 ? 'server_error' : 'invalid_request'
  }
}

/** How long the provider asks to wait: `retry-after-ms`, `retry-after` in seconds or as a date, or Gemini's `retryDelay`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, body?: JsonObject): number | undefined {
  const exact = number(headers['retry-after-ms'])
  if (exact !== undefined) return exact
  const after = headers['retry-after']
  const seconds = number(after)
  if (seconds !== undefined) return seconds * 1000
  // A date needs a clock; the answer's own date is the one both sides share.
  const wait = after === undefined ? Number.NaN : Date.parse(after) - Date.parse(headers.date ?? '')
  if (wait >= 0) return wait
  return retryDelayMs(body)
}

function retryDelayMs(body: JsonObject | undefined): number | undefined {
  const details = isJsonObject(body?.error) ? body.error.details : undefined
  if (!Array.isArray(details)) return undefined
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail.retryDelay : undefined
    const seconds = typeof delay === 'string' && delay.endsWith('s') ? number(delay.slice(0, -1)) : undefined
    if (seconds !== undefined) return Math.round(seconds * 1000)
  }
  return undefined
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,30}(\.\d{1,30})?$/.test(text.trim())) return undefined
  return Number(text)
}

function textIn(object: JsonObject): string | undefined {
  for (const key of ['message', 'detail', 'error_description', 'title'] as const) {
    const value = object[key]
    if (typeof value === 'string') return value
    if (value !== undefined && value !== null && key === 'detail') return JSON.stringify(value).slice(0, 2000)
  }
  return undefined
}

function wordsOf(...values: readonly (Json | undefined)[]): string[] {
  return values
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .map((value) => value.toLowerCase())
}

function detailCode(error: JsonObject): Json | undefined {
  if (isJsonObject(error.details)) return error.details.error_code
  if (!Array.isArray(error.details)) return undefined
  return error.details.find((detail) => isJsonObject(detail) && typeof detail.reason === 'string')?.reason
}

function statusIn(object: JsonObject): number | undefined {
  for (const value of [object.status_code, object.code, object.status]) {
    if (typeof value === 'number' && value >= 400 && value < 600) return value
  }
  return undefined
}

function parsed(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return undefined
  }
}

/** A body that is no JSON, as one line: the title of an HTML page, or its beginning. */
function plainText(http: HttpResponse): string {
  const title = /<title>([^<]{1,200})<\/title>/i.exec(http.body.slice(0, 10_000))
  const text = (title?.[1] ?? http.body.slice(0, 300)).replace(/\s+/g, ' ').trim()
  return text === '' ? `the provider answered with status ${http.status} and no message` : text
}

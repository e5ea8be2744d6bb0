// Keys never leave: every error of a model is told without them, also when the provider echoes one.
import { type ErrorOptions, ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { redact } from '../json/redact.js'
import type { Json, JsonObject } from '../json/types.js'

const credentials = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
])

/** Whether a header, by its lower-case name, says who the caller is. */
export function isCredential(name: string): boolean {
  return credentials.has(name)
}

/** Headers that say what is asked or what program asks; their words also stand in what a provider says of them. */
const harmless = /^(?:accept|anthropic-|content-|http-referer$|openai-|user-agent$|x-stainless-|x-title$)/
/** Shorter values are words, not keys. */
const shortestKey = 8

/** The values of the credentials among headers, also without the word in front of them; a server may have a header of its own for a key. */
export function secretsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (isCredential(name)) return [value, value.replace(/^\S+\s+/, '')]
    return value.length < shortestKey || harmless.test(name) ? [] : [value]
  })
}

/** The same error without the secrets in message, request id, detail, cause or stack. */
export function withoutSecrets(error: ToolwireError, secrets: readonly string[]): ToolwireError {
  const { code, message, retryable, retryAfterMs, status, requestId, detail, cause, partial } = error
  const options: ErrorOptions = {
    retryable,
    retryAfterMs,
    status,
    requestId: requestId === undefined ? undefined : redact(requestId, secrets),
    detail: detail === undefined ? undefined : (redactAll(detail, secrets) as JsonObject),
    cause: cause === undefined ? undefined : causeText(cause, secrets),
    partial,
  }
  return new ToolwireError(code, redact(message, secrets), options)
}

/** What caused it, as plain words: a foreign error object may hold the request with its headers. */
function causeText(cause: unknown, secrets: readonly string[]): Error {
  const name = cause instanceof Error ? cause.name : 'Error'
  const told = new Error(redact(cause instanceof Error ? cause.message : String(cause), secrets))
  told.name = name
  return told
}

function redactAll(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return redact(value, secrets)
  if (Array.isArray(value)) return value.map((item: Json) => redactAll(item, secrets))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactAll(item, secrets)]))
}

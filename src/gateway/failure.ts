// Failures on their way to the client: in the form of its own wire, with a status of the gateway's own where HTTP has one.
import type { Wire } from '../conversation/messages.js'
import { type ErrorCode, type ErrorOptions, ToolwireError } from '../errors/error.js'
import type { Exchange } from '../wire/codec.js'
import { codecs } from '../wire/index.js'

const ownStatus = new WeakMap<ToolwireError, number>()

/** A refusal by the gateway itself, with its HTTP status. */
export function refused(status: number, code: ErrorCode, message: string, options: ErrorOptions = {}): ToolwireError {
  const error = new ToolwireError(code, message, options)
  ownStatus.set(error, status)
  return error
}

/** For a body that takes too long. */
export function tooSlow(timeoutMs: number): ToolwireError {
  return refused(408, 'timeout', `the request body did not arrive within ${timeoutMs} ms`)
}

/** Anything thrown, as a coded error: `aborted` once the client has left. What is not ours tells nothing of the inside. */
export function failureOf(error: unknown, signal?: AbortSignal): ToolwireError {
  if (ToolwireError.is(error)) return error
  if (signal?.aborted === true) {
    return new ToolwireError('aborted', 'the client left before its answer was complete', { cause: error })
  }
  return new ToolwireError('server_error', 'the gateway failed for an unknown reason', { cause: error })
}

/**
 * Why a call to a provider failed, for its client. An answer over a limit is the fault of the provider, and would be the same again.
 * Limits of requests name a path in the request.
 */
export function providerFailure(error: unknown, signal: AbortSignal): ToolwireError {
  const failure = failureOf(error, signal)
  const { code, message, detail, partial } = failure
  if (code !== 'limit_exceeded' || String(detail?.path).startsWith('/')) return failure
  const options = { retryable: false, detail, partial, cause: failure }
  return refused(502, 'malformed_response', `the provider's answer is too large: ${message}`, options)
}

export interface WrittenFailure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function writeFailure(error: ToolwireError, wire: Wire, exchange?: Exchange): WrittenFailure {
  const written = codecs[wire].error.encode(error, exchange ?? { wire, model: '', stream: false })
  const { retryAfterMs } = error
  const again = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  return { ...written, headers: { ...written.headers, ...again }, status: ownStatus.get(error) ?? written.status }
}

// Errors that were stored as JSON and come back, as data nobody vouches for.
import { type ErrorCode, errorCodes, ToolwireError } from './error.js'

/** The error that `toJSON` wrote. What is no such thing becomes a `server_error` that says so. */
export function errorFromJson(json: unknown): ToolwireError {
  const fields = (typeof json === 'object' && json !== null ? json : {}) as { readonly [key: string]: unknown }
  const { code, message, retryable, retryAfterMs, status, requestId } = fields
  return new ToolwireError(
    isCode(code) ? code : 'server_error',
    typeof message === 'string' ? message : 'a stored error cannot be read',
    {
      retryable: retryable === true,
      ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
      ...(typeof status === 'number' ? { status } : {}),
      ...(typeof requestId === 'string' ? { requestId } : {}),
    },
  )
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code)
}

// What a foreign chat model threw, as a coded error. The packages throw the errors of the SDKs below them, each in its own form.
import { ToolwireError } from '../errors/error.js'
import { redact } from '../json/redact.js'
import { errorOf } from '../wire/failure.js'
import { isRecord } from './blocks.js'

export function chatModelFailure(error: unknown, signal: AbortSignal): ToolwireError {
  if (ToolwireError.is(error)) return error
  if (signal.aborted) return new ToolwireError('aborted', 'the call was aborted', { cause: error })
  const message = redact(error instanceof Error ? error.message : 'the chat model failed without a reason')
  const fields = isRecord(error) ? error : {}
  const status = [fields.status, fields.statusCode, fields.status_code].find((value) => typeof value === 'number')
  const kinds = [fields.lc_error_code, fields.type, fields.code].filter((value) => typeof value === 'string')
  if (status === undefined && isConnection(error)) return new ToolwireError('network', message, { cause: error })
  const { code } = errorOf({ message, kinds: kinds.map((kind) => kind.toLowerCase()), status })
  // Their own retries are over by now: sending it once more is the caller's decision, not a default.
  return new ToolwireError(code, message, { cause: error, ...(status === undefined ? {} : { status }) })
}

/** A connection that failed: by its code, or as `fetch` and the SDKs word it. */
function isConnection(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 4; depth += 1) {
    const text = [at.code, at.name, at.message].filter((value) => typeof value === 'string').join(' ')
    if (/ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|UND_ERR|fetch failed|Connection error|APIConnection|terminated/.test(text))
      return true
    at = at.cause
  }
  return false
}

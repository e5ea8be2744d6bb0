// One error class with a flat code, recognised by brand so that two copies of the package agree.
import type { Json, JsonObject } from '../json/types.js'

/** What went wrong, for programs; `errorCodes` lists them, and the page of errors tells what to do. */
export type ErrorCode =
  | 'invalid_tool_spec'
  | 'invalid_tool_fields'
  | 'invalid_request'
  | 'unsupported_feature'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'context_too_long'
  | 'content_filtered'
  | 'overloaded'
  | 'server_error'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'truncated'
  | 'malformed_response'
  | 'malformed_arguments'
  | 'missing_required_output'
  | 'limit_exceeded'
  | 'tool_failed'
  | 'run_locked'
  | 'journal_mismatch'
  | 'journal_corrupted'
  | 'misuse'

/** Every code, with whether the same request may succeed when it is sent again. */
export const errorCodes: Readonly<Record<ErrorCode, boolean>> = {
  invalid_tool_spec: false,
  invalid_tool_fields: false,
  invalid_request: false,
  unsupported_feature: false,
  authentication: false,
  permission: false,
  not_found: false,
  rate_limited: true,
  quota_exceeded: false,
  context_too_long: false,
  content_filtered: false,
  overloaded: true,
  server_error: true,
  network: true,
  timeout: true,
  aborted: false,
  truncated: true,
  malformed_response: true,
  malformed_arguments: false,
  missing_required_output: false,
  limit_exceeded: false,
  tool_failed: false,
  run_locked: true,
  journal_mismatch: false,
  journal_corrupted: false,
  misuse: false,
}

export interface ErrorOptions {
  readonly retryable?: boolean | undefined
  readonly retryAfterMs?: number | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly detail?: JsonObject | undefined
  readonly cause?: unknown
  readonly partial?: object | undefined
}

const brand = Symbol.for('toolwire.error')

/** Everything that goes wrong here. Test `code`, never the text. */
export class ToolwireError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean
  declare readonly retryAfterMs?: number
  declare readonly status?: number
  declare readonly requestId?: string
  declare readonly detail?: JsonObject
  /** What had arrived before the failure, when something had; `partialOf` gives it its type. */
  declare readonly partial?: object

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ToolwireError'
    this.code = code
    this.retryable = options.retryable ?? errorCodes[code]
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
    if (options.status !== undefined) this.status = options.status
    if (options.requestId !== undefined) this.requestId = options.requestId
    if (options.detail !== undefined) this.detail = options.detail
    if (options.partial !== undefined) {
      Object.defineProperty(this, 'partial', { value: options.partial, enumerable: false })
    }
    Object.defineProperty(this, brand, { value: true })
  }

  static is(value: unknown): value is ToolwireError {
    return hasBrand(value, brand)
  }

  toJSON(): JsonObject {
    const json: { [key: string]: Json } = { code: this.code, message: this.message, retryable: this.retryable }
    if (this.retryAfterMs !== undefined) json.retryAfterMs = this.retryAfterMs
    if (this.status !== undefined) json.status = this.status
    if (this.requestId !== undefined) json.requestId = this.requestId
    if (this.detail !== undefined) json.detail = this.detail
    return json
  }
}

/** Whether a value carries a brand; a revoked proxy or a hostile getter does not. */
export function hasBrand(value: unknown, symbol: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as { [key: symbol]: unknown })[symbol] === true
  } catch {
    return false
  }
}

// What a tool threw, as a record the model may read. Trap: anything can be thrown, so every read of it may throw in turn.
import { type ToolErrorCategory, type ToolFailure, toolErrorCategories } from '../conversation/messages.js'
import { ToolExecutionError } from '../conversation/tool-error.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { displayJson } from '../json/display.js'
import { redact } from '../json/redact.js'

/** How much of a foreign error the model sees: its redacted message, or only what kind of failure it was. */
export type ErrorExposure = 'message' | 'category'

export interface FailureView {
  readonly exposeErrors?: ErrorExposure
  readonly secrets?: readonly string[]
}

const byErrorCode: { readonly [C in ErrorCode]?: ToolErrorCategory } = {
  authentication: 'authentication_failed',
  permission: 'permission_denied',
  not_found: 'resource_not_found',
  rate_limited: 'rate_limited',
  quota_exceeded: 'rate_limited',
  network: 'network_error',
  timeout: 'execution_timeout',
  aborted: 'cancelled',
  malformed_arguments: 'invalid_arguments',
}
const byName: ReadonlyMap<unknown, ToolErrorCategory> = new Map([
  ['AbortError', 'cancelled'],
  ['TimeoutError', 'execution_timeout'],
])
const byStatus: ReadonlyMap<unknown, ToolErrorCategory> = new Map([
  [401, 'authentication_failed'],
  [403, 'permission_denied'],
  [404, 'resource_not_found'],
  [408, 'execution_timeout'],
  [429, 'rate_limited'],
  [504, 'execution_timeout'],
])
const bySystemCode: ReadonlyMap<unknown, ToolErrorCategory> = new Map([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ].map((code) => [code, 'network_error'] as const),
  ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'].map((code) => [code, 'network_error'] as const),
  ['ENOENT', 'resource_not_found'],
  ['EACCES', 'permission_denied'],
  ['EPERM', 'permission_denied'],
])
/** How Node, Chrome, Safari and Firefox word a request that never got an answer. */
const fetchFailure = /^(?:fetch failed|Failed to fetch|Load failed|NetworkError when attempting)/

/**
 * Total: a `ToolExecutionError` as it was written, anything else by its nature, with its message redacted or, under
 * `category`, withheld.
 */
export function failureOf(thrown: unknown, view: FailureView = {}): ToolFailure {
  const written = writtenFailure(thrown)
  if (written !== undefined) return written
  const category = categoryOf(thrown)
  return { category, message: foreignMessage(() => messageOf(thrown), view) }
}

/** The text of a foreign error as the model may read it. */
export function foreignMessage(read: () => string, view: FailureView): string {
  if (view.exposeErrors === 'category') return 'the reason is withheld'
  return redact(read(), view.secrets)
}

function writtenFailure(thrown: unknown): ToolFailure | undefined {
  if (!ToolExecutionError.is(thrown)) return undefined
  try {
    const { category, message, details } = thrown
    if (!toolErrorCategories.includes(category) || typeof message !== 'string') return undefined
    return details === undefined ? { category, message } : { category, message, details: copyDetails(details) }
  } catch {
    return undefined
  }
}

function copyDetails(details: { readonly [key: string]: unknown }): { readonly [key: string]: string } {
  const entries = Object.entries(details)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value : displayJson(value)]),
  )
}

function categoryOf(thrown: unknown, depth = 0): ToolErrorCategory {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown'
  const code = read(thrown, 'code')
  if (ToolwireError.is(thrown)) return byErrorCode[code as ErrorCode] ?? 'unknown'
  const known =
    byName.get(read(thrown, 'name')) ??
    bySystemCode.get(code) ??
    byStatus.get(read(thrown, 'status')) ??
    byStatus.get(read(thrown, 'statusCode')) ??
    byStatus.get(read(read(thrown, 'response'), 'status'))
  if (known !== undefined) return known
  const cause = depth < 3 ? categoryOf(read(thrown, 'cause'), depth + 1) : 'unknown'
  if (cause !== 'unknown') return cause
  const message = read(thrown, 'message')
  return typeof message === 'string' && fetchFailure.test(message) ? 'network_error' : 'unknown'
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string' && thrown !== '') return thrown
  const message = read(thrown, 'message')
  if (typeof message === 'string' && message !== '') return message
  const name = read(thrown, 'name')
  if (typeof message === 'string' && typeof name === 'string') return `The tool threw ${name} without a message`
  return `The tool threw ${thrown === undefined ? 'undefined' : displayJson(thrown)}`
}

function read(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return (value as { readonly [key: string]: unknown })[key]
  } catch {
    return undefined
  }
}

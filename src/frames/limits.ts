// What one answer may hold in memory. On by default, since a server that never ends a line would fill it.
import { ToolwireError } from '../errors/error.js'

export interface Limits {
  /** The longest line, event or element. Counted in characters, so in bytes it is never the stricter one. */
  readonly lineBytes: number
  /** The whole answer. */
  readonly totalBytes: number
  /** The most calls in the answer, and the error for more. Default: no limit. */
  readonly calls?: { readonly count: number; readonly exceeded: (count: number) => ToolwireError }
}

const mebibyte = 1_048_576

export const defaultLimits: Limits = { lineBytes: 8 * mebibyte, totalBytes: 64 * mebibyte }

export function overLimit(what: 'line' | 'total', limits: Limits): ToolwireError {
  const cap = what === 'line' ? limits.lineBytes : limits.totalBytes
  const subject = what === 'line' ? 'one event of the answer' : 'the answer'
  const name = what === 'line' ? 'lineBytes' : 'totalBytes'
  return new ToolwireError('limit_exceeded', `${subject} is longer than ${cap} bytes; raise ${name} if that is meant`, {
    detail: { limit: name, bytes: cap },
  })
}

// What goes wrong below HTTP, as a coded error. The address is told without its query and credentials.
import { ToolwireError } from '../errors/error.js'

/** The reason of the signal when it was aborted, a coded error as it is, anything else as `network`. */
export function networkError(error: unknown, signal: AbortSignal, url: string): unknown {
  if (signal.aborted) return signal.reason
  if (ToolwireError.is(error)) return error
  const code = causeCode(error)
  const what = code === undefined ? messageOf(error) : code
  return new ToolwireError('network', `the connection to ${placeOf(url)} failed: ${what}`, { cause: error })
}

/** Host and path: never the query, which may hold a key. */
export function placeOf(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'the given address'
  }
}

/** The system's own code for a failure (`ECONNREFUSED`), looked for in its causes too. */
export function causeCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth += 1) {
    const { code, cause } = at as { readonly code?: unknown; readonly cause?: unknown }
    if (typeof code === 'string') return code
    at = cause
  }
  return undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown reason'
}

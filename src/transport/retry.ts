// The one place that decides whether and when a failed call is sent again.
// Retry before the first delivered byte only; a server's own word on waiting wins; an outage is not multiplied.
import type { ToolwireError } from '../errors/error.js'

export interface RetryPolicy {
  /** Attempts after the first; 2. */
  readonly retries: number
  /** The longest wait a server may ask for; beyond it the error is given to the caller with `retryAfterMs`. */
  readonly maxWaitMs: number
}
export const defaultRetryPolicy: RetryPolicy = { retries: 2, maxWaitMs: 60_000 }

const firstWaitMs = 500
const longestWaitMs = 8_000

/** How long to wait before the next attempt; nothing when the error is to be told. `random` is in [0, 1). */
export function retryWaitMs(
  error: ToolwireError,
  attempt: number,
  policy: RetryPolicy,
  random: number,
): number | undefined {
  if (!error.retryable || attempt >= policy.retries) return undefined
  const asked = error.retryAfterMs
  if (asked !== undefined && asked >= 0) return asked <= policy.maxWaitMs ? asked : undefined
  const wait = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs)
  return wait * (1 - random / 4)
}

/**
 * A budget of retries per endpoint: a tenth of the calls, and a hundred to begin with. In an outage the attempts stay near
 * the number of calls instead of multiplying it.
 */
export interface RetryBudget {
  called(): void
  /** Whether one more retry may be spent; spends it. */
  spend(): boolean
}

export function retryBudget(initial = 100, perCall = 0.1): RetryBudget {
  let left = initial
  return {
    called() {
      left = Math.min(initial, left + perCall)
    },
    spend() {
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}

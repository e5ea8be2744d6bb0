// The limits of one gateway, counted in memory: requests and tokens in minutes that slide, and calls at once.
import type { Admission, KeyLimits, Limiter } from './options.js'

const minuteMs = 60_000
/** A call that cannot begin for all the others is told to come again after this time. */
const concurrencyWaitMs = 1_000

interface Count {
  /** What was used, by time, the oldest first. */
  readonly requests: number[]
  readonly tokens: { readonly at: number; readonly amount: number }[]
  active: number
}

/** Counts in this process alone. `now` is in milliseconds; the default never goes back, as the time of day may. */
export function memoryLimiter(now: () => number = () => performance.now()): Limiter {
  const counts = new Map<string, Count>()
  return {
    async admit(key, limits) {
      const count = counts.get(key) ?? { requests: [], tokens: [], active: 0 }
      counts.set(key, count)
      const refused = refusal(count, limits, now())
      if (refused !== undefined) return refused
      if (limits.requestsPerMinute !== undefined) count.requests.push(now())
      count.active += 1
      let isOpen = true
      return {
        admitted: true,
        async release(tokens) {
          if (!isOpen) return
          isOpen = false
          count.active -= 1
          if (limits.tokensPerMinute !== undefined && tokens > 0) count.tokens.push({ at: now(), amount: tokens })
          if (count.active === 0 && count.requests.length === 0 && count.tokens.length === 0) counts.delete(key)
        },
      }
    },
  }
}

function refusal(count: Count, limits: KeyLimits, time: number): (Admission & { admitted: false }) | undefined {
  const since = time - minuteMs
  while ((count.requests[0] ?? time) <= since) count.requests.shift()
  while ((count.tokens[0]?.at ?? time) <= since) count.tokens.shift()
  const { requestsPerMinute, tokensPerMinute, concurrency } = limits
  if (requestsPerMinute !== undefined && count.requests.length >= requestsPerMinute) {
    const freed = count.requests[count.requests.length - requestsPerMinute] ?? time
    return { admitted: false, limit: 'requests', retryAfterMs: freed + minuteMs - time }
  }
  const used = count.tokens.reduce((sum, { amount }) => sum + amount, 0)
  if (tokensPerMinute !== undefined && used >= tokensPerMinute) {
    return { admitted: false, limit: 'tokens', retryAfterMs: (count.tokens[0]?.at ?? time) + minuteMs - time }
  }
  if (concurrency !== undefined && count.active >= concurrency) {
    return { admitted: false, limit: 'concurrency', retryAfterMs: concurrencyWaitMs }
  }
  return undefined
}

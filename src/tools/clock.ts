// Time as a parameter, so that limits and deadlines can be tested without waiting for them.

export interface Clock {
  /** Milliseconds since the epoch; never runs backwards. */
  now(): number
  /** Calls back once after `ms`, unless the function it returns is called first. */
  after(ms: number, callback: () => void): () => void
}

/** A longer delay overflows the platform's timer, which then fires at once. */
const longestTimerMs = 2_147_483_647

const origin = performance.timeOrigin

/** The time until a deadline. Most have none, and need no clock. */
export function remainingMs(deadlineAt: number, clock: Clock): number {
  return Number.isFinite(deadlineAt) ? deadlineAt - clock.now() : deadlineAt
}

export const systemClock: Clock = {
  now: () => origin + performance.now(),
  after(ms, callback) {
    if (ms > longestTimerMs) return () => {}
    const timer = setTimeout(callback, Math.ceil(ms))
    return () => clearTimeout(timer)
  },
}

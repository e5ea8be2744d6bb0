// One request, from its arrival to its last byte, and what is told of it when it is over.
import type { Usage } from '../conversation/usage.js'
import { type Route, routeOf } from '../wire/routes.js'
import type { Arrival } from './arrival.js'
import type { Progress } from './call.js'
import type { GatewayLogRecord } from './options.js'

export interface Visit {
  readonly arrival: Arrival
  readonly route: Route
  readonly requestId: string
  readonly started: number
  readonly progress: Progress
  /** Gets the record when the visit is over. */
  readonly over: ((record: GatewayLogRecord) => void) | undefined
  /** Filled in as it becomes known. */
  readonly facts: { -readonly [Name in keyof GatewayLogRecord]?: GatewayLogRecord[Name] }
}

export function visitOf(arrival: Arrival, over?: (record: GatewayLogRecord) => void): Visit {
  return {
    arrival,
    route: routeOf(arrival.method, arrival.path),
    requestId: crypto.randomUUID(),
    started: performance.now(),
    progress: { usage: undefined, finishReason: undefined, losses: [], error: undefined, message: undefined },
    over,
    facts: {},
  }
}

/** A line of the log: neither bodies nor keys, and no query, in which Gemini's clients send theirs. */
export function recordOf(visit: Visit, status: number): GatewayLogRecord {
  const { usage, finishReason, losses, error, message } = visit.progress
  return {
    requestId: visit.requestId,
    method: visit.arrival.method,
    path: visit.arrival.path,
    status,
    durationMs: Math.round((performance.now() - visit.started) * 1000) / 1000,
    ...visit.facts,
    ...(usage?.input === undefined ? {} : { inputTokens: inputOf(usage) }),
    ...(usage?.output === undefined ? {} : { outputTokens: usage.output }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(losses.length === 0 ? {} : { losses }),
    ...(error === undefined ? {} : { error }),
    ...(message === undefined ? {} : { message }),
  }
}

export function tokensIn(usage: Usage | undefined): number {
  return usage === undefined ? 0 : (usage.total ?? inputOf(usage) + (usage.output ?? 0))
}

function inputOf({ input = 0, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite
}

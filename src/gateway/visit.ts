// One request, from its arrival to its last byte, and what is told of it when it is over.
import { inputTokens, type Usage } from '../conversation/usage.js'
import { type Route, routeOf } from '../wire/routes.js'
import type { Arrival } from './arrival.js'
import type { Progress } from './call.js'
import type { GatewayLogRecord } from './options.js'
import { estimateTokens } from './token-estimate.js'

export interface Visit {
  readonly arrival: Arrival
  readonly route: Route
  readonly requestId: string
  readonly started: number
  readonly progress: Progress
  /** Of a web page that may ask. */
  origin: string | undefined
  /** Gets the record when the visit is over. */
  readonly over: ((record: GatewayLogRecord) => void) | undefined
  /**
   * Its line of the log, filled in as it becomes known: neither bodies nor keys, and no query, in which Gemini's clients send
   * theirs.
   */
  readonly facts: { -readonly [Name in keyof GatewayLogRecord]: GatewayLogRecord[Name] }
}

export function visitOf(arrival: Arrival, over?: (record: GatewayLogRecord) => void): Visit {
  const { method, path } = arrival
  const requestId = crypto.randomUUID()
  return {
    arrival,
    route: routeOf(method, path),
    requestId,
    started: performance.now(),
    progress: {
      usage: undefined,
      finishReason: undefined,
      losses: [],
      error: undefined,
      message: undefined,
      unread: undefined,
      inputEstimate: undefined,
      outputCharacters: 0,
    },
    origin: undefined,
    over,
    facts: { requestId, method, path, status: 0, durationMs: 0 },
  }
}

/** Takes note of the end. */
export function finish({ facts, started }: Visit, status: number): void {
  facts.status = status
  facts.durationMs = Math.round((performance.now() - started) * 1000) / 1000
}

/** The line of the log, once the visit is finished. */
export function recordOf(facts: Visit['facts'], progress: Progress): GatewayLogRecord {
  const { usage, finishReason, losses, error, message } = known(progress)
  if (usage?.input !== undefined) facts.inputTokens = inputOf(usage)
  if (usage?.output !== undefined) facts.outputTokens = usage.output
  if (finishReason !== undefined) facts.finishReason = finishReason
  if (losses.length > 0) facts.losses = losses
  if (error !== undefined) facts.error = error
  if (message !== undefined) facts.message = message
  return facts
}

/** What the call used: as the provider counted it, estimated where it did not. The estimate is noted for the log. */
export function tokensUsed({ progress, facts }: Visit): number {
  const { usage } = known(progress)
  const estimate = estimateTokens(progress)
  if (estimate === undefined) {
    return usage === undefined ? 0 : (usage.total ?? inputOf(usage) + (usage.output ?? 0))
  }
  facts.estimatedTokens = estimate
  return estimate
}

function known(progress: Progress): Progress {
  progress.unread?.()
  progress.unread = undefined
  return progress
}

function inputOf(usage: Usage): number {
  return inputTokens(usage) ?? 0
}

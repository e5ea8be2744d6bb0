// The limits of a run. Each has a default or is off, and each that is reached is a stop with a name.
import type { AnyCall, ToolResult } from '../conversation/messages.js'
import type { Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import type { Stop } from './stop.js'

export interface Budget {
  /** Answers asked of the model; 20. The calls of the last one are still run. */
  readonly maxTurns?: number | undefined
  /** Calls in one answer; 64. None of a larger batch is run. */
  readonly maxCallsPerTurn?: number | undefined
  /** Wall time of the whole run; no limit. */
  readonly timeoutMs?: number | undefined
  /** Sum of the tokens of all turns, as far as the model reports them; no limit. Looked at before calls are run. */
  readonly maxTokensTotal?: number | undefined
  /** Turns in a row that only repeat calls and their results; 3. */
  readonly maxIdenticalCalls?: number | undefined
}
export type Limits = { readonly [K in keyof Budget]-?: number }

/** Every limit, defaults filled in. A limit that makes no sense is misuse. */
export function limitsOf(budget: Budget): Limits {
  return {
    maxTurns: limit('maxTurns', budget.maxTurns, 20),
    maxCallsPerTurn: limit('maxCallsPerTurn', budget.maxCallsPerTurn, 64),
    timeoutMs: limit('timeoutMs', budget.timeoutMs, Number.POSITIVE_INFINITY),
    maxTokensTotal: limit('maxTokensTotal', budget.maxTokensTotal, Number.POSITIVE_INFINITY),
    maxIdenticalCalls: limit('maxIdenticalCalls', budget.maxIdenticalCalls, 3),
  }
}

function limit(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value >= 1) return value
  throw new ToolwireError('misuse', `${name} is ${String(value)}; give a number from 1 on, or leave it out`)
}

/** Why the calls of an answer may not be run. */
export function overBudget(limits: Limits, calls: readonly AnyCall[], usage: Usage): Stop | undefined {
  if (calls.length > limits.maxCallsPerTurn) return { reason: 'budget', detail: 'calls_per_turn' }
  if ((usage.total ?? 0) >= limits.maxTokensTotal) return { reason: 'budget', detail: 'tokens' }
  return undefined
}

/** Remembers the calls of the last turns with their results; tells when a turn brought nothing but repetitions, too often. */
export function createRepeatGuard(
  limits: Limits,
): (calls: readonly AnyCall[], results: readonly ToolResult[]) => boolean {
  let streaks = new Map<string, number>()
  return (calls, results) => {
    const current = new Map<string, number>()
    calls.forEach((call, index) => {
      const result = results[index]
      const pair = JSON.stringify([call.name, call.arguments, result?.isError, result?.content])
      current.set(pair, (streaks.get(pair) ?? 0) + 1)
    })
    streaks = current
    return current.size > 0 && Math.min(...current.values()) >= limits.maxIdenticalCalls
  }
}

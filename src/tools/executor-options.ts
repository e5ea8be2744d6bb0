// What can be asked of an executor: once for all its batches, or again for one of them, which then wins.
import type { ToolCall } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import type { ArgumentLimits } from './arguments.js'
import type { Around } from './around.js'
import type { Audit, Log } from './audit.js'
import { type Clock, systemClock } from './clock.js'
import type { ErrorExposure } from './failure.js'
import { type Approve, type CapabilityPolicy, checkPolicy } from './policy.js'
import { defaultMaxResultBytes } from './results.js'
import type { ToolProgress } from './tool.js'

export type OnProgress = (call: ToolCall, update: ToolProgress) => void

/** Every option has a default; `undefined` means the default. */
export interface ExecuteOptions {
  /** How many calls of one batch run at once; 8. */
  readonly concurrency?: number | undefined
  /** How long a tool may run that names no time of its own; 60,000. A tool that ignores its signal is abandoned. */
  readonly timeoutMs?: number | undefined
  /** How long the whole batch may take, waiting and approvals included; no limit. */
  readonly deadlineMs?: number | undefined
  /** Aborts what waits and runs. The signals of the executor and of the batch both count. */
  readonly signal?: AbortSignal | undefined
  readonly approve?: Approve | undefined
  /** By capability; the batch's answers win over the executor's. */
  readonly policy?: CapabilityPolicy | undefined
  /** What the model sees of an error that is not a `ToolExecutionError`; `message`, redacted. */
  readonly exposeErrors?: ErrorExposure | undefined
  /** UTF-8 bytes of text in one result; 100,000. */
  readonly maxResultBytes?: number | undefined
  /** How much a model may send as the arguments of one call; more is answered as invalid, before it is parsed. */
  readonly argumentLimits?: ArgumentLimits | undefined
  /** Try to repair malformed arguments, never those cut off. Reported in `artifacts.repair`, the log and the audit. */
  readonly repair?: boolean | undefined
  readonly audit?: Audit | undefined
  /** Told how far a running tool has come, by tools that say so. */
  readonly onProgress?: OnProgress | undefined
  /** Stands around each call, for tracing. It calls `settle` at once and may wait for it; it cannot change the outcome. */
  readonly around?: Around | undefined
  /** Where warnings go; nowhere unless given. */
  readonly log?: Log | undefined
  /** Part of each call's idempotency key; random unless given. */
  readonly runId?: string | undefined
  readonly turn?: number | undefined
  /** Texts that must not reach the model through an error message. Those of the executor and of the batch both count. */
  readonly secrets?: readonly string[] | undefined
  readonly clock?: Clock | undefined
}

/** Options with every default filled in. */
export interface Settings {
  readonly concurrency: number
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly signals: readonly AbortSignal[]
  readonly approve: Approve | undefined
  readonly policy: CapabilityPolicy
  readonly exposeErrors: ErrorExposure
  readonly maxResultBytes: number
  readonly argumentLimits: ArgumentLimits
  readonly repair: boolean
  readonly audit: Audit | undefined
  readonly onProgress: OnProgress | undefined
  readonly around: Around | undefined
  readonly log: Log | undefined
  readonly runId: string
  readonly turn: number
  readonly secrets: readonly string[]
  readonly clock: Clock
}

/** Merges both levels. A value that makes no sense is misuse, thrown before anything runs. */
export function settingsOf(executor: ExecuteOptions, batch: ExecuteOptions): Settings {
  return {
    concurrency: positive('concurrency', batch.concurrency ?? executor.concurrency ?? 8),
    timeoutMs: positive('timeoutMs', batch.timeoutMs ?? executor.timeoutMs ?? 60_000),
    deadlineMs: positive('deadlineMs', batch.deadlineMs ?? executor.deadlineMs ?? Number.POSITIVE_INFINITY),
    signals: [...new Set([executor.signal, batch.signal].filter((signal) => signal !== undefined))],
    approve: batch.approve ?? executor.approve,
    policy: checkPolicy({ ...executor.policy, ...batch.policy }),
    exposeErrors: exposure(batch.exposeErrors ?? executor.exposeErrors ?? 'message'),
    maxResultBytes: positive(
      'maxResultBytes',
      batch.maxResultBytes ?? executor.maxResultBytes ?? defaultMaxResultBytes,
    ),
    argumentLimits: checkLimits({ ...executor.argumentLimits, ...batch.argumentLimits }),
    repair: batch.repair ?? executor.repair ?? false,
    audit: batch.audit ?? executor.audit,
    onProgress: batch.onProgress ?? executor.onProgress,
    around: batch.around ?? executor.around,
    log: batch.log ?? executor.log,
    runId: batch.runId ?? executor.runId ?? `run_${crypto.randomUUID()}`,
    turn: batch.turn ?? executor.turn ?? 0,
    secrets: [...(executor.secrets ?? []), ...(batch.secrets ?? [])],
    clock: batch.clock ?? executor.clock ?? systemClock,
  }
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new ToolwireError(
    'misuse',
    `the executor's ${name} is ${String(value)}; give a number above 0, or leave it out`,
  )
}

function checkLimits(limits: ArgumentLimits): ArgumentLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined) positive(`argumentLimits.${name}`, value)
  }
  return limits
}

function exposure(value: ErrorExposure): ErrorExposure {
  if (value === 'message' || value === 'category') return value
  throw new ToolwireError('misuse', `exposeErrors is "${String(value)}"; use 'message' or 'category'`)
}

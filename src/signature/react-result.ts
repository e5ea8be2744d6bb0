// What `react` takes and gives.
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import type { ToolwireError } from '../errors/error.js'
import type { RunOptions } from '../loop/options.js'
import type { RunEvent } from '../loop/result.js'
import type { Approvals, RunState } from '../loop/state.js'
import type { StopDetail } from '../loop/stop.js'
import type { ToolSource } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import type { Plan } from './adapter.js'
import type { CallOptions, ModuleOptions } from './module-call.js'
import type { OutputRetry, Spent } from './prediction.js'
import type { Trace } from './trace.js'

/** How the tools are run, and for how long; as in `run`. */
type LoopSettings = Pick<
  RunOptions,
  | 'concurrency'
  | 'approve'
  | 'policy'
  | 'exposeErrors'
  | 'maxResultBytes'
  | 'repair'
  | 'audit'
  | 'log'
  | 'secrets'
  | 'toolTimeoutMs'
  | 'maxTurns'
  | 'maxCallsPerTurn'
  | 'maxTokensTotal'
  | 'maxIdenticalCalls'
>
/** Those of a module, with tools and the limits of the loop. */
export interface ReactOptions extends ModuleOptions, LoopSettings {
  /** Besides the tools in the inputs. */
  readonly tools?: readonly AnyTool[] | ToolSource | undefined
}
/** Those of the agent for this call alone, and how a run that waited goes on. */
export interface ReactCallOptions extends ReactOptions, CallOptions {
  /** The state of a call that stopped with `needs_approval`. */
  readonly resume?: RunState | undefined
  readonly approvals?: Approvals | undefined
}

/** Why the loop was over before the outputs were asked for at once. */
export type ForcedAfter = 'answer' | 'max_turns' | 'identical_calls'
/** Whether the model handed its outputs in, or was made to. */
export type ReactStop =
  | { readonly reason: 'submit' }
  | { readonly reason: 'forced_submit'; readonly after: ForcedAfter }
/** `no_submit`: asked for the outputs at once, the model still did not give them. */
export type ReactFailureReason =
  | 'no_submit'
  | 'invalid_outputs'
  | 'context_too_long'
  | 'budget'
  | 'aborted'
  | 'needs_approval'
  | 'error'
/** Why an agent ended without its outputs. */
export interface ReactFailure {
  readonly reason: ReactFailureReason
  readonly detail?: StopDetail | ForcedAfter
  readonly error?: ToolwireError
}

interface Course extends Spent {
  readonly mode: Plan['mode']
  /** The conversation, every call answered. */
  readonly messages: readonly Message[]
  /** Calls that were answered, those of `submit` too. */
  readonly calls: number
  /** How many of the oldest turns were left out because the context was too long. */
  readonly dropped: number
  readonly losses: readonly Loss[]
  readonly trace: Trace
}
/** The outputs, or why there are none; either way what was said and done. */
export type ReactResult<Outputs> =
  | (Course & { readonly kind: 'answer'; readonly outputs: Outputs; readonly stop: ReactStop })
  | (Course & {
      readonly kind: 'stopped'
      readonly stop: ReactFailure
      /** With `needs_approval`: give it back as `resume`. */
      readonly state?: RunState
    })

/** The events of the run below an agent, and those of its outputs. */
export type ReactEvent<Outputs> =
  | Exclude<RunEvent, { readonly type: 'done' | 'tool_call_delta' }>
  /** Text outputs as the model submits them. Void after a `retry`. */
  | { readonly type: 'field_delta'; readonly field: string; readonly text: string }
  /** Outputs that did not fit; the model is told and goes on. */
  | { readonly type: 'retry'; readonly retry: OutputRetry }
  /** The context was too long; this many turns in all are left out now. */
  | { readonly type: 'context_dropped'; readonly dropped: number }
  | { readonly type: 'field'; readonly field: string; readonly value: unknown }
  | { readonly type: 'done'; readonly result: ReactResult<Outputs> }

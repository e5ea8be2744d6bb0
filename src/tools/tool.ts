// What a tool is, once defined: plain facts for the model, and functions for the executor.
import type { ToolCall } from '../conversation/messages.js'
import type { ToolSpec } from '../conversation/request.js'
import type { JsonObject, ValueObject } from '../json/types.js'
import type { Checked } from '../schema/issue.js'
import type { CheckOptions } from '../schema/validate.js'

/** Every capability that a tool can declare. */
export const toolCapabilities = ['network', 'filesystem', 'database', 'shell'] as const
/** What a tool needs that a policy may refuse; `toolCapabilities` lists them. */
export type ToolCapability = (typeof toolCapabilities)[number]

/** How far a tool has come: `progress` grows, out of `total` when that is known. */
export interface ToolProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What a handler is told besides its input. */
export interface ToolContext {
  /** Aborted when the run is, and when the tool's time is up. */
  readonly signal: AbortSignal
  readonly call: ToolCall
  /** The same for every attempt at this call of this run (`runId/turn/callId`): hand it to services that deduplicate. */
  readonly idempotencyKey: string
  readonly runId: string
  readonly turn: number
  /** Tells how far the work has come. Absent where nobody listens. */
  readonly progress?: (update: ToolProgress) => void
}

/** At most so many calls in so many milliseconds. */
export interface RateLimit {
  readonly calls: number
  readonly perMs: number
}

/** How a tool may be run; every field has a default in the executor. */
export interface ToolLimits {
  readonly timeoutMs?: number
  readonly concurrency?: number
  readonly rateLimit?: RateLimit
}

/** A defined tool. `Input` is what the handler takes, `Output` what it returns. */
export interface Tool<Input = never, Output = unknown> extends ToolLimits {
  readonly name: string
  readonly description: string
  /** What the model is told: frozen, so that its encoded form can be cached. */
  readonly spec: ToolSpec
  /** The schema and flag of `spec`, so that a tool can stand wherever a `ToolSpec` can. */
  readonly inputSchema?: JsonObject
  readonly strict?: boolean
  readonly capabilities: readonly ToolCapability[]
  /** Where the tool came from, for collisions and the audit trail; `local` unless imported. */
  readonly source: string
  /** Whether a call that was in flight at a crash may simply be run again. */
  readonly repeatable: boolean
  /** MCP's hints about the tool (`readOnlyHint`, …), for those who list it. Nothing here trusts them. */
  readonly annotations?: JsonObject
  /** Changes whenever the definition the model sees changes. */
  readonly digest: string
  /** Every failing path at once, or the input as the handler takes it (schema defaults and transforms applied). */
  checkInput(args: ValueObject, options?: CheckOptions): Checked<Input> | Promise<Checked<Input>>
  /** What the handler's output looks like, as JSON Schema. Not told to the model. */
  readonly outputSchema?: JsonObject
  /** Present when an output schema was given. */
  readonly checkOutput?: (output: unknown) => Checked<Output> | Promise<Checked<Output>>
  readonly execute: (input: Input, context: ToolContext) => Output | Promise<Output>
}

/** A tool of any input and output, as lists and registries hold it. */
// biome-ignore lint/suspicious/noExplicitAny: the input of a handler is contravariant; `any` is the only common supertype
export type AnyTool = Tool<any, any>

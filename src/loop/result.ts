// What a run tells: events while it goes on, and one result.
import type { CompletionEvent } from '../conversation/events.js'
import type { Loss } from '../conversation/losses.js'
import type { AnyCall, Message, ToolResult } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import type { RunState } from './state.js'
import type { Stop } from './stop.js'

/** The events of the model as they are, with the turn they belong to, and those of the loop. `done` is the last. */
export type RunEvent =
  | (CompletionEvent & { readonly turn: number })
  | { readonly type: 'turn_start'; readonly turn: number }
  | { readonly type: 'tool_start'; readonly turn: number; readonly call: AnyCall }
  | { readonly type: 'tool_result'; readonly turn: number; readonly call: AnyCall; readonly result: ToolResult }
  /** The call waits for approval and was not run. */
  | { readonly type: 'tool_paused'; readonly turn: number; readonly call: AnyCall }
  | {
      readonly type: 'turn_end'
      readonly turn: number
      readonly response: CompletionResponse
      readonly results: readonly ToolResult[]
    }
  | { readonly type: 'done'; readonly result: RunResult }

/** What a run gave, however it ended: look at `stop`. `messages` can be sent again as they are. */
export interface RunResult {
  /** What `run({ journal: store, runId })` takes to go on with it. */
  readonly runId: string
  /** The text of the last answer; `""` when there was none. */
  readonly text: string
  /** The whole conversation, plain JSON, every call answered: it can be stored and sent again. */
  readonly messages: readonly Message[]
  /** The last answer, when there was one. */
  readonly response?: CompletionResponse
  readonly stop: Stop
  /** The sum over all turns. */
  readonly usage: Usage
  readonly turns: number
  /** How many calls were answered by the executor. */
  readonly calls: number
  /** Of all turns: what did not cross the wire unchanged. What later requests repeat (the history, the tools) is reported once. */
  readonly losses: readonly Loss[]
  /** Calls that were in flight when an earlier attempt of the run ended, and were not run again. Absent when there are none. */
  readonly inDoubt?: readonly AnyCall[]
  /** With `needs_approval`: what `run({ resume })` takes. */
  readonly state?: RunState
}

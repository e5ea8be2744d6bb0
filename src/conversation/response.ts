// What a model answered, whole.
import type { JsonObject } from '../json/types.js'
import type { Loss } from './losses.js'
import type { AssistantMessage, BrokenCall, ToolCall, Wire } from './messages.js'
import type { Usage } from './usage.js'

/** Why the answer ended. `length`: it was cut, and a call in its last place is broken. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'pause' | 'error'
/** What a provider tells about an answer in words of its own, by wire. */
export type Metadata = { readonly [W in Wire]?: JsonObject }

/** A whole answer: the message to keep, and what programs look at first. */
export interface CompletionResponse {
  readonly id: string
  readonly model: string
  /** All text of the answer; `""`, never null, when only calls came back. */
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly brokenCalls: readonly BrokenCall[]
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  readonly rawFinishReason?: string
  readonly usage?: Usage
  readonly losses: readonly Loss[]
  readonly metadata: Metadata
  /** Decided by the presence of calls, broken ones too, never by the finish reason. */
  readonly requiresToolExecution: boolean
}

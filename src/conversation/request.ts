// What is asked of a model. System text lives in `messages`; `system` is sugar of `run`.
import type { JsonObject } from '../json/types.js'
import type { Carried, Message, Origin } from './messages.js'

export interface ToolSpec extends Carried {
  readonly type?: undefined
  readonly name: string
  readonly description?: string
  readonly inputSchema?: JsonObject
  readonly strict?: boolean
}
/** A provider's own tool (web search, code execution): opaque, same wire only. Keeps its place in `tools`. */
export interface OpaqueTool {
  readonly type: 'opaque'
  readonly origin: Origin
  readonly data: JsonObject
}
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly tool: string }
  | { readonly allowed: readonly string[]; readonly mode: 'auto' | 'required' }

export interface OutputSpec {
  readonly schema: JsonObject
  readonly name?: string
  readonly description?: string
  readonly strict?: boolean
}
export interface ReasoningSpec {
  readonly effort?: string
  readonly budgetTokens?: number
}
export interface CompletionRequest extends Carried {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly (ToolSpec | OpaqueTool)[]
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  readonly output?: OutputSpec
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly reasoning?: ReasoningSpec
}

// What the loop, the executor's callers and the signatures ask of a model; a wire behind HTTP, a script, or another library's model.
import type { CompletionEvent } from '../conversation/events.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'

/** `yes` and `no` are known; `unknown` is tried. */
export type Support = 'yes' | 'no' | 'unknown'
/** What a model can do, as far as it is known. A `no` is refused before the network. */
export interface Capabilities {
  readonly tools: Support
  readonly parallelToolCalls: Support
  readonly toolChoiceRequired: Support
  readonly toolChoiceNamed: Support
  readonly toolChoiceNone: Support
  readonly streaming: Support
  readonly structuredOutput: Support
  /** Whether the answer is held to the schema itself; `no` where only some JSON object can be demanded. Unknown unless given. */
  readonly outputSchema?: Support
  readonly structuredOutputWithTools: Support
  readonly images: Support
  readonly reasoning: Support
}

/** A request as callers write it: the model fills in its own id when they leave it out. */
export type ModelRequest = Omit<CompletionRequest, 'model'> & { readonly model?: string }
/** How one call is made. With `deltas` the fragments of calls are told as they come. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Fragments of tool arguments as `tool_call_delta` events. Off unless asked for. */
  readonly deltas?: boolean | undefined
}

/**
 * An answer on its way: iterate it for the events, or await it for the whole response; both may be done, once each.
 * Leaving the iteration early closes the connection. A failure rejects, or is thrown from the iteration, as a ToolwireError.
 */
export interface CompletionStream extends AsyncIterable<CompletionEvent>, PromiseLike<CompletionResponse> {}

/** Something that answers requests, whatever stands behind it. Write one yourself and it works in every run. */
export interface Model {
  /** For people and logs, `anthropic:claude-…`. */
  readonly name: string
  readonly id: string
  readonly capabilities: Capabilities
  complete(request: ModelRequest, options?: CallOptions): Promise<CompletionResponse>
  stream(request: ModelRequest, options?: CallOptions): CompletionStream
}

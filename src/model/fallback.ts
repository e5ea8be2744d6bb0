// Several models as one: the next is asked when one fails before it said anything, and only for failures another may not have.
import type { CompletionEvent } from '../conversation/events.js'
import type { CompletionResponse } from '../conversation/response.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { awaitable, drained, leavable, type Source } from './awaitable.js'
import type { CallOptions, Model, ModelRequest } from './model.js'

/** When to move on to the next model, and who is told. */
export interface FallbackOptions {
  /** The failures that make it move on. Default: those of the provider, not of the request. */
  readonly on?: readonly ErrorCode[] | undefined
  readonly onFallback?: ((from: Model, to: Model, error: ToolwireError) => void) | undefined
}

const providerFailures: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'overloaded',
  'server_error',
  'network',
  'timeout',
  'truncated',
  'malformed_response',
  'authentication',
  'permission',
  'not_found',
]

/** A model that asks the first, then the next one, moving on by error code before the first delivered event of content. */
export function fallback(models: readonly Model[], options: FallbackOptions = {}): Model {
  const [first] = models
  if (first === undefined) throw new ToolwireError('misuse', 'fallback needs at least one model')
  const open = (
    request: ModelRequest,
    call: CallOptions,
    stream: boolean,
  ): Source<CompletionEvent, CompletionResponse> =>
    leavable(call.signal, (signal) => attempts(models, options, request, { ...call, signal }, stream))
  return {
    name: models.map((model) => model.name).join(' → '),
    id: first.id,
    capabilities: first.capabilities,
    complete: async (request, call = {}) => drained(open(request, call, false).events),
    stream: (request, call = {}) => awaitable(() => open(request, call, true)),
  }
}

async function* attempts(
  models: readonly Model[],
  { on = providerFailures, onFallback }: FallbackOptions,
  request: ModelRequest,
  call: CallOptions,
  stream: boolean,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  for (let index = 0; ; index += 1) {
    const model = models[index] as Model
    const next = models[index + 1]
    let delivered = false
    try {
      if (!stream) return await model.complete(request, call)
      const answer = model.stream(request, call)
      for await (const event of answer) {
        delivered ||= event.type !== 'loss'
        yield event
      }
      return await answer
    } catch (error) {
      if (next === undefined || delivered || !ToolwireError.is(error) || !on.includes(error.code)) throw error
      onFallback?.(model, next, error)
    }
  }
}

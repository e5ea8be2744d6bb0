// A model whose calls are spans. A stream's span ends when its last event was taken, or its reader left.
import { type Context, context, type Span, trace } from '@opentelemetry/api'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder } from '../conversation/fold.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { awaitable, leavable } from '../model/awaitable.js'
import type { CallOptions, Model, ModelRequest } from '../model/model.js'
import { finishChat, startChat } from './chat-span.js'
import { failSpan, type Tracing, within } from './tracing.js'

/** `parent` gives the context of each call when it starts. */
export function tracedModel(tracing: Tracing, model: Model, parent: () => Context): Model {
  return {
    name: model.name,
    id: model.id,
    capabilities: model.capabilities,
    async complete(request, options) {
      const outer = parent()
      const span = startChat(tracing, model, request, false, outer)
      try {
        const response = await context.with(trace.setSpan(outer, span), () => model.complete(request, options))
        finishChat(tracing, span, response)
        return response
      } catch (error) {
        failSpan(span, error)
        throw error
      } finally {
        span.end()
      }
    },
    stream: (request, options = {}) =>
      awaitable(() =>
        leavable(options.signal, (signal) => tracedEvents(tracing, model, request, { ...options, signal }, parent())),
      ),
  }
}

async function* tracedEvents(
  tracing: Tracing,
  model: Model,
  request: ModelRequest,
  options: CallOptions,
  outer: Context,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  const span = startChat(tracing, model, request, true, outer)
  const scope = trace.setSpan(outer, span)
  const startedAt = performance.now()
  const folder = createFolder()
  let isFirst = true
  let isSettled = false
  try {
    for await (const event of within(scope, model.stream(request, options))) {
      if (isFirst && event.type !== 'loss') {
        isFirst = false
        span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - startedAt) / 1000)
      }
      folder.push(event)
      yield event
    }
    const { response, error } = folder.done()
    if (error !== undefined) throw error
    isSettled = true
    finishChat(tracing, span, response)
    return response
  } catch (error) {
    isSettled = true
    failStream(tracing, span, folder.done().response, error)
    throw error
  } finally {
    if (!isSettled) {
      const left = new ToolwireError('aborted', 'the reader of the events left')
      failStream(tracing, span, folder.done().response, left)
    }
    span.end()
  }
}

/** What had come before a stream failed is told as well: its usage was paid for. */
function failStream(tracing: Tracing, span: Span, partial: CompletionResponse, error: unknown): void {
  if (partial.id !== '') finishChat(tracing, span, partial)
  failSpan(span, error)
}

// What every span here has in common: where it is made, how it fails, and that no key gets into it.
import { type Attributes, context, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { ToolFailure } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { redact } from '../json/redact.js'

/** What a telemetry value was made with, defaults filled in. */
export interface Tracing {
  readonly tracer: Tracer
  readonly recordContent: boolean
  readonly agentName: string | undefined
  readonly conversationId: string | undefined
}

/** Attributes that have a value. */
export function present(attributes: Readonly<Record<string, Attributes[string]>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}

/** Marks a span as failed: the code of the error as `error.type`, its message without credentials as the description. */
export function failSpan(span: Span, error: unknown): void {
  const type = ToolwireError.is(error) ? error.code : error instanceof Error ? error.name : '_OTHER'
  fail(span, type, error instanceof Error ? error.message : 'it gave no reason')
}

/** A tool's failure, by its category. */
export function failTool(span: Span, failure: ToolFailure): void {
  fail(span, failure.category, failure.message)
}

function fail(span: Span, type: string, message: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR, message: redact(message) })
}

/** The same events, each asked for within the context, so that what the source starts becomes a child of its span. */
export async function* within<Event>(
  scope: ReturnType<typeof context.active>,
  events: AsyncIterable<Event>,
): AsyncGenerator<Event, void> {
  const iterator = context.with(scope, () => events[Symbol.asyncIterator]())
  let isOver = false
  try {
    for (;;) {
      const next = await context.with(scope, () => iterator.next())
      isOver = next.done === true
      if (next.done === true) return
      yield next.value
    }
  } catch (error) {
    isOver = true
    throw error
  } finally {
    if (!isOver) await iterator.return?.()
  }
}

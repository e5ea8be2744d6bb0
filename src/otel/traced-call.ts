// The span of one tool call: from the decision about it to its result, refusals included.
import { type Context, context, type Span, SpanKind, trace } from '@opentelemetry/api'
import type { AnyCall } from '../conversation/messages.js'
import { textOf } from '../conversation/messages.js'
import { redact } from '../json/redact.js'
import type { Around, CallOutcome } from '../tools/around.js'
import { notify } from '../tools/audit.js'
import type { AnyTool } from '../tools/tool.js'
import { failTool, present, type Tracing } from './tracing.js'

/** The wrapper an executor puts around each call. `inner` is the program's own, within the span. */
export function tracedCall(tracing: Tracing, parent: () => Context, inner?: Around): Around {
  return async (call, settle, tool) => {
    const outer = parent()
    const span = startCall(tracing, call, tool, outer)
    try {
      const outcome = await context.with(trace.setSpan(outer, span), () => {
        const settled = settle()
        if (inner !== undefined) notify(() => inner(call, () => settled, tool))
        return settled
      })
      finishCall(tracing, span, outcome)
    } finally {
      span.end()
    }
  }
}

function startCall(tracing: Tracing, call: AnyCall, tool: AnyTool | undefined, outer: Context): Span {
  const description = tool?.description
  const attributes = present({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call.id,
    'gen_ai.tool.description': description === '' ? undefined : description,
    'gen_ai.conversation.id': tracing.conversationId,
    'gen_ai.tool.call.arguments': tracing.recordContent ? redact(call.arguments) : undefined,
  })
  return tracing.tracer.startSpan(`execute_tool ${call.name}`, { kind: SpanKind.INTERNAL, attributes }, outer)
}

function finishCall(tracing: Tracing, span: Span, outcome: CallOutcome): void {
  span.setAttribute('toolwire.tool.state', outcome.state)
  if (outcome.state === 'paused') return
  const { content, error, isError } = outcome.result
  if (tracing.recordContent) span.setAttribute('gen_ai.tool.call.result', redact(textOf(content)))
  if (isError) failTool(span, error ?? { category: 'unknown', message: 'the tool failed' })
}

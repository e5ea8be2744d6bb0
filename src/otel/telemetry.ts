// Spans by the GenAI semantic conventions: one for a run, one for each model call and each tool call in it; one for a gateway's request.
// Trap: a program may have no context manager, so the parent of every span of a run is handed on, not looked up.
import { type Context, context, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type { AroundRequest } from '../gateway/around.js'
import type { RunOptions } from '../loop/options.js'
import type { RunEvent, RunResult } from '../loop/result.js'
import { type Run, type RunStream, run as untraced } from '../loop/run.js'
import { awaitable, type Source } from '../model/awaitable.js'
import type { Model } from '../model/model.js'
import type { Around } from '../tools/around.js'
import { providerOf, usageAttributes } from './chat-span.js'
import { tracedCall } from './traced-call.js'
import { tracedModel } from './traced-model.js'
import { tracedRequest } from './traced-request.js'
import { failSpan, present, type Tracing, within } from './tracing.js'

/** Where spans go, and whether they hold what was said. */
export interface TelemetryOptions {
  /** The global provider's tracer `toolwire` unless given. */
  readonly tracer?: Tracer | undefined
  /** Also records what was said: messages, arguments, results. Off, because it may be anybody's private matter. */
  readonly recordContent?: boolean | undefined
  readonly agentName?: string | undefined
  readonly conversationId?: string | undefined
}

/** `run`, a model and a hook that write spans. */
export interface Telemetry {
  /** `run` with a span, and a span below it for each model call and tool call. */
  readonly run: Run
  /** A model whose calls are spans, below whatever span is active. `run` needs it only for the models in a `fallback`. */
  model(model: Model): Model
  /** For an executor without a run: `new ToolExecutor(tools, { around })`. */
  readonly around: Around
  /** For a gateway: `createGateway({ routes, around: telemetry().request })` makes each request a span. */
  readonly request: AroundRequest
}

/** Spans by the GenAI conventions, for runs, model calls and tool calls. Content is left out unless asked for. */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const { recordContent = false, agentName, conversationId } = options
  const tracer = options.tracer ?? trace.getTracer('toolwire')
  const tracing: Tracing = { tracer, recordContent, agentName, conversationId }
  return {
    run: Object.assign((asked: RunOptions) => tracedRun(tracing, asked), {
      stream: (asked: RunOptions) => tracedStream(tracing, asked),
    }),
    model: (model) => tracedModel(tracing, model, () => context.active()),
    around: tracedCall(tracing, () => context.active()),
    request: tracedRequest(tracing),
  }
}

/** What the spans of a run are below: known once it started. */
interface Scope {
  context?: Context
}

async function tracedRun(tracing: Tracing, options: RunOptions): Promise<RunResult> {
  const scope: Scope = {}
  const traced = withTracing(tracing, options, scope)
  const span = startRun(tracing, options, scope)
  try {
    const result = await context.with(scope.context ?? context.active(), () => untraced(traced))
    finishRun(span, result)
    return result
  } catch (error) {
    failSpan(span, error)
    throw error
  } finally {
    span.end()
  }
}

function tracedStream(tracing: Tracing, options: RunOptions): RunStream {
  const scope: Scope = {}
  const inner = untraced.stream(withTracing(tracing, options, scope))
  return awaitable(() => {
    const span = startRun(tracing, options, scope)
    return sourceOf(span, inner, scope.context ?? context.active())
  })
}

function sourceOf(span: Span, inner: RunStream, scope: Context): Source<RunEvent, RunResult> {
  const iterator = inner[Symbol.asyncIterator]()
  async function* events(): AsyncGenerator<RunEvent, RunResult> {
    try {
      yield* within(scope, { [Symbol.asyncIterator]: () => iterator })
    } finally {
      finishRun(span, await inner) // a run gives a result whatever ended it, its reader included
      span.end()
    }
    return inner
  }
  const leave = (): void => {
    iterator.return?.().catch(() => {}) // the result tells of it
  }
  return { events: events(), leave, left: () => inner }
}

/** The same options, with the model and each call below the span of the run. Options that are wrong stay so: `run` tells. */
function withTracing(tracing: Tracing, options: RunOptions, scope: Scope): RunOptions {
  const parent = (): Context => scope.context ?? context.active()
  const { model, around } = options ?? {}
  const isModel = typeof model?.complete === 'function' && typeof model.stream === 'function'
  if (!isModel) return options
  return { ...options, model: tracedModel(tracing, model, parent), around: tracedCall(tracing, parent, around) }
}

function startRun(tracing: Tracing, options: RunOptions, scope: Scope): Span {
  const { agentName, conversationId } = tracing
  const model: Model | undefined = options?.model
  const attributes = present({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agentName,
    'gen_ai.conversation.id': conversationId,
    'gen_ai.provider.name': typeof model?.name === 'string' ? providerOf(model) : undefined,
    'gen_ai.request.model': model?.id,
  })
  const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`
  const outer = context.active()
  const span = tracing.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, outer)
  scope.context = trace.setSpan(outer, span)
  return span
}

function finishRun(span: Span, { stop, usage, turns, calls, response }: RunResult): void {
  span.setAttributes({
    ...usageAttributes(usage),
    ...(response === undefined ? {} : { 'gen_ai.response.finish_reasons': [response.finishReason] }),
    'toolwire.run.stop_reason': stop.reason,
    'toolwire.run.turns': turns,
    'toolwire.run.calls': calls,
  })
  if (stop.error !== undefined) failSpan(span, stop.error)
}

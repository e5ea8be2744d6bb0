// The span of one request to a gateway: a server's span, below the client's where that told of one. Of what was said, of keys and
// of the query it tells nothing.
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import type { AroundRequest, ArrivedRequest } from '../gateway/around.js'
import type { GatewayLogRecord } from '../gateway/options.js'
import { providerOf } from './chat-span.js'
import { present, type Tracing } from './tracing.js'

/** What a gateway puts around each request. */
export function tracedRequest({ tracer }: Tracing): AroundRequest {
  return async (request, serve) => {
    const outer = parentOf(request.headers)
    const attributes = { 'http.request.method': request.method, 'url.path': request.path }
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, outer)
    try {
      finish(span, await context.with(trace.setSpan(outer, span), serve))
    } finally {
      span.end()
    }
  }
}

/** Whether the program has an SDK: without one spans go nowhere. */
export function hasProvider(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('toolwire') !== undefined
}

type Headers = ArrivedRequest['headers']

const getter: TextMapGetter<Headers> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
}

/** The span of whoever serves HTTP here, else the one the client tells of: as the program reads it, or in the W3C form. */
function parentOf(headers: Headers): Context {
  const active = context.active()
  if (trace.getSpan(active) !== undefined) return active
  const told = propagation.extract(active, headers, getter)
  if (trace.getSpanContext(told) !== undefined) return told
  const remote = remoteSpan(headers)
  return remote === undefined ? active : trace.setSpanContext(active, remote)
}

function remoteSpan({ traceparent = '', tracestate }: Headers): SpanContext | undefined {
  const found = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent)
  const [, traceId = '', spanId = '', flags = ''] = found ?? []
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  }
  return isSpanContextValid(span) ? span : undefined
}

function finish(span: Span, record: GatewayLogRecord): void {
  if (!span.isRecording()) return
  const { model, stream, status, error } = record
  if (model !== undefined && stream !== undefined) span.updateName(`chat ${model}`)
  span.setAttributes(attributesOf(record))
  if (error !== undefined) span.setAttribute('error.type', error)
  // A refused request is the client's failure, not the server's.
  if (error !== undefined && (status < 400 || status >= 500)) span.setStatus({ code: SpanStatusCode.ERROR })
}

function attributesOf(record: GatewayLogRecord): Attributes {
  const { target, losses, stream, finishReason } = record
  return present({
    'http.response.status_code': record.status,
    'gen_ai.operation.name': stream === undefined ? undefined : 'chat',
    'gen_ai.provider.name': target === undefined ? undefined : providerOf({ name: target }),
    'gen_ai.request.model': record.model,
    'gen_ai.request.stream': stream === true ? true : undefined,
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    'gen_ai.usage.input_tokens': record.inputTokens,
    'gen_ai.usage.output_tokens': record.outputTokens,
    'toolwire.gateway.request_id': record.requestId,
    'toolwire.gateway.client': record.client,
    'toolwire.gateway.wire': record.wire,
    'toolwire.gateway.target': target,
    'toolwire.gateway.losses': losses === undefined ? undefined : [...losses],
  })
}

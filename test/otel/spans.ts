// The real SDK with spans in memory, and the tree they make.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, ROOT_CONTEXT, type Tracer } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

export interface Recording {
  readonly tracer: Tracer
  /** Finished spans, in the order they started. */
  spans(): readonly ReadableSpan[]
  /** Each span as `parent > name`, sorted. */
  tree(): readonly string[]
  named(name: string): ReadableSpan
}

export function record(): Recording {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans()
  return {
    tracer: provider.getTracer('test'),
    spans,
    tree() {
      const names = new Map(spans().map((span) => [span.spanContext().spanId, span.name]))
      const lines = spans().map((span) => {
        const parent = span.parentSpanContext?.spanId
        return parent === undefined ? span.name : `${names.get(parent) ?? '?'} > ${span.name}`
      })
      return lines.toSorted()
    },
    named(name) {
      const found = spans().find((span) => span.name === name)
      if (found === undefined) throw new Error(`no span "${name}" among ${spans().map((span) => span.name)}`)
      return found
    },
  }
}

/** A context manager as the Node SDK registers one. */
export function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, fn, thisArg, ...args) => storage.run(context, () => fn.apply(thisArg, args)),
    bind: (context, target) => (typeof target === 'function' ? (storage.run(context, () => target) as never) : target),
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

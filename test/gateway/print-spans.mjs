// Given to a process with --import: an SDK that prints every span on a line.
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const printer = {
  export(spans, done) {
    for (const { name, attributes } of spans) process.stderr.write(`span ${name} ${JSON.stringify(attributes)}\n`)
    done({ code: 0 })
  },
  shutdown: async () => {},
}
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printer)] }))

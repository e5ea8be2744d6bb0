// Spans of a run with OpenTelemetry's own SDK, kept in memory and printed as a tree.
import assert from 'node:assert/strict'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { tool } from 'toolwire'
import { telemetry } from 'toolwire/otel'
import { scriptedModel } from 'toolwire/testing'
import { modelOr } from './given-models.mjs'

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const traced = telemetry({ tracer: provider.getTracer('example'), agentName: 'forecaster' })

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async ({ city }) => ({ city, celsius: 18 }),
})
const calls = ['Rome', 'Oslo'].map((city) => ({ name: 'get_weather', args: { city } }))
const model = modelOr(scriptedModel([{ calls, usage: { input: 40, output: 20, total: 60 } }, 'Rome is warmer.']))
const { stop } = await traced.run({ model, tools: [weather], prompt: 'Where is it warmer?' })

const spans = exporter.getFinishedSpans()
const root = spans.find((span) => span.parentSpanContext === undefined)
const below = spans.filter((span) => span.parentSpanContext?.spanId === root.spanContext().spanId)
console.log(root.name, root.attributes['gen_ai.usage.input_tokens'], 'tokens in')
for (const span of below) console.log(`  ${span.name}`)

const named = (operation) => spans.filter((span) => span.attributes['gen_ai.operation.name'] === operation).length
assert.equal(stop.reason, 'answer', stop.error?.message)
assert.equal(below.length, spans.length - 1)
console.log(`\n${named('invoke_agent')} run, ${named('chat')} model calls, ${named('execute_tool')} tool calls`)

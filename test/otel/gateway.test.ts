// The span of a gateway's request, with the real OpenTelemetry SDK: what it tells, what it is below, and what it never holds.
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import { telemetry } from '../../src/otel/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { contextManager, type Recording, record } from './spans.js'

const said = 'private words of a client'
const key = 'a-client-key-to-hide'
let provider: ProviderServer
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ model }) =>
      model === 'cut'
        ? { text: 'A long answer that breaks off.', cutAfter: 2 }
        : { text: 'The answer.', usage: { input: 30, output: 10, total: 40 } },
    misbehave: ({ request }) => (request.model === 'broken' ? { status: 503 } : undefined),
  })
})
afterAll(() => provider.close())

interface Traced extends Recording {
  readonly gateway: Gateway
}

function traced(wire: Wire, model = 'scripted', options: Partial<GatewayOptions> = {}): Traced {
  const recording = record()
  const targets = [{ wire, baseUrl: provider.url, apiKey: 'upstream-key-to-hide', model, retries: 0 }]
  const gateway = createGateway({
    routes: [{ match: 'm-*', targets }],
    keys: [{ name: 'team', key }],
    around: telemetry({ tracer: recording.tracer }).request,
    ...options,
  })
  return { ...recording, gateway }
}

async function ask(gateway: Gateway, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const asked = { model: 'm-1', messages: [{ role: 'user', content: said }], ...body }
  const request = new Request(`http://127.0.0.1/v1/chat/completions?key=${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(asked),
  })
  await (await gateway(request)).text()
}

describe.each(wires)('onto %s', (wire) => {
  test.each([false, true])('one span tells who was asked for what and what it cost, streamed %s', async (stream) => {
    const { gateway, spans } = traced(wire)
    await ask(gateway, stream ? { stream, stream_options: { include_usage: true } } : {})
    expect(spans()).toHaveLength(1)
    const [span] = spans()
    expect([span?.name, span?.kind, span?.status.code]).toEqual(['chat m-1', SpanKind.SERVER, SpanStatusCode.UNSET])
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 10,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.path': '/v1/chat/completions',
      'toolwire.gateway.client': 'team',
      'toolwire.gateway.wire': 'openai-chat',
    })
    expect(span?.attributes['gen_ai.provider.name']).toBe({ gemini: 'gcp.gemini' }[wire as string] ?? providerOf(wire))
    const told = JSON.stringify([span?.name, span?.attributes, span?.events, span?.status])
    for (const hidden of [said, key, 'upstream-key-to-hide', 'The answer.']) expect(told).not.toContain(hidden)
  })
})

function providerOf(wire: Wire): string {
  return wire.startsWith('openai') ? 'openai' : wire
}

describe('the parent', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`

  test('is the span that the client tells of', async () => {
    const { gateway, named } = traced('anthropic')
    await ask(gateway, {}, { traceparent, tracestate: 'vendor=1' })
    const span = named('chat m-1')
    expect(span.spanContext().traceId).toBe(traceId)
    expect(span.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true, traceFlags: 1 })
    expect(span.spanContext().traceState?.get('vendor')).toBe('1')
  })

  test.each([
    'nonsense',
    `ff-${traceId}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${traceId}-b7ad-01`,
  ])('is nobody when the header is %s', async (header) => {
    const { gateway, named } = traced('anthropic')
    await ask(gateway, {}, { traceparent: header })
    expect(named('chat m-1').parentSpanContext).toBeUndefined()
  })

  test('is the span of the HTTP server where the program has one', async () => {
    context.setGlobalContextManager(contextManager())
    try {
      const { gateway, tracer, tree } = traced('anthropic')
      const outer = tracer.startSpan('POST')
      await context.with(trace.setSpan(context.active(), outer), () => ask(gateway, {}, { traceparent }))
      outer.end()
      expect(tree()).toEqual(['POST', 'POST > chat m-1'])
    } finally {
      context.disable()
    }
  })
})

describe('a failure', () => {
  test.each([
    ['of the client', 'anthropic', 'scripted', { model: 'unknown' }, 'not_found', SpanStatusCode.UNSET],
    ['of the provider', 'anthropic', 'broken', {}, 'overloaded', SpanStatusCode.ERROR],
    ['in the middle of a stream', 'anthropic', 'cut', { stream: true }, 'truncated', SpanStatusCode.ERROR],
    ['in the middle of what passes through', 'openai-chat', 'cut', { stream: true }, 'truncated', SpanStatusCode.ERROR],
  ] as const)('%s is the type of the error', async (_, wire, model, body, type, code) => {
    const { gateway, spans } = traced(wire, model)
    await ask(gateway, body).catch(() => {}) // what passes through breaks off
    expect(spans()).toHaveLength(1)
    expect(spans()[0]?.attributes['error.type']).toBe(type)
    expect(spans()[0]?.status).toEqual({ code })
  })
})

test('requests that ask no model are spans, too', async () => {
  const { gateway, spans } = traced('anthropic')
  await gateway(new Request('http://127.0.0.1/v1/models', { headers: { 'x-api-key': key } }))
  await gateway(new Request('http://127.0.0.1/v1/models'))
  expect(spans().map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
    ['GET', 200],
    ['GET', 401],
  ])
})

test('whatever stands around a request, it is served once', async () => {
  const from = provider.requests.length
  for (const around of [
    () => {
      throw new Error('no')
    },
    () => Promise.reject(new Error('no')),
    (_: unknown, serve: () => unknown) => [serve(), serve()],
    () => {},
  ]) {
    await ask(traced('anthropic', 'scripted', { around }).gateway)
  }
  expect(provider.requests.slice(from)).toHaveLength(4)
})

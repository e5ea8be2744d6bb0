// A refusal has a place of its own on both wires of OpenAI: from one to the other it stays one, through the OpenAI SDK.
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

const refusal = 'I cannot help with that.'
const pieces = ['I cannot ', 'help with that.']
const records: GatewayLogRecord[] = []
let provider: ProviderServer

const events = (list: readonly object[]): string => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

function chatBody(stream: boolean): string {
  const head = { id: 'chatcmpl-1', created: 1, model: 'm' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  if (!stream) {
    const message = { role: 'assistant', content: null, refusal }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    return JSON.stringify({ ...head, object: 'chat.completion', choices, usage })
  }
  const chunk = (delta: object, finish: string | null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const deltas = pieces.map((piece) => chunk({ refusal: piece }, null))
  return `${events([chunk({ role: 'assistant', content: '', refusal: null }, null), ...deltas, chunk({}, 'stop')])}data: [DONE]\n\n`
}

function responsesBody(stream: boolean): string {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' }
  const part = { type: 'refusal', refusal }
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' }
  const ended = { ...response, status: 'completed', output: [{ ...item, content: [part] }] }
  if (!stream) return JSON.stringify(ended)
  const begun = { ...item, status: 'in_progress', content: [] }
  return events(
    [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: begun },
      { type: 'response.content_part.added', ...place, part: { type: 'refusal', refusal: '' } },
      ...pieces.map((delta) => ({ type: 'response.refusal.delta', ...place, delta })),
      { type: 'response.refusal.done', ...place, refusal },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content: [part] } },
      { type: 'response.completed', response: ended },
    ].map((event, index) => ({ ...event, sequence_number: index })),
  )
}

beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: () => 'unused',
    misbehave: ({ wire, stream }) => {
      const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
      return { headers, body: wire === 'openai-chat' ? chatBody(stream) : responsesBody(stream) }
    },
  })
})
afterAll(() => provider.close())

function gatewayTo(wire: Wire): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted' }
  return createGateway({ routes: [{ match: '*', targets: [target] }], log: (record) => records.push(record) })
}

function openai(wire: Wire): OpenAI {
  const gateway = gatewayTo(wire)
  const fetch: typeof globalThis.fetch = (input, init) => gateway(new Request(input, init))
  return new OpenAI({ apiKey: 'client-key', baseURL: 'http://127.0.0.1/v1', fetch, maxRetries: 0 })
}

const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
} as const
const said = [{ role: 'user' as const, content: 'Do it.' }]

test.each(['openai-chat', 'openai-responses'] as const)('a Chat client of %s', async (wire) => {
  const format = { type: 'json_schema' as const, json_schema: { name: 'answer', strict: true, schema } }
  const body = { model: 'any', messages: said, response_format: format }
  const { completions } = openai(wire).chat
  const streamed: string[] = []
  const stream = completions.stream(body)
  stream.on('refusal.delta', ({ delta }) => streamed.push(delta))
  for (const completion of [await completions.parse(body), await stream.finalChatCompletion()]) {
    const [choice] = completion.choices
    expect(choice?.finish_reason).toBe('stop')
    expect(choice?.message).toMatchObject({ content: null, refusal, parsed: null })
  }
  expect(streamed).toEqual(pieces)
  expect(records.flatMap(({ losses }) => losses ?? []).filter((loss) => loss.startsWith('extra'))).toEqual([])
})

test.each(['openai-chat', 'openai-responses'] as const)('a Responses client of %s', async (wire) => {
  const format = { type: 'json_schema' as const, name: 'answer', strict: true, schema }
  const body = { model: 'any', input: said, text: { format } }
  const { responses } = openai(wire)
  const streamed: string[] = []
  const stream = responses.stream(body)
  stream.on('event', (event) => {
    if (event.type === 'response.refusal.delta') streamed.push(event.delta)
  })
  for (const response of [await responses.parse(body), await stream.finalResponse()]) {
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([{ type: 'message', content: [{ type: 'refusal', refusal }] }])
    expect(response.output_parsed).toBeNull()
  }
  expect(streamed).toEqual(pieces)
  expect(records.flatMap(({ losses }) => losses ?? []).filter((loss) => loss.startsWith('extra'))).toEqual([])
})

test('in a history it is one, too', async () => {
  const before = provider.requests.length
  const turns = [...said, { role: 'assistant' as const, content: null, refusal }, ...said]
  await openai('openai-responses').chat.completions.create({ model: 'any', messages: turns })
  expect(JSON.parse(provider.requests[before]?.raw.body ?? '').input[1]).toMatchObject({
    content: [{ type: 'refusal', refusal }],
  })
  const answer = { type: 'message' as const, id: 'msg_1', role: 'assistant' as const, status: 'completed' as const }
  const content = [{ type: 'refusal' as const, refusal }]
  await openai('openai-chat').responses.create({ model: 'any', input: [...said, { ...answer, content }, ...said] })
  expect(JSON.parse(provider.requests[before + 1]?.raw.body ?? '').messages[1]).toMatchObject({ refusal })
})

// Schemas of tools and answers on every wire: one that cannot be said does not take the others down, and what comes back is in the
// terms of the schema that was given.
import { describe, expect, test } from 'vitest'
import { fold } from '../../src/conversation/fold.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolSpec } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as const
const envOf = (codec: Codec, deltas = false): Env => ({ profile: profileOf(codec), createdSeconds: 0, deltas })

function ask(more: Partial<CompletionRequest>): CompletionRequest {
  return { model: 'm-1', maxTokens: 100, messages: [user], ...more }
}

const good: ToolSpec = { name: 'good', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }
const bad: ToolSpec = { name: 'bad', inputSchema: { type: 'string' } }

describe.each(wires)('%s', (wire) => {
  const codec = codecs[wire]

  test('a tool whose arguments could be no object is left out by name, and the others go', () => {
    const sent = codec.request.encode(
      ask({ tools: [bad, good], toolChoice: { tool: 'bad' } }),
      { stream: false },
      envOf(codec),
    )
    const isolated = sent.losses.filter((loss) => loss.code === 'tool_isolated')
    expect(isolated).toMatchObject([
      { path: '/tools/0', kind: 'repaired', message: expect.stringContaining('"bad"') as string },
    ])
    const { request } = codec.request.decode(sent.http, envOf(codec))
    expect(request.tools).toMatchObject([{ name: 'good' }])
    expect(request.toolChoice).toBeUndefined()
  })

  test('a schema that is edited after it was sent goes out as it is now', () => {
    const inputSchema: { type: string; properties: { [key: string]: JsonObject } } = {
      type: 'object',
      properties: { a: { type: 'string' } },
    }
    const request = ask({ tools: [{ name: 'f', inputSchema }] })
    const body = (): string => {
      const { body: bytes } = codec.request.encode(request, { stream: false }, envOf(codec)).http
      return bodyText(bytes)
    }
    expect(body()).not.toContain('"added"')
    inputSchema.properties.added = { type: 'number' }
    expect(body()).toContain('"added"')
  })
})

const mapped: JsonObject = {
  type: 'object',
  properties: { note: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'number' } } },
  required: ['labels'],
}
const heldWires: readonly Wire[] = ['openai-chat', 'openai-responses', 'anthropic']
const image: Readonly<Record<string, string>> = {
  'openai-chat': '{"note":null,"labels":[{"key":"a","value":1.50}]}',
  'openai-responses': '{"note":null,"labels":[{"key":"a","value":1.50}]}',
  anthropic: '{"labels":[{"key":"a","value":1.50}]}',
}
const original = '{"labels":{"a":1.50}}'

function answer(parts: CompletionResponse['message']['content']): CompletionResponse {
  const message = { role: 'assistant', content: parts } as const
  const isCall = parts.some((part) => part.type === 'tool_call')
  const whole = { id: 'r', model: 'm-1', text: '', toolCalls: [], brokenCalls: [], message, losses: [], metadata: {} }
  return fold(unfold({ ...whole, finishReason: isCall ? 'tool_calls' : 'stop', requiresToolExecution: isCall }))
}

/** What a client reads of an answer, whole and streamed. */
function read(codec: Codec, exchange: Exchange, response: CompletionResponse): readonly CompletionResponse[] {
  const env = envOf(codec)
  const server: Exchange = { wire: codec.wire, model: 'm-1', stream: true }
  const whole = fold(
    codec.response.decode(codec.response.encode(response, { ...server, stream: false }, env).http, exchange, env),
  )
  const writer = codec.stream.encode(server, env)
  const text =
    unfold(response, (piece) => piece.match(/.{1,5}/gsu) ?? [])
      .map((event) => writer.push(event))
      .join('') + writer.end()
  const machine = codec.stream.decode(exchange, env)
  const bytes = new TextEncoder().encode(text)
  return [whole, fold([...machine.push(bytes.slice(0, 40)), ...machine.push(bytes.slice(40)), ...machine.end()])]
}

describe.each(heldWires)('%s, held to a schema', (wire) => {
  const codec = codecs[wire]

  test('the arguments of a strict tool come back in the terms of its schema, digit for digit', () => {
    const request = ask({ tools: [{ name: 'f', inputSchema: mapped, strict: true }] })
    const { exchange, losses } = codec.request.encode(request, { stream: true }, envOf(codec))
    expect(losses.some((loss) => loss.code === 'schema_lowered')).toBe(true)
    const call = { type: 'tool_call', id: 'call_1', name: 'f', arguments: image[wire] ?? '' } as const
    for (const response of read(codec, exchange, answer([call])))
      expect(response.toolCalls[0]?.arguments).toBe(original)
  })

  test('fragments of such arguments are not shown', () => {
    const request = ask({ tools: [{ name: 'f', inputSchema: mapped, strict: true }] })
    const { exchange } = codec.request.encode(request, { stream: true }, envOf(codec))
    const writer = codec.stream.encode({ wire, model: 'm-1', stream: true }, envOf(codec))
    const call = { type: 'tool_call', id: 'call_1', name: 'f', arguments: image[wire] ?? '' } as const
    const text =
      unfold(answer([call]))
        .map((event) => writer.push(event))
        .join('') + writer.end()
    const machine = codec.stream.decode(exchange, envOf(codec, true))
    const events = [...machine.push(new TextEncoder().encode(text)), ...machine.end()]
    expect(events.filter((event) => event.type === 'tool_call_delta')).toEqual([])
    expect(events.some((event) => event.type === 'tool_call')).toBe(true)
  })

  test('the text of an answer comes back so too; words before a call stay words', () => {
    const { exchange } = codec.request.encode(
      ask({ output: { schema: mapped, strict: true } }),
      { stream: true },
      envOf(codec),
    )
    for (const response of read(codec, exchange, answer([{ type: 'text', text: image[wire] ?? '' }]))) {
      expect(response.text).toBe(original)
    }
    for (const response of read(codec, exchange, answer([{ type: 'text', text: 'Let me see.' }]))) {
      expect(response.text).toBe('Let me see.')
    }
  })

  test('a tool that strict mode refuses goes out without the flag', () => {
    const values = Array.from({ length: 1200 }, (_, index) => `v${index}`)
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'string' }]))
    const inputSchema: JsonObject = { type: 'object', properties: { ...many, e: { type: 'string', enum: values } } }
    const sent = codec.request.encode(
      ask({ tools: [{ name: 'f', inputSchema, strict: true }] }),
      { stream: false },
      envOf(codec),
    )
    const { request } = codec.request.decode(sent.http, envOf(codec))
    expect(request.tools).toMatchObject([{ name: 'f', inputSchema: { properties: { e: { enum: values } } } }])
    expect(request.tools?.[0]).not.toHaveProperty('strict')
    expect(sent.losses.map(({ code }) => code)).toContain('strict_dropped')
  })
})

test('gemini: a profile that reads OpenAPI gets that form, and maps as lists', () => {
  const codec = codecs.gemini
  const profile = { ...profileOf(codec), schemas: 'openapi' as const }
  const env = { ...envOf(codec), profile }
  const sent = codec.request.encode(ask({ tools: [{ name: 'f', inputSchema: mapped }] }), { stream: false }, env)
  const text = bodyText(sent.http.body)
  const body = JSON.parse(text) as { tools: [{ functionDeclarations: [JsonObject] }] }
  expect(body.tools[0].functionDeclarations[0]).toMatchObject({
    parameters: {
      type: 'OBJECT',
      properties: { note: { type: 'STRING' }, labels: { type: 'ARRAY', items: { type: 'OBJECT' } } },
    },
  })
  const answered = answer([{ type: 'tool_call', id: 'call_1', name: 'f', arguments: image.anthropic ?? '' }])
  for (const response of read(codec, sent.exchange, answered)) expect(response.toolCalls[0]?.arguments).toBe(original)
})

test('anthropic: an answer in a schema that no constraint can hold is reported as not asked for', () => {
  const codec = codecs.anthropic
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'string' }]))
  const output = { schema: { type: 'object', properties: many } }
  const { losses } = codec.request.encode(ask({ output }), { stream: false }, envOf(codec))
  expect(losses).toMatchObject([{ code: 'output_dropped', path: '/output', kind: 'dropped' }])
})

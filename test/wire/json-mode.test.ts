// An answer that is any JSON object, without a schema: what a client said is said again as it came, and nothing beside it is lost.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const env = (wire: Wire, profile?: string) => ({
  profile: profileOf(codecs[wire], profile),
  createdSeconds: 0,
  deltas: false,
})
const path = (wire: Wire): string => (wire === 'gemini' ? '/v1beta/models/m:generateContent' : '/')

function decoded(wire: Wire, body: JsonObject): CompletionRequest {
  const http = { method: 'POST', path: path(wire), headers: {}, body: JSON.stringify(body) } as const
  return codecs[wire].request.decode(http, env(wire)).request
}
function encoded(wire: Wire, request: CompletionRequest, profile?: string) {
  const { http, losses } = codecs[wire].request.encode(request, { stream: false }, env(wire, profile))
  return { body: JSON.parse(bodyText(http.body)), losses: losses.map(({ code, path: place }) => `${code} ${place}`) }
}

const user = { role: 'user', content: 'Paris, in JSON?' }
const system = { role: 'system', content: 'Answer in JSON.' }
const bare = { openai: { type: 'json_object' }, gemini: { responseMimeType: 'application/json' } }

const bodies: readonly (readonly [name: string, wire: Wire, body: JsonObject])[] = [
  ['plain', 'openai-chat', { model: 'm', response_format: bare.openai, messages: [user] }],
  [
    'with a schema of llama.cpp beside it',
    'openai-chat',
    { model: 'm', response_format: { ...bare.openai, schema: { type: 'object' } }, messages: [user] },
  ],
  ['plain', 'openai-responses', { model: 'm', text: { format: bare.openai }, input: [user] }],
  [
    'with verbosity and instructions',
    'openai-responses',
    { model: 'm', instructions: 'Be brief.', text: { verbosity: 'low', format: bare.openai }, input: [user] },
  ],
  [
    'with system text as an item',
    'openai-responses',
    { model: 'm', text: { format: bare.openai }, input: [system, user] },
  ],
  [
    'with a developer',
    'openai-responses',
    { model: 'm', text: { format: bare.openai }, input: [{ ...system, role: 'developer' }, user] },
  ],
  ['plain', 'ollama', { model: 'm', stream: false, format: 'json', messages: [user] }],
  ['plain', 'gemini', { generationConfig: bare.gemini, contents: [{ role: 'user', parts: [{ text: 'JSON?' }] }] }],
]

test.each(bodies)('%s, %s: any JSON object is read, and written as it came', (_, wire, body) => {
  const request = decoded(wire, body)
  expect(request.output).toBe('json_object')
  expect(encoded(wire, request)).toEqual({ body, losses: [] })
})

test('openai-responses: system text of another wire is an item, where the server looks for the word', () => {
  const chat = { model: 'm', messages: [system, { ...user, content: 'Paris?' }] }
  const asked = decoded('openai-chat', { ...chat, response_format: bare.openai })
  expect(encoded('openai-responses', asked)).toEqual({
    body: { model: 'm', text: { format: bare.openai }, input: chat.messages },
    losses: [],
  })
  const { body } = encoded('openai-responses', decoded('openai-chat', chat))
  expect(body).toMatchObject({ instructions: system.content, input: [{ role: 'user' }] })
})

test('openai-responses: one frozen history is written for each of the two', () => {
  const { messages } = decoded('openai-chat', {
    model: 'm',
    messages: [system, user, { role: 'assistant', content: '{}' }, user, { role: 'assistant', content: '{}' }, user],
  })
  const frozen = Object.freeze(messages.map((message) => Object.freeze(message)))
  for (let round = 0; round < 3; round += 1) {
    const asked = encoded('openai-responses', { model: 'm', messages: frozen, output: 'json_object' })
    expect(asked.body.instructions).toBeUndefined()
    expect(asked.body.input).toHaveLength(6)
    const plain = encoded('openai-responses', { model: 'm', messages: frozen })
    expect(plain.body.instructions).toBe(system.content)
    expect(plain.body.input).toHaveLength(5)
  }
})

test('openai-responses: instructions are told on other wires like any system text', () => {
  const body = { model: 'm', instructions: 'Be brief.', text: { format: bare.openai }, input: [user] }
  const { body: chat } = encoded('openai-chat', decoded('openai-responses', body))
  expect(chat).toMatchObject({
    response_format: bare.openai,
    messages: [{ role: 'system', content: 'Be brief.' }, user],
  })
})

test('gemini: a type of the answer with a schema that cannot be read is carried, not taken for any object', () => {
  const generationConfig = { ...bare.gemini, responseSchema: 'odd' }
  const body = { generationConfig, contents: [{ role: 'user', parts: [{ text: 'x' }] }] }
  const request = decoded('gemini', body)
  expect(request.output).toBeUndefined()
  expect(encoded('gemini', request).body).toEqual(body)
})

test('a server without a schema is asked for any object, one without JSON mode for the schema of one', () => {
  const request: CompletionRequest = {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  }
  const widened = encoded('openai-chat', { ...request, output: { schema: { type: 'object' } } }, 'deepseek')
  expect(widened).toMatchObject({ body: { response_format: bare.openai }, losses: ['output_widened /output'] })
  const changed = encoded('openai-chat', { ...request, output: 'json_object' }, 'lm-studio')
  const any = { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } }
  expect(changed).toMatchObject({ body: { response_format: any }, losses: ['output_changed /output'] })
})

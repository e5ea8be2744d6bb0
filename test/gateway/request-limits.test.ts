// A gateway refuses requests and answers that hold more of something than its limits allow, in the form of the client's wire.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { unfold } from '../../src/conversation/unfold.js'
import { bodyText, utf8 } from '../../src/frames/body.js'
import { createGateway, type Target } from '../../src/gateway/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { ask } from './asking.js'

const wires = Object.keys(codecs) as Wire[]
const text = { role: 'user', content: 'Hi' }
const said = { messages: [text, text, text] }
const bodies: Readonly<Record<Wire, object>> = {
  'openai-chat': said,
  'openai-responses': { input: [text, text, text] },
  anthropic: said,
  ollama: said,
  gemini: {},
}

test.each(wires.filter((wire) => wire !== 'gemini'))(
  '%s: a request over a limit is a 413 that names the option',
  async (wire) => {
    const gatewayWith = (messages: number) =>
      createGateway({ routes: [{ match: '*', targets: [scriptedModel(['Done'])] }], limits: { messages } })
    const refusal = await ask(gatewayWith(2), wire, { body: bodies[wire] })
    expect(refusal.status).toBe(413)
    expect(await refusal.text()).toContain('/messages has 3 messages, and the limit is 2; raise limits.messages')
    const answer = await ask(gatewayWith(3), wire, { body: bodies[wire] })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Done')])
  },
)

test('a limit that is not above 0 is misuse', () => {
  const routes = [{ match: '*', targets: [scriptedModel(['Done'])] }]
  expect(() => createGateway({ routes, limits: { tools: 0 } })).toThrow('limits.tools must be a number above 0')
})

/** A provider that answers with four calls. */
function fourCalls(wire: Wire): Target {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const calls = Array.from({ length: 4 }, (_, n) => ({ name: 'look', args: { n } }))
  const response = responseOf({ calls }, 0, 'm')
  const { http } = codec.response.encode(response, { wire, model: 'm', stream: false }, env)
  const encoder = codec.stream.encode({ wire, model: 'm', stream: true }, env)
  const streamed = [...unfold(response).map((event) => encoder.push(event)), encoder.end()].join('')
  return {
    wire,
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
    model: 'm',
    retries: 0,
    async transport({ url, body = '' }) {
      const isStreamed = url.includes('stream') || bodyText(body).includes('"stream":true')
      async function* pieces(): AsyncGenerator<Uint8Array> {
        yield utf8(isStreamed ? streamed : bodyText(http.body))
      }
      return { ...http, body: pieces() }
    },
  }
}

const words: Readonly<Record<Wire, object>> = {
  'openai-chat': { error: { type: 'server_error', code: 'malformed_response' } },
  'openai-responses': { error: { type: 'server_error', code: 'malformed_response' } },
  anthropic: { type: 'error', error: { type: 'api_error' } },
  ollama: { error: expect.any(String) },
  gemini: { error: { code: 502 } },
}

test.each(wires)('%s: an answer over a limit is the fault of the provider, a 502', async (wire) => {
  const other = wire === 'anthropic' ? 'ollama' : 'anthropic'
  const gatewayWith = (callsPerTurn: number) =>
    createGateway({ routes: [{ match: '*', targets: [fourCalls(other)] }], limits: { callsPerTurn } })
  const refusal = await ask(gatewayWith(3), wire)
  expect([refusal.status, await refusal.json()]).toMatchObject([502, words[wire]])
  const answer = await ask(gatewayWith(4), wire)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('look')])
})

test('a stream over a limit ends with the same error', async () => {
  const routes = [{ match: '*', targets: [fourCalls('anthropic')] }]
  const stream = await ask(createGateway({ routes, limits: { callsPerTurn: 3 } }), 'openai-chat', {
    body: { stream: true },
  })
  expect(await stream.text()).toContain('"code":"malformed_response"')
})

// A model refuses requests and answers that hold more of something than its `requestLimits` allow.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { unfold } from '../../src/conversation/unfold.js'
import { bodyText, utf8 } from '../../src/frames/body.js'
import { compatible } from '../../src/model/factories.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const wires = Object.keys(codecs) as Wire[]
const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const

function modelWith(
  wire: Wire,
  requestLimits: { readonly messages?: number; readonly callsPerTurn?: number },
  calls = 0,
) {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const turn = { text: 'Done', calls: Array.from({ length: calls }, (_, n) => ({ name: 'look', args: { n } })) }
  const response = responseOf(turn, 0, 'm')
  const { http } = codec.response.encode(response, { wire, model: 'm', stream: false }, env)
  const encoder = codec.stream.encode({ wire, model: 'm', stream: true }, env)
  const streamed = [...unfold(response).map((event) => encoder.push(event)), encoder.end()].join('')
  let sent = 0
  async function* body(text: string): AsyncGenerator<Uint8Array> {
    yield utf8(text)
  }
  const model = compatible({
    wire,
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
    model: 'm',
    requestLimits,
    capabilities: { tools: 'yes' },
    async transport({ url, body: asked = '' }) {
      sent += 1
      const isStreamed = url.includes('stream') || bodyText(asked).includes('"stream":true')
      return { ...http, body: body(isStreamed ? streamed : http.body) }
    },
  })
  return { model, sent: () => sent }
}

test.each(wires)('%s: a request with more messages than the limit fails before anything is sent', async (wire) => {
  const { model, sent } = modelWith(wire, { messages: 2 })
  await expect(model.complete({ messages: [user, user, user] })).rejects.toMatchObject({
    code: 'limit_exceeded',
    retryable: false,
    detail: { path: '/messages', count: 3, limit: 2, option: 'requestLimits.messages' },
  })
  expect(sent()).toBe(0)
  expect((await model.complete({ messages: [user, user] })).text).toBe('Done')
})

test.each(wires)('%s: an answer with more calls than the limit is an error', async (wire) => {
  const tools = [{ name: 'look' }]
  const few = modelWith(wire, { callsPerTurn: 3 }, 3)
  expect((await few.model.complete({ messages: [user], tools })).toolCalls).toHaveLength(3)
  const many = modelWith(wire, { callsPerTurn: 3 }, 4)
  await expect(many.model.complete({ messages: [user], tools })).rejects.toMatchObject({
    code: 'limit_exceeded',
    detail: { path: 'the answer', count: 4, limit: 3, option: 'requestLimits.callsPerTurn' },
  })
})

test.each(wires)('%s: a streamed answer with more calls than the limit is an error', async (wire) => {
  const tools = [{ name: 'look' }]
  const few = modelWith(wire, { callsPerTurn: 3 }, 3)
  expect((await few.model.stream({ messages: [user], tools })).toolCalls).toHaveLength(3)
  const many = modelWith(wire, { callsPerTurn: 3 }, 6)
  await expect(many.model.stream({ messages: [user], tools })).rejects.toMatchObject({ code: 'limit_exceeded' })
})

// Ollama's calls are written on one line.
const wiresWithEvents = wires.filter((wire) => wire !== 'ollama')

test.each(wiresWithEvents)('%s: a stream with more calls than the limit is not read further', async (wire) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const encoder = codec.stream.encode({ wire, model: 'm', stream: true }, env)
  const turn = { calls: Array.from({ length: 50 }, (_, n) => ({ name: 'look', args: { n } })) }
  const pieces = unfold(responseOf(turn, 0, 'm')).map((event) => utf8(encoder.push(event)))
  let read = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      read += 1
      yield piece
    }
  }
  const requestLimits = { callsPerTurn: 3 }
  const transport = async () => ({ status: 200, headers: {}, body: body() })
  const model = compatible({ wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', requestLimits, transport })
  const failed = model.stream({ messages: [user] })
  await expect(failed).rejects.toMatchObject({ code: 'limit_exceeded', detail: { count: 4 } })
  expect(read).toBeLessThan(pieces.length / 2)
})

test('a limit that is not above 0 is misuse', () => {
  expect(() => modelWith('openai-chat', { messages: 0 })).toThrow('requestLimits.messages must be a number above 0')
})

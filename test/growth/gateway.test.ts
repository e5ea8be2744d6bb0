// Twice the request costs a gateway about twice as much where it goes on as it came, whatever its members are: who sends it may be hostile.
import { expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { bodyBytes, utf8 } from '../../src/frames/body.js'
import { createGateway } from '../../src/gateway/index.js'
import type { Transport } from '../../src/transport/transport.js'
import { growthOf, linear } from './processor-time.js'

const paths = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/asked:generateContent',
}
/** What a body is made of besides its model, again and again. */
const shapes: readonly (readonly [string, string])[] = [
  ['numbers', '"a":1,'],
  ['names with escapes', '"\\u0061":1,'],
  ['models', '"model":"asked",'],
  ['texts', '"a":"b\\\\\\" c",'],
  ['lists', '"a":[{"model":[]}],'],
  ['tools', '"tools":[],'],
]

let arrived = 0
/** A provider in this process that refuses everything at once. */
const transport: Transport = ({ body = '' }) => {
  arrived = bodyBytes(body).length
  const told = (async function* () {
    yield utf8('{}')
  })()
  return Promise.resolve({ status: 400, headers: {}, body: told })
}

const cases = wires.flatMap((wire) => shapes.map(([name, member]) => ({ wire, name, member })))

test.each(cases)('$wire: sending on a request grows with its $name', async ({ wire, member }) => {
  const target = { wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', retries: 0, transport }
  const gateway = createGateway({ routes: [{ match: 'asked', targets: [target] }] })
  const growth = await growthOf(20_000, (count) => {
    const body = utf8(`{${member.repeat(count)}"model":"asked"}`)
    return async () => {
      const { status } = await gateway(new Request(`http://127.0.0.1${paths[wire]}`, { method: 'POST', body }))
      expect(status).toBe(400)
      expect(arrived).toBeGreaterThan(body.length / 2)
    }
  })
  expect(growth).toBeLessThan(linear)
})

// Twice the request or the line of an answer costs a gateway about twice as much where both go on as they came: who sends them may be
// hostile.
import { expect, test } from 'vitest'
import { bodyBytes, utf8 } from '../../src/frames/body.js'
import { createGateway } from '../../src/gateway/index.js'
import { streamWitness } from '../../src/gateway/witness.js'
import type { Transport } from '../../src/transport/transport.js'
import { codecs } from '../../src/wire/index.js'
import { growthOf, linear } from './processor-time.js'
import { envOf } from './sample-streams.js'

const paths = {
  'openai-chat': '/v1/chat/completions',
  gemini: '/v1beta/models/asked:generateContent',
}
/** What a body is made of besides its model, again and again. */
const shapes: readonly (readonly [string, string])[] = [
  ['numbers', '1,'],
  ['names with escapes', '{"\\u0061":1},'],
  ['texts', '"b\\\\\\" c",'],
  ['lists', '[{"model":[]}],'],
  ['tools', '{"tools":[]},'],
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

/** Text in which nothing is told, as an image is. */
const mebibyte = 'x'.repeat(1_048_576)

test.each(Object.values(codecs))('$wire: watching a stream grows with its longest line', async (codec) => {
  const { wire } = codec
  const growth = await growthOf(4, (mebibytes) => {
    const pieces = Array.from({ length: mebibytes * 64 }, (_, index) => utf8(mebibyte.slice(0, 16_384 - (index % 2))))
    return () => {
      const witness = streamWitness(wire, false, () =>
        codec.stream.decode({ wire, model: 'm', stream: true }, envOf(codec)),
      )
      for (const piece of pieces) witness.push(piece)
      expect(witness.end()).toBe(false)
    }
  })
  expect(growth).toBeLessThan(linear)
})

/** The name stands in the body of all but one. */
const cases = (['openai-chat', 'gemini'] as const).flatMap((wire) =>
  shapes.map(([name, member]) => ({ wire, name, member })),
)

test.each(cases)('$wire: sending on a request grows with its $name', async ({ wire, member }) => {
  const target = { wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', retries: 0, transport }
  const gateway = createGateway({ routes: [{ match: 'asked', targets: [target] }] })
  const growth = await growthOf(60_000, (count) => {
    const body = `{"all":[${member.repeat(count)}0],"model":"asked"}`
    return async () => {
      const { status } = await gateway(new Request(`http://127.0.0.1${paths[wire]}`, { method: 'POST', body }))
      expect(status).toBe(400)
      expect(arrived).toBeGreaterThan(body.length / 2)
    }
  })
  expect(growth).toBeLessThan(linear)
})

// A gateway refuses requests that hold more of something than its limits allow, in the form of the client's wire.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { createGateway } from '../../src/gateway/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { codecs } from '../../src/wire/index.js'
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

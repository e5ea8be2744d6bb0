// Many clients at once, on all wires, some leaving in the middle: everybody reads his own answer, and nothing stays open.
// `npm run gateway:load` is the same with a thousand clients and processes of their own.
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayServer, listen } from '../../src/cli/gateway-server.js'
import { textOf, type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import type { Env } from '../../src/wire/codec.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const clients = 60
const calls = 3
let provider: ProviderServer
let server: GatewayServer
const records: GatewayLogRecord[] = []

beforeAll(async () => {
  provider = await providerServer({
    script: ({ messages }) => {
      const said = messages.at(-1)
      const mark = said?.role === 'user' ? textOf(said.content) : ''
      return { text: `${mark} `.repeat(20), delayMs: Math.random() * 30 }
    },
  })
  const routes = wires.map((wire) => {
    const target = { wire, baseUrl: provider.url, apiKey: 'key', model: 'scripted', retries: 0 }
    return { match: `to-${wire}`, targets: [target] }
  })
  const gateway = createGateway({ routes, log: (record) => records.push(record) })
  server = await listen(() => gateway, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.drain(0)
  await provider.close()
})

type Ask = readonly [path: string, body: object]
const asks: Readonly<Record<Wire, (model: string, mark: string, stream: boolean) => Ask>> = {
  'openai-chat': (model, content, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content }] },
  ],
  'openai-responses': (model, input, stream) => ['/v1/responses', { model, stream, store: false, input }],
  anthropic: (model, content, stream) => [
    '/v1/messages',
    { model, stream, max_tokens: 1000, messages: [{ role: 'user', content }] },
  ],
  ollama: (model, content, stream) => ['/api/chat', { model, stream, messages: [{ role: 'user', content }] }],
  gemini: (model, text, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
}

interface Outcome {
  readonly text: string
  readonly isWhole: boolean
}

/** Reads the answer to its end, or leaves after some milliseconds. */
function ask(agent: Agent, [path, body]: Ask, leavesAfterMs: number | undefined): Promise<Outcome> {
  return new Promise((resolve) => {
    let text = ''
    let isWhole = false
    const outgoing = request(`${server.url}${path}`, { method: 'POST', agent })
    outgoing.on('error', () => {}) // it left; told by what it read
    outgoing.on('close', () => resolve({ text, isWhole }))
    outgoing.on('response', (incoming) => {
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      incoming.on('error', () => {})
      incoming.on('end', () => {
        isWhole = incoming.complete && incoming.statusCode === 200
      })
    })
    outgoing.end(JSON.stringify(body))
    if (leavesAfterMs !== undefined) setTimeout(() => outgoing.destroy(), leavesAfterMs)
  })
}

/** What an answer says, whole or cut off. */
function textIn(wire: Wire, stream: boolean, body: string): string {
  const codec = codecs[wire]
  const env: Env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const exchange = { wire, model: '', stream }
  const http = { status: 200, headers: { 'content-type': 'application/json' }, body }
  const events = stream
    ? codec.stream.decode(exchange, env).push(Buffer.from(body))
    : codec.response.decode(http, exchange, env)
  return events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
}

/** Sockets of this process, which holds the clients, the gateway and the provider. */
const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

test('everybody reads his own answer, and nothing stays open', async () => {
  const before = sockets()
  const agent = new Agent({ keepAlive: true })
  let foreign = 0
  let broken = 0
  let left = 0
  const client = async (index: number): Promise<void> => {
    for (let call = 0; call < calls; call += 1) {
      const mark = `mark-${index}-${call}-end`
      const wire = wires[(index + call) % wires.length] as Wire
      const other = wires[(index * 7 + call * 3) % wires.length] as Wire
      const leaves = (index + call) % 3 === 0
      const stream = (index + call) % 4 !== 0
      const outgoing = asks[wire](`to-${other}`, mark, stream)
      const { text, isWhole } = await ask(agent, outgoing, leaves ? Math.random() * 40 : undefined)
      const said = textIn(wire, stream, text)
      foreign += (said.match(/mark-\d+-\d+-end/g) ?? []).filter((found) => found !== mark).length
      if (leaves) left += 1
      else if (!isWhole || said !== `${mark} `.repeat(20)) broken += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  expect({ foreign, broken, left }).toEqual({ foreign: 0, broken: 0, left: 60 })
  agent.destroy()
  await expect.poll(() => records.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(clients * calls - left)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })).text()
  expect(metrics).toMatch(/^toolwire_requests_active 0$/m)
  // The provider closes connections that wait to be used again after five seconds; one with a call on it would stay.
  await expect.poll(sockets, { timeout: 12_000 }).toBeLessThanOrEqual(before)
}, 60_000)

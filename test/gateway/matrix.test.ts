// Every official SDK through the gateway onto every wire, in every scenario, streamed and not: the cell is right, and what was
// lost on the way is what the table declares.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayServer, listen } from '../../src/cli/gateway-server.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { anthropic } from '../testing/sdk/anthropic.js'
import type { Opening } from '../testing/sdk/conversation.js'
import { gemini } from '../testing/sdk/gemini.js'
import { ollama } from '../testing/sdk/ollama.js'
import { chat, responses } from '../testing/sdk/openai.js'
import declared from './declared-losses.json' with { type: 'json' }
import { scenarios, userTexts } from './scenarios.js'

const sdks: Readonly<Record<Wire, Opening>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  ollama,
  gemini,
}

let provider: ProviderServer
const gateways = new Map<Wire, GatewayServer>()
const records: GatewayLogRecord[] = []

/** The scenario is named in the question. */
function scenarioOf(texts: readonly string[]): (typeof scenarios)[string] {
  const found = scenarios[texts.at(-1)?.split(' ', 1)[0] ?? '']
  if (found === undefined) throw new Error(`no scenario: ${texts.join()}`)
  return found
}

beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: (request) =>
      scenarioOf(userTexts(request)).turn(request.messages.some((message) => message.role === 'tool')),
    misbehave: ({ request }) => scenarioOf(userTexts(request)).misbehaviour,
  })
  for (const wire of wires) {
    const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted', retries: 0 }
    const gateway = createGateway({
      routes: [{ match: '*', targets: [target] }],
      log: (record) => records.push(record),
    })
    gateways.set(wire, await listen(() => gateway, { host: '127.0.0.1', port: 0 }))
  }
})
afterAll(async () => {
  await Promise.all([...gateways.values()].map((gateway) => gateway.drain(0)))
  await provider.close()
})

type Declared = readonly string[] | { readonly whole: readonly string[]; readonly streamed: readonly string[] }

/** What the table declares for a cell; what it does not name crosses whole. */
function lossesOf(client: Wire, upstream: Wire, name: string, streamed: boolean): readonly string[] {
  const table: Readonly<Record<string, Readonly<Record<string, Declared>>>> = declared
  const losses = table[`${client} → ${upstream}`]?.[name] ?? []
  if ('whole' in losses) return streamed ? losses.streamed : losses.whole
  return losses
}

test('the table of losses names nothing that is not in the matrix', () => {
  const pairs = new Set(wires.flatMap((client) => wires.map((upstream) => `${client} → ${upstream}`)))
  expect(Object.keys(declared).filter((pair) => !pairs.has(pair))).toEqual([])
  const names = Object.values(declared).flatMap((byName) => Object.keys(byName))
  expect(names.filter((name) => scenarios[name] === undefined)).toEqual([])
})

const cells = wires.flatMap((client) =>
  wires.flatMap((upstream) => [false, true].map((streamed) => ({ client, upstream, streamed }))),
)

describe.each(cells)('$client onto $upstream, streamed $streamed', ({ client, upstream, streamed }) => {
  const names = Object.keys(scenarios).filter((name) => streamed || scenarios[name]?.streamedOnly !== true)

  test.each(names)('%s', async (name) => {
    const before = { asked: provider.requests.length, told: records.length }
    const conversation = sdks[client](gateways.get(upstream)?.url ?? '', streamed)
    const cell = { client, upstream, streamed, conversation, asked: () => provider.requests.slice(before.asked) }
    await scenarios[name]?.check(cell, `${name} please`)
    for (const { wire } of cell.asked()) expect(wire).toBe(upstream)
    await expect.poll(() => records.length - before.told).toBeGreaterThanOrEqual(cell.asked().length)
    const losses = records.slice(before.told).flatMap((record) => record.losses ?? [])
    const codes = new Set(losses.map((loss) => loss.split(' ', 1)[0]))
    if (scenarios[name]?.misbehaviour === undefined)
      expect([...codes].toSorted()).toEqual(lossesOf(client, upstream, name, streamed))
    else expect(lossesOf(client, upstream, 'text', streamed)).toEqual(expect.arrayContaining([...codes]))
  })
})

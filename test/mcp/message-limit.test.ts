// A message of a server is held in memory whole, so each transport has a limit for it, and the error says which option raises it.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ToolwireError } from '../../src/errors/error.js'
import { limitResponse } from '../../src/mcp/message-limit.js'
import type { McpServerSpec } from '../../src/mcp/server-spec.js'
import { call, connected, listed, scripted, textIn } from './peers.js'

const maxMessageBytes = 5_000
const long = 'x'.repeat(20_000)

type Write = (response: ServerResponse, message: object) => void
const asJson: Write = (response, message) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
const asEvent: Write = (response, message) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${JSON.stringify(message)}\r\n\r\n`)
}
/** One event that never ends, in lines of their own. */
const asEndless: Write = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write(`data: ${'x'.repeat(100)}\n`), 1)
  response.on('close', () => clearInterval(timer))
}

/** A server over HTTP whose tool "long" answers in the given way, and whose tool "short" does so in a few bytes. */
async function server(write: Write): Promise<McpServerSpec> {
  const http = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(text) as { id?: number; method: string; params: { name: string } }
    const result = (value: object): object => ({ jsonrpc: '2.0', id, result: value })
    const info = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' }, protocolVersion: '2025-06-18' }
    if (id === undefined) response.writeHead(202).end()
    else if (method === 'initialize') asJson(response, result(info))
    else if (method === 'tools/list') asJson(response, result({ tools: [listed('long'), listed('short')] }))
    else if (method === 'tools/call') {
      const answer = (words: string): object => result({ content: [{ type: 'text', text: words }] })
      if (params.name === 'long') write(response, answer(long))
      else asEvent(response, answer('short'))
    } else asJson(response, result({}))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, maxMessageBytes }
}

const remedy = `the MCP server "s" sent a message of more than ${maxMessageBytes} bytes; if that is right, raise maxMessageBytes in its spec`

describe.each<[string, () => Promise<McpServerSpec>]>([
  ['JSON over HTTP', () => server(asJson)],
  ['an event over HTTP', () => server(asEvent)],
  ['an event over HTTP that never ends', () => server(asEndless)],
  [
    'a line of a child',
    () => {
      const answers = { long: { result: { content: [{ type: 'text', text: long }] } } }
      return Promise.resolve({
        ...scripted({ lists: [[[listed('long'), listed('short')]]], answers }),
        maxMessageBytes,
      })
    },
  ],
])('%s that is too long', (_, open) => {
  test('fails its call with the option to raise, and the server can be used again', async () => {
    const servers = await connected({ s: await open() })
    const failed = await call(servers.registry, 'long')
    expect(failed).toMatchObject({ isError: true, error: { message: remedy } })
    expect(textIn(await call(servers.registry, 'short'))).toContain('short')
  })

  test('is read where the option allows it', async () => {
    const spec = await open()
    const servers = await connected({ s: { ...spec, maxMessageBytes: 1_000_000 } })
    const answered = await call(servers.registry, 'long', {}, { timeoutMs: 300 })
    // The endless event is still on its way then.
    expect([long, '']).toContain(answered.isError ? '' : textIn(answered))
  })
})

test('a list of tools that is too long is a problem of its server', async () => {
  const lists = [[[listed('a', { description: long })]]]
  const { problems, servers } = await connected({ s: { ...scripted({ lists }), maxMessageBytes } })
  expect(problems).toMatchObject([{ server: 's', error: { code: 'limit_exceeded' } }])
  expect(problems[0]?.error.message).toContain('maxMessageBytes')
  expect(servers.get('s')?.state).toBe('down')
})

test.each([0, -1, Number.NaN, '5'])('a limit of %s is misuse', async (wrong) => {
  const spec = { url: 'http://127.0.0.1:9', maxMessageBytes: wrong as number }
  await expect(connected({ s: spec })).rejects.toMatchObject({ code: 'misuse' })
})

test('events are counted one by one, wherever the stream is cut and however its lines end', async () => {
  const body = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom('\n', '\r\n', '\r')), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(body, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (events, cuts) => {
      const text = events.map(([size, end]) => `data:${'x'.repeat(size)}${end}${end}`).join('')
      const bytes = new TextEncoder().encode(text)
      const pieces: Uint8Array[] = []
      for (let at = 0, index = 0; at < bytes.length; index += 1) {
        const size = cuts[index % cuts.length] ?? 1
        pieces.push(bytes.slice(at, at + size))
        at += size
      }
      const longest = Math.max(...events.map(([size]) => size + 'data:'.length))
      expect(await passes(pieces, longest)).toBe(true)
      expect(await passes(pieces, longest - 1)).toBe(false)
    }),
    { numRuns: 50 },
  )
})

async function passes(pieces: readonly Uint8Array[], maxBytes: number): Promise<boolean> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const exceeded: ToolwireError[] = []
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  const limited = limitResponse(response, maxBytes, (error) => exceeded.push(error))
  const isWhole = await limited.text().then(
    () => true,
    () => false,
  )
  expect(exceeded.length).toBe(isWhole ? 0 : 1)
  return isWhole
}

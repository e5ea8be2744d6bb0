// An MCP server over HTTP whose event stream breaks: the connection pings the server, once at a time, before it gives it up.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { call, connected, listed, pause, serverOf, until } from './peers.js'

interface Request {
  readonly id?: number
  readonly method: string
}

/** Answers what every client asks at its start, keeps its event stream open, and collects pings until the test answers them. */
async function createUnreliableServer() {
  const pings: (() => void)[] = []
  let events: ServerResponse | undefined
  const answer = (response: ServerResponse, id: number | undefined, result: object): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'unreliable', version: '1' },
    },
    'tools/list': { tools: [listed('echo')] },
    'tools/call': { content: [{ type: 'text', text: 'here' }] },
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.method === 'GET') {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' })
      events.flushHeaders()
      return
    }
    const { id, method } = JSON.parse((await readText(request)) || '{"method":""}') as Request
    if (method === 'ping') pings.push(() => answer(response, id, {}))
    else if (id === undefined) response.writeHead(202).end()
    else answer(response, id, results[method] ?? {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    pings,
    isStreaming: () => events !== undefined,
    /** An event that is no message of the protocol. */
    breakStream: () => events?.write('data: {"neither":"request nor response"}\n\n'),
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}

test('broken events make one ping at a time, and a server that answers it stays connected', async () => {
  const unreliable = await createUnreliableServer()
  const servers = await connected({ unreliable: { url: unreliable.url } })
  const server = serverOf(servers, 'unreliable')
  await until(unreliable.isStreaming)
  for (let count = 0; count < 5; count += 1) {
    unreliable.breakStream()
    await pause(10)
  }
  await until(() => unreliable.pings.length > 0)
  await pause(50)
  expect(unreliable.pings).toHaveLength(1)

  unreliable.pings[0]?.()
  await pause(50)
  expect(server.state).toBe('ready')
  unreliable.breakStream()
  await until(() => unreliable.pings.length > 1)
  expect(unreliable.pings).toHaveLength(2)
  expect((await call(servers.registry, 'echo')).isError).not.toBe(true)
})

test('a server that does not answer the ping is down, and the next call opens a new connection', async () => {
  const unreliable = await createUnreliableServer()
  const servers = await connected({ unreliable: { url: unreliable.url } })
  const server = serverOf(servers, 'unreliable')
  await until(unreliable.isStreaming)
  unreliable.breakStream()
  await until(() => unreliable.pings.length === 1)
  expect(server.state).toBe('ready')
  await until(() => server.state === 'down')
  expect((await call(servers.registry, 'echo')).isError).not.toBe(true)
  expect(server.state).toBe('ready')
})

// Tools as an MCP server, judged by the official client: lists, calls, errors, progress, cancellation, structured content.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import type { identity } from '../../src/mcp/identity.js'
import { LineTransport } from '../../src/mcp/line-transport.js'
import { type McpService, type ServeOptions, serveMcp } from '../../src/mcp/serve.js'
import { tool } from '../../src/tools/define.js'
import { importTool } from '../../src/tools/import-tool.js'
import { params } from '../../src/tools/params.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { root } from '../layers/source.js'
import { call, connected, textIn, until } from './peers.js'

const started: string[] = []
const aborted: string[] = []

const registry = (): ToolRegistry =>
  new ToolRegistry([
    tool({
      name: 'add',
      description: 'Adds two whole numbers',
      input: params.object({ a: params.integer(), b: params.integer() }),
      outputSchema: {
        type: 'object',
        properties: { sum: { type: 'integer' }, note: { type: 'string', default: 'none' } },
        required: ['sum'],
      },
      execute: ({ a, b }) => ({ sum: (BigInt(a) + BigInt(b)) as unknown as number }),
    }),
    tool({
      name: 'fail_always',
      description: 'Fails in words of its own',
      input: params.object({}),
      execute: () => {
        throw new ToolExecutionError('rate_limited', 'come back later', { details: { seconds: '3' } })
      },
    }),
    tool({
      name: 'count_up',
      description: 'Counts and tells how far it is',
      input: params.object({ to: params.integer() }),
      execute: async ({ to }, { progress }) => {
        for (let count = 1; count <= to; count += 1)
          progress?.({ progress: count, total: Number(to), message: `at ${count}` })
        return 'counted'
      },
    }),
    tool({
      name: 'wait_forever',
      description: 'Waits until it is cancelled',
      input: params.object({ label: params.string() }),
      execute: ({ label }, { signal }) =>
        new Promise((_resolve, reject) => {
          started.push(label)
          signal.addEventListener('abort', () => {
            aborted.push(label)
            reject(signal.reason)
          })
        }),
    }),
    tool({
      name: 'picture',
      description: 'Shows a picture',
      input: params.object({}),
      execute: () => ({
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', data: 'QUJD', mimeType: 'image/png' },
        ],
      }),
    }),
    tool({
      name: 'list_words',
      description: 'Returns a list, which MCP has no structured form for',
      input: params.object({}),
      outputSchema: z.array(z.string()),
      execute: () => ['a', 'b'],
    }),
  ])

const audience = { annotations: { audience: ['user'], priority: 0.5 } }
const mixed = [
  { type: 'audio', data: 'UklG', mimeType: 'audio/wav', ...audience },
  { type: 'text', text: 'look', ...audience },
  { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside', mimeType: 'text/plain' } },
  { type: 'image', data: 'QUJD', mimeType: 'image/png', ...audience },
  { type: 'resource', resource: { uri: 'file:///b.bin', blob: 'QUJD' } },
  { type: 'resource_link', uri: 'file:///c.txt', name: 'c', ...audience },
]
const given = (name: string, value: unknown) =>
  tool({ name, description: 'Gives what it was given', input: params.object({}), execute: () => value })

interface Pair {
  readonly client: Client
  readonly service: McpService
}

async function overStreams(tools = registry(), options: ServeOptions = {}): Promise<Pair> {
  const [up, down] = [new PassThrough(), new PassThrough()]
  const service = await serveMcp(tools, { ...options, streams: { input: up, output: down } })
  const client = new Client({ name: 'judge', version: '1' })
  await client.connect(new LineTransport(down, up) as Transport)
  onTestFinished(() => service.close())
  return { client, service }
}

async function overHttp(tools = registry(), options: ServeOptions = {}): Promise<Pair> {
  const service = await serveMcp(tools, { ...options, transport: 'http' })
  const client = new Client({ name: 'judge', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url ?? '')) as Transport)
  onTestFinished(async () => {
    await client.close()
    await service.close()
  })
  return { client, service }
}

describe.each([
  ['streams', overStreams],
  ['HTTP', overHttp],
])('over %s', (label, open) => {
  test('tools are listed with their schemas, those of objects only for outputs', async () => {
    const { client } = await open()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'add',
      'fail_always',
      'count_up',
      'wait_forever',
      'picture',
      'list_words',
    ])
    expect(tools[0]).toMatchObject({
      inputSchema: { type: 'object', required: ['a', 'b'] },
      outputSchema: { type: 'object' },
    })
    expect(tools[5]?.outputSchema).toBeUndefined()
  })

  test('a call gives text and the checked output as structured content', async () => {
    const { client } = await open()
    await client.listTools()
    const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"sum":5,"note":"none"}' }],
      structuredContent: { sum: 5, note: 'none' },
    })
    expect(await client.callTool({ name: 'list_words' })).toEqual({ content: [{ type: 'text', text: '["a","b"]' }] })
    const picture = await client.callTool({ name: 'picture' })
    expect(picture.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', data: 'QUJD', mimeType: 'image/png' },
    ])
  })

  test('every block of an MCP result reaches the client as it is, with its annotations and its order', async () => {
    const { client } = await open(new ToolRegistry([given('mixed', { content: mixed, _meta: { page: 2 } })]))
    expect(await client.callTool({ name: 'mixed' })).toEqual({ content: mixed, _meta: { page: 2 } })
  })

  test('where the text of an MCP result is cut, the other blocks reach the client nevertheless', async () => {
    const long = { type: 'text', text: 'x'.repeat(5_000) }
    const { client } = await open(new ToolRegistry([given('long', { content: [...mixed, long] })]), {
      maxResultBytes: 1_000,
    })
    const { content } = (await client.callTool({ name: 'long' })) as { content: { type: string; text?: string }[] }
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource', 'resource', 'resource_link'])
    expect(content[0]?.text).toContain('bytes left out')
  })

  test('hints about a tool are listed', async () => {
    const hints = { title: 'Looks', readOnlyHint: true }
    const own = tool({
      name: 'own',
      description: 'Looks at something',
      input: params.object({}),
      annotations: hints,
      execute: () => 'a',
    })
    const foreign = importTool({
      name: 'foreign',
      inputSchema: { type: 'object' },
      annotations: { destructiveHint: true },
    })
    const { client } = await open(new ToolRegistry([own, foreign.tool]))
    const { tools } = await client.listTools()
    expect(tools.map(({ annotations }) => annotations)).toEqual([hints, { destructiveHint: true }])
  })

  test('failures, bad arguments and unknown tools are results that say so', async () => {
    const { client } = await open()
    const text = async (name: string, args = {}): Promise<unknown> => {
      const { isError, content } = await client.callTool({ name, arguments: args })
      expect(isError).toBe(true)
      return (content as readonly { readonly text: string }[])[0]?.text
    }
    expect(await text('fail_always')).toBe('Tool execution failed (rate_limited): come back later\nDetails: seconds: 3')
    expect(await text('add', { a: 'x' })).toContain('invalid_arguments')
    expect(await text('nobody')).toContain('Unknown tool "nobody"')
  })

  test('progress comes while the tool works', async () => {
    const { client } = await open()
    const told: unknown[] = []
    await client.callTool({ name: 'count_up', arguments: { to: 2 } }, undefined, {
      onprogress: (update) => told.push(update),
    })
    expect(told).toEqual([
      { progress: 1, total: 2, message: 'at 1' },
      { progress: 2, total: 2, message: 'at 2' },
    ])
  })

  test('a cancelled call aborts the tool', async () => {
    const { client } = await open()
    const controller = new AbortController()
    const running = client.callTool({ name: 'wait_forever', arguments: { label } }, undefined, {
      signal: controller.signal,
    })
    const refused = expect(running).rejects.toThrow('enough')
    await until(() => started.includes(label))
    controller.abort('enough')
    await refused
    await until(() => aborted.includes(label))
  })

  test('clients hear that the tools changed, and see the new list', async () => {
    const tools = registry()
    const { client, service } = await open(tools)
    let changes = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1
    })
    tools.remove('add')
    await until(() => {
      service.toolsChanged()
      return changes > 0
    })
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('add')
  })

  test('a policy is kept', async () => {
    const asking = tool({
      name: 'reach_out',
      description: 'Uses the network',
      input: params.object({}),
      capabilities: ['network'],
      execute: () => 'reached',
    })
    const { client } = await open(new ToolRegistry([asking]), { policy: { network: 'deny' } })
    expect(await client.callTool({ name: 'reach_out' })).toMatchObject({ isError: true })
  })
})

test('integers beyond 2^53 come in and go out digit for digit, also over HTTP', async () => {
  const service = await serveMcp(registry(), { transport: 'http' })
  onTestFinished(() => service.close())
  const { registry: remote } = await connected({ self: { url: service.url ?? '' } })
  const result = await call(remote, 'add', { a: 12345678901234567890n, b: 0 })
  expect(textIn(result)).toBe('{"sum":12345678901234567890,"note":"none"}')
  expect(result.isError).toBe(false)
})

test('tools of a server can be served on, with their structured content', async () => {
  const first = await serveMcp(registry(), { transport: 'http' })
  onTestFinished(() => first.close())
  const { registry: remote } = await connected({ inner: { url: first.url ?? '' } })
  const { client } = await overStreams(remote, { policy: { network: 'allow' } })
  await client.listTools()
  const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })
  expect(result.structuredContent).toEqual({ sum: 2, note: 'none' })
})

test('blocks of a tool of another server are served on', async () => {
  const first = await serveMcp([given('mixed', { content: mixed })], { transport: 'http' })
  onTestFinished(() => first.close())
  const { registry: remote } = await connected({ inner: { url: first.url ?? '' } })
  const { client } = await overStreams(remote, { policy: { network: 'allow' } })
  expect((await client.callTool({ name: 'mixed' })).content).toEqual(mixed)
})

test('the service on streams is over when its input ends, and what runs is aborted', async () => {
  const input = new PassThrough()
  const service = await serveMcp(registry(), { streams: { input, output: new PassThrough() } })
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'wait_forever', arguments: { label: 'end' } },
  }
  input.write(`${JSON.stringify(message)}\n`)
  await until(() => started.includes('end'))
  input.end()
  await service.closed
  await until(() => aborted.includes('end'))
})

test('the service says who it is', async () => {
  const { client } = await overStreams(registry(), { instructions: 'Add first.' })
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof identity
  expect(client.getServerVersion()).toEqual({ name, version })
  expect(client.getInstructions()).toBe('Add first.')
})

test('a transport that is not known is misuse', async () => {
  await expect(serveMcp([], { transport: 'smoke' as never })).rejects.toMatchObject({ code: 'misuse' })
})

/** A raw request, with headers that fetch would not let through. */
function raw(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(body)
  })
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

describe('the HTTP service', () => {
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  test('listens on the loopback and answers names and origins of its own only', async () => {
    const service = await serveMcp(registry(), {
      transport: 'http',
      http: { allowedHosts: ['tools.test:80'], allowedOrigins: ['http://localhost:3000'] },
    })
    onTestFinished(() => service.close())
    const url = service.url ?? ''
    const { port, hostname } = new URL(url)
    expect(hostname).toBe('127.0.0.1')
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await raw(url, { ...json, ...headers }, initialize)).status
    expect(await status({})).toBe(200)
    expect(await status({ host: `localhost:${port}` })).toBe(200)
    expect(await status({ host: 'tools.test:80' })).toBe(200)
    expect(await status({ host: `evil.test:${port}` })).toBe(403)
    expect(await status({ host: 'localhost' })).toBe(403)
    expect(await status({ origin: `http://localhost:${port}` })).toBe(200)
    expect(await status({ origin: 'http://localhost:3000' })).toBe(200)
    expect(await status({ origin: 'http://evil.test' })).toBe(403)
    expect(await status({ origin: 'null' })).toBe(403)
  })

  test('refuses what is no message, no session or too long with a reason, and goes on', async () => {
    const { service, client } = await overHttp()
    const url = service.url ?? ''
    const status = async (body: string, headers = {}, method = 'POST'): Promise<number> =>
      (await raw(url, { ...json, ...headers }, body, method)).status
    expect(await status('{')).toBe(400)
    expect(await status('[]')).toBe(400)
    expect(await status('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).toBe(400)
    expect(await status(initialize, { 'mcp-session-id': 'nobody' })).toBe(404)
    expect(await status('', { 'mcp-session-id': 'nobody' }, 'GET')).toBe(404)
    expect(await status(JSON.stringify('x'.repeat(5_000_000)))).toBe(413)
    expect(await status('', {}, 'PUT')).toBe(405)
    expect(await status('', {}, 'TRACE')).toBe(405)
    expect((await raw(`${url}/elsewhere`, json, initialize)).status).toBe(404)
    expect((await client.listTools()).tools).toHaveLength(6)
  })

  test('a port that is taken is a coded error', async () => {
    const { service } = await overHttp()
    const port = Number(new URL(service.url ?? '').port)
    await expect(serveMcp([], { transport: 'http', http: { port } })).rejects.toMatchObject({ code: 'network' })
  })

  test('foreign sessions do not end one that is in use; beyond the limit a new one is refused', async () => {
    const { service, client } = await overHttp()
    const statuses: number[] = []
    for (let count = 0; count < 120; count += 1) statuses.push((await raw(service.url ?? '', json, initialize)).status)
    expect(statuses.slice(0, 99).every((status) => status === 200)).toBe(true)
    expect(new Set(statuses.slice(99))).toEqual(new Set([503]))
    expect((await client.listTools()).tools).toHaveLength(6)
  })

  test('a session without an open stream is kept while it is used, and makes room once it is idle', async () => {
    const service = await serveMcp(registry(), { transport: 'http', http: { maxSessions: 1, idleSessionMs: 2_500 } })
    onTestFinished(() => service.close())
    const url = service.url ?? ''
    const begun = await fetch(url, { method: 'POST', headers: json, body: initialize })
    const headers = { ...json, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
    await begun.text()
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const asked = async (): Promise<number> => (await raw(url, headers, list)).status
    for (let count = 0; count < 3; count += 1) {
      expect(await asked()).toBe(200)
      expect((await raw(url, json, initialize)).status).toBe(503)
    }
    await until(async () => (await raw(url, json, initialize)).status === 200)
    expect(await asked()).toBe(404)
  })

  test('a request that does not arrive in time is closed', async () => {
    const { service, client } = await overHttp(registry(), { http: { bodyTimeoutMs: 300 } })
    const { port } = new URL(service.url ?? '')
    const closed = new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      socket.on('close', () => resolve(text))
      socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 1000\r\n\r\n{"jsonrpc":`)
    })
    expect(await closed).toMatch(/^(?:HTTP\/1\.1 408|$)/)
    expect((await client.listTools()).tools).toHaveLength(6)
  })

  test.each(['maxSessions', 'idleSessionMs', 'bodyTimeoutMs'])('a limit %s of 0 is misuse', async (name) => {
    const service = serveMcp([], { transport: 'http', http: { [name]: 0 } })
    await expect(service).rejects.toMatchObject({ code: 'misuse', message: expect.stringContaining(name) as string })
  })
})

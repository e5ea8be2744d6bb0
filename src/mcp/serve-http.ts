// The service over streamable HTTP, on this machine only. Trap: any web page can reach a loopback port by a name that resolves
// to it, so a request must name a host that is ours, and one from a web page an origin that is allowed.
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { ToolwireError } from '../errors/error.js'
import { parseJson } from '../json/parse.js'
import type { ExactIntegers } from './exact-integers.js'
import { type HttpSession, HttpSessions } from './http-sessions.js'

export interface HttpOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined
  /** `/mcp` unless given. */
  readonly path?: string | undefined
  /** Names, with their ports, that clients may call this machine by besides the loopback's own. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins of web pages that may speak to it, such as `http://localhost:3000`; none but its own unless given. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** How many clients may have a session at once; 100. Beyond that a new one gets 503 unless a session is idle. */
  readonly maxSessions?: number | undefined
  /** How long a session without an open request is safe from being ended for a new client; 300,000. */
  readonly idleSessionMs?: number | undefined
  /** How long a client may take to send a request; 15,000. Its connection is then closed. */
  readonly bodyTimeoutMs?: number | undefined
}

export interface Listening {
  readonly url: string
  readonly servers: () => readonly Server[]
  close(): Promise<void>
}

const methods: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE'])
const maxBodyBytes = 4_194_304
/** How often Node looks for requests that take too long. */
const checkIntervalMs = 1_000

export async function listenHttp(options: HttpOptions, newServer: () => Server): Promise<Listening> {
  const { port = 0, path = '/mcp' } = options
  const bodyTimeoutMs = limitOf('bodyTimeoutMs', options.bodyTimeoutMs, 15_000)
  const maxSessions = limitOf('maxSessions', options.maxSessions, 100)
  const idleSessionMs = limitOf('idleSessionMs', options.idleSessionMs, 300_000)
  const sessions = new HttpSessions({ maxSessions, idleSessionMs }, newServer)
  const times = {
    requestTimeout: bodyTimeoutMs,
    headersTimeout: bodyTimeoutMs,
    connectionsCheckingInterval: Math.min(checkIntervalMs, bodyTimeoutMs),
  }
  const http = createServer(times, (request, response) => {
    answer(request, response, { sessions, path, ...guardsOf(http, options) }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause) => {
      const message = `cannot listen on port ${port}: ${cause.message}; name another one, or 0 for any`
      reject(new ToolwireError('network', message, { cause }))
    })
    http.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(http)}${path}`,
    servers: () => sessions.servers,
    async close() {
      await sessions.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function limitOf(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value > 0) return value
  throw new ToolwireError('misuse', `http.${name} is ${String(value)}; give a number above 0, or leave it out`)
}

interface Desk extends Guards {
  readonly sessions: HttpSessions
  readonly path: string
}
interface Guards {
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

function guardsOf(http: HttpServer, { allowedHosts = [], allowedOrigins = [] }: HttpOptions): Guards {
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${portOf(http)}`)
  const hosts = [...own, ...allowedHosts]
  return { hosts: new Set(hosts), origins: new Set([...hosts.map((host) => `http://${host}`), ...allowedOrigins]) }
}

function portOf(http: HttpServer): number {
  return (http.address() as AddressInfo).port
}

async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const { host = '', origin } = request.headers
  if (!desk.hosts.has(host)) return refuse(response, 403, 'this host name is not served here')
  if (origin !== undefined && !desk.origins.has(origin)) return refuse(response, 403, 'this origin is not allowed')
  const url = new URL(request.url ?? '/', `http://${host}`)
  if (url.pathname !== desk.path) return refuse(response, 404, `there is nothing here; MCP is at ${desk.path}`)
  const { method = '' } = request
  if (!methods.has(method)) return refuse(response, 405, 'MCP is spoken with POST, GET and DELETE')
  const body = method === 'POST' ? await readBody(request) : undefined
  if (body === 'too long') return refuse(response, 413, `the message is longer than ${maxBodyBytes} bytes`)
  if (body === 'no JSON') return refuse(response, 400, 'the body is not JSON', -32700)
  const message = body?.message
  const passOn = (session: HttpSession): Promise<true> =>
    exchange(session, new Request(url, { method, headers: headersOf(request) }), body, response)
  const id = request.headers['mcp-session-id']
  if (typeof id === 'string') {
    const session = desk.sessions.get(id)
    if (session === undefined) return refuse(response, 404, 'there is no such session; begin a new one', -32001)
    await passOn(session)
    return
  }
  if (!isInitializeRequest(message)) return refuse(response, 400, 'there is no session; begin with initialize')
  if (await desk.sessions.begin(passOn)) return
  response.setHeader('retry-after', '10')
  refuse(response, 503, 'all sessions are in use; end one, or try again later')
}

/** One request within a session; a client that only listens keeps the session in use as long as it does. */
async function exchange(
  session: HttpSession,
  asked: Request,
  body: { readonly message: unknown } | undefined,
  response: ServerResponse,
): Promise<true> {
  const leave = session.enter()
  response.once('close', leave)
  const answered = await session.transport.handleRequest(asked, body && { parsedBody: body.message })
  await write(answered, response, session.integers)
  return true
}

async function readBody(request: IncomingMessage): Promise<{ readonly message: unknown } | 'too long' | 'no JSON'> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= maxBodyBytes) chunks.push(chunk)
    // What follows is read and thrown away: the client can then read why.
    else if (length > 4 * maxBodyBytes) return 'too long'
  }
  if (length > maxBodyBytes) return 'too long'
  try {
    return { message: parseJson(Buffer.concat(chunks).toString('utf8')) }
  } catch {
    return 'no JSON'
  }
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}

/** Sends the answer at the client's pace; a client that leaves ends the stream. */
async function write(from: Response, to: ServerResponse, integers: ExactIntegers): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers))
  to.flushHeaders()
  const reader = from.body?.getReader()
  if (reader === undefined) {
    to.end()
    return
  }
  to.once('close', () => reader.cancel().catch(() => {}))
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    // Each piece is a whole event, so no marked integer is cut.
    if (!to.write(integers.unmark(decoder.decode(value))) && !to.destroyed) await drained(to)
  }
  to.end()
}

function drained(to: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    to.once('drain', resolve).once('close', resolve)
  })
}

function refuse(response: ServerResponse, status: number, message: string, code = -32000): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}

// A provider on the loopback that speaks all five wires through the server halves of the codecs: for tests of any client.
// It says what a script says, checks what it is sent when it is strict, and misbehaves when told to.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolwireError } from '../errors/error.js'
import { codecs } from '../wire/index.js'
import { listing, tokensOf } from '../wire/listings.js'
import { type Route, routeOf } from '../wire/routes.js'
import { completionReply } from './provider-completion.js'
import { type Reply, send } from './provider-reply.js'
import { createSigner } from './provider-signatures.js'
import type { ProviderRequest, ProviderServerOptions, ServerState } from './provider-state.js'
import { createThreads } from './provider-threads.js'
import { createStoredResponses } from './stored-responses.js'

/** A server that was started. */
export interface ProviderServer extends AsyncDisposable {
  /** `http://127.0.0.1:…`, without a path: the base address of every wire. */
  readonly url: string
  /** The model calls so far, in the order they came. */
  readonly requests: readonly ProviderRequest[]
  /** Stops at once; answers on their way are cut. */
  close(): Promise<void>
}

/** Starts a server; it listens when the promise is fulfilled. */
export async function providerServer(options: ProviderServerOptions = {}): Promise<ProviderServer> {
  const { host = '127.0.0.1', port = 0 } = options
  const state: ServerState = {
    options,
    requests: [],
    signer: createSigner(),
    threads: createThreads(),
    stored: createStoredResponses(),
    turns: 0,
  }
  const server = createServer((incoming, outgoing) => {
    serve(state, incoming, outgoing).catch(() => outgoing.destroy()) // the client left, or broke off its request
  })
  await listening(server, host, port)
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const { port: bound, family } = server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${host}]` : host
  return { url: `http://${name}:${bound}`, requests: state.requests, close, [Symbol.asyncDispose]: close }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new ToolwireError('misuse', `cannot listen on ${host}:${port}; choose another port`, { cause }))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

async function serve(state: ServerState, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const leaving = new AbortController()
  outgoing.on('close', () => leaving.abort())
  const raw = await receive(incoming)
  if (state.options.cors === true && allowOrigin(raw, outgoing)) return
  const route = routeOf(raw.method, raw.path)
  const reply =
    route.kind === 'completion' ? await completionReply(state, route.wire, raw) : plainReply(state, route, raw)
  await send(outgoing, reply, leaving.signal)
}

/** Lets any page read the answer; true when that was all the browser asked. */
function allowOrigin({ method, headers }: ProviderRequest['raw'], outgoing: ServerResponse): boolean {
  outgoing.setHeader('access-control-allow-origin', '*')
  if (method !== 'OPTIONS') return false
  outgoing.setHeader('access-control-allow-methods', 'GET, POST')
  outgoing.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '')
  outgoing.writeHead(204).end()
  return true
}

async function receive(incoming: IncomingMessage): Promise<ProviderRequest['raw']> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array)
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  const body = Buffer.concat(chunks).toString('utf8')
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers: Object.fromEntries(headers), body }
}

/** An answer that no model makes. */
function plainReply(
  { options: { models = ['scripted'], shows } }: ServerState,
  route: Exclude<Route, { kind: 'completion' }>,
  raw: ProviderRequest['raw'],
): Reply {
  if (route.kind === 'unknown' || (route.kind === 'model' && shows === false)) {
    const { error } = codecs[route.wire]
    const message = `there is no route ${raw.method} ${raw.path.split('?', 1)[0]} on this server`
    const { status, headers, body } = error.encode(new ToolwireError('not_found', message), {
      wire: route.wire,
      model: '',
      stream: false,
    })
    return {
      status: route.kind === 'unknown' && route.wrongMethod ? 405 : status,
      headers,
      frames: [body],
      misbehaviour: {},
    }
  }
  const capabilities = shows === false ? undefined : shows
  const body = listing(route, { models, capabilities, inputTokens: tokensOf(raw.body) })
  const isText = typeof body === 'string'
  const headers = { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' }
  return { status: 200, headers, frames: [isText ? body : JSON.stringify(body)], misbehaviour: {} }
}

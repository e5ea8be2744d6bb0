// A gateway on a socket: hostile clients are cut off, those in the middle of an answer are waited for when it ends.
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ToolwireError } from '../errors/error.js'
import type { CreatedGateway } from '../gateway/gateway.js'
import { type Connection, connectionOf } from './gateway-connection.js'
import { serveExchange } from './gateway-exchange.js'

export interface GatewayServer {
  readonly url: string
  /** Takes no new calls, waits for those on their way up to the time given, then cuts them. */
  drain(timeoutMs: number): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** How long the head of a request may take; 15 s. */
  readonly headersTimeoutMs?: number | undefined
}

const maxHeaderBytes = 32 * 1024
/** Clients that come all at once wait to be let in; those that find the row full try again only after a second, then three. */
const backlog = 4_096

/** `gateway` is asked for at every request, so that it can be replaced. */
export async function listen(gateway: () => CreatedGateway, options: ListenOptions): Promise<GatewayServer> {
  const { host, port, headersTimeoutMs = 15_000 } = options
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: 0, // the gateway has a time for bodies
      connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs),
      maxHeaderSize: maxHeaderBytes,
    },
    (incoming, outgoing) => {
      if (!server.listening) outgoing.shouldKeepAlive = false
      serveExchange(gateway().handle, incoming, outgoing).catch(() => outgoing.destroy()) // the client left, or the answer broke off
    },
  )
  server.maxHeadersCount = 0 // Node would drop the lines beyond a limit without a word; the exchange rejects them
  server.on('clientError', refuse)
  const open = new Set<Connection>()
  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket)
    open.add(connection)
    socket.once('close', () => open.delete(connection))
  })
  await bound(server, host, port)
  const { port: taken, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${taken}`,
    drain: (timeoutMs) => drained(server, open, timeoutMs),
  }
}

/** Answers what is no HTTP, too long a head or too slow, and closes. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = unreadable(error.code)
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error' } })
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function unreadable(code: string | undefined): readonly [status: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['431 Request Header Fields Too Large', 'the headers are too long']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'the request did not arrive in time']
  return ['400 Bad Request', 'the request is no HTTP that could be read']
}

function bound(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new ToolwireError('misuse', `cannot listen on ${host}:${port}; choose another with --port`, { cause }))
    server.once('error', fail)
    server.listen({ port, host, backlog }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

const sweepMs = 50
/** What bodies on their way get when the gateway is told to stop. */
const lastBodiesMs = 1_000

function drained(server: Server, open: ReadonlySet<Connection>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const bodiesUntil = performance.now() + lastBodiesMs
    const sweep = (): void => {
      const isLate = performance.now() >= bodiesUntil
      for (const connection of open) {
        if (isLate) connection.refuseBody()
        connection.closeIdle()
      }
    }
    const cutting = setTimeout(() => {
      for (const connection of open) connection.cut()
    }, timeoutMs)
    const sweeping = setInterval(sweep, sweepMs)
    server.close(() => {
      clearTimeout(cutting)
      clearInterval(sweeping)
      resolve()
    })
    sweep()
  })
}

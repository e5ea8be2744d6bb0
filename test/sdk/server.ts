// A loopback HTTP server for the official SDKs: keeps what it was sent, and answers with given bytes in small pieces.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpRequest } from '../../src/wire/codec.js'
import { pieces } from '../matrix/column.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}
export type Answering = (request: HttpRequest) => Answer

export interface Loopback {
  readonly url: string
  /** Runs `use` while the server answers so, and gives what the server was sent meanwhile. */
  exchange<T>(answering: Answering, use: () => Promise<T>): Promise<{ readonly value: T; readonly sent: HttpRequest }>
  close(): Promise<void>
}

/** Odd, so that pieces end inside of UTF-8 sequences and JSON tokens. */
const pieceLength = 37

export async function startServer(): Promise<Loopback> {
  let answering: Answering = () => ({ status: 500, headers: {}, body: 'nothing was asked' })
  let sent: HttpRequest | undefined
  const server = createServer((request, response) => {
    void receive(request).then((received) => {
      sent = received
      write(response, answering(received))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async exchange(next, use) {
      answering = next
      sent = undefined
      const value = await use()
      if (sent === undefined) throw new Error('the SDK sent nothing')
      return { value, sent }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function receive(request: IncomingMessage): Promise<HttpRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  const body = new Uint8Array(Buffer.concat(chunks))
  return { method: request.method ?? '', path: request.url ?? '', headers: Object.fromEntries(headers), body }
}

function write(response: ServerResponse, answer: Answer): void {
  const body = typeof answer.body === 'string' ? new TextEncoder().encode(answer.body) : answer.body
  response.writeHead(answer.status, answer.headers)
  for (const piece of pieces(body, pieceLength)) response.write(piece)
  response.end()
}

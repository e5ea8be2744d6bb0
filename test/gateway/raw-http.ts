// Requests as bytes on a socket, as no client library would send them.
import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Writes the pieces and reads until the server closes the connection. Pieces are apart in time where a number says how long. */
export function sendRaw(url: string, pieces: readonly (string | Uint8Array | number)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const received: Uint8Array[] = []
  socket.on('data', (chunk: Uint8Array) => received.push(chunk))
  socket.on('error', () => {}) // told by what was received
  const write = async (): Promise<void> => {
    for (const piece of pieces) {
      if (typeof piece === 'number') {
        await new Promise((resolve) => {
          setTimeout(resolve, piece)
        })
      } else if (socket.writable) socket.write(piece)
    }
  }
  return new Promise((resolve) => {
    socket.on('close', () => resolve(answerOf(Buffer.concat(received).toString('utf8'))))
    void write()
  })
}

function answerOf(text: string): RawAnswer {
  const split = text.indexOf('\r\n\r\n')
  const head = split === -1 ? text : text.slice(0, split)
  const rest = split === -1 ? '' : text.slice(split + 4)
  const body = /transfer-encoding: chunked/i.test(head) ? rest.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, '').trim() : rest
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body }
}

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A request that is well formed as far as the parts given are. */
export function rawRequest({
  method = 'POST',
  path = '/v1/chat/completions',
  headers = {},
  body = '',
}: RawRequest): Uint8Array {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const all = {
    host: '127.0.0.1',
    authorization: 'Bearer client-key-1',
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

// The gateway's own HTTP client against servers on raw sockets: every way to end a body, whatever the cuts, and what is refused.

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { bodyReader, readHead } from '../../src/cli/gateway-http1.js'
import { upstreamTransport } from '../../src/cli/gateway-upstream.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Transport, TransportResponse } from '../../src/transport/transport.js'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that says `answer` to every request that it has read to its end; tells how many connections there were. */
async function rawServer(
  answer: (socket: Socket, count: number) => void,
): Promise<{ url: string; connections(): number }> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections += 1
    let asked = 0
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      asked += 1
      answer(socket, asked)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, connections: () => connections }
}

const ask = (transport: Transport, url: string): Promise<TransportResponse> =>
  transport({ method: 'POST', url, headers: {}, body: '{}', signal: new AbortController().signal })

async function textOf(answer: TransportResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const told = (transport: Transport, url: string): Promise<string> => ask(transport, url).then(textOf)

function chunked(pieces: readonly Uint8Array[], extension = ''): Buffer {
  const chunks = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}${extension}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from('0\r\nx-trailer: 1\r\n\r\n')])
}

test('a body in chunks is the same however its bytes are cut', () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 })
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.nat(400), { maxLength: 6 }),
      fc.constantFrom('', ';a=b', ' '),
      (given, cuts, extension) => {
        const bytes = chunked(given, extension)
        const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort(
          (a, b) => a - b,
        )
        const reader = bodyReader({ type: 'chunked' })
        const read: Buffer[] = []
        for (const [index, from] of places.entries()) {
          const part = Buffer.from(bytes.subarray(from, places[index + 1] ?? bytes.length))
          for (let at = 0; at < part.length && !reader.isDone; ) {
            const { piece, next } = reader.read(part, at)
            read.push(Buffer.from(piece))
            at = next
          }
        }
        expect(reader.isDone).toBe(true)
        expect(Buffer.concat(read)).toEqual(Buffer.concat(given))
      },
    ),
  )
})

test('the first chunk comes alone, the rest together', () => {
  const bytes = chunked(['one', 'two', 'three'].map((text) => Buffer.from(text)))
  const reader = bodyReader({ type: 'chunked' })
  const first = reader.read(bytes, 0)
  expect(Buffer.from(first.piece).toString()).toBe('one')
  expect(Buffer.from(reader.read(bytes, first.next).piece).toString()).toBe('twothree')
})

test('calls in a row share a connection, also past an interim answer', async () => {
  const { url, connections } = await rawServer((socket, count) => {
    const interim = count === 2 ? 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n' : ''
    socket.write(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${count}`)
  })
  const transport = upstreamTransport()
  expect(await told(transport, url)).toBe('1')
  expect(await told(transport, url)).toBe('2')
  expect(await told(transport, url)).toBe('3')
  expect(connections()).toBe(1)
})

test.each([
  ['the server says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
  ['it is HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ['the server would close it at once', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
  ['more came than was asked for', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n'],
])('a connection is not used again when %s', async (_, bytes) => {
  const { url, connections } = await rawServer((socket) => socket.write(bytes))
  const transport = upstreamTransport()
  expect(await told(transport, url)).toBe('ok')
  expect(await told(transport, url)).toBe('ok')
  expect(connections()).toBe(2)
})

test('words that come when nobody asked close the connection, and the next call has another', async () => {
  const { url, connections } = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nforeign'), 20)
  })
  const transport = upstreamTransport()
  expect(await told(transport, url)).toBe('ok')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(await told(transport, url)).toBe('ok')
  expect(connections()).toBe(2)
})

test('a body without a length ends with its connection', async () => {
  const { url } = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nto the end'))
  expect(await told(upstreamTransport(), url)).toBe('to the end')
})

test('answers without a body are whole with their head', async () => {
  const { url } = await rawServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  expect(await told(upstreamTransport(), url)).toBe('')
})

test.each([
  ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
  ['another version', 'HTTP/2 200 OK\r\n\r\n'],
  ['two ways to end', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'],
  ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok'],
  ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n'],
  ['a bare line feed in a header', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'],
  ['a name with a space', 'HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok'],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\nok\r\n'],
  ['a chunk of letters', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n'],
  ['a chunk that is longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n'],
  ['a size beyond all bounds', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\n`],
  ['an endless extension', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(70_000)}`],
  ['an endless head', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(70_000)}`],
])('an answer with %s is a network error', async (_, bytes) => {
  const { url } = await rawServer((socket) => socket.write(bytes))
  const error = await told(upstreamTransport(), url).catch((reason: unknown) => reason)
  expect(ToolwireError.is(error) && error.code).toBe('network')
})

test('a whole answer is not touched by a later abort, and the next call on its connection is not either', async () => {
  const { url, connections } = await rawServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const transport = upstreamTransport()
  const leaving = new AbortController()
  const first = await transport({ method: 'POST', url, headers: {}, signal: leaving.signal })
  expect(await textOf(first)).toBe('ok')
  const second = told(transport, url)
  leaving.abort()
  expect(await second).toBe('ok')
  expect(connections()).toBe(1)
})

test('names of headers that are members of every object are only names', () => {
  const { headers } = readHead('HTTP/1.1 200 OK\r\nconstructor: a\r\n__proto__: b\r\nconstructor: c', 'POST')
  expect(headers.constructor).toBe('a, c')
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

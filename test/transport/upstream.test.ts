// The gateway's way to its providers against servers on raw sockets: how connections are used, and what is refused.

import { createHash } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test } from 'vitest'
import { openUpstream } from '../../src/cli/gateway-upstream.js'
import { ToolwireError } from '../../src/errors/error.js'
import { defaultDeadlines, withDeadlines } from '../../src/transport/deadlines.js'
import type { Transport, TransportResponse } from '../../src/transport/transport.js'

const { transport, close: closeUpstream } = await openUpstream()
afterAll(closeUpstream)

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that says `answer` to every request that it has read to its end; tells how many connections there were and are. */
async function rawServer(
  answer: (socket: Socket, count: number) => void,
): Promise<{ url: string; connections(): number; open(): number }> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections += 1
    let asked = 0
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
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
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, connections: () => connections, open: () => sockets.size }
}

const ask = (transport: Transport, url: string): Promise<TransportResponse> =>
  transport({ method: 'POST', url, headers: {}, body: '{}', signal: new AbortController().signal })

async function textOf(answer: TransportResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const told = (transport: Transport, url: string): Promise<string> => ask(transport, url).then(textOf)

test('the first chunk comes alone, the rest together', async () => {
  const { url } = await rawServer((socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n',
    ),
  )
  const pieces: string[] = []
  for await (const piece of (await ask(transport, url)).body) pieces.push(Buffer.from(piece).toString())
  expect(pieces).toEqual(['one', 'twothree'])
})

test('calls in a row share a connection, also past an interim answer', async () => {
  const { url, connections } = await rawServer((socket, count) => {
    const interim = count === 2 ? 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n' : ''
    socket.write(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${count}`)
  })
  for (const count of ['1', '2', '3']) {
    expect(await told(transport, url)).toBe(count)
  }
  expect(connections()).toBe(1)
})

const length = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 200000\r\n\r\n'
const toTheEnd = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n'

test.each([
  ['with a length', length],
  ['that ends with its connection', toTheEnd],
])('a server that closes while an answer %s waits for its reader leaves it whole', async (_, head) => {
  const { url, open } = await rawServer((socket) => {
    socket.write(head)
    trickle(socket, 200, () => socket.end())
  })
  const { body } = await ask(transport, url)
  await expect.poll(open).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 100)) // what fits is read, the rest held back
  let bytes = 0
  for await (const piece of body) bytes += piece.length
  expect(bytes).toBe(200_000)
  await expect.poll(open).toBe(0)
})

test('a connection that breaks while its answer waits for its reader fails that call alone', async () => {
  const { url } = await rawServer((socket) => {
    socket.write(toTheEnd)
    trickle(socket, 70, () => setTimeout(() => socket.resetAndDestroy(), 20))
  })
  const { body } = await ask(transport, url)
  await new Promise((resolve) => setTimeout(resolve, 200))
  let bytes = 0
  const read = async (): Promise<void> => {
    for await (const piece of body) bytes += piece.length
  }
  await expect(read()).rejects.toMatchObject({ code: 'network' })
  expect(bytes).toBeLessThanOrEqual(70_000)
})

test.each([0, 1])('a stream that ends with its connection can be left after %i pieces', async (pieces) => {
  const { url, open } = await rawServer((socket) => {
    socket.write(toTheEnd)
    trickle(socket, 70, () => {})
  })
  const { body } = await ask(transport, url)
  const iterator = body[Symbol.asyncIterator]()
  for (let count = 0; count < pieces; count += 1) expect((await iterator.next()).done).toBe(false)
  await iterator.return?.()
  expect((await iterator.next()).done).toBe(true)
  await expect.poll(open).toBe(0)
})

/** So many kilobytes, one at a time. */
function trickle(socket: Socket, left: number, done: () => void): void {
  if (left === 0) done()
  else socket.write('x'.repeat(1_000), () => trickle(socket, left - 1, done))
}

test('a call that is left before it has a connection sends nothing and keeps none', async () => {
  let asked = 0
  const { url, connections, open } = await rawServer(() => {
    asked += 1
  })
  const leaving = new AbortController()
  const left = transport({ method: 'POST', url, headers: { authorization: 'Bearer k' }, signal: leaving.signal })
  leaving.abort(new ToolwireError('aborted', 'stopped'))
  await expect(left).rejects.toMatchObject({ code: 'aborted' })
  await expect.poll(connections).toBe(1)
  await expect.poll(open).toBe(0)
  expect(asked).toBe(0)
})

test('closing ends idle connections and calls on their way', async () => {
  const { url, open } = await rawServer((socket, count) => {
    if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
  })
  const upstream = await openUpstream()
  expect(await told(upstream.transport, url)).toBe('ok')
  const waiting = told(upstream.transport, url).catch((reason: unknown) => reason)
  const idle = told(upstream.transport, url)
  expect(await idle).toBe('ok')
  await upstream.close()
  expect(await waiting).toMatchObject({ code: 'network' })
  await expect.poll(open).toBe(0)
})

test('a call that is left inside its answer closes its connection, and none is opened in its place', async () => {
  const { url, connections, open } = await rawServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun'),
  )
  const leaving = new AbortController()
  const { body } = await transport({ method: 'POST', url, headers: {}, signal: leaving.signal })
  leaving.abort(new ToolwireError('aborted', 'stopped'))
  await expect(body[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'aborted' })
  await expect.poll(open).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(connections()).toBe(1)
})

test('framing without end is ended by the time limits', async () => {
  const { url } = await rawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(70_000)}`)
  })
  const limited = withDeadlines(transport, { ...defaultDeadlines, idleTimeoutMs: 50 })
  await expect(told(limited, url)).rejects.toMatchObject({ code: 'timeout' })
})

test.each([
  ['the server says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
  ['it is HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ['the server would close it at once', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
  ['more came than was asked for', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n'],
])('a connection is not used again when %s', async (_, bytes) => {
  const { url, connections } = await rawServer((socket) => socket.write(bytes))
  expect(await told(transport, url)).toBe('ok')
  expect(await told(transport, url)).toBe('ok')
  expect(connections()).toBe(2)
})

test('words that come when nobody asked close the connection, and the next call has another', async () => {
  const { url, connections } = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nforeign'), 20)
  })
  expect(await told(transport, url)).toBe('ok')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(await told(transport, url)).toBe('ok')
  expect(connections()).toBe(2)
})

test('a body without a length ends with its connection', async () => {
  const { url } = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nto the end'))
  expect(await told(transport, url)).toBe('to the end')
})

test('answers without a body are whole with their head', async () => {
  const { url } = await rawServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  expect(await told(transport, url)).toBe('')
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
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\nok\r\n'],
  ['a chunk of letters', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n'],
  ['a chunk that is longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n'],
  ['a size beyond all bounds', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\n`],
  ['an endless head', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(70_000)}`],
])('an answer with %s is a network error', async (_, bytes) => {
  const { url } = await rawServer((socket) => socket.write(bytes))
  const error = await told(transport, url).catch((reason: unknown) => reason)
  expect(ToolwireError.is(error) && error.code).toBe('network')
})

test('a whole answer is not touched by a later abort, and the next call on its connection is not either', async () => {
  const { url, connections } = await rawServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const leaving = new AbortController()
  const first = await transport({ method: 'POST', url, headers: {}, signal: leaving.signal })
  expect(await textOf(first)).toBe('ok')
  const second = told(transport, url)
  leaving.abort()
  expect(await second).toBe('ok')
  expect(connections()).toBe(1)
})

test('bodies of many calls at once arrive as they were given, also where the answer begins before they are read', async () => {
  const server = createHttpServer((incoming, outgoing) => {
    if (incoming.headers['x-early'] === 'yes') outgoing.flushHeaders()
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => outgoing.end(createHash('sha256').update(Buffer.concat(pieces)).digest('hex')))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const sizes = [1, 4_095, 4_096, 4_097, 9_000, 65_536, 65_537, 131_072, 131_073, 400_000]
  const echoed = async (call: number): Promise<readonly string[]> => {
    const text = `${call} ä `.repeat(200_000).slice(0, sizes[call % sizes.length])
    const half = text.length >> 1
    const forms = [text, [text.slice(0, half), text.slice(half)], [Buffer.from(text.slice(0, half)), text.slice(half)]]
    const body = forms[call % forms.length] as string | readonly (string | Uint8Array)[]
    const headers = { 'x-early': call % 2 === 0 ? 'yes' : 'no' }
    const answer = await transport({ method: 'POST', url, headers, body, signal: new AbortController().signal })
    return [await textOf(answer), createHash('sha256').update(text).digest('hex')]
  }
  for (let round = 0; round < 4; round += 1) {
    const all = await Promise.all(Array.from({ length: 60 }, (_, call) => echoed(round * 60 + call)))
    for (const [arrived, given] of all) expect(arrived).toBe(given)
  }
})

test('names of headers that are members of every object are only names', async () => {
  const head =
    'HTTP/1.1 200 OK\r\nconstructor: a\r\n__proto__: b\r\n__proto__: d\r\nconstructor: c\r\ncontent-length: 0'
  const { url } = await rawServer((socket) => socket.write(`${head}\r\n\r\n`))
  const { headers } = await ask(transport, url)
  expect(headers.constructor).toBe('a, c')
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

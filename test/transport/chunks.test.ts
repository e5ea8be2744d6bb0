// Chunks that were read together are joined before Node's parser gets them: whatever the server sends, and however it is cut, the
// parser says the same of it as without.
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinChunks, joining } from '../../src/transport/node-chunks.js'

let answer = Buffer.alloc(0)
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => socket.end(answer))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())))

interface Outcome {
  readonly body: string
  readonly pieces: number
  readonly trailers: NodeJS.Dict<string>
  readonly error?: string
}

/** What is read arrives in pieces of these sizes, in turn. */
function cut(socket: Socket, sizes: readonly number[]): Socket {
  const push = socket.push.bind(socket)
  let turn = 0
  socket.push = (read: Buffer | null) => {
    if (read === null || sizes.length === 0) return push(read)
    let isMoreWanted = true
    for (let at = 0; at < read.length; turn += 1) {
      const end = at + (sizes[turn % sizes.length] ?? 1)
      isMoreWanted = push(Buffer.from(read.subarray(at, end)))
      at = end
    }
    return isMoreWanted
  }
  return socket
}

function ask(bytes: string, sizes: readonly number[], isJoined: boolean): Promise<Outcome> {
  answer = Buffer.from(bytes, 'latin1')
  const { port } = server.address() as AddressInfo
  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1')
    return cut(isJoined ? joining(socket) : socket, sizes)
  }
  return new Promise((resolve) => {
    let pieces: Buffer[] = []
    const settle = (incoming?: IncomingMessage, error?: Error & { code?: string }): void =>
      resolve({
        body: Buffer.concat(pieces).toString('latin1'),
        pieces: pieces.length,
        trailers: incoming?.trailers ?? {},
        ...(error === undefined ? {} : { error: error.code ?? error.message }),
      })
    const asked = request({ port, host: '127.0.0.1', createConnection: open }, (incoming) => {
      if (incoming.headers['transfer-encoding'] === 'chunked') joinChunks(incoming.socket)
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => settle(incoming))
      incoming.on('error', (error) => settle(incoming, error))
    })
    asked.on('error', (error) => {
      pieces = []
      settle(undefined, error)
    })
    asked.end()
  })
}

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const plain = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`

test('chunks that were read together reach the parser as one', async () => {
  const bodies = Array.from({ length: 1_000 }, (_, index) => `data: {"index":${index}}\n\n`)
  const bytes = `${head}${bodies.map(plain).join('')}0\r\n\r\n`
  const sizes = [head.length, ...Array.from({ length: 10 }, () => 4_096)]
  const joined = await ask(bytes, sizes, true)
  expect(joined.body).toBe(bodies.join(''))
  expect(joined.error).toBeUndefined()
  expect((await ask(bytes, sizes, false)).pieces).toBeGreaterThanOrEqual(1_000)
  expect(joined.pieces).toBeLessThanOrEqual(3 * sizes.length) // the end of a cut chunk, whole ones, the beginning of the next
})

const body = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0', '5', ';', '\xe9'), minLength: 1, maxLength: 40 }),
  fc.constantFrom('data: 1\r\n\r\n', '\r\n\r\n5\r\nhello\r\n', 'x'.repeat(300)),
)
const chunk = fc.oneof(
  { weight: 12, arbitrary: body.map(plain) },
  { weight: 1, arbitrary: body.map((text) => `${text.length.toString(16).toUpperCase()}\r\n${text}\r\n`) },
  { weight: 1, arbitrary: body.map((text) => `000${text.length.toString(16)}\r\n${text}\r\n`) },
  { weight: 1, arbitrary: body.map((text) => `${text.length.toString(16)};part="a;b"\r\n${text}\r\n`) },
)
const broken = fc.constantFrom(
  '5\r\nhelloX\n',
  'g\r\n',
  '5\nhello\r\n',
  '\r\n',
  'fffffffff\r\n',
  '0000000000000001\r\na\r\n',
)
const heads = fc.oneof(
  { weight: 6, arbitrary: fc.constant(head) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head}`,
      'HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n',
    ),
  },
)
const ends = fc.oneof(
  { weight: 6, arbitrary: fc.constant('0\r\n\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('', '0\r\n', '0\r\nx-a: b\r\n\r\n', '00\r\n\r\n', '3\r\nab', '3') },
)
const bytes = fc
  .tuple(heads, fc.array(chunk, { maxLength: 30 }), fc.option(broken, { freq: 6, nil: '' }), fc.array(chunk), ends)
  .map(([first, before, wrong, after, last]) => first + before.join('') + wrong + after.join('') + last)
const sizes = fc.oneof(
  fc.constant([]),
  fc.constant([head.length, 1]),
  fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
)

test('joined or not, the parser says the same', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, sizes, async (sent, pieces) => {
      const { pieces: _, ...joined } = await ask(sent, pieces, true)
      const { pieces: __, ...apart } = await ask(sent, pieces, false)
      expect(joined).toEqual(apart)
    }),
    { numRuns: 1_000 },
  )
})

// The same promises of every transport: Node's own HTTP, the gateway's on undici, and fetch.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { openUpstream } from '../../src/cli/gateway-upstream.js'
import { ToolwireError } from '../../src/errors/error.js'
import { type Deadlines, defaultDeadlines, withDeadlines } from '../../src/transport/deadlines.js'
import { transport as fetchTransport } from '../../src/transport/fetch.js'
import { transport as nodeTransport } from '../../src/transport/node.js'
import type { Transport, TransportResponse } from '../../src/transport/transport.js'
import { loopback } from './loopback.js'

const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const chains = [
  ['gzip, gzip', (data: Buffer) => gzipSync(gzipSync(data))],
  ['GZIP,br', (data: Buffer) => brotliCompressSync(gzipSync(data), quick)],
] as const
const never = (): AbortSignal => new AbortController().signal
const get = (url: string, signal = never()) => ({ method: 'GET', url, headers: {}, signal })

async function read(response: TransportResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of response.body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

async function failure(work: Promise<unknown>): Promise<ToolwireError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (ToolwireError.is(error)) return error
  throw new Error(`expected a ToolwireError, got ${String(error)}`)
}

const limited = (transport: Transport, limits: Partial<Deadlines>): Transport =>
  withDeadlines(transport, { ...defaultDeadlines, ...limits })

const upstream = await openUpstream()
afterAll(() => upstream.close())

describe.each([
  ['node', nodeTransport],
  ['gateway', upstream.transport],
  ['fetch', fetchTransport],
])('the %s transport', (_name, transport) => {
  test('bytes go out and come in as they are', async () => {
    const server = await loopback((request, response) => {
      response.writeHead(201, { 'x-method': request.method ?? '', 'x-key': request.headers['x-key'] ?? '' })
      request.pipe(response)
    })
    const body = new TextEncoder().encode('{"text":"héllo 👋"}')
    const answer = await transport({ ...get(server.url), method: 'POST', headers: { 'x-key': 'k' }, body })
    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ 'x-method': 'POST', 'x-key': 'k' })
    expect(await read(answer)).toBe('{"text":"héllo 👋"}')
    await server.close()
  })

  test('a body in pieces arrives as one, with its length told', async () => {
    const server = await loopback((request, response) => {
      response.writeHead(200, { 'x-length': request.headers['content-length'] ?? '' })
      request.pipe(response)
    })
    const long = 'ä'.repeat(100_000)
    const body = ['{"a":"', new TextEncoder().encode(long), '","b":"👋"}']
    const answer = await transport({ ...get(server.url), method: 'POST', body })
    expect(await read(answer)).toBe(`{"a":"${long}","b":"👋"}`)
    expect(answer.headers['x-length']).toBe(String(6 + 200_000 + 13))
    await server.close()
  })

  test('a redirect is an answer and is never followed', async () => {
    let asked = 0
    const server = await loopback((_, response) => {
      asked += 1
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const answer = await transport(get(server.url))
    await read(answer)
    expect(answer.status).toBeGreaterThanOrEqual(300)
    expect(answer.status).toBeLessThan(400)
    expect(asked).toBe(1)
    await server.close()
  })

  test.each([
    ['gzip', gzipSync],
    ['br', (data: Buffer) => brotliCompressSync(data, quick)],
  ])('%s answers are decoded, and a bomb is stopped by the cap', async (encoding, compress) => {
    const server = await loopback((request, response) => {
      const text = request.url === '/bomb' ? Buffer.alloc(20 * 1024 * 1024) : Buffer.from('hello')
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(text))
    })
    expect(await read(await transport(get(server.url)))).toBe('hello')
    const capped = limited(transport, { maxBodyBytes: 1024 * 1024 })
    const error = await failure(capped(get(`${server.url}/bomb`)).then(read))
    expect(error.code).toBe('limit_exceeded')
    await server.close()
  })

  test.each(chains)(
    'answers coded %s are decoded, and a bomb inside is stopped by the cap',
    async (encoding, compress) => {
      const server = await loopback((request, response) => {
        const text = request.url === '/bomb' ? Buffer.alloc(20 * 1024 * 1024) : Buffer.from('hello')
        response.writeHead(200, { 'content-encoding': encoding }).end(compress(text))
      })
      expect(await read(await transport(get(server.url)))).toBe('hello')
      const capped = limited(transport, { maxBodyBytes: 1024 * 1024 })
      const error = await failure(capped(get(`${server.url}/bomb`)).then(read))
      expect(error.code).toBe('limit_exceeded')
      await server.close()
    },
  )

  test.each(['zstd, x-unknown', 'x-unknown', 'gzip, gzip, gzip, gzip'])(
    'an answer coded %s is an error, never handed on as it is',
    async (encoding) => {
      const server = await loopback((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('not decoded')
      })
      const error = await failure(transport(get(server.url)).then(read))
      expect(error.code).toBe('malformed_response')
      expect(error.message).toContain(encoding.slice(0, 9))
      await server.close()
    },
  )

  test('nobody listening is a network error that names the place and not the query', async () => {
    const server = await loopback(() => {})
    await server.close()
    const error = await failure(transport(get(`${server.url}/v1?key=secret-key-123`)))
    expect(error.code).toBe('network')
    expect(error.retryable).toBe(true)
    expect(error.message).toContain('/v1')
    expect(error.message).not.toContain('secret-key-123')
  })

  test('a connection that closes inside the answer is a network error', async () => {
    const server = await loopback((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    })
    const error = await failure(transport(get(server.url)).then(read))
    expect(error.code).toBe('network')
    await server.close()
  })

  test.each([
    ['headers', 'headersTimeoutMs'],
    ['body', 'idleTimeoutMs'],
  ])('silence before the %s ends with a timeout that names %s', async (stage, name) => {
    const server = await loopback((_, response) => {
      if (stage === 'body') response.writeHead(200).write('begun')
    })
    const slow = limited(transport, { headersTimeoutMs: 50, idleTimeoutMs: 50 })
    const error = await failure(slow(get(server.url)).then(read))
    expect([error.code, error.detail]).toEqual(['timeout', { timeoutMs: 50 }])
    expect(error.message).toContain(`within 50 ms; raise ${name}`)
    await server.close()
  })

  test('a slow reader is not mistaken for a silent provider', async () => {
    const server = await loopback((_, response) => {
      response.writeHead(200)
      response.write('one')
      setTimeout(() => response.end('two'), 10)
    })
    const answer = await limited(transport, { idleTimeoutMs: 60 })(get(server.url))
    let text = ''
    for await (const piece of answer.body) {
      text += Buffer.from(piece).toString()
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    expect(text).toBe('onetwo')
    await server.close()
  })

  test('the whole time is limited even while bytes keep coming', async () => {
    const server = await loopback((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const error = await failure(limited(transport, { timeoutMs: 100 })(get(server.url)).then(read))
    expect(error.code).toBe('timeout')
    await server.close()
  })

  test('leaving the body closes the connection', async () => {
    let closed = false
    const server = await loopback((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(1000)), 5)
      response.socket?.on('close', () => {
        clearInterval(timer)
        closed = true
      })
    })
    const answer = await transport(get(server.url))
    for await (const _ of answer.body) break
    await expect.poll(() => closed, { timeout: 2000 }).toBe(true)
    await server.close()
  })

  test('a silent reader holds the sender back', async () => {
    let sent = 0
    const server = await loopback((_, response) => {
      response.writeHead(200)
      const push = (): void => {
        for (let more = true; more && sent < 400 * 1024 * 1024; ) {
          sent += 64 * 1024
          more = response.write(Buffer.alloc(64 * 1024))
        }
      }
      response.on('drain', push)
      push()
    })
    const answer = await transport(get(server.url))
    const pieces = answer.body[Symbol.asyncIterator]()
    await pieces.next()
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(sent).toBeLessThan(6 * 1024 * 1024)
    await pieces.return?.()
    await server.close()
  })

  test('an abort settles at once, before and inside the answer', async () => {
    const server = await loopback((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('begun')
    })
    for (const path of ['/never', '/body']) {
      const controller = new AbortController()
      const work = transport(get(server.url + path, controller.signal)).then(read)
      setTimeout(() => controller.abort(new ToolwireError('aborted', 'stopped')), 20)
      expect((await failure(work)).code).toBe('aborted')
    }
    await server.close()
  })
})

test.each([
  ['node', nodeTransport],
  ['gateway', upstream.transport],
])('the %s transport tells host and credentials of the address, unless the caller has others', async (_, transport) => {
  const server = await loopback((request, response) => response.end(JSON.stringify(request.headers)))
  const { host } = new URL(server.url)
  const url = `http://us%20er:pass@${host}/`
  const told = async (headers: Readonly<Record<string, string>>): Promise<unknown> =>
    JSON.parse(await read(await transport({ ...get(url), headers })))
  expect(await told({})).toMatchObject({ host, authorization: `Basic ${btoa('us er:pass')}` })
  const own = { host: 'models.test', authorization: 'Bearer k' }
  expect(await told(own)).toMatchObject(own)
  const broken = await failure(transport({ ...get(url), headers: { 'x-key': 'a\nb' } }))
  expect(broken.code).toBe('network')
  await server.close()
})

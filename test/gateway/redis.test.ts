// Two gateways and one Redis: together they let through what one would.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, type Gateway, type KeyLimits } from '../../src/gateway/index.js'
import { type RedisClient, redisLimiter } from '../../src/gateway/redis-limiter.js'
import { providerServer, scriptedModel } from '../../src/testing/index.js'
import { temporaryFolder } from '../cli/command.js'
import { ask as askServer, serve } from './serving.js'

const isInstalled = spawnSync('redis-server', ['--version']).status === 0
if (!isInstalled) process.stderr.write('redis-server not found, skipped\n')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface SilentProvider {
  readonly url: string
  asked(): number
  /** Answers from now on, with an error. */
  answer(): void
}

/** A provider that lets its callers wait. */
async function silentProvider(): Promise<SilentProvider> {
  let asked = 0
  let isSilent = true
  const server = createHttpServer((_, response) => {
    asked += 1
    if (!isSilent) response.writeHead(400).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    answer: () => {
      isSilent = false
    },
  }
}

describe.runIf(isInstalled)('limits in Redis', () => {
  let server: ChildProcess
  let port = 0
  const clients: Redis[] = []
  const connect = (): Redis => {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: (times) => (times > 100 ? null : 50) })
    client.on('error', () => {}) // it is not up yet, or the test ends it
    clients.push(client)
    return client
  }
  beforeAll(async () => {
    port = await freePort()
    server = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], { stdio: 'ignore' })
    await connect().ping()
  }, 30_000)
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    server.kill()
    await once(server, 'exit')
  })

  interface Pair {
    readonly gateways: readonly Gateway[]
    /** The most calls that were at the model at once. */
    most(): number
  }

  /** Two gateways of two processes as far as Redis can see: each has a connection of its own. */
  function pair(prefix: string, limits: KeyLimits, waitMs: number): Pair {
    let active = 0
    let most = 0
    const model = scriptedModel(async () => {
      active += 1
      most = Math.max(most, active)
      await new Promise((resolve) => {
        setTimeout(resolve, waitMs)
      })
      active -= 1
      return { text: 'Hello.', usage: { input: 30, output: 10, total: 40 } }
    })
    const gateways = [connect(), connect()].map((client) =>
      createGateway({
        routes: [{ match: '*', targets: [model] }],
        keys: [{ name: 'team', key: 'client-key', ...limits }],
        limiter: redisLimiter(client, { prefix }),
      }),
    )
    return { gateways, most: () => most }
  }

  const ask = async (gateway: Gateway | undefined): Promise<Response> => {
    if (gateway === undefined) throw new Error('there is no such gateway')
    const response = await gateway(
      new Request('http://127.0.0.1/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer client-key', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    )
    await response.text()
    return response
  }
  const countsOf = (responses: readonly Response[]): Record<number, number> => {
    const counts: Record<number, number> = {}
    for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  test('requests: exactly the limit passes, whichever gateway is asked', async () => {
    const { gateways } = pair('requests', { requestsPerMinute: 50 }, 1)
    const responses = await Promise.all(Array.from({ length: 400 }, (_, index) => ask(gateways[index % 2])))
    expect(countsOf(responses)).toEqual({ 200: 50, 429: 350 })
    expect(Number(responses.find(({ status }) => status === 429)?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('calls at once: never more than the limit, and every place comes back', async () => {
    const { gateways, most } = pair('calls', { concurrency: 5 }, 5)
    const statuses: number[] = []
    const client = async (index: number): Promise<void> => {
      for (let round = 0; round < 20; round += 1) statuses.push((await ask(gateways[(index + round) % 2])).status)
    }
    await Promise.all(Array.from({ length: 40 }, (_, index) => client(index)))
    expect(most()).toBe(5)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    // A place comes back when its answer is gone, which its reader does not wait for.
    const allAtOnce = async () => countsOf(await Promise.all(Array.from({ length: 5 }, () => ask(gateways[0]))))
    await expect.poll(allAtOnce, { timeout: 5_000 }).toEqual({ 200: 5 })
  })

  test('both limits at once, under load: exactly the requests pass, never more than the calls at once', async () => {
    const { gateways, most } = pair('both', { requestsPerMinute: 60, concurrency: 4 }, 2)
    const statuses: number[] = []
    const client = async (index: number): Promise<void> => {
      // Whoever finds no place tries again; whoever has used up the requests stops.
      for (let status = 503; status !== 429; ) {
        status = (await ask(gateways[(index + statuses.length) % 2])).status
        statuses.push(status)
      }
    }
    await Promise.all(Array.from({ length: 30 }, (_, index) => client(index)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect(most()).toBeLessThanOrEqual(4)
  })

  test('tokens: what one gateway used is gone for the other', async () => {
    const { gateways } = pair('tokens', { tokensPerMinute: 80 }, 0)
    const statuses = []
    for (let index = 0; index < 4; index += 1) statuses.push((await ask(gateways[index % 2])).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test('two processes of `toolwire serve` share what their config says', async () => {
    const provider = await providerServer({ strict: true })
    onTestFinished(() => provider.close())
    const file = join(temporaryFolder(), 'gateway.json')
    const targets = [{ wire: 'anthropic', baseUrl: provider.url, apiKey: 'x', model: 'm' }]
    const keys = [{ name: 'served', key: 'client-key-1', requestsPerMinute: 7 }]
    const redis = `redis://127.0.0.1:${port}`
    writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }], keys, redis }))
    const servers = await Promise.all([serve(['--config', file]), serve(['--config', file])])
    const asked = Array.from({ length: 20 }, (_, index) => askServer(servers[index % 2]?.url ?? ''))
    expect(countsOf(await Promise.all(asked))).toEqual({ 200: 7, 429: 13 })
    expect(provider.requests).toHaveLength(7)
    for (const { kill } of servers) kill()
    expect(await Promise.all(servers.map(({ ended }) => ended))).toEqual([0, 0])
  })

  test('a call that is refused for its place costs no request', async () => {
    const limiter = redisLimiter(connect(), { prefix: 'order' })
    const limits = { requestsPerMinute: 2, concurrency: 1 }
    const first = await limiter.admit('team', limits)
    for (let index = 0; index < 5; index += 1) {
      expect(await limiter.admit('team', limits)).toMatchObject({ admitted: false, limit: 'concurrency' })
    }
    if (first.admitted) await first.release(0)
    expect((await limiter.admit('team', limits)).admitted).toBe(true)
  })

  test('the places of a gateway that died come back by themselves', async () => {
    const dying = connect()
    const held = await redisLimiter(dying, { prefix: 'leases', leaseMs: 300 }).admit('team', { concurrency: 1 })
    dying.disconnect()
    const other = redisLimiter(connect(), { prefix: 'leases', leaseMs: 300 })
    expect((await other.admit('team', { concurrency: 1 })).admitted).toBe(false)
    await expect
      .poll(async () => (await other.admit('team', { concurrency: 1 })).admitted, { timeout: 5_000 })
      .toBe(true)
    if (held.admitted) await held.release(0).catch(() => {}) // its connection is gone
  })

  test('the places of a gateway that was killed with kill -9 come back within its lease', async () => {
    const silent = await silentProvider()
    const file = join(temporaryFolder(), 'gateway.json')
    const targets = [{ wire: 'openai-chat', baseUrl: silent.url, apiKey: 'x', model: 'm', retries: 0 }]
    const keys = [{ name: 'killed', key: 'client-key-1', concurrency: 2 }]
    const redis = `redis://127.0.0.1:${port}`
    writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }], keys, redis }))
    const [dying, other] = await Promise.all([serve(['--config', file]), serve(['--config', file])])
    const hanging = [askServer(dying.url), askServer(dying.url)].map((asked) => asked.catch(() => {}))
    await expect.poll(silent.asked).toBe(2)
    expect((await askServer(other.url)).status).toBe(503)
    dying.kill('SIGKILL')
    await Promise.all([...hanging, dying.ended])
    const killedAt = performance.now()
    expect((await askServer(other.url)).status).toBe(503)
    silent.answer()
    await expect.poll(async () => (await askServer(other.url)).status, { timeout: 15_000, interval: 250 }).toBe(400)
    expect(performance.now() - killedAt).toBeLessThan(15_000)
  }, 60_000)

  test('a dead lease expires in time also when the clock of Redis was set back', async () => {
    const client = connect()
    const limiter = redisLimiter(client, { prefix: 'clock', leaseMs: 300 })
    // As a lease looks when the clock was set back by an hour after it was taken.
    await client.zadd('clock:calls:team', Date.now() + 3_600_000, 'a lease of a dead gateway')
    expect((await limiter.admit('team', { concurrency: 1 })).admitted).toBe(false)
    await expect
      .poll(async () => (await limiter.admit('team', { concurrency: 1 })).admitted, { timeout: 5_000 })
      .toBe(true)
  })

  test('many places of one gateway are renewed together', async () => {
    const client = connect()
    let renewals = 0
    const counting: RedisClient = {
      eval: (script: string, ...given: [number, ...(string | number)[]]) => {
        if (script.includes('ipairs') === false && script.includes('PEXPIRE')) renewals += 1
        return client.eval(script, ...given)
      },
    }
    const limiter = redisLimiter(counting, { prefix: 'many', leaseMs: 300 })
    const held = await Promise.all(Array.from({ length: 200 }, () => limiter.admit('team', { concurrency: 200 })))
    await new Promise((resolve) => {
      setTimeout(resolve, 900)
    })
    expect((await limiter.admit('team', { concurrency: 200 })).admitted).toBe(false)
    expect(renewals).toBeGreaterThan(3)
    expect(renewals).toBeLessThan(20)
    await Promise.all(held.map((one) => (one.admitted ? one.release(0) : undefined)))
    expect((await limiter.admit('team', { concurrency: 1 })).admitted).toBe(true)
  })

  test('a call that is longer than a lease keeps its place', async () => {
    const limiter = redisLimiter(connect(), { prefix: 'long', leaseMs: 150 })
    const held = await limiter.admit('team', { concurrency: 1 })
    await new Promise((resolve) => {
      setTimeout(resolve, 600)
    })
    expect((await limiter.admit('team', { concurrency: 1 })).admitted).toBe(false)
    if (held.admitted) await held.release(0)
  })

  test('tokens are counted also when the place of their call could not be given back', async () => {
    const client = connect()
    const counting: RedisClient = Object.assign(connect(), {
      eval: (script: string, ...given: [number, ...(string | number)[]]) =>
        script.includes("'ZREM'") ? Promise.reject(new Error('not given back')) : client.eval(script, ...given),
    })
    const limits = { concurrency: 5, tokensPerMinute: 100 }
    const limiter = redisLimiter(counting, { prefix: 'counted' })
    const admission = await limiter.admit('team', limits)
    if (!admission.admitted) throw new Error('it was refused')
    await expect(admission.release(100)).rejects.toThrow('not given back')
    expect(await limiter.admit('team', limits)).toMatchObject({ admitted: false, limit: 'tokens' })
  })

  test('without Redis nobody is let through uncounted', async () => {
    const away = new Redis(await freePort(), '127.0.0.1', { retryStrategy: () => null, maxRetriesPerRequest: 0 })
    away.on('error', () => {}) // what the test is about
    const limiter = redisLimiter(away)
    await expect(limiter.admit('team', { requestsPerMinute: 1 })).rejects.toMatchObject({ code: 'overloaded' })
  })
})

test.runIf(isInstalled)(
  'a Redis that stands still refuses calls in time, frees their places, and counts on when it goes on',
  async () => {
    const provider = await providerServer({ strict: true })
    onTestFinished(() => provider.close())
    const port = await freePort()
    const server = spawn('redis-server', ['--port', String(port), '--save', ''], { stdio: 'ignore' })
    onTestFinished(() => void server.kill('SIGKILL'))
    const file = join(temporaryFolder(), 'gateway.json')
    const targets = [{ wire: 'anthropic', baseUrl: provider.url, apiKey: 'x', model: 'm' }]
    const limits = [{ concurrency: 1 }, { requestsPerMinute: 50 }, { tokensPerMinute: 50_000 }]
    const keys = limits.map((limit, index) => ({ name: `key ${index}`, key: `client-key-${index}`, ...limit }))
    const redis = `redis://127.0.0.1:${port}`
    const all = { routes: [{ match: '*', targets }], keys, redis, limits: { concurrency: 3 } }
    writeFileSync(file, JSON.stringify(all))
    const { url } = await serve(['--config', file])
    const askAll = (): Promise<Response[]> => Promise.all(keys.map(({ key }) => askServer(url, key)))
    const statuses = async (): Promise<number[]> => (await askAll()).map(({ status }) => status)
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([200, 200, 200])
    server.kill('SIGSTOP')
    for (let round = 0; round < 2; round += 1) {
      const started = performance.now()
      for (const refused of await askAll()) {
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
        expect(await refused.text()).toContain('cannot be counted')
      }
      expect(performance.now() - started).toBeLessThan(5_000)
    }
    server.kill('SIGCONT')
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([200, 200, 200])
  },
  30_000,
)

test('while the Redis of its config is away, `toolwire serve` refuses calls and says why', async () => {
  const file = join(temporaryFolder(), 'gateway.json')
  const targets = [{ wire: 'anthropic', baseUrl: 'http://127.0.0.1:9', apiKey: 'x', model: 'm' }]
  const keys = [{ name: 'served', key: 'client-key-1', requestsPerMinute: 7 }]
  const redis = `redis://127.0.0.1:${await freePort()}`
  writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }], keys, redis }))
  const { url, output } = await serve(['--config', file])
  const refused = await askServer(url)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.text()).toContain('cannot be counted')
  await expect.poll(output).toContain('Redis: ')
})

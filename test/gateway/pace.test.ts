// One answer that comes as fast as it is taken, and others beside it: how much of it passes, counted in bytes.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Pace, takeTurn } from '../../src/cli/gateway-pace.js'
import { listen } from '../../src/cli/gateway-server.js'
import type { Pieces } from '../../src/gateway/arrival.js'
import type { CreatedGateway } from '../../src/gateway/index.js'

const kib = 1024
const mib = 1024 * kib

/** How many bytes an answer gets in a time when it goes on after every rest. */
function bytesWithin(pace: Pace, durationMs: number, other?: object): number {
  let bytes = 0
  for (let now = 1_000; now < 1_000 + durationMs; ) {
    if (other !== undefined) takeTurn(other, now)
    bytes += 64 * kib
    now += Math.max(1, pace.restMs(64 * kib, now))
  }
  return bytes
}

test('beside others an answer has a quarter of a MiB at once and a MiB a second from then on', () => {
  const bytes = bytesWithin(new Pace(), 4_000, {})
  expect(bytes).toBeGreaterThan(4 * mib)
  expect(bytes).toBeLessThan(5 * mib)
})

test('an answer that is the only one never rests for long', () => {
  expect(bytesWithin(new Pace(), 4_000)).toBeGreaterThan(200 * mib)
})

test('what an answer had while it was the only one is not held against it', () => {
  const pace = new Pace()
  bytesWithin(pace, 4_000)
  takeTurn({}, 5_000)
  expect(pace.restMs(64 * kib, 5_001)).toBeLessThanOrEqual(128)
})

test('one huge piece rests as long as several', () => {
  const pace = new Pace()
  takeTurn({}, 1_000)
  expect(pace.restMs(64 * mib, 1_001)).toBe(128)
  takeTurn({}, 1_200)
  expect(pace.restMs(kib, 1_400)).toBe(0)
})

test('a stream as fast as it is taken leaves the others their turn, and has all of it when they are gone', async () => {
  let taken = 0
  const hose: Pieces = {
    async next() {
      taken += 64 * kib
      return { done: false, value: Buffer.alloc(64 * kib) }
    },
    return: async () => ({ done: true, value: undefined }),
  }
  const other = { ended: false }
  const ticks: Pieces = {
    async next() {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return other.ended ? { done: true, value: undefined } : { done: false, value: 'tick' }
    },
    return: async () => ({ done: true, value: undefined }),
  }
  const handle: CreatedGateway['handle'] = async ({ path }) => ({
    status: 200,
    headers: {},
    body: path === '/hose' ? hose : ticks,
  })
  const server = await listen(() => ({ handle }) as CreatedGateway, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.drain(0))
  const heard = await answerOf(`${server.url}/ticks`)
  const startedAt = performance.now()
  const read = (await answerOf(`${server.url}/hose`)).resume()
  onTestFinished(() => void read.destroy())
  for (let pieces = 0; pieces < 50; pieces += 1) await once(heard, 'data')
  const elapsedMs = performance.now() - startedAt
  expect(taken).toBeGreaterThan(256 * kib)
  expect(taken).toBeLessThan(mib + elapsedMs * kib)
  other.ended = true
  await once(heard, 'end')
  await expect.poll(() => taken, { timeout: 10_000 }).toBeGreaterThan(64 * mib)
})

async function answerOf(url: string): Promise<IncomingMessage> {
  const asking = request(url, { agent: false }).end()
  asking.on('error', () => {}) // it is the test that breaks it off
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return answer
}

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

/** An answer among so many that are open. */
function paceAmong(count: number): Pace {
  const paces = Array.from({ length: count }, () => new Pace())
  onTestFinished(() => {
    for (const pace of paces) pace.end()
  })
  return paces[0] as Pace
}

/** How many bytes an answer gets in a time when it goes on after every rest. */
function bytesWithin(pace: Pace, durationMs: number, other?: object): number {
  let bytes = 0
  for (let now = 1_000; now < 1_000 + durationMs; ) {
    if (other !== undefined) takeTurn(other, now)
    bytes += 16 * kib
    now += Math.max(1, pace.restMs(16 * kib, now))
  }
  return bytes
}

test.each([
  [1_000, 128 * kib],
  [100, 328 * kib],
  [8, 4 * mib],
])('among %i an answer has an eighth of a MiB at once and %i bytes a second from then on', (count, perSecond) => {
  const bytes = bytesWithin(paceAmong(count), 4_000, {})
  expect(bytes).toBeGreaterThan(0.8 * 4 * perSecond)
  expect(bytes).toBeLessThan(1.1 * (128 * kib + 4 * perSecond))
})

test('an answer that is the only one never rests for long', () => {
  expect(bytesWithin(paceAmong(1), 4_000)).toBeGreaterThan(50 * mib)
})

test('what an answer had while it was the only one is not held against it', () => {
  const pace = paceAmong(1_000)
  bytesWithin(pace, 4_000)
  takeTurn({}, 5_000)
  expect(pace.restMs(64 * kib, 5_001)).toBeLessThanOrEqual(512)
})

test('one huge piece rests as long as several', () => {
  const pace = paceAmong(1_000)
  takeTurn({}, 1_000)
  expect(pace.restMs(64 * mib, 1_001)).toBe(512)
  takeTurn({}, 1_300)
  expect(pace.restMs(kib, 1_600)).toBe(0)
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
  expect(taken).toBeGreaterThan(128 * kib)
  expect(taken).toBeLessThan(mib + elapsedMs * 16 * kib)
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

// Slots for calls at once: a key always gets in, whatever the others do.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createGateway, type Gateway, memoryLimiter } from '../../src/gateway/index.js'
import { createSlots, guaranteedSlots } from '../../src/gateway/slots.js'
import { scriptedModel } from '../../src/testing/index.js'

const keys = ['busy', 'quiet', 'third'].map((name) => ({ name, key: `key-of-${name}` }))

function gatewayFor(concurrency: number): Gateway {
  return createGateway({
    routes: [{ match: '*', targets: [scriptedModel(() => 'Hi')] }],
    keys,
    limits: { concurrency },
  })
}

const chat = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] })
function post(gateway: Gateway, name: string, body: BodyInit = chat, path = '/v1/chat/completions'): Promise<Response> {
  const init = {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { authorization: `Bearer key-of-${name}` },
  } as RequestInit
  return gateway(new Request(`http://127.0.0.1${path}`, init))
}
/** A body that never comes. */
const slow = (): ReadableStream<Uint8Array> => new ReadableStream({ pull() {} }, { highWaterMark: 0 })
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 5)
  })

describe.each([3, 10, 100])('of %i slots', (concurrency) => {
  test('slow bodies of one key leave room for the others', async () => {
    const gateway = gatewayFor(concurrency)
    const refused: number[] = []
    for (let index = 0; index < concurrency * 2; index += 1) {
      void post(gateway, 'busy', slow()).then(({ status }) => refused.push(status))
    }
    await settled()
    expect(refused.length).toBeGreaterThan(concurrency)
    expect(new Set(refused)).toEqual(new Set([503]))
    for (const name of ['quiet', 'third', 'quiet']) expect((await post(gateway, name)).status).toBe(200)
    const response = await post(gateway, 'busy')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  })

  test('a key alone has most of them', async () => {
    const gateway = gatewayFor(concurrency)
    let refused = 0
    for (let index = 0; index < concurrency; index += 1) void post(gateway, 'busy', slow()).then(() => (refused += 1))
    await settled()
    expect(refused).toBeLessThanOrEqual(Math.max(2, Math.ceil(concurrency / 5)))
  })
})

test('slow requests that ask no model count, too', async () => {
  const gateway = gatewayFor(10)
  for (let index = 0; index < 20; index += 1) void post(gateway, 'busy', slow(), '/api/show')
  await settled()
  expect((await post(gateway, 'quiet')).status).toBe(200)
})

test('a key below its guaranteed slots is always admitted, and never more calls than there are slots', () => {
  const step = fc.record({ key: fc.nat({ max: 4 }), isTake: fc.boolean() })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 200 }),
      (capacity, count, steps) => {
        const slots = createSlots()
        const held = Array.from({ length: count }, () => 0)
        const guaranteed = guaranteedSlots(capacity, count)
        for (const { key, isTake } of steps) {
          const index = key % count
          const before = held[index] ?? 0
          if (isTake) {
            const isAdmitted = slots.take(`key ${index}`, capacity, count)
            if (before < guaranteed) expect(isAdmitted).toBe(true)
            if (isAdmitted) held[index] = before + 1
          } else if (before > 0) {
            slots.free(`key ${index}`)
            held[index] = before - 1
          }
          const total = held.reduce((sum, one) => sum + one, 0)
          expect(slots.active).toBe(total)
          expect(total).toBeLessThanOrEqual(capacity)
        }
      },
    ),
  )
})

test('a clock that is set back locks no key out', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const limiter = memoryLimiter()
    const limits = { requestsPerMinute: 1, tokensPerMinute: 1 }
    const first = await limiter.admit('key', limits)
    if (first.admitted) await first.release(5)
    vi.setSystemTime(Date.now() - 3_600_000)
    const second = await limiter.admit('key', limits)
    expect(second).toMatchObject({ admitted: false })
    expect(second.admitted ? 0 : second.retryAfterMs).toBeLessThanOrEqual(60_000)
  } finally {
    vi.useRealTimers()
  }
})

// When a failed call is sent again, and after how long: a table of what servers say, and an outage.
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { defaultRetryPolicy, retryBudget, retryWaitMs } from '../../src/transport/retry.js'
import { errorFrom } from '../../src/wire/failure.js'

const date = 'Sun, 15 Nov 2026 10:00:00 GMT'
const body = '{"error":{"message":"slow down","type":"x"}}'

/** The wait before the second attempt, without jitter; nothing when the error is told. */
function waitFor(status: number, headers: Readonly<Record<string, string>>, text = body): number | undefined {
  return retryWaitMs(errorFrom({ status, headers, body: text }), 0, defaultRetryPolicy, 0)
}

describe('retry', () => {
  test.each([
    [400, undefined],
    [401, undefined],
    [402, undefined],
    [403, undefined],
    [404, undefined],
    [405, undefined],
    [408, 500],
    [409, 500],
    [413, undefined],
    [418, undefined],
    [422, undefined],
    [425, undefined],
    [429, 500],
    [500, 500],
    [501, 500],
    [502, 500],
    [503, 500],
    [504, 500],
    [520, 500],
    [529, 500],
  ])('status %i waits %s', (status, wait) => {
    expect(waitFor(status, {})).toBe(wait)
  })

  test.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '1' }, 1000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': ' 2 ' }, 2000],
    [{ 'retry-after': '60' }, 60_000],
    [{ 'retry-after': '61' }, undefined],
    [{ 'retry-after': '3000000' }, undefined],
    [{ 'retry-after': '-5' }, 500],
    [{ 'retry-after': 'soon' }, 500],
    [{ 'retry-after': '' }, 500],
    [{ 'retry-after': 'NaN' }, 500],
    [{ 'retry-after': '1e3' }, 500],
    [{ 'retry-after': '0x10' }, 500],
    [{ 'retry-after': 'Infinity' }, 500],
    [{ 'retry-after': '1, 2' }, 500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '30' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '60001' }, undefined],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:03 GMT', date }, 3000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:01:30 GMT', date }, undefined],
    [{ 'retry-after': 'Sun, 15 Nov 2026 09:59:00 GMT', date }, 500],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:03 GMT' }, 500],
    [{ 'retry-after': '00' }, 0],
    [{ 'retry-after': '60.5' }, undefined],
    [{ 'retry-after': '+1' }, 500],
    [{ 'retry-after': '1s' }, 500],
    [{ 'retry-after': '1 000' }, 500],
    [{ 'retry-after': '٣' }, 500],
    [{ 'retry-after': '99999999999999999999' }, undefined],
    [{ 'retry-after': '2026-11-15T10:00:03Z', date }, 3000],
    [{ 'retry-after': 'Sunday, 15-Nov-26 10:00:03 GMT', date }, 3000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:00 GMT', date }, 0],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:03 GMT', date: 'yesterday' }, 500],
    [{ 'retry-after-ms': '0' }, 0],
    [{ 'retry-after-ms': '-1' }, 500],
    [{ 'retry-after-ms': '60000' }, 60_000],
    [{ 'retry-after-ms': '', 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': '1e2' }, 500],
    [{ 'retry-after': '61', 'x-should-retry': 'true' }, undefined],
    [{ 'x-should-retry': 'TRUE' }, 500],
    [{ 'x-should-retry': '' }, 500],
    [{ 'x-should-retry': 'false' }, undefined],
    [{ 'x-should-retry': 'false', 'retry-after': '1' }, undefined],
    [{ 'x-should-retry': 'true' }, 500],
  ])('429 with %j waits %s', (headers, wait) => {
    expect(waitFor(429, headers)).toBe(wait)
  })

  test('the server may ask for a retry of what is not retried otherwise', () => {
    expect(waitFor(400, { 'x-should-retry': 'true' })).toBe(500)
  })

  test('an exhausted quota is never retried, and Gemini says how long to wait in the body', () => {
    expect(waitFor(429, {}, '{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}')).toBe(
      undefined,
    )
    const detail = '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"23s"}]}}'
    expect(waitFor(429, {}, detail)).toBe(23_000)
  })

  test('a wait beyond the limit is told to the caller', () => {
    const error = errorFrom({ status: 429, headers: { 'retry-after': '120' }, body })
    expect(retryWaitMs(error, 0, defaultRetryPolicy, 0)).toBe(undefined)
    expect(error.retryAfterMs).toBe(120_000)
  })

  test('waits double up to eight seconds, less up to a quarter', () => {
    const error = new ToolwireError('server_error', 'x')
    const policy = { retries: 9, maxWaitMs: 60_000 }
    expect([0, 1, 2, 3, 4, 5, 6].map((attempt) => retryWaitMs(error, attempt, policy, 0))).toEqual([
      500, 1000, 2000, 4000, 8000, 8000, 8000,
    ])
    expect(retryWaitMs(error, 0, policy, 0.9999)).toBeCloseTo(375, 0)
    expect(retryWaitMs(error, 9, policy, 0)).toBe(undefined)
  })

  test('in an outage of 10,000 calls the attempts stay near the number of calls', () => {
    const budget = retryBudget()
    let attempts = 0
    for (let call = 0; call < 10_000; call += 1) {
      budget.called()
      attempts += 1
      for (let retry = 0; retry < 2 && budget.spend(); retry += 1) attempts += 1
    }
    expect(attempts).toBeLessThanOrEqual(1.1 * 10_000 + 100)
    expect(attempts).toBeGreaterThan(10_100)
  })
})

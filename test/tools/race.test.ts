// Work against time and signals: what is over before it begins is not begun, and what loses is told so.
import { expect, test } from 'vitest'
import { race } from '../../src/tools/race.js'

const clock = { now: () => performance.now(), setTimeout, clearTimeout } as never
const limits = (timeoutMs: number, signals: readonly AbortSignal[] = []) => ({ signals, timeoutMs, clock }) as never

test.each([0, -1, Number.NEGATIVE_INFINITY])('work is not begun with %d ms left', async (timeoutMs) => {
  let begun = false
  const work = () => {
    begun = true
    return 1
  }
  expect(await race(work, limits(timeoutMs))).toEqual({ state: 'timed_out' })
  expect(begun).toBe(false)
})

test('work is not begun when a signal is aborted, whatever time is left', async () => {
  let begun = false
  const work = () => {
    begun = true
    return 1
  }
  expect(await race(work, limits(1000, [AbortSignal.abort()]))).toMatchObject({ state: 'aborted' })
  expect(await race(work, limits(0, [AbortSignal.abort()]))).toMatchObject({ state: 'aborted' })
  expect(begun).toBe(false)
})

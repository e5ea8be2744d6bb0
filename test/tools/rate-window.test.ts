// The limits of tools: never more calls at once than there are places, never more in a span of time than the rate allows.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Gate, RateWindow } from '../../src/tools/limits.js'

describe('a rate', () => {
  test('is never passed in any span of its length, and no call waits longer than it must', () => {
    const limits = fc.record({ calls: fc.integer({ min: 1, max: 5 }), perMs: fc.integer({ min: 1, max: 50 }) })
    fc.assert(
      fc.property(limits, fc.array(fc.nat(20), { maxLength: 60 }), (limit, pauses) => {
        const window = new RateWindow(limit)
        let now = 0
        const starts: number[] = []
        for (const pause of pauses) {
          now += pause
          const start = window.reserve(now)
          expect(start).toBeGreaterThanOrEqual(now)
          // The call before so many is what it waits for, if for any.
          const before = starts.at(-limit.calls)
          expect(start).toBe(before === undefined ? now : Math.max(now, before + limit.perMs))
          starts.push(start)
        }
      }),
    )
  })

  test('lets a whole number of calls through, and none below one', () => {
    const window = new RateWindow({ calls: 2.9, perMs: 10 })
    expect([window.reserve(0), window.reserve(0), window.reserve(0)]).toEqual([0, 0, 10])
    for (const calls of [0, 0.5, -1, Number.NaN]) {
      expect([calls, new RateWindow({ calls, perMs: 10 }).reserve(5)]).toEqual([calls, Number.POSITIVE_INFINITY])
    }
  })
})

describe('a gate', () => {
  test('admits as many as it has places, and the others in the order they came', async () => {
    const gate = new Gate(2)
    const inside: string[] = []
    const enter = (name: string) => {
      const pass = gate.enter()
      void pass.ready.then(() => inside.push(name))
      return pass
    }
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(enter)
    await Promise.resolve()
    expect(inside).toEqual(['a', 'b'])
    expect([a, b, c, d].map((pass) => pass?.queued)).toEqual([false, false, true, true])
    b?.leave()
    b?.leave()
    await Promise.resolve()
    expect(inside).toEqual(['a', 'b', 'c'])
    a?.leave()
    await Promise.resolve()
    expect(inside).toEqual(['a', 'b', 'c', 'd'])
  })

  test('forgets who leaves while waiting', async () => {
    const gate = new Gate(1)
    const first = gate.enter()
    const second = gate.enter()
    const third = gate.enter()
    let isIn = false
    void third.ready.then(() => {
      isIn = true
    })
    second.leave()
    first.leave()
    await Promise.resolve()
    expect(isIn).toBe(true)
    third.leave()
    expect(gate.enter().queued).toBe(false)
  })

  test('gives out a free place at once, and takes it back', () => {
    const gate = new Gate(1)
    expect([gate.take(), gate.take()]).toEqual([true, false])
    const waiting = gate.enter()
    expect(waiting.queued).toBe(true)
    gate.giveBack()
    expect(gate.take()).toBe(false)
    waiting.leave()
    expect(gate.take()).toBe(true)
  })

  test.each([0, -3, Number.NaN])('has one place where %d are given', (places) => {
    const gate = new Gate(places)
    expect([gate.take(), gate.take()]).toEqual([true, false])
  })
})

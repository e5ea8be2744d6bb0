import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit } from '../../src/tools/admission.js'
import type { Clock } from '../../src/tools/clock.js'
import { Gate, type Pass, RateWindow, ToolBudgets } from '../../src/tools/limits.js'
import { forever, later, sampleTool } from './sample-tool.js'

/** A clock that moves only when told, and lets everything that waits on it run. */
function manualClock() {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const clock: Clock = {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  }
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms
    for (;;) {
      await later(0, undefined)
      const [next] = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      timers.delete(next)
      now = next.at
      next.callback()
    }
    now = end
  }
  return { clock, advance, timers }
}

describe('a gate', () => {
  it('lets no more in than it has places, first come first served, whoever leaves when', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.oneof(fc.constant('enter' as const), fc.nat({ max: 40 })), { maxLength: 80 }),
        (places, steps) => {
          const gate = new Gate(places)
          const present: { readonly pass: Pass; gone: boolean }[] = []
          for (const step of steps) {
            if (step === 'enter') {
              const expected = present.filter(({ gone }) => !gone).length >= places
              const pass = gate.enter()
              expect(pass.queued).toBe(expected)
              present.push({ pass, gone: false })
            } else {
              const leaver = present[step % Math.max(1, present.length)]
              leaver?.pass.leave()
              if (leaver !== undefined) leaver.gone = true
            }
          }
        },
      ),
    )
  })

  it('wakes those that wait in their order, and skips who left', async () => {
    const gate = new Gate(1)
    const passes = ['a', 'b', 'c', 'd'].map((name) => ({ name, pass: gate.enter() }))
    const order: string[] = []
    const all = passes
      .filter(({ name }) => name !== 'b')
      .map(async ({ name, pass }) => {
        await pass.ready
        order.push(name)
        pass.leave()
        pass.leave()
      })
    passes[1]?.pass.leave()
    await Promise.all(all)
    expect(order).toEqual(['a', 'c', 'd'])
    expect(gate.enter().queued).toBe(false)
    expect(gate.enter().queued).toBe(true)
  })
})

describe('a rate window', () => {
  it('never holds more starts than it may, whatever is reserved, cancelled and moved', () => {
    const step = fc.record({ wait: fc.nat({ max: 50 }), cancel: fc.boolean(), move: fc.boolean(), pick: fc.nat() })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(step, { maxLength: 60 }),
        (calls, perMs, steps) => {
          const window = new RateWindow({ calls, perMs })
          let now = 0
          const starts: number[] = []
          for (const { wait, cancel, move, pick } of steps) {
            now += wait
            starts.push(window.reserve(now))
            const ahead = starts.filter((start) => start > now)
            const chosen = ahead[pick % Math.max(1, ahead.length)]
            if (chosen === undefined || !(cancel || move)) continue
            starts.splice(starts.indexOf(chosen), 1)
            if (!move) window.cancel(chosen)
            else if (window.move(chosen, now)) starts.push(now)
          }
          const sorted = starts.sort((a, b) => a - b)
          sorted.forEach((start, index) => {
            const blocking = sorted[index - calls]
            if (blocking !== undefined) expect(start - blocking).toBeGreaterThanOrEqual(perMs)
          })
        },
      ),
    )
  })
})

describe('admission', () => {
  const limited = sampleTool('x', forever, { rateLimit: { calls: 1, perMs: 100 } })

  it('holds the rate even when the slots come late', async () => {
    const { clock, advance, timers } = manualClock()
    const slots = new Gate(1)
    const blocker = slots.enter()
    const budget = new ToolBudgets().of(limited)
    const limits = { slots, signals: [], clock, deadlineAt: Number.POSITIVE_INFINITY, patienceMs: 10_000 }
    const starts: number[] = []
    const all = Promise.all(
      [1, 2, 3].map(async () => {
        const admission = await admit(budget, limits)
        expect(admission.state).toBe('admitted')
        starts.push(clock.now())
        if (admission.state === 'admitted') admission.leave()
      }),
    )
    await advance(450)
    expect(starts).toEqual([])
    blocker.leave()
    await advance(1000)
    await all
    expect(starts).toHaveLength(3)
    expect(starts[0]).toBe(450)
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(100)
    expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(100)
    expect(timers.size).toBe(0)
  })

  it('gives everything back when it is aborted while waiting', async () => {
    const { clock, timers } = manualClock()
    const slots = new Gate(1)
    const blocker = slots.enter()
    const controller = new AbortController()
    const both = sampleTool('x', forever, { rateLimit: { calls: 1, perMs: 100 }, concurrency: 1 })
    const budget = new ToolBudgets().of(both)
    const limits = {
      slots,
      signals: [controller.signal],
      clock,
      deadlineAt: Number.POSITIVE_INFINITY,
      patienceMs: 1000,
    }
    const waiting = [admit(budget, limits), admit(budget, limits)]
    await later(0, undefined)
    controller.abort()
    expect(await Promise.all(waiting)).toEqual([{ state: 'aborted' }, { state: 'aborted' }])
    blocker.leave()
    expect(slots.enter().queued).toBe(false)
    expect(budget.gate?.enter().queued).toBe(false)
    expect(budget.window?.reserve(0)).toBe(0)
    expect(timers.size).toBe(0)
  })

  it('a redefined tool keeps its budget; changed limits make a new one', () => {
    const budgets = new ToolBudgets()
    const first = budgets.of(limited)
    expect(budgets.of({ ...limited, description: 'another' })).toBe(first)
    expect(budgets.of({ ...limited, source: 'mcp' })).not.toBe(first)
    const faster = budgets.of({ ...limited, rateLimit: { calls: 9, perMs: 100 } })
    expect(faster.window).not.toBe(first.window)
    expect(budgets.of(sampleTool('y', forever))).toEqual({ gate: undefined, window: undefined })
  })
})

// Whatever tools do: n calls give n results in call order, on time, and nothing is left behind.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyCall } from '../../src/conversation/messages.js'
import { type Clock, systemClock } from '../../src/tools/clock.js'
import { ToolExecutor } from '../../src/tools/execute.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { forever, later, revoked, sampleBroken, sampleCall, sampleTool } from './sample-tool.js'

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
const warnings: string[] = []
const onWarning = (warning: Error): void => void warnings.push(warning.message)
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled)
  process.on('warning', onWarning)
})
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
  process.off('warning', onWarning)
})

const refuse = (): never => {
  throw new Error('no')
}
const hostileGetters = Object.defineProperty({}, 'message', { get: refuse })
const hostileThen = Object.defineProperty({}, 'then', { get: refuse })

function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => unknown): object {
  return Object.defineProperty({}, 'then', { value: then })
}

/** What a tool may do, by name: each is a tool of its own. */
const behaviours: Readonly<Record<string, (value: unknown) => unknown>> = {
  returns: (value) => value,
  resolves: async (value) => value,
  throws: (value) => {
    throw value
  },
  rejects: (value) => Promise.reject(value),
  throws_proxy: () => {
    throw revoked()
  },
  returns_proxy: () => revoked(),
  returns_getters: () => hostileGetters,
  returns_then: () => hostileThen,
  throws_getters: () => {
    throw hostileGetters
  },
  hangs: forever,
  resolves_late: (value) => later(25, value),
  rejects_late: (value) => later(25, value).then(() => Promise.reject(value)),
  settles_twice: (value) => thenable((resolve, reject) => [resolve(value), reject(value)]),
  never_settles: () => thenable(() => undefined),
  then_throws: () =>
    thenable(() => {
      throw new Error('no')
    }),
}

const names = Object.keys(behaviours)
const call = fc.oneof(
  fc.constantFrom(...names).map((name) => ({ name })),
  fc.constant({ name: 'unknown_tool' }),
  fc.constant({ name: 'cut' }),
)
const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true })
const toolFields = fc.record(
  {
    timeoutMs: fc.constantFrom(1, 8),
    concurrency: fc.integer({ min: 1, max: 3 }),
    rateLimit: fc.record({ calls: fc.integer({ min: 1, max: 3 }), perMs: fc.integer({ min: 1, max: 4 }) }),
  },
  { requiredKeys: ['timeoutMs'] },
)

function callsOf(list: readonly { readonly name: string }[], ids: number): readonly AnyCall[] {
  return list.map(({ name }, index): AnyCall => {
    const id = `call_${index % ids}`
    return name === 'cut' ? { ...sampleBroken(name, 'truncated', '{"a'), id } : sampleCall(name, {}, id)
  })
}

describe('n calls give n results in call order', () => {
  it('for arbitrary behaviour, limits and aborts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 24 }),
        value,
        toolFields,
        fc.record({ concurrency: fc.integer({ min: 1, max: 9 }), deadlineMs: fc.constantFrom(5, 60, 10_000) }),
        fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
        async (list, returned, fields, options, abortAfterMs) => {
          const tools: AnyTool[] = names.map((name) => sampleTool(name, () => behaviours[name]?.(returned), fields))
          const controller = new AbortController()
          const timer = abortAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), abortAfterMs)
          const calls = callsOf(list, 20)
          const results = await new ToolExecutor(tools).execute(calls, { ...options, signal: controller.signal })
          clearTimeout(timer)
          expect(results.map((result) => [result.callId, result.name])).toEqual(calls.map(({ id, name }) => [id, name]))
          for (const result of results) expect(result.isError).toBe(result.error !== undefined)
          expect(JSON.parse(JSON.stringify(results))).toEqual(results)
        },
      ),
      { numRuns: 150 },
    )
    await later(60, undefined)
    expect(unhandled).toEqual([])
  })

  it('for tools whose checks give no answer, also late', async () => {
    const nothing = () => undefined as never
    const tools = [
      sampleTool('input', () => 1, { checkInput: nothing }),
      sampleTool('output', () => 1, { checkOutput: nothing }),
      sampleTool('late', () => later(10, 1), { checkOutput: nothing, timeoutMs: 2 }),
    ]
    const calls = tools.map(({ name }) => sampleCall(name))
    const results = await new ToolExecutor(tools, { audit: () => {} }).execute(calls)
    expect(results.map((result) => result.error?.category)).toEqual(['unknown', 'unknown', 'execution_timeout'])
    await later(30, undefined)
    expect(unhandled).toEqual([])
  })

  it('for a thousand calls under one signal, without a warning of the platform', async () => {
    const controller = new AbortController()
    const calls = Array.from({ length: 1000 }, (_, index) => sampleCall('x', {}, `call_${index}`))
    const executor = new ToolExecutor([sampleTool('x', forever)], { concurrency: 400 })
    const run = executor.execute(calls, { signal: controller.signal })
    setTimeout(() => controller.abort(), 10)
    const results = await run
    expect(results.map((result) => result.callId)).toEqual(calls.map(({ id }) => id))
    await later(5, undefined)
    expect(warnings.filter((warning) => warning.includes('leak'))).toEqual([])
  })
})

describe('nothing is left behind', () => {
  it('after a thousand aborted and a thousand timed-out executions', async () => {
    const resources = (): number => process.getActiveResourcesInfo().length
    let open = 0
    const clock: Clock = {
      now: systemClock.now,
      after(ms, callback) {
        open += 1
        let counted = true
        const close = (): void => {
          if (counted) open -= 1
          counted = false
        }
        const cancel = systemClock.after(ms, () => [close(), callback()])
        return () => [close(), cancel()]
      },
    }
    const before = resources()
    const executor = new ToolExecutor([sampleTool('x', forever)], { clock })
    const aborted = Array.from({ length: 1000 }, async () => {
      const controller = new AbortController()
      const run = executor.execute([sampleCall('x')], { signal: controller.signal })
      setTimeout(() => controller.abort(), 5)
      return (await run)[0]?.error?.category
    })
    expect(new Set(await Promise.all(aborted))).toEqual(new Set(['cancelled']))
    const timedOut = Array.from({ length: 1000 }, async () => {
      const results = await executor.execute([sampleCall('x')], { timeoutMs: 5 })
      return results[0]?.error?.category
    })
    expect(new Set(await Promise.all(timedOut))).toEqual(new Set(['execution_timeout']))
    expect(open).toBe(0)
    // The test runner has a few timers of its own, which come and go.
    expect(resources()).toBeLessThanOrEqual(before + 3)
  })

  it('no listener stays on the signal', async () => {
    const added: string[] = []
    const removed: string[] = []
    const { signal } = new AbortController()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
      added.push(type)
      add(type, listener)
    }
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
      removed.push(type)
      remove(type, listener)
    }
    const tools = [sampleTool('x', () => later(2, 'ok')), sampleTool('y', forever, { timeoutMs: 3 })]
    await new ToolExecutor(tools).execute([sampleCall('x'), sampleCall('y'), sampleCall('z')], { signal })
    expect(added.length).toBeGreaterThan(0)
    expect(removed).toEqual(added)
  })
})

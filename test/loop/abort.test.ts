import { describe, expect, test, vi } from 'vitest'
import type { RunOptions } from '../../src/loop/options.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import type { Model } from '../../src/model/model.js'
import { scriptedModel } from '../../src/testing/index.js'
import { expectPaired } from './paired.js'
import { echo, hang } from './sample-tools.js'

const never = (): Promise<never> => new Promise(() => {})
const ignoring = (): Model => ({
  ...scriptedModel([]),
  complete: never,
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) as never,
})
const calling = (...names: string[]): Model => scriptedModel([{ calls: names.map((name) => ({ name })) }])

/**
 * Aborts a run some time after it started, on a clock that only moves when told; how long it took to settle from there. Whatever
 * hangs here hangs for ever, so that a run that waited for it would not settle at all.
 */
async function abortAfter(
  ms: number,
  options: RunOptions,
  streamed: boolean,
): Promise<{ result: RunResult; tookMs: number }> {
  vi.useFakeTimers()
  try {
    const controller = new AbortController()
    const started = { ...options, signal: controller.signal }
    let result: RunResult | undefined
    const running = Promise.resolve(streamed ? run.stream(started) : run(started)).then((settled) => {
      result = settled
    })
    await vi.advanceTimersByTimeAsync(ms)
    controller.abort(new Error('enough'))
    for (let tookMs = 0; tookMs <= 1_000; tookMs += 1) {
      await vi.advanceTimersByTimeAsync(tookMs === 0 ? 0 : 1)
      if (result === undefined) continue
      await running
      return { result, tookMs }
    }
    throw new Error('the run did not settle')
  } finally {
    vi.useRealTimers()
  }
}

describe.each([false, true])('abort (streamed: %s)', (streamed) => {
  test.each<[string, () => RunOptions]>([
    ['a model that hangs', () => ({ model: scriptedModel([{ hang: true }]) })],
    ['a model that waits', () => ({ model: scriptedModel([{ text: 'x', delayMs: 5_000 }]) })],
    ['a model that ignores its signal', () => ({ model: ignoring() })],
    ['a tool that hangs', () => ({ model: calling('echo', 'hang'), tools: [echo, hang] })],
    ['an approval that hangs', () => ({ model: calling('echo'), tools: [echo], approve: never })],
    ['a hook that hangs', () => ({ model: calling('echo'), tools: [echo], onTurn: never })],
    [
      'a journal that hangs',
      () => ({ model: calling('echo'), tools: [echo], journal: { runId: 'r', step: never, all: never } }),
    ],
  ])('during %s settles within 50 ms with a paired history', async (_, options) => {
    const { result, tookMs } = await abortAfter(15, { prompt: 'go', ...options() }, streamed)
    expect(result.stop).toMatchObject({ reason: 'aborted', error: { code: 'aborted', cause: { message: 'enough' } } })
    expect(tookMs).toBeLessThan(50)
    expectPaired(result.messages)
  })

  test('before the start asks the model nothing', async () => {
    const model = scriptedModel(['ok'])
    const options = { model, prompt: 'go', signal: AbortSignal.abort() }
    const result = await (streamed ? run.stream(options) : run(options))
    expect(result).toMatchObject({ stop: { reason: 'aborted' }, turns: 0, text: '' })
    expect(model.requests).toHaveLength(0)
  })
})

test('calls that were done before the abort keep their results', async () => {
  const { result } = await abortAfter(20, { model: calling('echo', 'hang'), tools: [echo, hang], prompt: 'go' }, false)
  expect(result.messages.at(-1)).toMatchObject({
    results: [{ isError: false }, { isError: true, error: { category: 'cancelled' } }],
  })
  expect(result.turns).toBe(1)
})

test('an abort in the middle of a stream closes the stream of a model that ignores its signal', async () => {
  let opened = 0
  let closed = 0
  const model: Model = {
    ...scriptedModel([]),
    stream: () =>
      (async function* () {
        opened += 1
        try {
          for (;;) {
            yield { type: 'text_delta', part: 0, text: 'x' } as const
            await new Promise((resolve) => setTimeout(resolve, 1))
          }
        } finally {
          closed += 1
        }
      })() as never,
  }
  const { result, tookMs } = await abortAfter(20, { model, prompt: 'go' }, true)
  expect(result.stop.reason).toBe('aborted')
  expect(tookMs).toBeLessThan(50)
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(closed).toBe(opened)
})

test('1,000 aborted and 1,000 timed-out runs leave no timer, listener or rejection behind', async () => {
  const rejections: unknown[] = []
  const onRejection = (reason: unknown): void => {
    rejections.push(reason)
  }
  process.on('unhandledRejection', onRejection)
  const warnings: string[] = []
  const onWarning = (warning: Error): void => {
    warnings.push(warning.message)
  }
  process.on('warning', onWarning)
  // The test runner has a timer of its own that comes and goes.
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const others = (): readonly string[] => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout')
  const before = { timers: timers(), others: others() }
  const controller = new AbortController()
  const models = [() => scriptedModel([{ hang: true }]), () => calling('hang', 'echo'), ignoring]
  const tools = [echo, hang]
  const runs = Array.from({ length: 1_000 }, (_, index) => {
    const model = models[index % models.length]?.() ?? ignoring()
    const timed = { model: models[index % models.length]?.() ?? ignoring(), tools, prompt: 'go', timeoutMs: 20 }
    return [run({ model, tools, prompt: 'go', signal: controller.signal, timeoutMs: 60_000 }), run(timed)]
  })
  const abort = setTimeout(() => controller.abort(), 30)
  const results = await Promise.all(runs.flat())
  clearTimeout(abort)
  expect(results.filter((result) => result.stop.reason === 'aborted')).toHaveLength(1_000)
  expect(results.filter((result) => result.stop.detail === 'time')).toHaveLength(1_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(timers()).toBeLessThanOrEqual(before.timers)
  expect(others()).toEqual(before.others)
  process.off('unhandledRejection', onRejection)
  process.off('warning', onWarning)
  expect([rejections, warnings]).toEqual([[], []])
})

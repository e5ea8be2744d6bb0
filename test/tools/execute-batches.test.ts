// Many calls at once: order, slots, limits, approval, abort, deadlines, and the trail they leave.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolwireError } from '../../src/errors/error.js'
import { digest } from '../../src/json/digest.js'
import type { AuditRecord } from '../../src/tools/audit.js'
import { type Clock, systemClock } from '../../src/tools/clock.js'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls, ToolExecutor } from '../../src/tools/execute.js'
import type { ApprovalContext } from '../../src/tools/policy.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import type { ToolContext } from '../../src/tools/tool.js'
import { forever, later, sampleCall, sampleTool } from './sample-tool.js'

const numbered = (count: number, name = 'x') =>
  Array.from({ length: count }, (_, index) => sampleCall(name, { index }, `call_${index}`))

/** A clock that leaps to the next timer as soon as nothing else is left to do. */
function leapingClock(): Clock {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const leap = (): void => {
    const [next] = [...timers].sort((a, b) => a.at - b.at)
    if (next === undefined) return
    timers.delete(next)
    now = next.at
    next.callback()
  }
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      setTimeout(leap, 5)
      return () => void timers.delete(timer)
    },
  }
}

/** A tool that counts how many of it run at once. */
function counting(ms = 5) {
  const seen = { now: 0, most: 0 }
  const execute = async () => {
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    await later(ms, undefined)
    seen.now -= 1
  }
  return { seen, execute }
}

describe('a batch of calls', () => {
  it('runs side by side and answers in call order', async () => {
    const slowFirst = sampleTool('x', ({ index }) => later(index === 0 ? 100 : 60, `done ${index}`))
    const started = performance.now()
    const results = await executeToolCalls(numbered(5), [slowFirst])
    expect(performance.now() - started).toBeLessThan(300)
    expect(results.map((result) => result.callId)).toEqual(['call_0', 'call_1', 'call_2', 'call_3', 'call_4'])
    expect(results.map((result) => result.content)).toEqual(
      [0, 1, 2, 3, 4].map((index) => [{ type: 'text', text: `done ${index}` }]),
    )
  })

  it('runs at most eight at once unless told otherwise', async () => {
    const usual = counting()
    await executeToolCalls(numbered(30), [sampleTool('x', usual.execute)])
    expect(usual.seen.most).toBe(8)
    const fewer = counting()
    await executeToolCalls(numbered(10), [sampleTool('x', fewer.execute)], { concurrency: 3 })
    expect(fewer.seen.most).toBe(3)
  })

  it('a tool’s own concurrency holds over batches of one executor', async () => {
    const { seen, execute } = counting()
    const executor = new ToolExecutor([sampleTool('x', execute, { concurrency: 2 })])
    await Promise.all([executor.execute(numbered(6)), executor.execute(numbered(6))])
    expect(seen.most).toBe(2)
  })

  it('a limited tool does not keep the slots from the others', async () => {
    const order: string[] = []
    const slow = sampleTool('slow', () => later(40, order.push('slow')), { concurrency: 1 })
    const quick = sampleTool('quick', () => order.push('quick'))
    const calls = [...numbered(4, 'slow'), sampleCall('quick')]
    await executeToolCalls(calls, [slow, quick], { concurrency: 2 })
    expect(order.indexOf('quick')).toBeLessThan(2)
  })

  it('waits for a rate limit that opens soon, and no window holds too many starts', async () => {
    const starts: number[] = []
    const clock = leapingClock()
    const limited = sampleTool('x', () => starts.push(clock.now()), { rateLimit: { calls: 2, perMs: 60 } })
    const executor = new ToolExecutor([limited], { clock })
    const results = [...(await executor.execute(numbered(3))), ...(await executor.execute(numbered(2)))]
    expect(results.map((result) => result.isError)).toEqual([false, false, false, false, false])
    expect(starts).toEqual([0, 0, 60, 60, 120])
  })

  it('answers at once when a rate limit opens later than the tool’s time or the deadline', async () => {
    const limited = sampleTool('x', () => 'ran', { rateLimit: { calls: 1, perMs: 5000 } })
    for (const options of [{ timeoutMs: 100 }, { deadlineMs: 100 }]) {
      const executor = new ToolExecutor([limited], options)
      const [first, second] = await executor.execute(numbered(2))
      expect(first?.isError).toBe(false)
      expect(second?.error).toMatchObject({
        category: 'rate_limited',
        message: '"x" may be called 1 times in 5000 ms',
        details: { retryAfterMs: expect.stringMatching(/^(4[89]\d\d|5000)$/) },
      })
    }
  })

  it('calls with one id get one result and one idempotency key each', async () => {
    const keys: string[] = []
    const tool = sampleTool('x', ({ n }, context) => {
      keys.push(context.idempotencyKey)
      return n
    })
    const calls = [sampleCall('x', { n: 1 }, 'same'), sampleCall('x', { n: 2 }, 'same')]
    const results = await executeToolCalls(calls, [tool], { runId: 'r', turn: 4 })
    expect(results.map((result) => [result.callId, result.content])).toEqual([
      ['same', [{ type: 'text', text: '1' }]],
      ['same', [{ type: 'text', text: '2' }]],
    ])
    expect(keys).toEqual(['r/4/same', 'r/4/same/2'])
  })

  it('two runs without an id never share an idempotency key', async () => {
    const contexts: ToolContext[] = []
    const executor = new ToolExecutor([sampleTool('x', (_, context) => contexts.push(context))])
    await executor.execute([sampleCall('x')])
    await executor.execute([sampleCall('x')])
    expect(new Set(contexts.map((context) => context.idempotencyKey)).size).toBe(2)
  })

  it('a registry is looked up live, its snapshot is not', async () => {
    const registry = new ToolRegistry()
    const live = new ToolExecutor(registry)
    const fixed = new ToolExecutor(registry.snapshot())
    registry.add(sampleTool('x', () => 'here'))
    expect((await live.execute([sampleCall('x')]))[0]?.isError).toBe(false)
    expect((await fixed.execute([sampleCall('x')]))[0]?.error?.message).toBe('Unknown tool "x"')
  })

  it('refuses options that make no sense before anything runs', async () => {
    const misuses = [
      { concurrency: 0 },
      { timeoutMs: Number.NaN },
      { deadlineMs: -1 },
      { maxResultBytes: 0 },
      { exposeErrors: 'all' as never },
      { policy: { shel: 'deny' } as never },
      { policy: { shell: 'never' as never } },
    ]
    for (const options of misuses) {
      expect(() => new ToolExecutor([], options)).toThrow(expect.objectContaining({ code: 'misuse' }))
      await expect(executeToolCalls([], [], options)).rejects.toSatisfy(ToolwireError.is)
    }
  })

  it('refuses calls and tools that are none, before anything runs', async () => {
    let runs = 0
    const count = () => {
      runs += 1
    }
    const foreign = { id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } }
    await expect(executeToolCalls([sampleCall('x'), foreign as never], count)).rejects.toMatchObject({
      code: 'misuse',
      message: 'calls[1] is not a tool call; pass the calls of a decoded response, with type, id, name and arguments',
    })
    await expect(executeToolCalls(undefined as never, count)).rejects.toMatchObject({ code: 'misuse' })
    for (const tools of [undefined, null, {}, 'x']) {
      await expect(executeToolCalls([], tools as never)).rejects.toMatchObject({ code: 'misuse' })
    }
    expect(runs).toBe(0)
  })
})

describe('a defined tool', () => {
  const greet = tool({
    name: 'greet',
    description: 'Greets somebody several times',
    input: z.object({ name: z.string(), times: z.number().int() }),
    execute: ({ name, times }) => `${name} `.repeat(times).trim(),
  })

  it('gets its input as the schema gives it', async () => {
    const [result] = await executeToolCalls([sampleCall('greet', { name: 'Ada', times: 2 })], [greet])
    expect(result?.content).toEqual([{ type: 'text', text: 'Ada Ada' }])
  })

  it('tells every failing path at once', async () => {
    const [result] = await executeToolCalls([sampleCall('greet', { name: 1, times: 'x' })], [greet])
    expect(result?.error?.category).toBe('invalid_arguments')
    expect(result?.error?.message).toMatch(/^Invalid arguments for tool "greet": \/name .+; \/times .+/)
  })

  it('is never run on a proper prefix of its arguments', async () => {
    let runs = 0
    const execute = () => {
      runs += 1
      return ''
    }
    const counted = { ...greet, execute }
    const text = '{"name":"Ada","times":12}'
    const calls = Array.from(text, (_, end) => sampleCall('greet', text.slice(0, end), `call_${end}`))
    const results = await executeToolCalls(calls, [counted])
    expect(new Set(results.map((result) => result.error?.category))).toEqual(new Set(['invalid_arguments']))
    expect(runs).toBe(0)
  })
})

describe('approval', () => {
  it('is told the call, the tool and what the policy asks about', async () => {
    const asked: unknown[] = []
    const approve = (call: { readonly id: string }, tool: { readonly source: string }, context: ApprovalContext) => {
      asked.push([call.id, tool.source, context.asked])
      return 'allow' as const
    }
    const own = sampleTool('own', () => 1, { capabilities: ['shell'] })
    const foreign = sampleTool('foreign', () => 1, { capabilities: ['network', 'filesystem'], source: 'mcp' })
    await executeToolCalls([sampleCall('own'), sampleCall('foreign')], [own, foreign], {
      approve,
      policy: { filesystem: 'allow' },
    })
    expect(asked).toEqual([
      ['call_own', 'local', []],
      ['call_foreign', 'mcp', ['network']],
    ])
  })

  it('a batch says which call is paused, and runs the others', async () => {
    const batch = new ToolExecutor([sampleTool('a', () => 'ran'), sampleTool('b', () => 'ran')]).batch({
      approve: (call) => (call.name === 'a' ? 'pause' : 'allow'),
    })
    const paused = sampleCall('a', { path: '/' })
    const outcomes = await Promise.all([batch.settle(paused), batch.settle(sampleCall('b'))])
    expect(outcomes[0]).toEqual({ state: 'paused', call: paused, argumentsDigest: digest('{"path":"/"}') })
    expect(outcomes[1]).toMatchObject({ state: 'answered', result: { callId: 'call_b', isError: false } })
  })

  it('does not hold a slot while somebody thinks', async () => {
    const approve = (call: { readonly name: string }) => (call.name === 'slow' ? later(60, 'allow' as const) : 'allow')
    const order: string[] = []
    const tools = ['slow', 'quick'].map((name) => sampleTool(name, () => order.push(name)))
    await executeToolCalls([sampleCall('slow'), sampleCall('quick')], tools, { approve, concurrency: 1 })
    expect(order).toEqual(['quick', 'slow'])
  })
})

describe('abort and deadline', () => {
  it('settles everything within 50 ms of an abort: waiting, asking, running', async () => {
    const controller = new AbortController()
    const told: unknown[] = []
    const stubborn = sampleTool('x', (_, { signal }) => {
      signal.addEventListener('abort', () => told.push(signal.reason))
      return forever()
    })
    const asking = sampleTool('asking', () => 1)
    const approve = (call: { readonly name: string }) => (call.name === 'asking' ? forever() : ('allow' as const))
    const run = executeToolCalls([...numbered(12), sampleCall('asking')], [stubborn, asking], {
      signal: controller.signal,
      approve,
    })
    await later(20, undefined)
    const abortedAt = performance.now()
    controller.abort('enough')
    const results = await run
    expect(performance.now() - abortedAt).toBeLessThan(50)
    expect(new Set(results.map((result) => result.error?.category))).toEqual(new Set(['cancelled']))
    const running = 'The run was aborted while tool "x" was running; whether it took effect is not known'
    expect(results.map((result) => result.error?.message === running)).toEqual(results.map((_, index) => index < 8))
    expect(told).toEqual(Array.from({ length: 8 }, () => 'enough'))
  })

  it('a tool that is aborted before its turn never starts', async () => {
    const controller = new AbortController()
    const started: unknown[] = []
    const tool = sampleTool('x', ({ index }) => {
      started.push(index)
      controller.abort()
    })
    const results = await executeToolCalls(numbered(3), [tool], { concurrency: 1, signal: controller.signal })
    expect(started).toEqual([0])
    expect(results.map((result) => result.error?.category)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  it('only a tool that is not done at once costs a timer', async () => {
    let timers = 0
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        timers += 1
        return systemClock.after(ms, callback)
      },
    }
    const quick = sampleTool('quick', async () => 1)
    const failing = sampleTool('failing', async () => {
      throw new Error('no')
    })
    await executeToolCalls([sampleCall('quick'), sampleCall('failing')], [quick, failing], { clock })
    expect(timers).toBe(0)
    await executeToolCalls([sampleCall('x')], [sampleTool('x', () => later(1, 'done'))], { clock })
    expect(timers).toBe(1)
  })

  it('a clock that fails is a failed call', async () => {
    const clock: Clock = {
      ...systemClock,
      after() {
        throw new Error('no time')
      },
    }
    const [result] = await executeToolCalls([sampleCall('x')], [sampleTool('x', forever)], { clock })
    expect(result).toMatchObject({ isError: true, error: { message: 'no time' } })
  })

  it('the signal of the executor counts beside that of the batch', async () => {
    const controller = new AbortController()
    const executor = new ToolExecutor([sampleTool('x', forever)], { signal: controller.signal })
    const run = executor.execute([sampleCall('x')], { signal: new AbortController().signal })
    setTimeout(() => controller.abort(), 5)
    expect((await run)[0]?.error?.category).toBe('cancelled')
  })

  it('calls that never got a slot before the deadline were not started', async () => {
    let runs = 0
    const tool = sampleTool('x', () => {
      runs += 1
      return forever()
    })
    const results = await executeToolCalls(numbered(3), [tool], {
      concurrency: 1,
      deadlineMs: 20,
      clock: leapingClock(),
    })
    expect(runs).toBe(1)
    expect(results[2]?.error).toEqual({
      category: 'execution_timeout',
      message: 'The time was up before the tool started',
    })
  })

  it('an abandoned tool gives its place to the next call', async () => {
    const tool = sampleTool('x', ({ index }) => (index === 0 ? forever() : 'ran'), { concurrency: 1, timeoutMs: 10 })
    const results = await executeToolCalls(numbered(2), [tool])
    expect(results.map((result) => result.error?.category)).toEqual(['execution_timeout', undefined])
  })
})

describe('the audit trail', () => {
  it('has one record per call, without arguments or secrets', async () => {
    const records: AuditRecord[] = []
    const tools = [sampleTool('x', () => 'secret result'), sampleTool('y', () => 1, { source: 'mcp' })]
    const calls = [sampleCall('x', { password: 'hunter2' }), sampleCall('y'), sampleCall('z')]
    const approve = (call: { readonly name: string }) => (call.name === 'y' ? { deny: 'no' } : ('allow' as const))
    await executeToolCalls(calls, tools, { audit: (record) => void records.push(record), runId: 'r', turn: 2, approve })
    const byTool = new Map(records.map((record) => [record.tool, record]))
    expect(byTool.get('x')).toEqual({
      runId: 'r',
      turn: 2,
      callId: 'call_x',
      tool: 'x',
      source: 'local',
      argumentsDigest: digest('{"password":"hunter2"}'),
      decision: 'allowed',
      outcome: 'success',
      repaired: false,
      late: false,
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
    })
    expect(byTool.get('y')).toMatchObject({ source: 'mcp', decision: 'denied', outcome: 'permission_denied' })
    expect(byTool.get('z')).toMatchObject({ decision: 'refused', outcome: 'resource_not_found' })
    expect(byTool.get('z')).not.toHaveProperty('source')
    expect(Math.abs((byTool.get('x')?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000)
    expect(JSON.stringify(records)).not.toMatch(/hunter2|secret result/)
  })

  it('records how an abandoned tool ended, and answers only once', async () => {
    const records: AuditRecord[] = []
    const tools = [
      sampleTool('late', () => later(30, 'too late'), { timeoutMs: 5 }),
      sampleTool('fails', () => later(30, 0).then(() => Promise.reject(undefined)), { timeoutMs: 5 }),
    ]
    const results = await executeToolCalls([sampleCall('late'), sampleCall('fails')], tools, {
      audit: (record) => void records.push(record),
    })
    expect(results.map((result) => result.error?.category)).toEqual(['execution_timeout', 'execution_timeout'])
    await later(60, undefined)
    const trail = records.map(({ tool, outcome, late }) => `${tool} ${outcome} ${late}`).sort()
    expect(trail).toEqual([
      'fails execution_timeout false',
      'fails unknown true',
      'late execution_timeout false',
      'late success true',
    ])
  })

  it('hooks that throw or reject change nothing', async () => {
    const warnings: string[] = []
    const audit = (() => Promise.reject(new Error('full'))) as never
    const log = {
      warn: (message: string) => {
        warnings.push(message)
        throw new Error('log is down')
      },
    }
    const results = await executeToolCalls([sampleCall('x'), sampleCall('y')], [sampleTool('x', () => 'ok')], {
      audit,
      log,
    })
    await later(0, undefined)
    expect(results.map((result) => result.isError)).toEqual([false, true])
    expect(warnings).toEqual(['Unknown tool "y"', 'The audit hook failed', 'The audit hook failed'])
  })
})

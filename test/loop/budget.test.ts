import { describe, expect, test } from 'vitest'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { expectPaired } from './paired.js'
import { echo, hang, recorder } from './sample-tools.js'

describe('budgets', () => {
  test('maxTurns: the calls of the last turn are still run, and the history can go on', async () => {
    const { tool, ran } = recorder()
    const model = scriptedModel((_, index) => ({ text: 'more', calls: [{ name: 'record', args: { index } }] }))
    const result = await run({ model, tools: [tool], prompt: 'go', maxTurns: 3 })
    expect(result).toMatchObject({ stop: { reason: 'max_turns' }, turns: 3, calls: 3, text: 'more' })
    expect(ran).toHaveLength(3)
    expectPaired(result.messages)
  })

  test('maxTurns is 20 unless it is given', async () => {
    const model = scriptedModel((_, index) => ({ calls: [{ name: 'echo', args: { index } }] }))
    expect((await run({ model, tools: [echo], prompt: 'go' })).turns).toBe(20)
  })

  test('maxCallsPerTurn: none of a batch that is too large is run', async () => {
    const { tool, ran } = recorder()
    const calls = Array.from({ length: 65 }, () => ({ name: 'record' }))
    const result = await run({ model: scriptedModel([{ calls }]), tools: [tool], prompt: 'go' })
    expect(result.stop).toEqual({ reason: 'budget', detail: 'calls_per_turn' })
    expect([ran.length, result.calls]).toEqual([0, 0])
    expectPaired(result.messages)
    const small = await run({ model: scriptedModel([{ calls: calls.slice(1) }, 'ok']), tools: [tool], prompt: 'go' })
    expect([small.stop.reason, ran.length]).toEqual(['answer', 64])
  })

  test('maxTokensTotal: reached with calls, they are not run; reached with an answer, it is an answer', async () => {
    const { tool, ran } = recorder()
    const call = { calls: [{ name: 'record' }], usage: { input: 40, output: 10, total: 50 } }
    const other = { calls: [{ name: 'record', args: { again: 1 } }], usage: { input: 40, output: 10, total: 50 } }
    const result = await run({
      model: scriptedModel([call, other, 'ok']),
      tools: [tool],
      prompt: 'go',
      maxTokensTotal: 100,
    })
    expect(result).toMatchObject({ stop: { reason: 'budget', detail: 'tokens' }, usage: { total: 100 }, turns: 2 })
    expect(ran).toEqual(['call_1_1'])
    expect(result.messages.at(-1)).toMatchObject({
      results: [
        {
          content: [
            { text: 'Tool execution failed (cancelled): the run stopped because a limit was reached (tokens)' },
          ],
        },
      ],
    })
    expectPaired(result.messages)
    const model = scriptedModel([{ text: 'ok', usage: { total: 500 } }])
    expect((await run({ model, prompt: 'go', maxTokensTotal: 100 })).stop).toEqual({ reason: 'answer' })
  })

  test('timeoutMs ends a hanging model, a hanging tool and a hanging hook', async () => {
    const budget = { timeoutMs: 30, prompt: 'go' }
    const stop = { reason: 'budget', detail: 'time' }
    expect((await run({ model: scriptedModel([{ hang: true }]), ...budget })).stop).toEqual(stop)
    const tooled = await run({ model: scriptedModel([{ calls: [{ name: 'hang' }] }]), tools: [hang], ...budget })
    expect(tooled.stop).toEqual(stop)
    expectPaired(tooled.messages)
    const hooked = await run({ model: scriptedModel(['ok']), onTurn: () => new Promise(() => {}), ...budget })
    expect(hooked.stop).toEqual(stop)
  })

  test('identical calls with identical results in three turns in a row end the run', async () => {
    const model = scriptedModel(() => ({ calls: [{ name: 'echo', args: { a: 1 } }] }))
    const result = await run({ model, tools: [echo], prompt: 'go' })
    expect(result).toMatchObject({ stop: { reason: 'budget', detail: 'identical_calls' }, turns: 3, calls: 3 })
    expectPaired(result.messages)
    const patient = await run({ model, tools: [echo], prompt: 'go', maxIdenticalCalls: 5 })
    expect(patient.turns).toBe(5)
  })

  test('a turn that repeats one call but brings another is not a repetition, nor is a new result', async () => {
    const mixed = scriptedModel((_, index) =>
      index < 6 ? { calls: [{ name: 'echo' }, { name: 'echo', args: { index } }] } : 'ok',
    )
    expect((await run({ model: mixed, tools: [echo], prompt: 'go' })).stop.reason).toBe('answer')
    const { tool } = recorder()
    const changing = scriptedModel((_, index) => (index < 6 ? { calls: [{ name: 'record' }] } : 'ok'))
    expect((await run({ model: changing, tools: [tool], prompt: 'go' })).stop.reason).toBe('answer')
  })

  test('the same two calls again and again are a repetition in any order', async () => {
    const calls = [
      { name: 'echo', args: { a: 1 } },
      { name: 'echo', args: { a: 2 } },
    ]
    const model = scriptedModel((_, index) => ({ calls: index % 2 === 0 ? calls : calls.toReversed() }))
    expect((await run({ model, tools: [echo], prompt: 'go' })).stop.detail).toBe('identical_calls')
  })

  test('thousands of calls in one turn are run when the limit allows it', async () => {
    const calls = Array.from({ length: 3_000 }, (_, n) => ({ name: 'echo', args: { n } }))
    const result = await run({
      model: scriptedModel([{ calls }, 'ok']),
      tools: [echo],
      prompt: 'go',
      maxCallsPerTurn: 5_000,
    })
    expect([result.stop.reason, result.calls]).toEqual(['answer', 3_000])
    expectPaired(result.messages)
  })
})

import { describe, expect, test } from 'vitest'
import { digest } from '../../src/json/digest.js'
import { memoryJournal } from '../../src/loop/memory-journal.js'
import type { RunOptions } from '../../src/loop/options.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import type { RunState } from '../../src/loop/state.js'
import { type ScriptedModel, scriptedModel } from '../../src/testing/index.js'
import { expectPaired } from './paired.js'
import { recorder } from './sample-tools.js'

const calls = [
  { name: 'safe', args: { n: 1 } },
  { name: 'risky', args: { n: 2 } },
  { name: 'risky', args: { n: 3 } },
]
const approve: RunOptions['approve'] = (call) => (call.name === 'risky' ? 'pause' : 'allow')
/** A state as it comes back from a database. */
const stored = (result: RunResult): RunState => JSON.parse(JSON.stringify(result.state)) as RunState

function setup(): {
  safe: ReturnType<typeof recorder>
  risky: ReturnType<typeof recorder>
  model: ScriptedModel
  options: RunOptions
} {
  const safe = recorder('safe')
  const risky = recorder('risky')
  const model = scriptedModel([
    { calls, usage: { total: 10 } },
    { text: 'Done.', usage: { total: 5 } },
  ])
  return { safe, risky, model, options: { model, tools: [safe.tool, risky.tool] } }
}

describe('approval', () => {
  test('a paused call stops the run; the others ran, and the history can still be sent', async () => {
    const { safe, risky, options } = setup()
    const result = await run({ ...options, prompt: 'go', approve })
    expect(result.stop).toEqual({ reason: 'needs_approval' })
    expect([safe.ran, risky.ran, result.calls]).toEqual([['call_1_1'], [], 1])
    expect(result.state?.pending).toEqual([
      { callId: 'call_1_2', name: 'risky', arguments: '{"n":2}', digest: digest('{"n":2}'), ordinal: 1 },
      { callId: 'call_1_3', name: 'risky', arguments: '{"n":3}', digest: digest('{"n":3}'), ordinal: 2 },
    ])
    expectPaired(result.messages)
    expect(result.messages.at(-1)).toMatchObject({
      results: [{ isError: false }, { error: { category: 'cancelled' } }, { error: { category: 'cancelled' } }],
    })
  })

  test('resumed with answers it goes on without running anything twice', async () => {
    const { safe, risky, model, options } = setup()
    const paused = await run({ ...options, prompt: 'go', approve })
    const approvals = { call_1_2: 'allow', call_1_3: { deny: 'too much' } } as const
    const result = await run({ ...options, resume: stored(paused), approvals })
    expect(result).toMatchObject({
      text: 'Done.',
      stop: { reason: 'answer' },
      turns: 2,
      calls: 3,
      usage: { total: 15 },
    })
    expect([safe.ran, risky.ran]).toEqual([['call_1_1'], ['call_1_2']])
    expect(model.requests).toHaveLength(2)
    expect(result.messages[2]).toMatchObject({
      results: [
        { callId: 'call_1_1', content: [{ text: 'ran call_1_1' }] },
        { callId: 'call_1_2', content: [{ text: 'ran call_1_2' }] },
        { callId: 'call_1_3', error: { category: 'permission_denied', message: expect.stringContaining('too much') } },
      ],
    })
    expectPaired(result.messages)
  })

  test('a call nobody answered waits on, and can be answered the next time', async () => {
    const { risky, options } = setup()
    const first = await run({ ...options, prompt: 'go', approve })
    const second = await run({ ...options, resume: stored(first), approvals: { call_1_2: 'allow' } })
    expect(second.stop.reason).toBe('needs_approval')
    expect(second.state?.pending.map((call) => call.callId)).toEqual(['call_1_3'])
    expectPaired(second.messages)
    const third = await run({
      ...options,
      resume: stored(second),
      approvals: { call_1_3: { allow: digest('{"n":3}') } },
    })
    expect(third.stop.reason).toBe('answer')
    expect(risky.ran).toEqual(['call_1_2', 'call_1_3'])
  })

  test('resumed without answers, the approver is asked again', async () => {
    const { risky, options } = setup()
    const first = await run({ ...options, prompt: 'go', approve })
    const result = await run({ ...options, resume: stored(first), approve: () => 'allow' })
    expect([result.stop.reason, risky.ran.length]).toEqual(['answer', 2])
  })

  test('an approval does not count for other arguments than those that were shown', async () => {
    const { risky, options } = setup()
    const state = stored(await run({ ...options, prompt: 'go', approve }))
    const text = JSON.stringify(state).replace(
      /("type":"tool_call","id":"call_1_2","name":"risky","arguments":")[^}]*}/,
      '$1{\\"n\\":999}',
    )
    const forged = JSON.parse(text) as RunState
    expect(JSON.stringify(forged)).toContain('999')
    const result = await run({
      ...options,
      resume: forged,
      approvals: { call_1_2: 'allow', call_1_3: { allow: 'other' } },
    })
    expect(risky.ran).toEqual([])
    expect(result.messages[2]).toMatchObject({
      results: [{}, { error: { category: 'permission_denied' } }, { error: { category: 'permission_denied' } }],
    })
  })

  test('with the journal of the run, resuming twice runs an approved call once', async () => {
    const { risky, options } = setup()
    const journal = memoryJournal('r1')
    const first = await run({ ...options, prompt: 'go', approve, journal })
    const resumed = {
      ...options,
      journal,
      resume: stored(first),
      approvals: { call_1_2: 'allow', call_1_3: 'allow' },
    } as const
    const one = await run(resumed)
    const two = await run(resumed)
    expect(risky.ran).toEqual(['call_1_2', 'call_1_3'])
    expect(two.messages).toEqual(one.messages)
  })

  test('the events of a paused call say so', async () => {
    const { options } = setup()
    const types: string[] = []
    for await (const event of run.stream({ ...options, prompt: 'go', approve })) types.push(event.type)
    expect(types.filter((type) => type.startsWith('tool_') && type !== 'tool_call')).toEqual(
      expect.arrayContaining(['tool_start', 'tool_result', 'tool_paused']),
    )
    expect(types.at(-1)).toBe('done')
  })

  test('a state that was tampered with, or does not belong to the options, is refused before anything runs', async () => {
    const { risky, options } = setup()
    const state = stored(await run({ ...options, prompt: 'go', approve, runId: 'r1' }))
    const refused = async (change: object, more: Partial<RunOptions> = {}): Promise<unknown> =>
      run({ ...options, resume: { ...state, ...change } as RunState, ...more }).then(
        () => 'accepted',
        (error: { code?: string }) => error.code,
      )
    expect(await refused({ version: 2 })).toBe('invalid_request')
    expect(await refused({ pending: [] })).toBe('invalid_request')
    expect(await refused({ results: [] })).toBe('invalid_request')
    expect(await refused({ messages: state.messages.slice(0, 1) })).toBe('invalid_request')
    expect(await refused({ more: 1 })).toBe('invalid_request')
    expect(await refused({ turn: -1 })).toBe('invalid_request')
    expect(await refused({ usage: { total: 'x' } })).toBe('invalid_request')
    expect(await refused({}, { prompt: 'x' })).toBe('misuse')
    expect(await refused({}, { runId: 'r2' })).toBe('misuse')
    expect(await refused({}, { approvals: { other: 'allow' } })).toBe('misuse')
    expect(await refused({}, { approvals: { call_1_2: 'yes' as 'allow' } })).toBe('misuse')
    expect(risky.ran).toEqual([])
  })

  test('two waiting calls of one id with different arguments must be approved by digest', async () => {
    const { tool, ran } = recorder('risky')
    const twice = [1, 2].map((n) => ({ name: 'risky', args: { n }, id: 'same' }))
    const options = { model: scriptedModel([{ calls: twice }, 'ok']), tools: [tool] }
    const state = stored(await run({ ...options, prompt: 'go', approve }))
    await expect(run({ ...options, resume: state, approvals: { same: 'allow' } })).rejects.toMatchObject({
      code: 'misuse',
    })
    const result = await run({ ...options, resume: state, approvals: { same: { allow: digest('{"n":2}') } } })
    expect([result.stop.reason, ran.length]).toEqual(['answer', 1])
  })
})

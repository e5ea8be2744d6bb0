import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { errorFromJson } from '../../src/errors/stored.js'
import type { Json } from '../../src/json/types.js'
import { type Engine, resultFromJson, resultToJson, startAttempt } from '../../src/loop/engine.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'

/** An engine that keeps what steps gave in a map; `lose` makes it forget to, as one that lost the run. */
function engineOn(records: Map<string, Json>, lose = false): Engine {
  const step = async (name: string, fn: () => Promise<Json>): Promise<Json> => {
    const known = records.get(name)
    if (known !== undefined) return known
    const value = await fn()
    if (lose) throw new Error('no longer owned')
    records.set(name, value)
    return value
  }
  return {
    step,
    all: (steps) => Promise.all(steps.map(([name, fn]) => step(name, fn))),
    isMismatch: (error) => error instanceof Error && error.message === 'another step',
  }
}

describe('attempts of one run in one process', () => {
  test('join what the other has begun, and forget it when all are over', async () => {
    let count = 0
    const fn = async (): Promise<Json> => {
      count += 1
      await new Promise((resolve) => setTimeout(resolve, 5))
      return count
    }
    const [first, second] = [startAttempt('k', 'r', engineOn(new Map())), startAttempt('k', 'r', engineOn(new Map()))]
    expect(await Promise.all([first.journal.step('a', fn), second.journal.step('a', fn)])).toEqual([1, 1])
    first.end()
    expect(await second.journal.step('a', fn)).toBe(1)
    second.end()
    const third = startAttempt('k', 'r', engineOn(new Map()))
    expect(await third.journal.all([['a', fn]])).toEqual([2])
    third.end()
  })

  test('a run whose engine lost it stops, hands back what the engine threw, and the next attempt joins its calls', async () => {
    const ran: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays an invoice',
      input: { type: 'object' },
      execute: (_, { call }) => {
        ran.push(call.id)
        return 'paid'
      },
    })
    const options = {
      model: scriptedModel(({ messages }) => (messages.length === 1 ? { calls: [{ name: 'pay', id: 'c' }] } : 'Done.')),
      tools: [pay],
      prompt: 'go',
    }
    const records = new Map<string, Json>()
    const engine = engineOn(records)
    const losing: Engine = { ...engine, all: engineOn(records, true).all }
    const [loser, winner] = [startAttempt('k', 'r', losing), startAttempt('k', 'r', engine)]
    const lost = await run({ ...options, journal: loser.journal })
    expect([lost.stop.reason, loser.failure]).toEqual(['error', new Error('no longer owned')])
    const won = await run({ ...options, journal: winner.journal })
    expect([won.text, won.inDoubt, winner.failure, ran]).toEqual(['Done.', undefined, undefined, ['c']])
    loser.end()
    winner.end()
  })
})

test('an error keeps its code through the records, and records of another program are a mismatch', async () => {
  const records = new Map<string, Json>()
  const failing = async (): Promise<Json> => {
    throw new ToolwireError('rate_limited', 'slow down', { retryAfterMs: 5 })
  }
  const first = startAttempt('e', 'r', engineOn(records))
  await expect(first.journal.step('a', failing)).rejects.toMatchObject({ code: 'rate_limited' })
  first.end()
  const second = startAttempt('e', 'r', engineOn(records))
  await expect(second.journal.step('a', failing)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 5 })
  expect(second.failure).toBeUndefined()
  second.end()
  const step = async (): Promise<Json> => {
    throw new Error('another step')
  }
  const other = startAttempt('e', 'r', { ...engineOn(records), step })
  await expect(other.journal.step('b', failing)).rejects.toMatchObject({ code: 'journal_mismatch' })
  other.end()
})

test('a result goes through JSON with its error; what is none is told', async () => {
  const model = scriptedModel([])
  const result = await run({ model, prompt: 'go', journal: startAttempt('x', 'x', engineOn(new Map())).journal })
  const back = resultFromJson(JSON.parse(JSON.stringify(resultToJson(result))))
  expect(back.stop.error).toBeInstanceOf(ToolwireError)
  expect(back.stop).toMatchObject({ reason: 'error', error: { code: result.stop.error?.code } })
  expect(back.messages).toEqual(result.messages)
  expect(() => resultFromJson('junk')).toThrow(ToolwireError)
  for (const junk of [null, 1, {}, { code: '__proto__' }, { code: 'nonsense', message: 5 }]) {
    expect(errorFromJson(junk)).toMatchObject({ code: 'server_error' })
  }
})

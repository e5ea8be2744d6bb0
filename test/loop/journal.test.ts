import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/json/types.js'
import type { Journal } from '../../src/loop/journal.js'
import { memoryJournal } from '../../src/loop/memory-journal.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { expectPaired } from './paired.js'
import { echo, recorder } from './sample-tools.js'

/** A journal that keeps text only, as a file would, and can stop working before a step is recorded. */
function textJournal(records: Map<string, string>, failAt?: string): Journal & { readonly asked: readonly string[] } {
  const asked: string[] = []
  const step = async <T extends Json>(name: string, fn: () => Promise<T>): Promise<T> => {
    asked.push(name)
    const known = records.get(name)
    if (known !== undefined) return JSON.parse(known) as T
    const value = await fn()
    if (name === failAt) throw new Error('the process is gone')
    records.set(name, JSON.stringify(value))
    return JSON.parse(JSON.stringify(value)) as T
  }
  return { runId: 'r1', asked, step, all: (steps) => Promise.all(steps.map(([name, fn]) => step(name, fn))) }
}

const script = [{ text: 'Two.', calls: [{ name: 'record' }, { name: 'echo', args: { a: 1 } }] }, 'Done.']

describe('journal', () => {
  test('a run asks for its steps by names that depend on nothing but its course', async () => {
    const journal = textJournal(new Map())
    await run({ model: scriptedModel(script), tools: [recorder().tool, echo], prompt: 'go', journal })
    expect(journal.asked).toEqual(['turn/1/model', 'turn/1/intent', 'turn/1/call/0', 'turn/1/call/1', 'turn/2/model'])
  })

  test.each([false, true])(
    'a finished run out of the journal asks nobody and gives the same (streamed: %s)',
    async (streamed) => {
      const records = new Map<string, string>()
      const { tool: record, ran } = recorder()
      const options = { tools: [record, echo], prompt: 'go' }
      const first = await run({ ...options, model: scriptedModel(script), journal: textJournal(records) })
      const silent = scriptedModel([])
      const again = { ...options, model: silent, journal: textJournal(records) }
      const second = await (streamed ? run.stream(again) : run(again))
      expect(JSON.stringify(second)).toBe(JSON.stringify(first))
      expect([ran.length, silent.requests.length]).toEqual([1, 0])
    },
  )

  test('events of an answer out of the journal are those of a fresh one, in whole texts', async () => {
    const records = new Map<string, string>()
    const options = { tools: [recorder().tool, echo], prompt: 'go' }
    await run({ ...options, model: scriptedModel(script), journal: textJournal(records) })
    const texts: string[] = []
    const replay = run.stream({ ...options, model: scriptedModel([]), journal: textJournal(records) })
    for await (const event of replay) if (event.type === 'text_delta') texts.push(event.text)
    expect(texts).toEqual(['Two.', 'Done.'])
  })

  test.each(['turn/1/model', 'turn/1/intent', 'turn/1/call/0', 'turn/1/call/1', 'turn/2/model'])(
    'a crash before %s is recorded loses nothing that was and runs no recorded call again',
    async (failAt) => {
      const records = new Map<string, string>()
      const { tool: record, ran } = recorder()
      const options = { tools: [record, echo], prompt: 'go' }
      const crashed = await run({ ...options, model: scriptedModel(script), journal: textJournal(records, failAt) })
      expect(crashed.stop.reason).toBe('error')
      expectPaired(crashed.messages)
      const rest = scriptedModel(
        ({ messages }) => script[messages.filter((message) => message.role === 'assistant').length] ?? 'no',
      )
      const result = await run({ ...options, model: rest, journal: textJournal(records) })
      expect(result).toMatchObject({ stop: { reason: 'answer' }, text: 'Done.' })
      expect(ran).toEqual(['call_1_1'])
      expectPaired(result.messages)
    },
  )

  test('a call that was in flight at a crash is in doubt, unless its tool may simply be run again', async () => {
    const ran: string[] = []
    const make = (name: string, repeatable: boolean): ReturnType<typeof recorder>['tool'] =>
      tool({
        name,
        description: 'Remembers how often it ran',
        input: { type: 'object' },
        repeatable,
        execute: (_, { idempotencyKey }) => {
          ran.push(idempotencyKey)
          return 'ok'
        },
      })
    const tools = [make('once', false), make('again', true)]
    const calls = [{ name: 'once' }, { name: 'again' }]
    const records = new Map<string, string>()
    await run({
      model: scriptedModel([{ calls }]),
      tools,
      prompt: 'go',
      journal: textJournal(records, 'turn/1/call/0'),
    })
    records.delete('turn/1/call/1')
    const model = scriptedModel(['Done.'])
    const result = await run({ model, tools, prompt: 'go', journal: textJournal(records) })
    expect(ran).toEqual(['r1/1/call_1_1', 'r1/1/call_1_2', 'r1/1/call_1_2'])
    expect(result.messages[2]).toMatchObject({
      results: [
        { isError: true, error: { message: expect.stringContaining('whether it took effect is not known') } },
        { isError: false },
      ],
    })
  })

  test('a record that was tampered with ends the run with a typed error', async () => {
    for (const text of ['null', '{}', '{"message":{"role":"user","content":[]},"finishReason":"stop"}']) {
      const journal = textJournal(new Map([['turn/1/model', text]]))
      const result = await run({ model: scriptedModel([]), prompt: 'go', journal })
      expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'malformed_response' } })
    }
  })

  test('the memory journal runs a step once, also side by side, and a failed one again', async () => {
    const journal = memoryJournal('r1')
    let runs = 0
    const step = async (): Promise<number> => ++runs
    expect(await Promise.all([journal.step('a', step), journal.step('a', step)])).toEqual([1, 1])
    expect(
      await journal.all([
        ['a', step],
        ['b', step],
      ]),
    ).toEqual([1, 2])
    const failing = (): Promise<number> => Promise.reject(new Error('no'))
    await expect(journal.step('c', failing)).rejects.toThrow('no')
    expect(await journal.step('c', step)).toBe(3)
  })
})

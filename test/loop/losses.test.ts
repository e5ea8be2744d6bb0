// A run reports each distinct loss once, wherever it is read: every turn sends the history again, and loses the same again.
import { expect, onTestFinished, test } from 'vitest'
import type { Loss } from '../../src/conversation/losses.js'
import type { JsonObject } from '../../src/json/types.js'
import { memoryJournal } from '../../src/loop/memory-journal.js'
import type { RunEvent } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import { providerServer } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'

const turns = 10
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: params.object({ city: params.string() }),
  strict: true,
  execute: () => 'found',
})
const noted = { extra: { anthropic: { cache_control: { type: 'ephemeral' } } } }
const messages = [
  { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...noted }] },
  { role: 'user', content: [{ type: 'text', text: 'Look.', ...noted }] },
] as const

async function asked(calls: (index: number) => readonly { readonly name: string; readonly args: JsonObject }[]) {
  const provider = await providerServer({
    script: (_, index) => (index + 1 < turns ? { calls: calls(index) } : { text: 'Done.' }),
  })
  onTestFinished(() => provider.close())
  const model = compatible({ wire: 'ollama', model: 'm', baseUrl: provider.url })
  return { model, tools: [look], messages, topP: 0.5, parallelToolCalls: true } as const
}

const identity = ({ code, path, message }: Loss): string => JSON.stringify([code, path, message])

function expectDistinct(losses: readonly Loss[]): void {
  expect(losses.length).toBeGreaterThan(2)
  expect(new Set(losses.map(identity)).size).toBe(losses.length)
}

test('a conversation of ten turns ends with each loss once', async () => {
  const options = await asked((index) => [{ name: 'look', args: { city: `city ${index}` } }])
  const seen: Loss[] = []
  const result = await run({ ...options, onTurn: ({ response }) => void seen.push(...response.losses) })
  expect(result).toMatchObject({ turns, stop: { reason: 'answer' } })
  expectDistinct(result.losses)
  expect(seen).toEqual(result.losses)
})

test('its events tell each loss once, and the losses of the result', async () => {
  const options = await asked((index) => [{ name: 'look', args: { city: `city ${index}` } }])
  const told: Loss[] = []
  let done: Extract<RunEvent, { type: 'done' }> | undefined
  for await (const event of run.stream(options)) {
    if (event.type === 'loss') told.push(event.loss)
    if (event.type === 'done') done = event
  }
  expectDistinct(told)
  expect(done?.result).toMatchObject({ turns, losses: told })
})

test('a journal records each loss once, and a replay gives the same losses', async () => {
  const options = await asked((index) => [{ name: 'look', args: { city: `city ${index}` } }])
  const journal = memoryJournal('r1')
  const recorded: Loss[] = []
  const noting: typeof journal = {
    ...journal,
    step: async (name, fn) => {
      const value = await journal.step(name, fn)
      if (name.endsWith('/model')) recorded.push(...(value as unknown as { losses: Loss[] }).losses)
      return value
    },
  }
  const first = await run({ ...options, journal: noting })
  expect(first.turns).toBe(turns)
  expectDistinct(recorded)
  expect(recorded).toEqual(first.losses)
  const again = await run({ ...options, journal: noting })
  expect(again.losses).toEqual(first.losses)
})

test('what two answers lost in the same way is reported for both', async () => {
  const provider = await providerServer({
    script: (_, index) =>
      index < 2
        ? {
            calls: [
              { name: 'look', args: { city: 'a' }, id: 'same' },
              { name: 'look', args: { city: 'b' }, id: 'same' },
            ],
          }
        : { text: 'Done.' },
  })
  onTestFinished(() => provider.close())
  const model = compatible({ wire: 'openai-chat', model: 'm', baseUrl: provider.url, apiKey: 'k' })
  const result = await run({ model, tools: [look], prompt: 'Look.' })
  expect(result.losses.filter(({ code }) => code === 'call_id_repeated').length).toBe(2)
})

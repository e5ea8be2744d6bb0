// Processes that die for real. `npm run chaos` does the same at every boundary of a long run and at a thousand random times.
import { expect, test } from 'vitest'
import { crashOnce, crowd, late, placesIn } from './crash.mjs'

const turns = 2

test('killed at any boundary of its journal, a run loses no recorded step, runs no recorded call again, and tells what is in doubt', async () => {
  const inDoubt: number[] = []
  // every place of a turn: the second turn and the end have no others
  for (const place of placesIn(1)) {
    const crash = await crashOnce(turns, place)
    expect([place, crash.wasKilled, crash.faults]).toEqual([place, true, []])
    inDoubt.push(crash.inDoubt)
  }
  expect(Math.max(...inDoubt)).toBeGreaterThan(0)
}, 120_000)

test('killed at a random time, the same', async () => {
  for (let kill = 0; kill < 3; kill += 1) expect((await crashOnce(turns, Math.random() * 40)).faults).toEqual([])
}, 60_000)

test('of processes that take up one run, one has it, and the other is told which process that is', async () => {
  const [first, second] = await late(turns)
  expect(first).toMatchObject({ reason: 'answer', answered: turns * 3, inDoubt: [] })
  expect(second).toMatchObject({ reason: 'error', error: 'run_locked' })
  expect(second?.message).toMatch(/is open in process \d+; wait until it is done/)
}, 60_000)

test('of four that take up a crashed run at once each finishes it or is told, and nothing takes effect twice', async () => {
  const { results, effects } = await crowd(turns, 4)
  const outcomes = results.map((result) => result?.error ?? result?.reason)
  expect(outcomes).toContain('answer')
  expect(outcomes.filter((outcome) => outcome !== 'answer' && outcome !== 'run_locked')).toEqual([])
  const effectful = effects.filter((line) => !line.startsWith('look'))
  expect(effectful).toEqual([...new Set(effectful)])
}, 60_000)

// Processes that die for real. `npm run chaos` does the same at every boundary of a long run and at a thousand random times.
import { expect, test } from 'vitest'
import { crashOnce, stepsIn } from './crash.mjs'

const turns = 2
const boundaries = Array.from({ length: stepsIn(turns) }, (_, index) => index + 1)

test('killed at any boundary of its journal, a run loses no recorded step, runs no recorded call again, and tells what is in doubt', async () => {
  const inDoubt: number[] = []
  for (const place of boundaries) {
    const phase = (['before', 'during', 'after'] as const)[place % 3]
    const crash = await crashOnce(turns, `${phase}:${place}`)
    expect([place, crash.faults]).toEqual([place, []])
    inDoubt.push(crash.inDoubt)
  }
  expect(Math.max(...inDoubt)).toBeGreaterThan(0)
}, 120_000)

test('killed at a random time, the same', async () => {
  for (let kill = 0; kill < 5; kill += 1) expect((await crashOnce(turns, Math.random() * 40)).faults).toEqual([])
}, 60_000)

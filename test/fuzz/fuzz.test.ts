// Typed outcomes under fuzz: a short run of `npm run fuzz`, and every input that once found something.
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { seed } from '../seed.js'
import { fuzz, readFound, saveFault } from './fuzzing.js'
import { faultOf } from './targets.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const seconds = Number(process.env.FUZZ_SECONDS ?? '20')

test('mutated inputs give typed outcomes on every wire', { timeout: (seconds + 60) * 1000 }, () => {
  const { cases, faults } = fuzz({ root, seed, seconds })
  const told = faults.map((fault) => `${saveFault(root, fault)}\n${fault.message}`)
  expect(told, `seed ${seed}, ${cases} cases`).toEqual([])
  expect(cases).toBeGreaterThan(100)
})

test('what was found once stays mended', () => {
  for (const { name, input } of readFound(root)) expect([name, faultOf(input)]).toEqual([name, undefined])
})

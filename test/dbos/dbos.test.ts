// Runs on DBOS and a real PostgreSQL. `npm run engines:dbos` does the same with more of them, and kills more.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepare } from './place.mjs'
import { type Postgres, startPostgres } from './postgres.mjs'
import { changedProgram, managing, workerKill } from './scenarios.mjs'

let postgres: Postgres | undefined
beforeAll(async () => {
  postgres = await startPostgres()
  if (postgres === undefined) console.warn('PostgreSQL not found, skipped')
  else await prepare(postgres)
}, 120_000)
afterAll(() => postgres?.stop())

// one after the other: executors of one database take each other's runs
test.each([
  ['a run goes on when its killed executor is back; calls that were cut off are in doubt, none runs twice', workerKill],
  ['a run waits, is approved once, is cancelled, is forked', managing],
  ['a program whose steps do not fit the records is told so', changedProgram],
])('%s', { timeout: 120_000 }, async (_, scenario) => {
  if (postgres !== undefined) expect((await scenario(postgres)).faults).toEqual([])
})

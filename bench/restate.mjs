// What a step costs on a Restate server of this machine, which is installed into scripts/restate when it is not there.
import { createServer } from 'node:http2'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateRuns, restateService } from '../dist/restate/index.js'
import { freePort, installRestate, startRestate } from '../test/restate/server.mjs'
import { measure, options } from './engine-cost.mjs'

installRestate()
const restate = await startRestate()
const port = await freePort()
const worker = createServer(createEndpointHandler({ services: [restateService('bench', options)], logger: () => {} }))
try {
  await new Promise((resolve) => worker.listen(port, '127.0.0.1', resolve))
  await restate.register(port)
  const runs = restateRuns('bench', restate)
  await measure('Restate', async () => (await runs.start({ prompt: 'go' })).result())
} finally {
  await restate.stop()
  worker.close()
}

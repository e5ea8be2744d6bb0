// What a step costs on a Restate server of this machine, which is installed into scripts/restate when it is not there.
import { createServer } from 'node:http2'
import { createEndpointHandler, RestatePromise, workflow } from '@restatedev/restate-sdk'
import { restateRuns, restateService } from '../dist/restate/index.js'
import { freePort, installRestate, startRestate } from '../test/restate/server.mjs'
import { measure, options, turns } from './engine-cost.mjs'

/** As many steps as a run has, in the same order, with values of the same kind. */
const bare = workflow({
  name: 'bare',
  handlers: {
    async run(context) {
      const step = (name) => context.run(name, async () => ({ name, value: 'x'.repeat(200) }))
      for (let turn = 1; turn <= turns; turn += 1) {
        await step(`turn/${turn}/model`)
        await step(`turn/${turn}/intent`)
        await RestatePromise.all([0, 1, 2].map((call) => step(`turn/${turn}/call/${call}`)))
      }
      await step(`turn/${turns + 1}/model`)
      return 'done'
    },
  },
})

installRestate()
const restate = await startRestate()
const port = await freePort()
const worker = createServer(
  createEndpointHandler({ services: [restateService('bench', options), bare], logger: () => {} }),
)
try {
  await new Promise((resolve) => worker.listen(port, '127.0.0.1', resolve))
  await restate.register(port)
  const runs = restateRuns('bench', restate)
  const once = async () => {
    const reply = await fetch(`${restate.ingress}/bare/${crypto.randomUUID()}/run`, { method: 'POST' })
    if (!reply.ok) throw new Error(await reply.text())
  }
  await measure('Restate', async () => (await runs.start({ prompt: 'go' })).result(), once)
} finally {
  await restate.stop()
  worker.close()
}

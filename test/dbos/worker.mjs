// An executor: a process that runs what is in the queue, and does what it is told by lines of JSON on its standard input.
// Environment: DBOS_URL, EXECUTOR, EFFECTS (a file that gets a line for each effect), EXTRA_STEP (the program takes a step of its own after each turn).
import { createInterface } from 'node:readline'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { dbosRuns } from '../../dist/dbos/index.js'
import { told } from '../engines/executor.mjs'
import { optionsOf } from '../engines/program.mjs'

const { DBOS_URL, EXECUTOR, EXTRA_STEP } = process.env

const runs = dbosRuns('agent', ({ parameters }) => ({
  ...optionsOf(parameters),
  ...(EXTRA_STEP === undefined ? {} : { onTurn: () => DBOS.runStep(async () => 'taken', { name: 'extra' }) }),
}))

DBOS.setConfig({
  name: 'toolwire',
  systemDatabaseUrl: DBOS_URL,
  executorID: EXECUTOR,
  applicationVersion: '1',
  logLevel: 'error',
  systemDatabasePoolSize: 10,
})
await DBOS.launch()
await DBOS.registerQueue('agents', { workerConcurrency: 8, minPollingIntervalMs: 100 })

const commands = {
  start: async ({ input, options }) => (await runs.start(input, options)).runId,
  result: async ({ runId }) => told(await runs.get(runId).result()),
  resume: async ({ result, approvals }) => (await runs.resume(result, approvals)).runId,
  list: ({ filter }) => runs.list(filter),
  cancel: ({ runId }) => runs.cancel(runId),
  fork: async ({ runId, step }) => (await runs.fork(runId, step)).runId,
  takeOver: ({ executors }) => runs.takeOver(executors),
}
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, command, ...rest } = JSON.parse(line)
  Promise.resolve()
    .then(() => commands[command](rest))
    .then(
      (value) => process.stdout.write(`${JSON.stringify({ id, value: value ?? null })}\n`),
      (error) =>
        process.stdout.write(
          `${JSON.stringify({ id, error: { code: error.code, name: error.name, message: error.message } })}\n`,
        ),
    )
}
await DBOS.shutdown()
process.exit(0)

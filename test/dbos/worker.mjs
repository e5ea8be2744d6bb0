// An executor: a process that runs what is in the queue, and does what it is told by lines of JSON on its standard input.
// Environment: DBOS_URL, EXECUTOR, EFFECTS (a file that gets a line for each effect), EXTRA_STEP (the program takes a step of its own after each turn).
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { dbosRuns } from '../../dist/dbos/index.js'
import { tool } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const { DBOS_URL, EXECUTOR, EFFECTS, EXTRA_STEP } = process.env

/** Takes effect after so many milliseconds, when nobody stopped it. */
const effect = (name, repeatable) =>
  tool({
    name,
    description: 'Leaves a line in a file',
    input: { type: 'object', properties: { ms: { type: 'number' } } },
    repeatable,
    async execute({ ms }, { idempotencyKey, signal }) {
      appendFileSync(EFFECTS, `start ${name} ${idempotencyKey}\n`)
      await pause(ms, undefined, { signal })
      appendFileSync(EFFECTS, `done ${name} ${idempotencyKey}\n`)
      return 'done'
    },
  })

const runs = dbosRuns('agent', async ({ parameters }) => {
  const { turns, ms, approve } = parameters ?? { turns: 1, ms: 0 }
  const model = scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length + 1
    appendFileSync(EFFECTS, `model ${turn}\n`)
    if (turn > turns) return 'All done.'
    return { calls: ['pay', 'send', 'look'].map((name) => ({ name, id: `call_${turn}_${name}`, args: { ms, turn } })) }
  })
  return {
    model,
    tools: [effect('pay', false), effect('send', false), effect('look', true)],
    maxTurns: turns + 1,
    ...(EXTRA_STEP === undefined ? {} : { onTurn: () => DBOS.runStep(async () => 'taken', { name: 'extra' }) }),
    ...(approve === true ? { approve: ({ name }) => (name === 'pay' ? 'pause' : 'allow') } : {}),
  }
})

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

const told = (result) => ({
  stop: result.stop.reason,
  error: result.stop.error?.code,
  text: result.text,
  inDoubt: (result.inDoubt ?? []).map((call) => call.id),
  result,
})
const commands = {
  start: async ({ input, options }) => (await runs.start(input, options)).runId,
  result: async ({ runId }) => told(await runs.get(runId).result()),
  resume: async ({ runId, approvals }) => (await runs.resume(await runs.get(runId).result(), approvals)).runId,
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

// A process that takes a durable run as far as it may: turns of three parallel calls, then an answer.
// Arguments: folder, run id, turns, and where to die: `before:n`, `during:n`, `after:n` (the n-th fresh step), or `never`;
// `asleep:n` sleeps before it until it is woken.
// Each tool leaves a line in the file `effects` when it takes effect; the result of the run is printed.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileJournal } from '../../dist/durable/index.js'
import { run, tool } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const [folder, runId, turnsText, where] = process.argv.slice(2)
const turns = Number(turnsText)
const [phase, place] = where.split(':')
let fresh = 0
const die = (now, step = fresh) => {
  if (now === phase && step === Number(place)) process.kill(process.pid, 'SIGKILL')
}

/** The store, with a process that dies at the boundary of a fresh step. */
const store = fileJournal(join(folder, 'runs'))
const mortal = {
  async open(id) {
    const journal = await store.open(id)
    const wrap = (name, fn) => {
      if (journal.has(name)) return fn
      fresh += 1
      const own = fresh
      die('before')
      if (phase === 'asleep' && fresh === Number(place)) process.kill(process.pid, 'SIGSTOP')
      return async () => {
        const value = await fn()
        die('during', own)
        return value
      }
    }
    return {
      ...journal,
      async step(name, fn) {
        const value = await journal.step(name, wrap(name, fn))
        die('after')
        return value
      },
      async all(steps) {
        const values = await journal.all(steps.map(([name, fn]) => [name, wrap(name, fn)]))
        die('after')
        return values
      },
    }
  },
}

const effect = (name, repeatable) =>
  tool({
    name,
    description: 'Leaves a line in a file',
    input: { type: 'object' },
    repeatable,
    async execute(_, { idempotencyKey }) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2))
      appendFileSync(join(folder, 'effects'), `${name} ${idempotencyKey}\n`)
      return 'done'
    },
  })

const model = scriptedModel(({ messages }) => {
  const turn = messages.filter((message) => message.role === 'assistant').length + 1
  if (turn > turns) return 'All done.'
  return { calls: ['pay', 'send', 'look'].map((name) => ({ name, id: `call_${turn}_${name}`, args: { turn } })) }
})

process.stdout.write('ready\n')
const result = await run({
  model,
  tools: [effect('pay', false), effect('send', false), effect('look', true)],
  prompt: 'go',
  maxTurns: turns + 1,
  journal: mortal,
  runId,
})
const { stop, text, inDoubt = [], messages } = result
const answers = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
process.stdout.write(
  JSON.stringify({
    reason: stop.reason,
    error: stop.error?.code,
    message: stop.error?.message,
    text,
    fresh,
    inDoubt: inDoubt.map((call) => call.id),
    failed: answers.filter((answer) => answer.isError).map((answer) => answer.callId),
    answered: answers.length,
  }),
)

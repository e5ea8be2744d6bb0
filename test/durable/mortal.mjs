// A durable run that this process takes as far as it may: turns of three parallel calls, then an answer.
// Each tool leaves a line in the file `effects` when it takes effect.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileJournal } from '../../dist/durable/index.js'
import { run, tool } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

/**
 * Starts the run of the folder or goes on with it, and tells what came of it. `where` it dies: `before:n`, `during:n`, `after:n`
 * (the n-th fresh step), or `never`; `asleep:n` sleeps before it until it is woken.
 */
export async function takeUp(folder, turns, where, leaseMs) {
  const {
    stop,
    text,
    inDoubt = [],
    messages,
  } = await run({
    model: modelOf(turns),
    tools: [effect(folder, 'pay', false), effect(folder, 'send', false), effect(folder, 'look', true)],
    prompt: 'go',
    maxTurns: turns + 1,
    journal: mortal(fileJournal(join(folder, 'runs'), { leaseMs }), where, () =>
      writeFileSync(join(folder, 'asleep'), ''),
    ),
    runId: 'r',
  })
  const answers = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  return {
    reason: stop.reason,
    error: stop.error?.code,
    message: stop.error?.message,
    text,
    inDoubt: inDoubt.map((call) => call.id),
    failed: answers.filter((answer) => answer.isError).map((answer) => answer.callId),
    answered: answers.length,
  }
}

/** The store, in a process that dies at the boundary of a fresh step. */
function mortal(store, where, fallAsleep) {
  const [phase, place] = where.split(':')
  let fresh = 0
  const die = (now, step = fresh) => {
    if (now === phase && step === Number(place)) process.kill(process.pid, 'SIGKILL')
  }
  return {
    async open(id) {
      const journal = await store.open(id)
      const wrap = (name, fn) => {
        if (journal.has(name)) return fn
        fresh += 1
        const own = fresh
        die('before')
        if (phase === 'asleep' && fresh === Number(place)) {
          fallAsleep()
          process.kill(process.pid, 'SIGSTOP')
        }
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
}

function effect(folder, name, repeatable) {
  return tool({
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
}

function modelOf(turns) {
  return scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length + 1
    if (turn > turns) return 'All done.'
    return { calls: ['pay', 'send', 'look'].map((name) => ({ name, id: `call_${turn}_${name}`, args: { turn } })) }
  })
}

// The program of the scenarios: turns of three parallel calls, then an answer. Each call leaves a line when it begins and when it
// has taken effect, in the file that EFFECTS names.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { tool } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const leave = (line) => appendFileSync(process.env.EFFECTS, `${line}\n`)

/** Takes effect after so many milliseconds, when nobody stopped it. */
const effect = (name, repeatable) =>
  tool({
    name,
    description: 'Leaves a line in a file',
    input: { type: 'object', properties: { ms: { type: 'number' } } },
    repeatable,
    async execute({ ms }, { idempotencyKey, signal }) {
      leave(`start ${name} ${idempotencyKey}`)
      await pause(ms, undefined, { signal })
      leave(`done ${name} ${idempotencyKey}`)
      return `done by ${process.env.EXECUTOR}`
    },
  })

/** The options of a run. Parameters: `turns`, `ms` that a call takes, `approve` when `pay` needs it. */
export function optionsOf({ turns = 1, ms = 0, approve = false } = {}) {
  const model = scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length + 1
    leave(`model ${turn}`)
    if (turn > turns) return 'All done.'
    return { calls: ['pay', 'send', 'look'].map((name) => ({ name, id: `call_${turn}_${name}`, args: { ms, turn } })) }
  })
  return {
    model,
    tools: [effect('pay', false), effect('send', false), effect('look', true)],
    maxTurns: turns + 1,
    ...(approve ? { approve: ({ name }) => (name === 'pay' ? 'pause' : 'allow') } : {}),
  }
}

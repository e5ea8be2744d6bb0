// node check.mjs [part of name/wire]: whether every adapter does the work of every scenario, before anything is timed. Exits with 1
// when one does not.
import assert from 'node:assert/strict'
import { files, loadFile } from './lib/contenders.mjs'
import { startServer } from './lib/pool.mjs'
import { bigTool, makeTools } from './lib/tools.mjs'

const server = await startServer()
const part = process.argv[2] ?? ''
let loops = 0

/** What each scenario must give. `made(slug, tools)` is the adapter against what the upstream sends under that slug. */
const steps = {
  async A(made) {
    const { toolCalls } = await (await made('chat4', makeTools(20))).chat('hi')
    assert.equal(toolCalls.length, 4, 'calls')
    assert.equal(toolCalls[3].args.days, 4, 'arguments')
    assert.equal(toolCalls[2].name, 'tool_2', 'name')
  },
  async B(made) {
    let deltas = 0
    const { text } = await (await made('text-50')).chatStream('hi', () => {
      deltas += 1
    })
    assert.equal(deltas, 50, 'deltas')
    assert.ok(text.length > 300, 'text')
  },
  async C(made) {
    const { toolCalls } = await (await made('args-4000-80', [bigTool()])).chatStream('hi', () => {})
    assert.equal(toolCalls.length, 1, 'calls')
    assert.equal(JSON.stringify(toolCalls[0].args).length, 4000, 'bytes')
  },
  async D(made) {
    loops += 1
    const { calls, rounds, text } = await (await made(`loop-3-c${loops}`, makeTools(4))).toolLoop('hi', 3)
    assert.equal(calls, 12, 'calls')
    assert.equal(rounds, 3, 'rounds')
    assert.match(text, /done/)
  },
}

/** The scenarios an adapter takes part in on a wire. */
function stepsOf({ only }, wire) {
  if (only !== undefined) return ['D']
  return wire === 'openai' || wire === 'anthropic' ? ['A', 'B', 'C', 'D'] : ['A', 'B', 'D']
}

/** Passed, or why not; a step that hangs is given up. */
async function outcomeOf(step, made) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('not done within 8 s')), 8000)
  })
  try {
    await Promise.race([steps[step](made), late])
    return 'ok'
  } catch (error) {
    process.exitCode = 1
    return `FAIL ${String(error?.stack ?? JSON.stringify(error)).slice(0, 400)}`
  } finally {
    clearTimeout(timer)
  }
}

async function check(contender, wire) {
  const outcomes = []
  for (const schema of contender.zod ? ['json', 'zod'] : ['json']) {
    const made = (slug, tools) => contender.create(wire, { root: server.base + slug, tools, schema })
    for (const step of stepsOf(contender, wire)) outcomes.push(`${step} ${schema}: ${await outcomeOf(step, made)}`)
  }
  console.log(`${contender.name}/${wire}`.padEnd(32), outcomes.join(', '))
}

for (const file of files()) {
  for (const contender of await loadFile(file)) {
    for (const wire of contender.wires) {
      if (`${contender.name}/${wire}`.includes(part)) await check(contender, wire)
    }
  }
}
server.stop()
process.exit()

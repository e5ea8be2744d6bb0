// What the file journal costs per step, against the journal in memory, in one process and interleaved: ten turns of three
// parallel calls (52 steps), the model and the tools scripted. Also steps per second with 16 runs at once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileJournal } from '../dist/durable/index.js'
import { run, tool } from '../dist/index.js'
import { scriptedModel } from '../dist/testing/index.js'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
const turns = 10
const steps = 2 + turns * 5
const tools = ['a', 'b', 'c'].map((name) =>
  tool({ name, description: 'Gives a short answer', input: { type: 'object' }, execute: () => 'ok' }),
)
const script = [
  ...Array.from({ length: turns }, (_, turn) => ({ calls: tools.map(({ name }) => ({ name, args: { turn } })) })),
  'Done.',
]

async function once(journal) {
  const result = await run({
    model: scriptedModel(script),
    tools,
    prompt: 'go',
    maxTurns: turns + 1,
    ...journal,
    runId: crypto.randomUUID(),
  })
  if (result.stop.reason !== 'answer' || result.calls !== turns * 3)
    throw new Error(`the run stopped: ${result.stop.reason}`)
}
const timed = async (work) => {
  const started = performance.now()
  await work()
  return performance.now() - started
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const file = { journal: fileJournal(folder) }

try {
  const rounds = Array.from({ length: 40 }, (_, index) => index)
  const costs = []
  for (const round of rounds) {
    const memory = await timed(() => once({}))
    const disk = await timed(() => once(file))
    if (round >= 5) costs.push((disk - memory) / steps)
  }
  const sixteen = (journal) => timed(() => Promise.all(Array.from({ length: 16 }, () => once(journal))))
  const rates = []
  for (let round = 0; round < 7; round += 1) rates.push((16 * steps * 1000) / (await sixteen(file)))
  const sorted = costs.toSorted((a, b) => a - b)
  process.stdout.write(
    `file journal above memory: ${median(costs).toFixed(3)} ms per step (${sorted[0].toFixed(3)} to ${sorted.at(-1).toFixed(3)}, ${costs.length} rounds of ${steps} steps)\n` +
      `16 runs at once: ${Math.round(median(rates))} steps/s (${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))})\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

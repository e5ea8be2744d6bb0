// What the file journal costs per step, against the journal in memory, in one process and interleaved: ten turns of three
// parallel calls (52 steps), the model and the tools scripted. Also steps per second with 16 runs at once.
// In the same rounds the floor: a line appended and synced for each step, and for each of the points where a run waits for the disk.
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
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
/** So many lines, each on the disk before the next is written. */
async function lines(count) {
  const handle = await open(join(folder, crypto.randomUUID()), 'a')
  for (let line = 0; line < count; line += 1) {
    await handle.write(`${'x'.repeat(300)}\n`)
    await handle.datasync()
  }
  await handle.close()
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const file = { journal: fileJournal(folder) }

try {
  const rounds = Array.from({ length: 40 }, (_, index) => index)
  const costs = []
  const floors = []
  const waits = []
  for (const round of rounds) {
    const memory = await timed(() => once({}))
    const disk = await timed(() => once(file))
    const line = await timed(() => lines(steps))
    const wait = await timed(() => lines(2 + turns * 2))
    if (round < 5) continue
    costs.push((disk - memory) / steps)
    floors.push(line / steps)
    waits.push(wait / steps)
  }
  const sixteen = (journal) => timed(() => Promise.all(Array.from({ length: 16 }, () => once(journal))))
  const rates = []
  for (let round = 0; round < 7; round += 1) rates.push((16 * steps * 1000) / (await sixteen(file)))
  const sorted = costs.toSorted((a, b) => a - b)
  process.stdout.write(
    `file journal above memory: ${median(costs).toFixed(3)} ms per step (${sorted[0].toFixed(3)} to ${sorted.at(-1).toFixed(3)}, ${costs.length} rounds of ${steps} steps)\n` +
      `floor: ${median(floors).toFixed(3)} ms for a line synced per step, ${median(waits).toFixed(3)} ms per step for the ${2 + turns * 2} syncs of a run alone\n` +
      `16 runs at once: ${Math.round(median(rates))} steps/s (${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))})\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

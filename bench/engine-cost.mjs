// What a step costs on an engine, against the journal in memory, in one process: ten turns of three parallel calls (51 steps), the
// model and the tools scripted. Also steps per second with 16 runs at once.
import { run, tool } from '../dist/index.js'
import { scriptedModel } from '../dist/testing/index.js'

export const turns = 10
const steps = 1 + turns * 5
const tools = ['a', 'b', 'c'].map((name) =>
  tool({ name, description: 'Gives a short answer', input: { type: 'object' }, execute: () => 'ok' }),
)
const script = [
  ...Array.from({ length: turns }, (_, turn) => ({ calls: tools.map(({ name }) => ({ name, args: { turn } })) })),
  'Done.',
]
const timed = async (work) => {
  const started = performance.now()
  await work()
  return performance.now() - started
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** The options of a run. */
export const options = () => ({ model: scriptedModel(script), tools, maxTurns: turns + 1 })

/** Measures an engine; `start` starts a run on it and gives its result. `bare` does the same steps there without toolwire: the floor. */
export async function measure(name, start, bare) {
  const once = async () => {
    const { stop, calls } = await start()
    if (stop.reason !== 'answer' || calls !== turns * 3) throw new Error(`the run stopped: ${stop.reason}`)
  }
  const costs = []
  const floors = []
  for (let round = 0; round < 15; round += 1) {
    const memory = await timed(() => run({ ...options(), prompt: 'go' }))
    const engine = await timed(once)
    const floor = bare === undefined ? undefined : await timed(bare)
    if (round < 3) continue
    costs.push((engine - memory) / steps)
    if (floor !== undefined) floors.push(floor / steps)
  }
  const rates = []
  for (let round = 0; round < 3; round += 1) {
    rates.push((16 * steps * 1000) / (await timed(() => Promise.all(Array.from({ length: 16 }, once)))))
  }
  const sorted = costs.toSorted((a, b) => a - b)
  process.stdout.write(
    `${name} above memory: ${median(costs).toFixed(2)} ms per step (${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)}, ${costs.length} rounds of ${steps} steps)\n` +
      (floors.length === 0 ? '' : `floor: ${median(floors).toFixed(2)} ms for the same steps without toolwire\n`) +
      `16 runs at once: ${Math.round(median(rates))} steps/s (${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))})\n`,
  )
}

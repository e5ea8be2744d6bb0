// `npm run chaos`: kills durable runs at every boundary of their journal and at random times, and counts what was lost or doubled.
// Options: --kills n (random kills; 1000), --turns n (20), --parallel n (2); --from n and --to n take a part of them all.
import { parseArgs } from 'node:util'
import { crashOnce, durationOf, placesIn } from '../test/durable/crash.mjs'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    turns: { type: 'string', default: '20' },
    parallel: { type: 'string', default: '2' },
    from: { type: 'string', default: '0' },
    to: { type: 'string' },
  },
})
const turns = Number(values.turns)
const places = placesIn(turns)
const times = Array.from({ length: Number(values.kills) }, () => Math.random())
const all = [...places, ...times]
const queue = all.slice(Number(values.from), values.to === undefined ? undefined : Number(values.to))
const atBoundaries = queue.filter((kill) => typeof kill === 'string').length
const total = queue.length
const sum = { kills: 0, late: 0, inDoubt: 0, recorded: 0, faults: [] }
const started = Date.now()

/** A time between the beginning and the end of a run, as long as runs take just now. */
let duration = await durationOf(turns)
async function crashed(kill) {
  if (typeof kill === 'string') return crashOnce(turns, kill)
  const crash = await crashOnce(turns, kill * duration)
  if (crash.wasKilled) return crash
  sum.late += 1
  duration = (duration + crash.ms) / 2
  return { ...crash, next: Math.random() }
}

async function worker() {
  for (let kill = queue.shift(); kill !== undefined; kill = queue.shift()) {
    const { faults, inDoubt, wasKilled, recorded, next } = await crashed(kill)
    if (next !== undefined) queue.push(next) // it was over before: another time in its place
    sum.kills += wasKilled ? 1 : 0
    sum.inDoubt += inDoubt
    sum.recorded += recorded
    for (const fault of faults) sum.faults.push(`${kill}: ${fault}`)
    const done = total - queue.length
    if (done % 50 === 0) process.stderr.write(`${done} of ${total}, ${sum.faults.length} faults\n`)
  }
}

await Promise.all(Array.from({ length: Number(values.parallel) }, worker))
const seconds = Math.round((Date.now() - started) / 1000)
process.stdout.write(
  `${total} runs of ${turns} turns with 3 parallel calls: ${atBoundaries} kills at boundaries, ${total - atBoundaries} at random times ` +
    `(${sum.kills} hit, ${sum.late} more came too late), ${seconds} s\n` +
    `recorded steps found after the kill: ${sum.recorded}; calls in doubt, reported: ${sum.inDoubt}; faults: ${sum.faults.length}\n`,
)
for (const fault of sum.faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`)
process.exitCode = sum.faults.length === 0 ? 0 : 1

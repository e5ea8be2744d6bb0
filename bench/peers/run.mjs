// node run.mjs [--quick] [--only=A,B,…] [--contender=part,…] [--wire=openai,…] [--out=results.json] [--resume] [--minutes=2]
// Writes the JSON after each piece (a scenario on a wire). `--resume` leaves out the pieces that the JSON has, and `--minutes` begins
// none after that time, so that a long run can be made in short ones; prints the tables of all at the end.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { parseArgs } from 'node:util'
import { crowds, measureCrowd } from './lib/crowd.mjs'
import { list, startServer, Worker } from './lib/pool.mjs'
import { measureCase } from './lib/rounds.mjs'
import { scenarios } from './lib/scenarios.mjs'
import { report } from './report.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'A,AZ,B,BC,D,C,CP,E,EP,F,G,H' },
    contender: { type: 'string', default: '' },
    wire: { type: 'string', default: 'openai,anthropic,ollama,gemini' },
    out: { type: 'string', default: 'results.json' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const { quick, out } = values
const only = values.only.split(',')
const wires = values.wire.split(',')
const parts = values.contender.split(',').filter(Boolean)
const isWanted = (contender) =>
  contender.floor || parts.length === 0 || parts.some((part) => contender.name.includes(part))

const results = existsSync(out) ? JSON.parse(readFileSync(out, 'utf8')) : {}
results.meta = {
  date: new Date().toISOString(),
  node: process.version,
  cpus: os.cpus().length,
  cpu: os.cpus()[0].model,
  load: os.loadavg(),
  quick,
  packages: JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')).dependencies,
}
/** When each piece was measured, and how busy the machine was. */
results.pieces ??= {}
const lastStart = performance.now() + Number(values.minutes) * 60_000
const isDue = (piece) => performance.now() < lastStart && !(values.resume && results.pieces[piece] !== undefined)
const save = () => writeFileSync(out, `${JSON.stringify(results, null, 1)}\n`)

/** Keeps what was measured: by scenario, then contender and wire, then case where there are several. */
function keep(scenario, measured, key) {
  results[scenario] ??= {}
  for (const [contender, summary] of measured) {
    const name = `${contender.name}/${contender.wire}`
    results[scenario][name] = key === undefined ? summary : { ...results[scenario][name], [key]: summary }
  }
}

/** The piece is whole: only then it counts as done. */
function finish(piece) {
  results.pieces[piece] = { date: new Date().toISOString(), load: os.loadavg()[0], quick }
  save()
}

async function runCalls(server, wire) {
  const all = Object.entries(scenarios(quick)).filter(
    ([scenario, [{ wires: on = [wire] }]]) =>
      only.includes(scenario) && on.includes(wire) && isDue(`${scenario}/${wire}`),
  )
  if (all.length === 0) return
  const workers = (await list((contender, of) => of === wire && isWanted(contender))).map((c) => new Worker(c))
  await Promise.all(workers.map((worker) => worker.ready))
  for (const [scenario, items] of all) {
    if (!isDue(`${scenario}/${wire}`)) break
    for (const worker of workers) worker.lastMs = undefined
    for (const item of items) {
      console.error(`${scenario} ${item.key} on ${wire}`)
      keep(scenario, await measureCase(scenario, item, workers, server.base), item.key)
    }
    finish(`${scenario}/${wire}`)
  }
  for (const worker of workers) worker.stop()
}

async function runCrowds(server, wire) {
  for (const [scenario, crowd] of Object.entries(crowds(quick))) {
    const piece = `${scenario}/${wire}`
    if (!only.includes(scenario) || !crowd.wires.includes(wire) || !isDue(piece)) continue
    const contenders = await list((c, of) => of === wire && isWanted(c) && !c.only)
    console.error(`${scenario} on ${wire}: ${contenders.length} contenders`)
    keep(scenario, await measureCrowd(crowd, contenders, server.base))
    finish(piece)
  }
}

const server = await startServer()
for (const wire of wires) {
  await runCalls(server, wire)
  await runCrowds(server, wire)
}
server.stop()
for (const [scenario, file] of Object.entries({ F: './cold.mjs', G: './schema.mjs', H: './gateway.mjs' })) {
  if (!only.includes(scenario) || !isDue(scenario)) continue
  console.error(scenario)
  results[scenario] = await (await import(file)).default({ quick, isWanted })
  finish(scenario)
}
console.log(report(results))
process.exit(0)

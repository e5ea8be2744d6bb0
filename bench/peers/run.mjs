// node run.mjs [--quick] [--only=A,B,…] [--contender=part,…] [--wire=openai,…] [--out=results.json]
// Writes the JSON after each case, so that a run that was stopped is still worth something; prints the tables at the end.
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
const save = () => writeFileSync(out, `${JSON.stringify(results, null, 1)}\n`)

/** Keeps what was measured: by scenario, then contender and wire, then case where there are several. */
function keep(scenario, measured, key) {
  results[scenario] ??= {}
  for (const [contender, summary] of measured) {
    const name = `${contender.name}/${contender.wire}`
    results[scenario][name] = key === undefined ? summary : { ...results[scenario][name], [key]: summary }
  }
  save()
}

async function runCalls(server) {
  const all = Object.entries(scenarios(quick)).filter(([scenario]) => only.includes(scenario))
  if (all.length === 0) return
  for (const wire of wires) {
    const workers = (await list((contender, of) => of === wire && isWanted(contender))).map((c) => new Worker(c))
    await Promise.all(workers.map((worker) => worker.ready))
    for (const [scenario, items] of all) {
      for (const worker of workers) worker.lastMs = undefined
      for (const item of items) {
        console.error(`${scenario} ${item.key} on ${wire}`)
        keep(scenario, await measureCase(scenario, item, workers, server.base), item.key)
      }
    }
    for (const worker of workers) worker.stop()
  }
}

async function runCrowds(server) {
  for (const [scenario, crowd] of Object.entries(crowds(quick))) {
    if (!only.includes(scenario)) continue
    const onWire = (wire) => wire === 'openai' || (wire === 'anthropic' && scenario === 'E')
    const contenders = await list((c, wire) => onWire(wire) && wires.includes(wire) && isWanted(c) && !c.only)
    console.error(`${scenario}: ${contenders.length} contenders`)
    keep(scenario, await measureCrowd(crowd, contenders, server.base))
  }
}

const server = await startServer()
await runCalls(server)
await runCrowds(server)
server.stop()
for (const [scenario, file] of Object.entries({ F: './cold.mjs', G: './schema.mjs', H: './gateway.mjs' })) {
  if (!only.includes(scenario)) continue
  console.error(scenario)
  results[scenario] = await (await import(file)).default({ quick })
  save()
}
console.log(report(results))
process.exit(0)

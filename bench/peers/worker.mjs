// One process per contender and wire, driven over IPC so that rounds of different contenders can be interleaved.
// Every timed call is verified: an adapter that loses a delta or a call fails instead of being fast.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { loadFile } from './lib/contenders.mjs'
import { bigTool, makeTools } from './lib/tools.mjs'

const [file, name, wire] = process.argv.slice(2)
for (const method of ['log', 'warn', 'info']) console[method] = () => {}
const contender = (await loadFile(file)).find((candidate) => candidate.name === name)
const toolSets = { none: () => undefined, t20: () => makeTools(20), t4: () => makeTools(4), big: () => [bigTool()] }
const instances = new Map()

async function instanceOf(root, tools, schema) {
  const key = `${root}|${tools}|${schema}`
  if (!instances.has(key)) instances.set(key, await contender.create(wire, { root, tools: toolSets[tools](), schema }))
  return instances.get(key)
}

/** What is wrong with an outcome, by what the upstream was asked to send. */
function problemOf(slug, outcome, deltas) {
  const [kind, first, second] = slug.split('-')
  switch (kind) {
    case 'chat4':
      return outcome.toolCalls.length === 4 ? undefined : `calls ${outcome.toolCalls.length}`
    case 'text':
      return deltas === Number(first) ? undefined : `deltas ${deltas}`
    case 'conc':
    case 'paced':
      return deltas === Number(second) ? undefined : `deltas ${deltas}`
    case 'args':
      return outcome.toolCalls.length === 1 && typeof outcome.toolCalls[0].args?.content === 'string'
        ? undefined
        : 'args'
    case 'loop':
      return outcome.calls === 4 * Number(first) && outcome.rounds === Number(first)
        ? undefined
        : `loop ${outcome.rounds}/${outcome.calls}`
    default:
      return `unknown scenario ${kind}`
  }
}

async function callOnce(instance, action, slug) {
  let deltas = 0
  const count = () => {
    deltas += 1
  }
  const second = action === 'toolLoop' ? Number(slug.split('-')[1]) : count
  const outcome = await instance[action]('hello', second)
  const problem = problemOf(slug, outcome, deltas)
  if (problem !== undefined) throw new Error(`verify: ${problem}`)
}

/** Processor (all threads) and wall time of some work. */
async function timed(work) {
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wall: performance.now() - before, cpu: user + system }
}

async function runBatch({ base, slug, action, tools, schema = 'json', calls }) {
  const instance = await instanceOf(base + slug, tools, schema)
  const { wall, cpu } = await timed(async () => {
    for (let index = 0; index < calls; index += 1) await callOnce(instance, action, slug)
  })
  return { wall: wall / calls, cpu: cpu / calls }
}

async function runCrowd({ base, slug, tools, streams }) {
  const instance = await instanceOf(base + slug, tools, 'json')
  await callOnce(await instanceOf(`${base}text-200`, tools, 'json'), 'chatStream', 'text-200')
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const delay = monitorEventLoopDelay({ resolution: 2 })
  delay.enable()
  let settled = []
  const { wall, cpu } = await timed(async () => {
    settled = await Promise.allSettled(Array.from({ length: streams }, () => callOnce(instance, 'chatStream', slug)))
  })
  delay.disable()
  const bad = settled.filter(({ status }) => status === 'rejected')
  return {
    wall,
    cpu,
    before,
    peak: process.resourceUsage().maxRSS * 1024,
    p50: delay.percentile(50) / 1e6,
    p99: delay.percentile(99) / 1e6,
    max: delay.max / 1e6,
    failed: bad.length,
    error: bad[0] && String(bad[0].reason?.message ?? bad[0].reason),
  }
}

process.on('message', (message) => {
  const work = message.command === 'crowd' ? runCrowd(message) : runBatch(message)
  work.then(
    (measured) => process.send({ id: message.id, ok: true, ...measured }),
    (error) => process.send({ id: message.id, ok: false, error: String(error?.message ?? error).slice(0, 300) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.on('unhandledRejection', () => {}) // a peer that leaves a rejection behind fails its own check, not the run
process.send({ ready: true })

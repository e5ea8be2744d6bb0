// One process per (contender, wire). Driven over IPC so that rounds of different contenders can be interleaved.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { loadFile } from './lib/contenders.mjs'
import { bigTool, makeTools } from './lib/tools.mjs'

const [file, name, wire] = process.argv.slice(2)
console.log = console.warn = console.info = () => {}
const contender = (await loadFile(file)).find((c) => c.name === name)
const instances = new Map()
const TOOLS = { none: () => undefined, t20: () => makeTools(20), t4: () => makeTools(4), big: () => [bigTool()] }
async function instance(root, tools, schema) {
  const key = root + '|' + tools + '|' + schema
  if (!instances.has(key)) instances.set(key, await contender.create(wire, { root, tools: TOOLS[tools](), schema }))
  return instances.get(key)
}
function verify(slug, r, deltas) {
  const [kind, a, b] = slug.split('-')
  if (kind === 'chat4' && r.toolCalls.length !== 4) return 'calls ' + r.toolCalls.length
  if (kind === 'text' && deltas !== Number(a)) return 'deltas ' + deltas
  if ((kind === 'conc' || kind === 'paced') && deltas !== Number(b)) return 'deltas ' + deltas
  if (kind === 'args' && (r.toolCalls.length !== 1 || typeof r.toolCalls[0].args?.content !== 'string')) return 'args'
  if (kind === 'loop' && (r.calls !== 4 * Number(a) || r.rounds !== Number(a))) return `loop ${r.rounds}/${r.calls}`
  return null
}
const one = async (inst, fn, slug) => {
  let deltas = 0
  const r =
    fn === 'toolLoop'
      ? await inst.toolLoop('hello', Number(slug.split('-')[1]))
      : fn === 'chat'
        ? await inst.chat('hello')
        : await inst.chatStream('hello', () => {
            deltas++
          })
  const bad = verify(slug, r, deltas)
  if (bad) throw new Error('verify: ' + bad)
}
async function handle(m) {
  const inst = await instance(m.base + m.slug, m.tools, m.schema ?? 'json')
  if (m.cmd === 'conc') {
    await one(await instance(m.base + 'text-200', m.tools, 'json'), 'chatStream', 'text-200')
    globalThis.gc?.()
    const rss0 = process.memoryUsage().rss
    let peak = rss0
    const timer = setInterval(() => {
      const r = process.memoryUsage.rss()
      if (r > peak) peak = r
    }, 20)
    const h = monitorEventLoopDelay({ resolution: 2 })
    h.enable()
    const c0 = process.cpuUsage(),
      t0 = performance.now()
    const res = await Promise.allSettled(Array.from({ length: m.n }, () => one(inst, 'chatStream', m.slug)))
    const wall = performance.now() - t0,
      c = process.cpuUsage(c0)
    h.disable()
    clearInterval(timer)
    const bad = res.filter((r) => r.status === 'rejected')
    return {
      wall,
      cpu: c.user + c.system,
      rss0,
      peak: Math.max(peak, process.resourceUsage().maxRSS * 1024),
      p50: h.percentile(50) / 1e6,
      p99: h.percentile(99) / 1e6,
      max: h.max / 1e6,
      failed: bad.length,
      error: bad[0] && String(bad[0].reason?.message ?? bad[0].reason),
    }
  }
  if (process.env.GC === '1' && m.gc !== false) globalThis.gc?.() // a forced gc before each batch falsifies ratios: off unless asked
  const c0 = process.cpuUsage(),
    t0 = performance.now()
  for (let i = 0; i < m.calls; i++) await one(inst, m.fn, m.slug)
  const wall = performance.now() - t0,
    c = process.cpuUsage(c0)
  return { wall: wall / m.calls, cpu: (c.user + c.system) / m.calls }
}
process.on('message', async (m) => {
  try {
    process.send({ id: m.id, ok: true, ...(await handle(m)) })
  } catch (e) {
    process.send({ id: m.id, ok: false, error: String(e?.message ?? e).slice(0, 300) })
  }
})
process.on('disconnect', () => process.exit(0))
process.on('unhandledRejection', () => {})
process.send({ ready: true })

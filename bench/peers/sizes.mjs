// Bytes each contender sends: one chat with 20 tools, and a 50-round tool loop (total and largest body).
import { fork } from 'node:child_process'
import { files, loadFile } from './lib/contenders.mjs'
import { makeTools } from './lib/tools.mjs'

console.warn = console.info = () => {}
const srv = fork(new URL('./server.mjs', import.meta.url))
const { port } = await new Promise((r) => srv.once('message', r))
const base = `http://127.0.0.1:${port}/`
let id = 0
const rows = []
for (const f of files())
  for (const c of await loadFile(f))
    for (const wire of c.wires) {
      const slug = `loop-50-s${id++}`,
        a = `chat4-${id}`
      try {
        await (await c.create(wire, { root: base + slug, tools: makeTools(4) })).toolLoop('hello', 50)
        if (!c.only) await (await c.create(wire, { root: base + a, tools: makeTools(20) })).chat('hello')
        rows.push([wire, c.name, slug, a])
      } catch (e) {
        console.log(c.name, wire, e.message)
      }
    }
const { sent } = await (await fetch(`${base}stats/`)).json()
console.log(
  'wire'.padEnd(10),
  'contender'.padEnd(24),
  'chat body B'.padStart(12),
  'loop requests'.padStart(14),
  'loop total kB'.padStart(14),
  'largest kB'.padStart(11),
)
for (const [w, n, s, a] of rows.sort((x, y) => x[0].localeCompare(y[0])))
  console.log(
    w.padEnd(10),
    n.padEnd(24),
    String(sent[a]?.[2] ?? '-').padStart(12),
    String(sent[s][0]).padStart(14),
    (sent[s][1] / 1024).toFixed(0).padStart(14),
    (sent[s][2] / 1024).toFixed(1).padStart(11),
  )
srv.kill()
process.exit(0)

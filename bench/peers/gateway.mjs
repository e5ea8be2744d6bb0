// H. translating gateway openai -> anthropic. Closed-loop load generator in this process; gateway CPU read from /proc.
// A further contender: EXTRA_GATEWAY=path to a module exporting one entry of the shape in gateways/index.mjs.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Pool } from 'undici'
import { WIRES } from './contenders/_floor.mjs'
import gateways from './gateways/index.mjs'
import { median, quantile, startServer, stats } from './lib/pool.mjs'
import { makeTools } from './lib/tools.mjs'

const freePort = () =>
  new Promise((r) => {
    const s = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address()
      s.close(() => r(port))
    })
  })
const TICK = 100 // USER_HZ
const cpuOf = (pid) => {
  const f = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const a = f.slice(f.lastIndexOf(')') + 2).split(' ')
  return (Number(a[11]) + Number(a[12])) * (1e6 / TICK)
}
const rssOf = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024
const up = (port) =>
  new Promise((r) => {
    const t = () => {
      const s = net.connect(port, '127.0.0.1')
      s.on('connect', () => {
        s.destroy()
        r()
      })
      s.on('error', () => setTimeout(t, 100))
    }
    t()
  })

export default async function gateway({ quick }) {
  const list = [...gateways]
  if (process.env.EXTRA_GATEWAY)
    list.push(...[(await import(pathToFileURL(resolve(process.env.EXTRA_GATEWAY)).href)).default].flat())
  const server = await startServer()
  const upstream = server.base.slice(0, -1)
  const tools = makeTools(20),
    out = {}
  const gs = []
  for (const g of list) {
    const port = await freePort(),
      st = g.start({ port, upstream })
    if (!st) {
      gs.push({ g, origin: upstream })
      continue
    }
    const p = spawn(process.execPath, [st[0], ...st[1].map(String)], {
      env: { ...process.env, ...st[2] },
      stdio: 'ignore',
    })
    await up(port)
    gs.push({ g, p, origin: `http://127.0.0.1:${port}` })
  }
  for (const x of gs) x.pool = new Pool(x.origin, { connections: 32 })
  const body = (g, stream, withTools) => {
    const w = WIRES[g.wire]
    return JSON.stringify({
      ...w.body([w.user('hello')], withTools ? w.tools(tools) : undefined, stream),
      ...(g.wire === 'openai' ? { max_tokens: 4096 } : {}),
    })
  }
  async function load(x, slug, stream, conc, ms) {
    const b = body(x.g, stream, !stream),
      headers = x.g.headers(slug, upstream),
      path = x.g.path(slug)
    const lat = []
    let n = 0,
      _bytes = 0
    const end = performance.now() + ms,
      c0 = x.p ? cpuOf(x.p.pid) : 0,
      t0 = performance.now()
    const one = async () => {
      while (performance.now() < end) {
        const t = performance.now()
        const r = await x.pool.request({ method: 'POST', path, headers, body: b })
        let ok = r.statusCode === 200,
          len = 0
        for await (const c of r.body) len += c.length
        if (!ok || len < 100) throw new Error(`status ${r.statusCode}`)
        _bytes += len
        lat.push(performance.now() - t)
        n++
      }
    }
    await Promise.all(Array.from({ length: conc }, one))
    const wall = performance.now() - t0
    return {
      rps: (n / wall) * 1000,
      p50: median(lat),
      p99: quantile(lat, 0.99),
      cpuUs: x.p ? (cpuOf(x.p.pid) - c0) / n : null,
      n,
    }
  }
  const cases = [
    ['non-stream c=1', 'chat4', false, 1],
    ['non-stream c=16', 'chat4', false, 16],
    ['stream200 c=1', 'text-200', true, 1],
    ['stream200 c=16', 'text-200', true, 16],
  ]
  const R = quick ? 2 : 4,
    MS = quick ? 700 : 1200
  for (const [label, slug, stream, conc] of cases) {
    out[label] = {}
    const acc = new Map(gs.map((x) => [x, []]))
    for (const x of gs)
      try {
        await load(x, slug, stream, conc, 700)
      } catch (e) {
        x.err = e.message
      }
    for (let r = 0; r < R; r++)
      for (let i = 0; i < gs.length; i++) {
        const x = gs[(i + r) % gs.length]
        if (!x.err)
          try {
            acc.get(x).push(await load(x, slug, stream, conc, MS))
          } catch (e) {
            x.err = e.message
          }
      }
    console.log(`\n== H  ${label}  (median of ${R} x ${MS} ms)`)
    console.log('gateway'.padEnd(24), '   req/s', '  p50 ms', '  p99 ms', ' gw cpu us/req', stream ? ' us/delta' : '')
    for (const [x, rs] of acc) {
      if (x.err) {
        console.log(x.g.name.padEnd(24), 'ERROR', x.err)
        out[label][x.g.name] = { error: x.err }
        x.err = null
        continue
      }
      const m = (f) => stats(rs.map(f))
      const v = {
        rps: m((r) => r.rps),
        p50: m((r) => r.p50),
        p99: m((r) => r.p99),
        cpuUs: x.p ? m((r) => r.cpuUs) : null,
      }
      out[label][x.g.name] = v
      console.log(
        x.g.name.padEnd(24),
        v.rps.median.toFixed(0).padStart(8),
        v.p50.median.toFixed(2).padStart(8),
        v.p99.median.toFixed(2).padStart(8),
        (v.cpuUs ? v.cpuUs.median.toFixed(0) : '-').padStart(14),
        stream && v.cpuUs ? (v.cpuUs.median / 200).toFixed(2).padStart(9) : '',
      )
    }
  }
  out.peakRssMB = {}
  for (const x of gs)
    if (x.p) {
      out.peakRssMB[x.g.name] = rssOf(x.p.pid)
      x.p.kill()
    }
  console.log('peak RSS MB', out.peakRssMB)
  server.stop()
  return out
}

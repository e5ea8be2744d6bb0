// node run.mjs [--only=A,B,...] [--contender=substr,...] [--wire=openai,...] [--quick]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { list, median, startServer, stats, Worker } from './lib/pool.mjs'

const arg = (n, d) => {
  const a = process.argv.find((x) => x.startsWith(`--${n}=`))
  return a ? a.slice(n.length + 3) : d
}
const only = arg('only', 'A,AZ,B,BC,C,D,E,EP,F,G,H').split(',')
const wires = arg('wire', 'openai,anthropic,ollama,gemini').split(',')
const match = arg('contender', '').split(',').filter(Boolean)
const quick = process.argv.includes('--quick')
const out = arg('out', 'results.json')
const results = existsSync(out) ? JSON.parse(readFileSync(out)) : {}
results.meta = {
  date: new Date().toISOString(),
  node: process.version,
  cpus: os.cpus().length,
  cpu: os.cpus()[0].model,
  load: os.loadavg(),
  packages: JSON.parse(readFileSync(new URL('./package.json', import.meta.url))).dependencies,
}
const save = () => writeFileSync(out, JSON.stringify(results, null, 1))
const want = (s) => only.includes(s)
const f = (x, d = 0) => (x == null || Number.isNaN(x) ? '-' : x.toFixed(d))
const pad = (s, n) => String(s).padEnd(n)
const lpad = (s, n) => String(s).padStart(n)

// scenario -> [{ key, slug, fn, tools, calls, rounds, warm, schema?, unit }]
const R = quick ? 3 : 7
const BENCH = {
  A: [{ key: 'chat', slug: 'chat4', fn: 'chat', tools: 't20', calls: 30, rounds: quick ? 3 : 13, warm: 400, per: 1 }],
  AZ: [
    {
      key: 'chat-zod',
      slug: 'chat4',
      fn: 'chat',
      tools: 't20',
      schema: 'zod',
      calls: 20,
      rounds: R,
      warm: 150,
      per: 1,
      zodOnly: true,
    },
  ],
  B: [
    {
      key: '2000',
      slug: 'text-2000',
      fn: 'chatStream',
      tools: 'none',
      calls: 2,
      rounds: quick ? 3 : 11,
      warm: 8,
      per: 2000,
    },
  ],
  BC: [
    {
      key: '2000-coalesced',
      slug: 'text-2000-c',
      fn: 'chatStream',
      tools: 'none',
      calls: 2,
      rounds: R,
      warm: 8,
      per: 2000,
    },
  ],
  C: [50, 100, 200, 400].map((k) => ({
    key: k + 'k',
    slug: `args-${k * 1000}-${k * 20}`,
    fn: 'chatStream',
    tools: 'big',
    calls: 1,
    rounds: quick ? 2 : 5,
    warm: k === 50 ? 3 : 1,
    per: k * 20,
    wires: ['openai', 'anthropic'],
    growth: true,
  })),
  D: [
    [10, 6, 5],
    [50, 1, 5],
    [200, 1, 3],
  ].map(([r, calls, rounds]) => ({
    key: String(r),
    slug: `loop-${r}-$ID`,
    fn: 'toolLoop',
    tools: 't4',
    calls,
    rounds,
    warm: r === 10 ? 6 : r === 50 ? 1 : 0,
    per: r,
  })),
}

const server = await startServer()
let uid = 0
async function measure(scn, items, ws) {
  const res = (results[scn] ??= {})
  for (const it of items) {
    const active = ws.filter(
      (w) =>
        !w.dead &&
        (!it.wires || it.wires.includes(w.c.wire)) &&
        (!w.c.only || w.c.only.includes(scn)) &&
        (!it.zodOnly || w.c.zod || w.c.floor),
    )
    const acc = new Map(
      active.map((w) => [w, { wall: [], cpu: [], ratioW: [], ratioC: [], err: null, rounds: it.rounds }]),
    )
    for (const w of active) w.slug = it.slug.replace('$ID', `${w.c.wire}${process.pid}x${uid++}`)
    const msg = (w, calls) => ({
      cmd: 'run',
      base: server.base,
      slug: w.slug,
      fn: it.fn,
      tools: it.tools,
      schema: w.c.floor ? 'json' : it.schema,
      calls,
    })
    for (const w of active) {
      const a = acc.get(w)
      // growth series (size doubles each time): a contender seen to be slow is run once, unwarmed; not at all past ~45 s predicted
      const last = it.growth ? (w.last ?? 0) : 0
      if (last * 4 > 45000) {
        a.err = `skipped: ${(last / 1000).toFixed(1)} s at half this size`
        w.last = last * 4
        continue
      }
      if (last > 1000) {
        a.rounds = 1
        continue
      }
      if (it.warm) {
        const r = await w.send(msg(w, it.warm))
        if (!r.ok) a.err = r.error
        else if (it.growth && r.wall > 1000) a.rounds = 1
      }
    }
    for (let round = 0; round < it.rounds; round++) {
      const order = active.map((_, i) => active[(i + round) % active.length])
      const got = new Map()
      for (const w of order) {
        const a = acc.get(w)
        if (a.err || round >= a.rounds) continue
        const r = await w.send(msg(w, it.calls))
        if (!r.ok) {
          a.err = r.error
          continue
        }
        a.wall.push(r.wall)
        a.cpu.push(r.cpu)
        got.set(w, r)
      }
      for (const [w, r] of got) {
        const fl = [...got.keys()].find((x) => x.c.floor && x.c.wire === w.c.wire)
        if (fl) {
          acc.get(w).ratioW.push(r.wall / got.get(fl).wall)
          acc.get(w).ratioC.push(r.cpu / got.get(fl).cpu)
        }
      }
    }
    for (const [w, a] of acc) {
      if (it.growth && a.wall.length) w.last = median(a.wall)
      const k = `${w.c.name}/${w.c.wire}`
      ;(res[k] ??= {})[it.key] = a.err
        ? { error: a.err }
        : {
            per: it.per,
            wallMs: stats(a.wall),
            cpuUs: stats(a.cpu),
            cpuMinRatio:
              Math.min(...a.cpu) /
              Math.min(...([...acc].find(([x]) => x.c.floor && x.c.wire === w.c.wire) ?? [0, { cpu: [NaN] }])[1].cpu),
            ratioWall: stats(a.ratioW),
            ratioCpu: stats(a.ratioC),
          }
    }
    print(scn, it, active, acc)
    save()
  }
}
function print(scn, it, active, acc) {
  console.log(
    `\n== ${scn} ${it.key}  (per ${it.per === 1 ? 'call' : it.per + ' units'}; median [min..max] of ${it.rounds} rounds x ${it.calls} calls)`,
  )
  console.log(
    pad('contender', 34),
    lpad('wall ms', 9),
    lpad('cpu us', 10),
    lpad('us/unit', 9),
    lpad('cpu ratio', 10),
    '  spread',
    lpad('wall ratio', 14),
  )
  const rows = active
    .map((w) => [w, acc.get(w)])
    .sort((a, b) => a[0].c.wire.localeCompare(b[0].c.wire) || (median(a[1].cpu) || 1e12) - (median(b[1].cpu) || 1e12))
  for (const [w, a] of rows) {
    const k = pad(`${w.c.wire}  ${w.c.name}${w.c.streamsOnly && it.fn !== 'chatStream' ? ' (streams)' : ''}`, 34)
    if (a.err) {
      console.log(k, 'ERROR', a.err)
      continue
    }
    console.log(
      k,
      lpad(f(median(a.wall), 2), 9),
      lpad(f(median(a.cpu)), 10),
      lpad(f(median(a.cpu) / it.per, 2), 9),
      lpad(f(median(a.ratioC), 2), 10),
      `[${f(Math.min(...a.ratioC), 2)}..${f(Math.max(...a.ratioC), 2)}]`,
      lpad(f(median(a.ratioW), 2), 8),
    )
  }
}
const ok = (c) => !match.length || c.floor || match.some((m) => c.name.includes(m))

if (['A', 'AZ', 'B', 'BC', 'C', 'D'].some(want))
  for (const wire of wires) {
    const ws = (await list((c, w) => w === wire && ok(c))).map((c) => new Worker(c))
    await Promise.all(ws.map((w) => w.ready))
    for (const scn of ['A', 'AZ', 'B', 'BC', 'D', 'C']) if (want(scn)) await measure(scn, BENCH[scn], ws)
    for (const w of ws) w.stop()
  }
for (const [scn, kind, N, DELTAS, reps] of [
  ['E', 'conc', quick ? 300 : 1000, 200, quick ? 1 : 3],
  ['EP', 'paced', 400, 200, 1],
])
  if (want(scn)) {
    const res = (results[scn] = {})
    const cs = await list(
      (c, w) => (w === 'openai' || (w === 'anthropic' && scn === 'E')) && wires.includes(w) && ok(c) && !c.only,
    )
    const acc = new Map(cs.map((c) => [c, []]))
    for (let rep = 0; rep < reps; rep++)
      for (let i = 0; i < cs.length; i++) {
        const c = cs[(i + rep) % cs.length]
        if (acc.get(c).some((r) => !r.ok)) continue
        const w = new Worker(c)
        await w.ready
        acc
          .get(c)
          .push(
            await w.send(
              { cmd: 'conc', base: server.base, slug: `${kind}-${N}-${DELTAS}`, tools: 'none', n: N },
              120000,
            ),
          )
        w.stop()
      }
    console.log(
      `\n== ${scn}  ${N} simultaneous streams x ${DELTAS} deltas${kind === 'paced' ? ', 50 deltas/s each (4 s)' : ''}, fresh process each, median of ${reps}`,
    )
    console.log(
      pad('contender', 34),
      lpad('wall ms', 9),
      lpad('cpu ms', 9),
      lpad('us/delta', 9),
      lpad('kdelta/s', 9),
      lpad('peak RSS MB', 12),
      lpad('rss growth', 11),
      lpad('eld p50', 9),
      lpad('eld p99 ms', 11),
      lpad('eld max', 9),
    )
    for (const [c, rs] of [...acc].sort(
      (a, b) => a[0].wire.localeCompare(b[0].wire) || median(a[1].map((r) => r.cpu)) - median(b[1].map((r) => r.cpu)),
    )) {
      const k = `${c.name}/${c.wire}`,
        bad = rs.find((r) => !r.ok || r.failed)
      if (bad) {
        res[k] = { error: bad.error ?? 'failed', failed: bad.failed }
        console.log(pad(k, 34), 'ERROR', bad.error, bad.failed ?? '')
        continue
      }
      const m = (g) => stats(rs.map(g))
      const v = (res[k] = {
        n: N,
        deltas: DELTAS,
        wallMs: m((r) => r.wall),
        cpuUs: m((r) => r.cpu),
        peakMB: m((r) => r.peak / 1048576),
        growthMB: m((r) => (r.peak - r.rss0) / 1048576),
        p50: m((r) => r.p50),
        p99: m((r) => r.p99),
        maxDelay: m((r) => r.max),
      })
      console.log(
        pad(`${c.wire}  ${c.name}`, 34),
        lpad(f(v.wallMs.median), 9),
        lpad(f(v.cpuUs.median / 1000), 9),
        lpad(f(v.cpuUs.median / N / DELTAS, 2), 9),
        lpad(f((N * DELTAS) / v.wallMs.median), 9),
        lpad(f(v.peakMB.median), 12),
        lpad(f(v.growthMB.median), 11),
        lpad(f(v.p50.median, 1), 9),
        lpad(f(v.p99.median, 1), 11),
        lpad(f(v.maxDelay.median, 1), 9),
      )
    }
    save()
  }
server.stop()
if (want('F')) {
  results.F = await (await import('./cold.mjs')).default({ quick })
  save()
}
if (want('G')) {
  results.G = await (await import('./schema.mjs')).default({ quick })
  save()
}
if (want('H')) {
  results.H = await (await import('./gateway.mjs')).default({ quick })
  save()
}
save()
process.exit(0)

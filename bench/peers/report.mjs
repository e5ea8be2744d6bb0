// node report.mjs [results.json] -> markdown tables on stdout
import { readFileSync } from 'node:fs'

const R = JSON.parse(readFileSync(process.argv[2] ?? 'results.json'))
const f = (x, d = 0) => (x == null || Number.isNaN(x) ? '-' : x.toFixed(d))
const sp = (s, d = 2) => `${f(s.median, d)} [${f(s.min, d)}..${f(s.max, d)}]`
const order = { openai: 0, anthropic: 1, ollama: 2, gemini: 3 }
const rows = (o) =>
  Object.entries(o ?? {}).map(([k, v]) => {
    const i = k.lastIndexOf('/')
    return { name: k.slice(0, i), wire: k.slice(i + 1), v }
  })
const out = []
const table = (head, body) => {
  out.push(
    '| ' + head.join(' | ') + ' |',
    '|' + head.map(() => '---').join('|') + '|',
    ...body.map((r) => '| ' + r.join(' | ') + ' |'),
    '',
  )
}
const slope = (a, b, k) => Math.log(b / a) / Math.log(k)
const sorted = (o, key) =>
  rows(o)
    .filter((r) => r.v[key])
    .sort(
      (a, b) => order[a.wire] - order[b.wire] || (a.v[key].cpuUs?.median ?? 1e12) - (b.v[key].cpuUs?.median ?? 1e12),
    )

for (const [scn, key, title, unit] of [
  ['A', 'chat', 'A. non-streaming, 20 tools, 4 parallel calls back', 'call'],
  ['AZ', 'chat-zod', 'A (zod). the same, tools given as zod schemas', 'call'],
  ['B', '2000', 'B. 2,000 text deltas, one HTTP chunk per event', 'delta'],
  ['BC', '2000-coalesced', 'B (coalesced). 2,000 text deltas in 16 kB HTTP chunks', 'delta'],
]) {
  if (!R[scn]) continue
  out.push(`### ${title}`, '')
  const floor = (w) => R[scn][`raw-fetch/${w}`]?.[key]?.cpuUs?.median
  table(
    [
      'wire',
      'contender',
      `CPU µs/${unit}`,
      `over floor µs/${unit}`,
      'CPU ratio median [min..max]',
      'ratio of minima',
      'wall ratio',
    ],
    sorted(R[scn], key).map((r) =>
      r.v[key].error
        ? [r.wire, r.name, r.v[key].error, '', '', '', '']
        : [
            r.wire,
            r.name,
            f(r.v[key].cpuUs.median / r.v[key].per, unit === 'call' ? 0 : 2),
            f((r.v[key].cpuUs.median - floor(r.wire)) / r.v[key].per, unit === 'call' ? 0 : 2),
            sp(r.v[key].ratioCpu),
            f(r.v[key].cpuMinRatio, 2),
            f(r.v[key].ratioWall.median, 2),
          ],
    ),
  )
}
if (R.C) {
  out.push('### C. one tool call, JSON arguments in 50-byte fragments', '')
  const S = ['50k', '100k', '200k', '400k']
  table(
    [
      'wire',
      'contender',
      ...S.map((s) => s + ' CPU ms'),
      'µs/fragment at 200k',
      'ratio at 200k',
      'growth exponent (100k→200k / 200k→400k)',
    ],
    sorted(R.C, '50k')
      .sort(
        (a, b) =>
          order[a.wire] - order[b.wire] || (a.v['200k']?.cpuUs?.median ?? 1e12) - (b.v['200k']?.cpuUs?.median ?? 1e12),
      )
      .map((r) => {
        const m = (s) => r.v[s]?.cpuUs?.median
        return [
          r.wire,
          r.name,
          ...S.map((s) => (m(s) ? f(m(s) / 1000, 0) : (r.v[s]?.error ?? '-'))),
          f(m('200k') / 4000, 1),
          r.v['200k']?.ratioCpu ? f(r.v['200k'].ratioCpu.median, 1) : '-',
          `${f(slope(m('100k'), m('200k'), 2), 2)} / ${f(slope(m('200k'), m('400k'), 2), 2)}`,
        ]
      }),
  )
}
if (R.D) {
  out.push('### D. tool loop, 4 parallel no-op tools per round', '')
  const S = ['10', '50', '200']
  table(
    [
      'wire',
      'contender',
      ...S.map((s) => s + ' rounds CPU ms'),
      'wall ms at 200',
      'ratio at 50',
      'ratio at 200 [min..max]',
      'exponent 50→200',
    ],
    sorted(R.D, '10')
      .sort(
        (a, b) =>
          order[a.wire] - order[b.wire] || (a.v['200']?.cpuUs?.median ?? 1e12) - (b.v['200']?.cpuUs?.median ?? 1e12),
      )
      .map((r) => {
        const m = (s) => r.v[s]?.cpuUs?.median
        return [
          r.wire,
          r.name,
          ...S.map((s) => (m(s) ? f(m(s) / 1000, 1) : (r.v[s]?.error ?? '-'))),
          f(r.v['200']?.wallMs?.median, 0),
          f(r.v['50']?.ratioCpu?.median, 2),
          r.v['200']?.ratioCpu ? sp(r.v['200'].ratioCpu) : '-',
          f(slope(m('50'), m('200'), 4), 2),
        ]
      }),
  )
}
for (const [scn, title] of [
  ['E', 'E. 1,000 simultaneous streams x 200 deltas, as fast as it goes, fresh process each'],
  [
    'EP',
    'E (paced). 400 simultaneous streams x 200 deltas at 50 deltas/s each (4 s, 20k deltas/s), fresh process each',
  ],
])
  if (R[scn]) {
    out.push('### ' + title, '')
    const fl = (w) => R[scn][`raw-fetch/${w}`]?.cpuUs.median
    table(
      [
        'wire',
        'contender',
        'wall ms [min..max]',
        'CPU µs/delta',
        'CPU ratio',
        'k deltas/s',
        'peak RSS MB',
        'RSS growth MB',
        'loop delay p50 / p99 ms',
        'max ms',
      ],
      rows(R[scn])
        .sort((a, b) => order[a.wire] - order[b.wire] || (a.v.cpuUs?.median ?? 1e12) - (b.v.cpuUs?.median ?? 1e12))
        .map((r) =>
          r.v.error
            ? [r.wire, r.name, r.v.error, '', '', '', '', '', '', '']
            : [
                r.wire,
                r.name,
                sp(r.v.wallMs, 0),
                f(r.v.cpuUs.median / r.v.n / r.v.deltas, 2),
                f(r.v.cpuUs.median / fl(r.wire), 2),
                f((r.v.n * r.v.deltas) / r.v.wallMs.median, 0),
                f(r.v.peakMB.median),
                f(r.v.growthMB.median),
                `${f(r.v.p50.median, 1)} / ${f(r.v.p99.median, 0)}`,
                f(r.v.maxDelay.median, 0),
              ],
        ),
    )
  }
if (R.F) {
  out.push(
    `### F. cold start (bare node: ${f(R.F.nodeStartMs.median)} ms wall, ${f(R.F.nodeStartCpuMs.median)} ms CPU, subtracted), bundle, install`,
    '',
  )
  table(
    [
      'contender',
      'import ms',
      'import ms (minima)',
      'import CPU ms',
      'to first reply ms',
      'first reply CPU ms',
      'bundle min kB',
      'bundle gz kB',
      'modules',
      'install MB',
      'packages',
    ],
    Object.entries(R.F)
      .filter(([k]) => !k.startsWith('nodeStart'))
      .sort((a, b) => (a[1].bundleGz ?? 1e12) - (b[1].bundleGz ?? 1e12))
      .map(([k, v]) => [
        k,
        f(v.importMs),
        f(v.importMinMs),
        f(v.importCpuMs),
        f(v.firstMs),
        f(v.firstCpuMs),
        f(v.bundleMin / 1024),
        f(v.bundleGz / 1024, 1),
        v.bundleModules ?? v.bundleError ?? '-',
        v.installBytes == null ? '-' : f(v.installBytes / 1048576, 1),
        v.packages ?? '-',
      ]),
  )
}
if (R.G) {
  out.push('### G. schema conversion and validation', '')
  table(
    ['path', 'convert CPU µs/tool [min..max]', 'validate CPU µs/argument [min..max]'],
    Object.entries(R.G).map(([k, v]) => [
      k,
      v.convertUsPerTool ? sp(v.convertUsPerTool, 0) : '-',
      v.validateUsPerArg ? sp(v.validateUsPerArg) : '-',
    ]),
  )
}
if (R.H) {
  out.push('### H. gateway openai -> anthropic', '')
  table(
    ['case', 'gateway', 'req/s [min..max]', 'p50 ms', 'p99 ms', 'gateway CPU µs/request'],
    Object.entries(R.H)
      .filter(([k]) => k !== 'peakRssMB')
      .flatMap(([c, g]) =>
        Object.entries(g).map(([n, v]) =>
          v.error
            ? [c, n, v.error, '', '', '']
            : [c, n, sp(v.rps, 0), f(v.p50.median, 2), f(v.p99.median, 2), v.cpuUs ? sp(v.cpuUs, 0) : '-'],
        ),
      ),
  )
  out.push(
    'Peak RSS MB: ' +
      Object.entries(R.H.peakRssMB ?? {})
        .map(([k, v]) => `${k} ${f(v)}`)
        .join(', '),
    '',
  )
}
console.log(out.join('\n'))

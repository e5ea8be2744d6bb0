// The tables of a run, as markdown. node report.mjs [results.json]
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { quantile } from './lib/pool.mjs'
import { targetRows } from './lib/targets.mjs'

const wireOrder = ['openai', 'anthropic', 'ollama', 'gemini']

/** A number with so many digits; a dash where there is none. */
function show(value, digits = 0) {
  return value === null || value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits)
}

function spread(stats, digits = 2) {
  return stats ? `${show(stats.median, digits)} [${show(stats.min, digits)}..${show(stats.max, digits)}]` : '-'
}

/** The median, and between what half of the samples lie. */
function middle(stats, digits = 2) {
  if (!stats) return '-'
  const [low, high] = [quantile(stats.samples, 0.25), quantile(stats.samples, 0.75)]
  return `${show(stats.median, digits)} [${show(low, digits)}..${show(high, digits)}]`
}

function table(title, head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [`### ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n')
}

/** The contenders of a scenario by wire, the cheapest first; those that failed come last. */
function ranked(scenario, costOf) {
  const cost = (row) => costOf(row.value) ?? Number.POSITIVE_INFINITY
  return Object.entries(scenario)
    .map(([key, value]) => ({
      name: key.slice(0, key.lastIndexOf('/')),
      wire: key.slice(key.lastIndexOf('/') + 1),
      value,
    }))
    .sort((a, b) => wireOrder.indexOf(a.wire) - wireOrder.indexOf(b.wire) || cost(a) - cost(b))
}

/** How cost grows with size: 1 is linear, 2 quadratic. */
function exponent(small, large, factor) {
  return Math.log(large / small) / Math.log(factor)
}

function callTable(title, scenario, key, unit) {
  const digits = unit === 'call' ? 0 : 2
  const head = ['wire', 'contender', `CPU µs/${unit}`, 'CPU ratio median [min..max]', 'ratio of minima', 'wall ratio']
  const rows = ranked(scenario, (value) => value[key]?.cpuUs?.median).map(({ wire, name, value }) => {
    const { error, cpuUs, per, ratioCpu, cpuMinRatio, ratioWall } = value[key] ?? { error: '-' }
    if (error !== undefined) return [wire, name, error, '', '', '']
    const perUnit = show(cpuUs.median / per, digits)
    return [wire, name, perUnit, spread(ratioCpu), show(cpuMinRatio, 2), show(ratioWall.median, 2)]
  })
  return table(title, head, rows)
}

function argumentTable(title, scenario) {
  const sizes = ['50k', '100k', '200k', '400k']
  const head = ['wire', 'contender', ...sizes.map((size) => `${size} CPU ms`), 'ratio at 200k', 'exponent 100k→400k']
  const rows = ranked(scenario, (value) => value['200k']?.cpuUs?.median).map(({ wire, name, value }) => {
    const cost = (size) => value[size]?.cpuUs?.median
    const cells = sizes.map((size) => (cost(size) ? show(cost(size) / 1000, 1) : (value[size]?.error ?? '-')))
    return [
      wire,
      name,
      ...cells,
      show(value['200k']?.ratioCpu?.median, 2),
      show(exponent(cost('100k'), cost('400k'), 4), 2),
    ]
  })
  return table(title, head, rows)
}

function loopTable(title, scenario) {
  const sizes = ['10', '50', '200']
  const ratios = sizes.map((size) => `ratio at ${size} [min..max]`)
  const head = ['wire', 'contender', ...sizes.map((size) => `${size} rounds CPU ms`), ...ratios, 'exponent 50→200']
  const rows = ranked(scenario, (value) => value['200']?.cpuUs?.median).map(({ wire, name, value }) => {
    const cost = (size) => value[size]?.cpuUs?.median
    const cells = sizes.map((size) => (cost(size) ? show(cost(size) / 1000, 1) : (value[size]?.error ?? '-')))
    const found = sizes.map((size) => spread(value[size]?.ratioCpu))
    return [wire, name, ...cells, ...found, show(exponent(cost('50'), cost('200'), 4), 2)]
  })
  return table(title, head, rows)
}

function crowdTable(title, scenario) {
  const head = ['wire', 'contender', 'wall ms', 'CPU µs/delta', 'CPU ratio', 'peak RSS MB', 'delay p50 / p99 / max ms']
  const rows = ranked(scenario, (value) => value.cpuUs?.median).map(({ wire, name, value }) => {
    if (value.error !== undefined) return [wire, name, value.error, '', '', '', '']
    const floor = scenario[`raw-fetch/${wire}`]?.cpuUs?.median
    const perDelta = show(value.cpuUs.median / value.n / value.deltas, 2)
    const delays = [value.p50, value.p99, value.maxDelay].map((stats) => show(stats.median, 1)).join(' / ')
    const ratio = show(value.cpuUs.median / floor, 2)
    return [wire, name, spread(value.wallMs, 0), perDelta, ratio, show(value.peakMB.median), delays]
  })
  return table(title, head, rows)
}

function coldTable({ nodeStartMs, nodeStartCpuMs: _, ...contenders }) {
  const title = `F. cold start (bare node, ${show(nodeStartMs.median)} ms, subtracted), bundle, install`
  const head = [
    'contender',
    'import ms',
    'import CPU ms',
    'to first reply ms',
    'bundle gz kB',
    'modules',
    'install MB',
    'packages',
  ]
  const rows = Object.entries(contenders)
    .sort(([, a], [, b]) => (a.bundleGz ?? Number.POSITIVE_INFINITY) - (b.bundleGz ?? Number.POSITIVE_INFINITY))
    .map(([name, value]) => [
      name,
      value.error ?? show(value.importMs),
      show(value.importCpuMs),
      show(value.firstMs),
      show(value.bundleGz / 1024, 1),
      value.bundleModules ?? value.bundleError ?? '-',
      value.installBytes === undefined ? (value.installError ?? '-') : show(value.installBytes / 1048576, 1),
      value.packages ?? '-',
    ])
  return table(title, head, rows)
}

function schemaTable(scenario) {
  const head = ['path', 'convert CPU µs/tool', 'of zod', 'validate CPU µs/argument', 'of zod', 'rounds']
  const rows = Object.entries(scenario).map(([name, value]) => [
    name,
    show(value.convertUsPerTool?.median, 1),
    middle(value.convertRatio),
    show(value.validateUsPerArg?.median, 2),
    middle(value.validateRatio),
    `${value.convertRatio?.samples.length ?? 0} / ${value.validateRatio?.samples.length ?? 0}`,
  ])
  return table(
    'G. schema conversion and validation: medians, and the middle half of the ratios to zod in the same round',
    head,
    rows,
  )
}

function gatewayTable({ peakRssMB = {}, ...cases }) {
  const head = [
    'case',
    'gateway',
    'req/s [min..max]',
    'p50 ms',
    'p99 ms',
    'first byte, added ms [min..max]',
    'gateway CPU µs/request',
    'CPU ratio to its floor [min..max]',
    'peak RSS MB',
  ]
  const rows = Object.entries(cases).flatMap(([label, gateways]) =>
    Object.entries(gateways).map(([name, value]) => {
      if (value.error !== undefined) return [label, name, value.error, '', '', '', '', '', '']
      const { rps, p50, p99, addedFirstMs, cpuUs, ratioCpu } = value
      const times = [show(p50.median, 2), show(p99.median, 2), spread(addedFirstMs)]
      return [label, name, spread(rps, 0), ...times, spread(cpuUs, 0), spread(ratioCpu), show(peakRssMB[name])]
    }),
  )
  return table('H. gateway, OpenAI Chat in, Anthropic out', head, rows)
}

const tables = {
  A: (found) => callTable('A. one call, 20 tools, 4 calls back', found, 'chat', 'call'),
  AZ: (found) => callTable('A with zod tools', found, 'chat-zod', 'call'),
  B: (found) => callTable('B. 2,000 text deltas, one HTTP chunk each', found, '2000', 'delta'),
  BC: (found) => callTable('B coalesced. 2,000 text deltas in chunks of 16 kB', found, '2000-coalesced', 'delta'),
  C: (found) => argumentTable('C. one call, its arguments in fragments of 50 bytes', found),
  CP: (found) => argumentTable('C with a view of the arguments at every fragment (the floor has none)', found),
  D: (found) => loopTable('D. loop of rounds with 4 calls each', found),
  E: (found) => crowdTable('E. streams of 200 deltas at once, as fast as they come', found),
  EP: (found) => crowdTable('E paced. 400 streams at 50 deltas/s each', found),
  F: coldTable,
  G: schemaTable,
  H: gatewayTable,
}

function targetTable(results) {
  const head = ['target', 'wire', 'at most', 'toolwire', 'holds', 'the cheapest peer']
  const rows = targetRows(results).map(({ name, wire, most, value, best }) => [
    name,
    wire,
    most ?? '-',
    show(value, 2),
    most === undefined ? '-' : value <= most ? 'yes' : 'no',
    best === undefined ? '-' : `${best.contender} ${show(best.value, 2)}`,
  ])
  return rows.length === 0 ? [] : [table('Targets, and the cheapest peer', head, rows)]
}

/** When the pieces were measured, and how busy the machine was. */
function piecesOf({ meta, pieces = {} }) {
  const { node, cpus, cpu } = meta
  const all = Object.entries(pieces)
  const loads = all.map(([, { load }]) => load)
  const quick = all.filter(([, piece]) => piece.quick).map(([name]) => name)
  const dates = all.map(([, { date }]) => date).sort()
  const range = `load ${show(Math.min(...loads), 1)} to ${show(Math.max(...loads), 1)}`
  const when = `${dates[0] ?? meta.date} to ${dates.at(-1) ?? meta.date}`
  return `${when}, Node ${node}, ${cpus} cores (${cpu}), ${range}${quick.length === 0 ? '' : `; few rounds: ${quick.join(', ')}`}`
}

export function report(results) {
  const found = Object.entries(tables).filter(([scenario]) => results[scenario] !== undefined)
  const shown = found.map(([scenario, make]) => make(results[scenario]))
  return [piecesOf(results), '', ...targetTable(results), ...shown].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(report(JSON.parse(readFileSync(process.argv[2] ?? 'results.json', 'utf8'))))
}

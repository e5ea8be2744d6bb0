// The validator: how long one cold run of each hostile row takes (a process of its own each, nothing warm), and what checking
// ordinary arguments costs beside zod's parse of the same schema (a ratio within one process).
// node bench/schema.mjs [--rows | --ratios] [--repeat n]: with --repeat, the fastest and the slowest of n processes, the slowest row first.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const bundle = new URL('.tmp/bench-schema.mjs', root)
const [mode, given] = process.argv.slice(2)
if (mode === '--row') await runRow(Number(given))
else await runAll()

async function runAll() {
  const { build } = await import('esbuild')
  mkdirSync(new URL('.tmp/', root), { recursive: true })
  const contents = `export * from './hostile.js'; export { compileSchema } from '../../src/schema/validate.js'`
  const stdin = { contents, resolveDir: fileURLToPath(new URL('test/schema/', root)), loader: 'ts' }
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' }
  await build({ ...options, stdin, outfile: fileURLToPath(bundle) })
  try {
    const loaded = await import(bundle.href)
    if (mode !== '--ratios') printRows(loaded)
    if (mode !== '--rows') await printRatios(loaded)
  } finally {
    rmSync(bundle, { force: true })
  }
}

function printRows({ hostileRows }) {
  const index = process.argv.indexOf('--repeat')
  const repeat = index === -1 ? 1 : Number(process.argv[index + 1])
  const measured = hostileRows.map(({ title, verdict }, number) => {
    const command = [fileURLToPath(import.meta.url), '--row', String(number)]
    const runs = Array.from({ length: repeat }, () =>
      execFileSync(process.execPath, command, { encoding: 'utf8' }).split(' ').map(Number),
    )
    const [wall, cpu] = [0, 1].map((column) => runs.map((run) => run[column]).toSorted((a, b) => a - b))
    return { wall, cpu, words: `${verdict.padEnd(20)} ${title}` }
  })
  for (const { wall, cpu, words } of measured.toSorted((a, b) => b.wall.at(-1) - a.wall.at(-1))) {
    process.stdout.write(`${range(wall)} ms ${range(cpu)} ms CPU  ${words}\n`)
  }
}

function range(sorted) {
  const [low, high] = [sorted[0], sorted.at(-1)].map((figure) => figure.toFixed(1).padStart(6))
  return sorted.length === 1 ? low : `${low} to ${high}`
}

async function runRow(number) {
  const { hostileRows, judge, judgeText } = await import(bundle.href)
  const row = hostileRows[number]
  const schema = row.schema()
  // As from the network: one flat string.
  const text = row.text === undefined ? undefined : Buffer.from(row.text()).toString()
  const value = row.value?.()
  const cpu = process.cpuUsage()
  const start = performance.now()
  if (text === undefined) judge(schema, value)
  else judgeText(schema, text)
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  process.stdout.write(`${wall} ${(user + system) / 1000}`)
}

async function printRatios({ compileSchema }) {
  const { z } = await import('zod')
  const { cpuRatio } = await import('./wires/measure.mjs')
  for (const [title, schema, text] of ordinary(z)) {
    const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input' })
    const value = JSON.parse(text)
    const validate = compileSchema(json)
    if (!validate(value).ok || !schema.safeParse(value).success) throw new Error(`${title}: the value does not fit`)
    const measured = { rounds: 21, batch: 20_000 }
    const fresh = cpuRatio(
      () => validate(value, undefined, true),
      () => schema.parse(value),
      measured,
    )
    const copied = cpuRatio(
      () => validate(value),
      () => schema.parse(value),
      measured,
    )
    const figures = [fresh, copied].map(
      ({ ratio, us, floorUs }) => `${ratio.toFixed(2)} (${us.toFixed(2)}/${floorUs.toFixed(2)} µs)`,
    )
    process.stdout.write(
      `${title.padEnd(20)} checked ${figures[0]}  checked and copied ${figures[1]}  of zod's parse\n`,
    )
  }
}

function ordinary(z) {
  const weather = z.object({
    city: z.string().min(1),
    days: z.number().int().min(1).max(14),
    unit: z.enum(['celsius', 'fahrenheit']).optional(),
    tags: z.array(z.string()).optional(),
    verbose: z.boolean(),
    note: z.string().max(200).optional(),
  })
  const search = z.object({
    query: z.string().min(1).max(500),
    filter: z.object({ from: z.string(), to: z.string(), kind: z.enum(['news', 'blog', 'paper']) }),
    limit: z.number().int().min(1).max(50),
    sort: z.enum(['asc', 'desc']).optional(),
    fields: z.array(z.string()),
  })
  const booking = z.strictObject({
    flight: z.string().regex(/^[A-Z]{2}[0-9]{1,4}$/),
    date: z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/),
    seats: z.number().int().min(1).max(9),
    cabin: z.enum(['economy', 'business', 'first']),
    passengers: z.array(z.object({ name: z.string().min(1), age: z.number().int().min(0) })),
    meal: z.union([z.literal('none'), z.literal('vegan'), z.null()]).optional(),
    insured: z.boolean(),
  })
  const plain = z.object({ a: z.string(), b: z.string(), c: z.number(), d: z.boolean(), e: z.string() })
  return [
    ['weather', weather, '{"city":"Boston","days":2,"unit":"celsius","tags":["a","b"],"verbose":true,"note":"hello"}'],
    [
      'search',
      search,
      '{"query":"x","filter":{"from":"a","to":"b","kind":"blog"},"limit":10,"sort":"asc","fields":["a","b","c"]}',
    ],
    [
      'booking',
      booking,
      '{"flight":"LH123","date":"2026-01-02","seats":2,"cabin":"economy","passengers":[{"name":"Ann","age":30},{"name":"Bob","age":31}],"meal":"vegan","insured":true}',
    ],
    ['five plain members', plain, '{"a":"x","b":"y","c":1,"d":true,"e":"z"}'],
  ]
}

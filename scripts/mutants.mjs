// `npm run mutants [-- --seed n] [--count 400] [--folder src/json] [--file src/json/parse.ts] [--changed main] [--fresh] [--resume] [--survivors]`:
// changes the sources at random, one place at a time, and runs the tests of the area that run this place. A mutant that no test notices
// survives. Prints a table per folder and the survivors, and fails when the score is below 85 %.
import { execFileSync, fork } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isInArea, isRunnable } from './mutants/areas.mjs'
import { measureBaseline, readTree, runsPoint } from './mutants/baseline.mjs'
import { findPoint, listPoints } from './mutants/coverage.mjs'
import { drawSample } from './mutants/sample.mjs'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 30) },
    count: { type: 'string', default: '400' },
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    changed: { type: 'string' },
    workers: { type: 'string', default: '1' },
    least: { type: 'string', default: '85' },
    fresh: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    survivors: { type: 'boolean', default: false },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const cache = join(root, 'node_modules/.cache/toolwire-mutants')
mkdirSync(cache, { recursive: true })
// What mutants leave behind in temporary folders goes with this one.
const temporary = mkdtempSync(join(tmpdir(), 'mutants-'))
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

/** A process with a warm vitest. When it ends or does not answer, a new one takes its place. */
function createWorker(name) {
  const plan = join(temporary, `${name}.json`)
  let child
  async function start() {
    child = fork(join(root, 'scripts/mutants/worker.mjs'), [root, plan], {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await nextMessage(child, 120_000)
  }
  return {
    async ask(request, timeoutMs = 600_000) {
      if (child?.connected !== true) await start()
      const reply = nextMessage(child, timeoutMs)
      child.send(request)
      try {
        return await reply
      } catch {
        child.kill('SIGKILL')
        child = undefined
        return { status: 'timeout', ms: timeoutMs }
      }
    },
    stop() {
      if (child?.connected === true) child.disconnect()
      child = undefined
    },
  }
}

function nextMessage(child, timeoutMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(reject, new Error('no answer')), timeoutMs)
    const finish = (settle, value) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('exit', onExit)
      settle(value)
    }
    const onMessage = (message) => finish(resolve, message)
    const onExit = () => finish(reject, new Error('the process ended'))
    child.on('message', onMessage).on('exit', onExit)
  })
}

function selectSources() {
  const all = readTree(root, 'src')
  const changed =
    values.changed === undefined
      ? undefined
      : execFileSync('git', ['diff', '--name-only', values.changed, '--', 'src'], {
          cwd: root,
          encoding: 'utf8',
        }).split('\n')
  const isSelected = (file) =>
    (values.folder === undefined || values.folder.some((folder) => file.startsWith(`${folder.replace(/\/$/, '')}/`))) &&
    (values.file === undefined || values.file.includes(file)) &&
    (changed === undefined || changed.includes(file))
  return { all, selected: new Map([...all].filter(([file]) => isSelected(file))) }
}

/** What the test files of one mutant may take together. Long ones that are unlikely to notice it are left out. */
const budgetMs = 30_000

/**
 * The test files of the mutant's area that run its place, each with the time it may take. Those come first that run much of the mutated
 * file, little else, and take little time: a constant is evaluated by every test that loads its module, but few tests are about it.
 */
function selectTests(mutant, points, records) {
  const { file, folder } = mutant
  const source = all.get(file)
  const point = findPoint(points.get(file), mutant)
  const chosen = []
  for (const [test, record] of Object.entries(records)) {
    if (record.status !== 'survived' || !isInArea(folder, test)) continue
    const marks = folder === 'src/cli' ? [record.sources, record.spawned] : [record.sources]
    if (!marks.some((mark) => runsPoint(mark, file, source, point))) continue
    const ran = Math.max(...marks.map((mark) => mark?.[file]?.points.length ?? 0))
    const all = Object.values(record.sources).reduce((sum, { points }) => sum + points.length, ran)
    chosen.push({ test, ms: record.ms, cost: (record.ms * all) / ran ** 3 })
  }
  const tests = []
  let leftMs = budgetMs
  for (const { test, ms } of chosen.toSorted((a, b) => a.cost - b.cost)) {
    if (tests.length > 0 && ms > leftMs) continue
    leftMs -= ms
    tests.push({ file: test, timeoutMs: 10_000 + 5 * ms })
  }
  return tests
}

function readEquivalent() {
  const entries = JSON.parse(readFileSync(join(root, 'test/mutants/equivalent.json'), 'utf8'))
  return new Set(entries.map(({ file, line, mutation }) => `${file}\n${line}\n${mutation}`))
}

const squeeze = (text) => text.replace(/\s+/g, ' ')
const describe = ({ original, replacement }) => `${squeeze(original)} → ${squeeze(replacement) || '(nothing)'}`
const keyOf = (mutant) => `${mutant.file}\n${mutant.text}\n${describe(mutant)}`
const place = ({ file, line, column }) => `${file}:${line}:${column}`

function printTable(results) {
  const columns = ['killed', 'timeout', 'survived', 'no test', 'failed', 'equivalent']
  const rows = [...new Set(results.map(({ folder }) => folder))].toSorted()
  const row = (name, list) => {
    const counts = columns.map((status) => list.filter((result) => result.status === status).length)
    return [name, list.length, ...counts, scoreOf(list)]
  }
  const table = [
    ['folder', 'mutants', ...columns, 'score'],
    ...rows.map((name) =>
      row(
        name,
        results.filter(({ folder }) => folder === name),
      ),
    ),
    row('all', results),
  ]
  for (const cells of table)
    console.log(
      cells.map((cell, index) => (index === 0 ? String(cell).padEnd(26) : String(cell).padStart(11))).join(''),
    )
}

const isDetected = ({ status }) => status === 'killed' || status === 'timeout'
function shareOf(results) {
  const counted = results.filter(({ status }) => status !== 'equivalent')
  return counted.length === 0 ? 100 : (100 * counted.filter(isDetected).length) / counted.length
}
const scoreOf = (results) => `${shareOf(results).toFixed(1)} %`

const { all, selected } = selectSources()
const started = Date.now()
const log = (text) => console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${text}`)
const seed = Number(values.seed)
const { mutants, invalid, total } = drawSample(selected, { seed, count: Number(values.count) })
console.log(
  `seed ${seed}: ${mutants.length} of ${total} mutants in ${selected.size} files; ${invalid} that do not parse were left out`,
)

const workers = Array.from({ length: Number(values.workers) }, (_, index) => createWorker(`worker-${index}`))
const { files } = await workers[0].ask('list')
const tests = files.filter(isRunnable)
const records = await measureBaseline({
  root,
  cache,
  worker: workers[0],
  tests,
  sources: all,
  isFresh: values.fresh,
  log,
})
const points = new Map([...selected].map(([file, source]) => [file, listPoints(file, source)]))
const equivalent = readEquivalent()

const resultFile = join(cache, `results-${seed}.jsonl`)
const isKept = ({ status }) => values.resume || (values.survivors && (status === 'killed' || status === 'timeout'))
const earlier = existsSync(resultFile)
  ? readFileSync(resultFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(isKept)
  : []
const kept = new Map(earlier.map((result) => [`${keyOf(result)}${result.column}`, result]))
writeFileSync(resultFile, earlier.map((result) => `${JSON.stringify(result)}\n`).join(''))

const results = []
const queue = [...mutants]
async function work(worker) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const result = kept.get(`${keyOf(mutant)}${mutant.column}`) ?? (await judge(worker, mutant))
    results.push({ ...mutant, ...result })
  }
}

async function judge(worker, mutant) {
  const chosen = selectTests(mutant, points, records)
  const result = equivalent.has(keyOf(mutant))
    ? { status: 'equivalent' }
    : chosen.length === 0
      ? { status: 'no test' }
      : await worker.ask({
          tests: chosen,
          mutation: mutant,
          source: all.get(mutant.file),
          isCommand: mutant.folder === 'src/cli',
        })
  const { status, by, test, ms } = result
  const judged = { ...mutant, status, by, test, ms, tests: chosen.length }
  appendFileSync(resultFile, `${JSON.stringify(judged)}\n`)
  log(`${results.length + 1}/${mutants.length} ${status.padEnd(9)} ${place(mutant)}  ${describe(mutant).slice(0, 90)}`)
  return judged
}

await Promise.all(workers.map(work))
for (const worker of workers) worker.stop()
const survivors = results.filter((result) => !isDetected(result) && result.status !== 'equivalent')
console.log(`\n${survivors.length} survivors`)
for (const survivor of survivors.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))) {
  console.log(
    `${place(survivor)}  ${survivor.status === 'survived' ? `(${survivor.tests} test files)` : `(${survivor.status})`}`,
  )
  console.log(`    ${survivor.text}\n    ${describe(survivor)}`)
}
console.log()
printTable(results)
console.log(`\nscore ${scoreOf(results)} of mutants that are not equivalent; at least ${values.least} % are wanted`)
process.exitCode = shareOf(results) >= Number(values.least) ? 0 : 1

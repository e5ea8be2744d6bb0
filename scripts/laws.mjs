// `npm run laws [-- --cases 1000000] [--seed n] [--processes n]`: the properties of test/laws with many more cases, each
// round with another seed, several processes at a time. Prints what each law ran and the total.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 30) },
    processes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    factor: { type: 'string', default: '25' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
/** The files whose properties count their cases; others run as many as ever, and `npm test` runs those. */
const files = readdirSync(join(root, 'test/laws')).filter(
  (name) => name.endsWith('.test.ts') && readFileSync(join(root, 'test/laws', name), 'utf8').includes("'./cases.js'"),
)
const wanted = Number(values.cases)
const counts = new Map()
let total = 0
let failed = 0
let round = 0
const started = Date.now()

/** The next law file with a seed of its own, as long as cases are wanted. */
function nextJob() {
  if (total >= wanted || failed > 0) return undefined
  const job = { file: files[round % files.length], seed: Number(values.seed) + round }
  round += 1
  return job
}

async function runJob({ file, seed }) {
  const report = join(tmpdir(), `toolwire-laws-${process.pid}-${seed}.jsonl`)
  const env = { ...process.env, LAWS_FACTOR: values.factor, SEED: String(seed), LAWS_REPORT: report }
  const runner = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [runner, 'run', `test/laws/${file}`, '--reporter=dot', '--testTimeout=3600000']
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stderr.on('data', (data) => {
    output += data
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  for (const line of readLines(report)) {
    const { law, cases } = JSON.parse(line)
    const name = law.split(' ')[0]
    counts.set(name, (counts.get(name) ?? 0) + cases)
    total += cases
  }
  await rm(report, { force: true })
  if (code !== 0) {
    failed += 1
    console.log(`${file} with seed ${seed} failed\n${output}`)
  }
  console.log(`${Math.round((Date.now() - started) / 1000)} s: ${file}, seed ${seed}; ${total} cases so far`)
}

function readLines(file) {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

async function work() {
  for (let job = nextJob(); job !== undefined; job = nextJob()) await runJob(job)
}

console.log(`the laws, at least ${wanted} cases, seeds from ${values.seed}`)
await Promise.all(Array.from({ length: Number(values.processes) }, work))
for (const [law, cases] of [...counts].toSorted(([a], [b]) => Number(a) - Number(b)))
  console.log(`law ${law}: ${cases} cases`)
console.log(`${total} cases, ${failed} failures`)
process.exitCode = failed === 0 ? 0 : 1

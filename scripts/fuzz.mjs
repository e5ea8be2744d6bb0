// `npm run fuzz -- --minutes 10 [--seed n] [--count n]`: spoils inputs and reads them on every wire, on all cores but never
// for longer than asked. Prints the seeds; a fault is shrunk and kept under test/fuzz/found.
import { rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { build } from 'esbuild'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    count: { type: 'string', default: '1000000000' },
    threads: { type: 'string', default: String(Math.min(4, availableParallelism())) },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const seconds = Number(values.minutes) * 60
const stuckMs = 20_000
const outfile = join(tmpdir(), `toolwire-fuzz-${process.pid}.mjs`)
await build({
  entryPoints: [fileURLToPath(new URL('../test/fuzz/worker.ts', import.meta.url))],
  bundle: true,
  absWorkingDir: root,
  alias: { '#sha256': './src/json/sha256-node.ts', '#transport': './src/transport/node.ts' },
  platform: 'node',
  format: 'esm',
  sourcemap: 'inline',
  outfile,
  logLevel: 'error',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
})

/** Runs one thread; gives its number of cases and faults. A case that never ends is a fault, named by seed and number. */
function runThread(seed) {
  const current = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(outfile, {
    workerData: { root, seed, seconds, count: Number(values.count), current },
    execArgv: ['--enable-source-maps'],
  })
  return new Promise((resolve, reject) => {
    let last = -1
    let since = Date.now()
    const watch = setInterval(() => {
      const now = Atomics.load(current, 0)
      if (now !== last) {
        last = now
        since = Date.now()
      } else if (Date.now() - since > stuckMs) {
        console.log(`seed ${seed}: case ${now} does not end`)
        finish({ cases: now, faults: 1 })
      }
    }, 1000)
    const finish = (outcome) => {
      clearInterval(watch)
      worker.terminate().then(() => resolve(outcome), reject)
    }
    worker.on('message', (message) => {
      if (message.type === 'progress') console.log(`seed ${seed}: ${message.cases} cases, ${message.faults} faults`)
      else if (message.type === 'fault') console.log(`seed ${seed}: ${message.file}\n${message.message}`)
      else finish(message)
    })
    worker.on('error', (error) => {
      clearInterval(watch)
      reject(error)
    })
  })
}

const seeds = Array.from({ length: Number(values.threads) }, (_, index) => Number(values.seed) + index)
console.log(`fuzzing for ${values.minutes} minutes with the seeds ${seeds.join(', ')}`)
const outcomes = await Promise.all(seeds.map(runThread))
await rm(outfile, { force: true })
const cases = outcomes.reduce((sum, outcome) => sum + outcome.cases, 0)
const faults = outcomes.reduce((sum, outcome) => sum + outcome.faults, 0)
console.log(`${cases} cases, ${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1

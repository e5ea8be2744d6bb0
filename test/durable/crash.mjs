// One crash and what came of it: a worker dies, this process goes on, and the effects are counted against what was recorded.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { listRuns } from '../../dist/durable/index.js'
import { takeUp } from './mortal.mjs'

let bundle
/** The worker in one file, which starts in half the time. */
function workerFile() {
  bundle ??= bundled()
  return bundle
}

async function bundled() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-worker-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, 'worker.mjs')
  const entryPoints = [fileURLToPath(new URL('./worker.mjs', import.meta.url))]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' })
  return outfile
}

/**
 * Runs a worker; with `afterMs` it is killed so long after it has begun. `started` gets its process, `place` is the command it runs
 * under and the modules it loads first.
 */
async function work(folder, turns, where, afterMs, started, { command = [], imports = [], leaseMs = '' } = {}) {
  const worker = await workerFile()
  const node = [process.execPath, ...imports.flatMap((file) => ['--import', file])]
  const [program, ...args] = [...command, ...node, worker, folder, String(turns), where, String(leaseMs)]
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    started?.(child)
    let timer
    let begun
    let out = ''
    child.stdout.on('data', (data) => {
      begun ??= performance.now()
      if (out === '' && afterMs !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
      out += data
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const [, text = ''] = out.split('\n')
      const result = text === '' ? undefined : JSON.parse(text)
      resolve({ signal: code === 137 ? 'SIGKILL' : signal, ms: performance.now() - begun, result })
    })
  })
}

const linesOf = (path) => {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}
const stepsOf = (folder) =>
  linesOf(join(folder, 'runs', 'r.jsonl')).flatMap((line) => {
    try {
      const record = JSON.parse(line)
      return record.type === 'step' ? [[record.name, JSON.stringify(record.value)]] : []
    } catch {
      return []
    }
  })

/**
 * Kills a worker and finishes its run here. Gives what went wrong, in words, and how many calls were in doubt.
 * `kill` is where it dies, or a time in milliseconds.
 */
export async function crashOnce(turns, kill) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    const first = await work(
      folder,
      turns,
      typeof kill === 'number' ? 'never' : kill,
      typeof kill === 'number' ? kill : undefined,
    )
    const before = stepsOf(folder)
    const second = await takeUp(folder, turns, 'never')
    const after = new Map(stepsOf(folder))
    const faults = []
    if (second.reason !== 'answer') faults.push(`the run was not finished: ${JSON.stringify(second)}`)
    const [listed] = await listRuns(join(folder, 'runs'))
    if (listed?.status !== 'done') faults.push(`the run is finished, and listed as ${listed?.status}`)
    for (const [name, value] of before)
      if (after.get(name) !== value) faults.push(`the step ${name} was lost or changed`)
    const counts = new Map()
    for (const line of linesOf(join(folder, 'effects'))) counts.set(line, (counts.get(line) ?? 0) + 1)
    const { inDoubt, failed, answered } = second
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const name of ['pay', 'send', 'look']) {
        const id = `call_${turn}_${name}`
        const times = counts.get(`${name} r/${turn}/${id}`) ?? 0
        const doubted = inDoubt.includes(id)
        if (name !== 'look' && times > 1) faults.push(`${id} took effect ${times} times`)
        if (name === 'look' && (times === 0 || doubted)) faults.push(`${id} may be repeated, and was not run`)
        if (name !== 'look' && times === 0 && !doubted) faults.push(`${id} was lost without a word`)
        if (doubted !== failed.includes(id)) faults.push(`${id} was not told to the model as it was reported`)
      }
    }
    if (answered !== turns * 3) faults.push(`${answered} results for ${turns * 3} calls`)
    return {
      faults,
      inDoubt: inDoubt.length,
      wasKilled: first.signal === 'SIGKILL',
      ms: first.ms,
      recorded: before.length,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills a worker, lets several others take up its run at once, and gives their results and how often each effect took place. */
export async function crowd(turns, count) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    await work(folder, turns, 'after:4')
    const ended = await Promise.all(Array.from({ length: count }, () => work(folder, turns, 'never')))
    return { results: ended.map(({ result }) => result), effects: linesOf(join(folder, 'effects')) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** While one worker sleeps in the middle of its run, another asks for it; then the first is woken. Gives what each came to. */
export async function late(turns) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    let sleeper
    const first = work(folder, turns, 'asleep:4', undefined, (child) => {
      sleeper = child
    })
    while (!existsSync(join(folder, 'asleep'))) await delay(20)
    const second = await work(folder, turns, 'never')
    sleeper.kill('SIGCONT')
    return [(await first).result, second.result]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Two workers in two places begin one run at once. Gives their results and the effects. */
export async function race(turns, places) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    const ended = await Promise.all(places.map((place) => work(folder, turns, 'never', undefined, undefined, place)))
    return { results: ended.map(({ result }) => result), effects: linesOf(join(folder, 'effects')) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A worker dies in one place, and one in another takes up its run. */
export async function relay(turns, where, places) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    const first = await work(folder, turns, where, undefined, undefined, places[0])
    const second = await work(folder, turns, 'never', undefined, undefined, places[1])
    const effects = linesOf(join(folder, 'effects'))
    return { wasKilled: first.signal === 'SIGKILL', result: second.result, effects }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A worker is stopped before a step until one in another place has taken its run and finished it; then it is woken. */
export async function overtake(turns, step, places) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    let sleeper
    const first = work(folder, turns, `asleep:${step}`, undefined, (child) => (sleeper = child), places[0])
    while (!existsSync(join(folder, 'asleep'))) await delay(20)
    await delay(50)
    const second = await work(folder, turns, 'never', undefined, undefined, places[1])
    process.kill(-sleeper.pid, 'SIGCONT')
    const results = [(await first).result, second.result]
    const [listed] = await listRuns(join(folder, 'runs'))
    return { results, effects: linesOf(join(folder, 'effects')), status: listed?.status }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** How many fresh steps a run of so many turns takes: the start, per turn a reply, an intent and three calls, and the answer. */
export const stepsIn = (turns) => 1 + turns * 5 + 1

/** Where such a run can die: before, during and after each of its steps. Calls of one batch have one `after`, that of the last. */
export function placesIn(turns) {
  const steps = Array.from({ length: stepsIn(turns) }, (_, index) => index + 1)
  const isInBatch = (step) => step % 5 === 4 || step % 5 === 0
  return steps.flatMap((step) => [`before:${step}`, `during:${step}`, ...(isInBatch(step) ? [] : [`after:${step}`])])
}

/** How long a run of so many turns takes here and now in a worker, from its beginning to the end of its process. */
export async function durationOf(turns) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  try {
    return (await work(folder, turns, 'never')).ms
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// Executors as processes, and what their tools left behind.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A place for one scenario, where the given program is run; its processes share a file of effects. */
function placeOf(worker, shared) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-engine-'))
  const effects = join(folder, 'effects')
  const living = new Set()
  return {
    async executor(name, env = {}) {
      const child = spawn(process.execPath, [fileURLToPath(worker)], {
        env: { ...process.env, ...shared, EXECUTOR: name, EFFECTS: effects, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      living.add(child)
      let errors = ''
      child.stderr.on('data', (text) => {
        errors += text
      })
      child.stdin.on('error', () => {})
      const waiting = new Map()
      let next = 0
      const lines = createInterface({ input: child.stdout })
      const ready = new Promise((resolve, reject) => {
        lines.on('line', (line) => {
          if (line === 'ready') return resolve()
          if (!line.startsWith('{"id"')) return // the engine's own words
          const { id, value, error } = JSON.parse(line)
          const { done, failed } = waiting.get(id)
          if (error === undefined) done(value)
          else failed(Object.assign(new Error(error.message), error))
        })
        child.on('exit', (code, signal) => {
          living.delete(child)
          reject(new Error(`the executor ended (${code ?? signal}): ${errors}`))
          for (const { failed } of waiting.values()) failed(new Error('the executor ended'))
        })
      })
      await ready
      return {
        ask(command, fields = {}) {
          next += 1
          const id = next
          child.stdin.write(`${JSON.stringify({ id, command, ...fields })}\n`)
          return new Promise((done, failed) => waiting.set(id, { done, failed }))
        },
        async kill() {
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.kill('SIGKILL')
          await ended
        },
      }
    },
    /** How often each line was left, such as `done pay run/1/call_1_pay`. */
    effects() {
      const counts = new Map()
      for (const line of readLines(effects)) counts.set(line, (counts.get(line) ?? 0) + 1)
      return counts
    },
    async close() {
      for (const child of living) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Does something in such a place, and clears it away. */
export async function inPlace(worker, shared, work) {
  const place = placeOf(worker, shared)
  try {
    return await work(place)
  } finally {
    await place.close()
  }
}

/** Whether a line was left. */
export const hasBegun = (place, line) => () => place.effects().has(line)

/** What a run of the program begins with. */
export const input = (turns, ms, more = {}) => ({ prompt: 'go', parameters: { turns, ms, ...more } })

/** What the scenarios look at of a result. */
export const told = (result) => ({
  stop: result.stop.reason,
  error: result.stop.error?.code,
  text: result.text,
  inDoubt: (result.inDoubt ?? []).map((call) => call.id),
  result,
})

function readLines(path) {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** Waits until something holds. */
export async function until(what, holds, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What is wrong with a finished run of so many turns, in words: each effect once, or reported in doubt; repeatable ones at least once. */
export function faultsOf(runId, turns, { stop, inDoubt }, effects) {
  const faults = stop === 'answer' ? [] : [`${runId} stopped: ${stop}`]
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const name of ['pay', 'send', 'look']) {
      const id = `call_${turn}_${name}`
      const times = effects.get(`done ${name} ${runId}/${turn}/${id}`) ?? 0
      if (name !== 'look' && times > 1) faults.push(`${runId}: ${id} took effect ${times} times`)
      if (times === 0 && !inDoubt.includes(id)) faults.push(`${runId}: ${id} was lost without a word`)
    }
  }
  return faults
}

export const codeOf = (error) => error.code

/** What is wrong with how an engine takes approvals that were altered: of other calls, and of a state with other arguments. */
export async function refusedApprovals(result, resume) {
  const [{ callId }] = result.state.pending
  const richer = JSON.parse(JSON.stringify(result).replaceAll('\\"ms\\":0', '\\"ms\\":1'))
  const attempts = [
    ['an approval of another call', { result, approvals: { other: 'allow' } }],
    ['an altered state', { result: richer, approvals: { [callId]: 'allow' } }],
  ]
  const faults = JSON.stringify(richer) === JSON.stringify(result) ? ['nothing was altered'] : []
  for (const [what, answer] of attempts) {
    const code = await resume(answer).then(() => 'nothing', codeOf)
    if (code !== 'misuse') faults.push(`${what} was taken: ${code}`)
  }
  return faults
}

// Executors as processes, and what their tools left behind.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url))

/** A place for one scenario: executors share its database and its file of effects. */
export function placeOf(url) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-dbos-'))
  const effects = join(folder, 'effects')
  const living = new Set()
  return {
    async executor(name, env = {}) {
      const child = spawn(process.execPath, [worker], {
        env: { ...process.env, DBOS_URL: url, EXECUTOR: name, EFFECTS: effects, ...env },
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

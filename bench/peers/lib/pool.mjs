// Processes of a run: the upstream, and a worker for each contender and wire. And the statistics of what they report.
import { fork } from 'node:child_process'
import { files, loadFile } from './contenders.mjs'

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

export function stats(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), samples: values }
}

export async function startServer() {
  const child = fork(new URL('../server.mjs', import.meta.url))
  const { port } = await new Promise((resolve) => child.once('message', resolve))
  return { port, base: `http://127.0.0.1:${port}/`, stop: () => child.kill() }
}

/** Every contender on every wire it has that the filter takes. An adapter that cannot be loaded is told of and left out. */
export async function list(filter) {
  const found = []
  for (const file of files()) {
    try {
      for (const { create: _, wires, ...facts } of await loadFile(file)) {
        for (const wire of wires) if (filter(facts, wire)) found.push({ ...facts, file, wire })
      }
    } catch (error) {
      console.error(`skipped ${file}: ${error.message}`)
    }
  }
  return found
}

export class Worker {
  #pending = new Map()
  #count = 0
  #child
  dead = false

  constructor(contender) {
    this.contender = contender
    this.#child = fork(new URL('../worker.mjs', import.meta.url), [contender.file, contender.name, contender.wire], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', AX_DISABLE: '1' },
    })
    this.ready = new Promise((resolve) => {
      this.#child.once('message', resolve)
      this.#child.once('exit', resolve)
    })
    this.#child.on('message', (message) => this.#settle(message.id, message))
    this.#child.on('exit', () => {
      this.dead = true
      for (const id of this.#pending.keys()) this.#settle(id, { ok: false, error: 'the worker exited' })
    })
  }

  #settle(id, reply) {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    resolve?.(reply)
  }

  /** The reply of the worker; never rejects. A worker that takes too long is ended. */
  async send(message, timeoutMs = 90_000) {
    if (this.dead) return { ok: false, error: 'the worker exited' }
    this.#count += 1
    const id = this.#count
    const reply = new Promise((resolve) => this.#pending.set(id, resolve))
    const timer = setTimeout(() => {
      this.#settle(id, { ok: false, error: 'timeout' })
      this.stop()
    }, timeoutMs)
    this.#child.send({ ...message, id })
    try {
      return await reply
    } finally {
      clearTimeout(timer)
    }
  }

  stop() {
    this.dead = true
    this.#child.kill('SIGKILL')
  }
}

import { fork } from 'node:child_process'
import { files, loadFile } from './contenders.mjs'

export const median = (a) => {
  const s = [...a].sort((x, y) => x - y)
  const n = s.length
  return n ? (n % 2 ? s[n >> 1] : (s[n / 2 - 1] + s[n / 2]) / 2) : NaN
}
export const quant = (a, q) => {
  const s = [...a].sort((x, y) => x - y)
  return s[Math.min(s.length - 1, Math.floor(q * s.length))]
}
export const stats = (a) => ({ median: median(a), min: Math.min(...a), max: Math.max(...a), samples: a })

export async function startServer() {
  const p = fork(new URL('../server.mjs', import.meta.url))
  const { port } = await new Promise((r) => p.once('message', r))
  return { port, base: `http://127.0.0.1:${port}/`, stop: () => p.kill() }
}
export async function list(filter) {
  const out = []
  for (const f of files()) {
    try {
      for (const c of await loadFile(f))
        for (const wire of c.wires)
          if (!filter || filter(c, wire))
            out.push({
              file: f,
              name: c.name,
              wire,
              floor: !!c.floor,
              only: c.only,
              zod: !!c.zod,
              streamsOnly: !!c.streamsOnly,
            })
    } catch (e) {
      console.error('skip', f, e.message)
    }
  }
  return out
}
export class Worker {
  constructor(c) {
    this.c = c
    this.seq = 0
    this.pending = new Map()
    this.p = fork(new URL('../worker.mjs', import.meta.url), [c.file, c.name, c.wire], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', AX_DISABLE: '1' },
    })
    this.ready = new Promise((r) => {
      this.p.on('message', (m) => {
        if (m.ready) r()
        else {
          const f = this.pending.get(m.id)
          this.pending.delete(m.id)
          f?.(m)
        }
      })
    })
    this.p.on('exit', () => {
      this.dead = true
      for (const f of this.pending.values()) f({ ok: false, error: 'worker exited' })
      this.pending.clear()
    })
  }
  send(m, timeout = 90000) {
    if (this.dead) return Promise.resolve({ ok: false, error: 'worker dead' })
    return new Promise((r) => {
      const id = ++this.seq
      const t = setTimeout(() => {
        this.pending.delete(id)
        r({ ok: false, error: 'timeout', timedOut: true })
        this.stop()
      }, timeout)
      this.pending.set(id, (x) => {
        clearTimeout(t)
        r(x)
      })
      this.p.send({ ...m, id })
    })
  }
  stop() {
    this.dead = true
    this.p.kill('SIGKILL')
  }
}

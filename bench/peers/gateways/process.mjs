// A gateway as a process of its own: started on a free port, its processor time and memory read from /proc (Linux).
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import net from 'node:net'
import { Pool } from 'undici'

/** `entry.start` names what to run; nothing where the client asks the upstream itself. */
export async function start(entry, upstream) {
  const port = await freePort()
  const command = entry.start({ port, upstream })
  if (command === null) return { entry, pool: new Pool(upstream, { connections: 32 }) }
  const { args, env = {} } = command
  const child = spawn(process.execPath, args.map(String), { env: { ...process.env, ...env }, stdio: 'ignore' })
  await listening(port, child, entry.name)
  return {
    entry,
    child,
    pool: new Pool(`http://127.0.0.1:${port}`, { connections: 32 }),
    cpuUs: () => cpuUs(child.pid),
    peakMB: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))[1]) / 1024,
  }
}

export function stop({ child }) {
  child?.kill('SIGKILL')
}

/** Time of all threads on a processor so far; `stat` counts it in hundredths of a second, which is too little for a short round. */
function cpuUs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  )
  return times.reduce((sum, ns) => sum + ns, 0) / 1_000
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Waits until somebody answers on the port, 30 seconds at most. */
async function listening(port, child, name) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${name} does not answer`)
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

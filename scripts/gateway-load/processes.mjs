// The processes of the load test: the provider, the clients, and `toolwire serve` between them; what the system says of the gateway.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** How many files a process may open. Linux only. */
export function openFileLimit() {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

/** Little is thrown away in a hurry: a pause of these processes would be taken for one of the gateway. */
const seldomPausing = { execArgv: ['--max-semi-space-size=128'] }

export async function startProvider() {
  const child = fork(here('./provider.mjs'), seldomPausing)
  const [{ port }] = await once(child, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    async facts() {
      child.send('facts')
      const [facts] = await once(child, 'message')
      return facts
    },
    stop: () => child.kill('SIGKILL'),
  }
}

/** One more process of clients. */
export function startClients() {
  const child = fork(here('./clients.mjs'), seldomPausing)
  return {
    send: (job) => child.send(job),
    /** What the clients found; progress is told as it comes. */
    result(tell = () => {}) {
      return new Promise((resolve, reject) => {
        const end = () => reject(new Error('the process of the clients ended'))
        const hear = ({ progress, found }) => {
          if (found === undefined) return tell(progress)
          child.off('message', hear)
          child.off('exit', end)
          return resolve(found)
        }
        child.on('message', hear)
        child.once('exit', end)
      })
    },
    stop: () => child.kill('SIGKILL'),
  }
}

/** A route onto each wire of a provider: with the prefix `to` the model `to-anthropic` is answered on Anthropic's wire. */
export function routesTo(providerUrl, prefix) {
  return wires.map((wire) => ({
    match: `${prefix}-${wire}`,
    targets: [{ wire, baseUrl: providerUrl, apiKey: 'key', model: 'm' }],
  }))
}

/** As `docs/gateway.md` advises for many streams at once. */
const forManyStreams = { NODE_OPTIONS: '--max-semi-space-size=64' }

/** The real command, with the routes `to` the provider unless the config has others. */
export async function startGateway(providerUrl, config) {
  const file = join(mkdtempSync(join(tmpdir(), 'gateway-load-')), 'toolwire.config.json')
  writeFileSync(file, JSON.stringify({ routes: routesTo(providerUrl, 'to'), ...config }))
  const command = here('../../dist/node/cli/main.js')
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', '--config', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...forManyStreams },
  })
  const url = await new Promise((resolve, reject) => {
    let output = ''
    const hear = (text) => {
      output = (output + text).slice(-10_000)
      const found = /gateway on (\S+)/.exec(output)
      if (found !== null) resolve(found[1])
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear)
    child.once('exit', (code) => reject(new Error(`toolwire serve ended with ${code}: ${output}`)))
  })
  return {
    url,
    /** Sockets that are open, without the one that listens. */
    sockets: () => socketsOf(child.pid),
    rssKiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))[1]),
    stop: () => child.kill('SIGKILL'),
  }
}

/** A Redis of its own; nothing where there is none installed. */
export async function startRedis() {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  })
  const isThere = await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)])
  return isThere ? { url: `redis://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') } : undefined
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Connections of a process, by its own table of files: what it forgot to close is there. */
function socketsOf(pid) {
  const inodes = new Set(
    readFileSync(`/proc/${pid}/net/tcp`, 'latin1')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] !== '0A') // listens
      .map((fields) => fields[9]),
  )
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`))
  return links.filter((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1])).length
}

function linkOf(path) {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed in the meantime
  }
}

/** Asks until the answer is as it should be, or the time is over; the last answer. */
export async function settled(ask, isGood, timeoutMs) {
  const end = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (isGood(answer) || performance.now() > end) return answer
    await wait(200)
  }
}

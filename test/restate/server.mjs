// A Restate server of one's own in a temporary folder. Its binary is in a package of 216 MB, which is installed on demand into
// scripts/restate.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('../../scripts/restate/', import.meta.url))
const platform = `restate-server-${process.platform}-${process.arch}`
const binary = join(home, 'node_modules', '@restatedev', platform, 'bin', 'restate-server')

/** Installs the server where it is missing. Its install scripts, which report to their maker, are not run. */
export function installRestate() {
  if (existsSync(binary)) return
  process.stderr.write('installing the Restate server (216 MB) into scripts/restate\n')
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!existsSync(binary)) throw new Error(`there is no Restate server for ${process.platform} on ${process.arch}`)
}

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

export async function startRestate() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-restate-'))
  const [ingressPort, adminPort, nodePort] = await Promise.all([freePort(), freePort(), freePort()])
  const [ingress, admin] = [`http://127.0.0.1:${ingressPort}`, `http://127.0.0.1:${adminPort}`]
  const env = {
    ...process.env,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_DISABLE_TELEMETRY: 'true',
    DO_NOT_TRACK: '1',
  }
  let server
  const isUp = async () => {
    const answers = await Promise.all([`${admin}/health`, `${ingress}/restate/health`].map((url) => fetch(url)))
    return answers.every(({ ok }) => ok)
  }
  const start = async () => {
    server = spawn(binary, ['--no-logo', '--base-dir', join(folder, 'data'), '--node-name', 'test'], {
      env,
      cwd: folder,
      stdio: 'ignore',
    })
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if (await isUp().catch(() => false)) return
      if (server.exitCode !== null) throw new Error(`the Restate server ended with ${server.exitCode}`)
      await pause(100)
    }
    throw new Error('the Restate server does not start')
  }
  const kill = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    ingress,
    admin,
    start,
    kill,
    /** Tells the server where workers are. */
    async register(port) {
      const body = JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${admin}/deployments`, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`not registered: ${await response.text()}`)
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

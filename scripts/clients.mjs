// `npm run clients`: real coding agents through a real gateway onto every wire, offline. Each is asked to use its shell, does, and
// tells what it saw. Options: --client NAME, --wire NAME, --seconds n (for one cell; 60), --minutes n (for all; 15), --keep (the logs).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { agents } from './clients/agents.mjs'
import { runCell } from './clients/cell.mjs'
import { startGateway } from './clients/gateway.mjs'
import { startProxy } from './clients/proxy.mjs'
import { tableOf } from './clients/table.mjs'
import { startUpstream } from './clients/upstream.mjs'

const allWires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const { values } = parseArgs({
  options: {
    client: { type: 'string' },
    wire: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '15' },
    keep: { type: 'boolean', default: false },
  },
})
const chosen = pick(agents, ({ id }) => id, values.client, '--client')
const wires = pick(allWires, (wire) => wire, values.wire, '--wire')
const key = 'key-of-the-agents'
const until = Date.now() + Number(values.minutes) * 60_000

install()
const folder = mkdtempSync(join(tmpdir(), 'toolwire-clients-'))
const upstream = await startUpstream()
const proxy = await startProxy()
const cells = []
try {
  for (const wire of wires) {
    const gateway = await startGateway({ folder, wire, upstream: upstream.url, key })
    try {
      for (const agent of chosen) {
        const limitMs = Math.min(Number(values.seconds) * 1000, Math.max(0, until - Date.now()))
        const cell = await runCell({ agent, wire, gateway, upstream, proxy, key, folder, limitMs })
        cells.push(cell)
        process.stderr.write(
          `${cells.length} of ${wires.length * chosen.length}: ${agent.name} onto ${wire}: ${cell.problem ?? 'ok'}\n`,
        )
      }
    } finally {
      await gateway.stop()
    }
  }
} finally {
  proxy.stop()
  await upstream.close()
  if (!values.keep) rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(tableOf(cells))
if (values.keep) process.stdout.write(`logs: ${folder}\n`)
process.exitCode = cells.every(({ problem }) => problem === undefined) ? 0 : 1

function pick(all, nameOf, asked, option) {
  if (asked === undefined) return all
  const found = all.filter((one) => nameOf(one) === asked)
  if (found.length > 0) return found
  process.stderr.write(`${option} is one of ${all.map(nameOf).join(', ')}\n`)
  process.exit(2)
}

/** Into a folder of their own, 1.2 GB; nothing of theirs runs at the install. The lock holds what is served for this platform. */
function install() {
  const place = fileURLToPath(new URL('clients/', import.meta.url))
  if (existsSync(join(place, 'node_modules/.package-lock.json'))) return
  process.stderr.write('installing the clients, about 1.2 GB\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: place,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}

// `toolwire serve` as users start it: a process with a config file, here before a model on one wire.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../../dist/node/cli/main.js', import.meta.url))
const startMs = 20_000

/** Any name of a model goes to the one on `wire`. Gives the address, and the log from where it was last read. */
export async function startGateway({ folder, wire, upstream, key }) {
  const config = join(folder, `gateway-${wire}.json`)
  const targets = [{ wire, baseUrl: upstream, apiKey: 'upstream-key', model: 'scripted', retries: 0 }]
  writeFileSync(config, JSON.stringify({ routes: [{ match: '*', targets }], keys: [{ name: 'agents', key }] }))
  const child = spawn(process.execPath, [entry, 'serve', '--port', '0', '--config', config], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const url = await told(child, () => /gateway on (\S+)/.exec(output)?.[1])
  if (url === undefined) throw new Error(`toolwire serve did not start:\n${output}`)
  let read = 0
  return {
    url,
    /** The calls since it was last asked for. */
    newRecords() {
      const lines = output.slice(read).split('\n')
      read = output.length
      return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function told(child, find) {
  for (const until = Date.now() + startMs; Date.now() < until && child.exitCode === null; ) {
    const found = find()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill()
  return undefined
}

// `npm run bench`: installs the peers when they are missing (no install script runs), then runs with the arguments given.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

function step(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

for (const folder of [here, join(here, 'gateway-peer')]) {
  if (!existsSync(join(folder, 'node_modules')))
    step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
}
step(process.execPath, ['run.mjs', ...process.argv.slice(2)], here)

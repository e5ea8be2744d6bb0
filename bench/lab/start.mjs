// `npm run lab`: installs the libraries when they are missing (no install script runs), then plays with the arguments given.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('.', import.meta.url))

function step(command, args) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(new URL('node_modules', import.meta.url))) {
  step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
}
step(process.execPath, ['run.mjs', ...process.argv.slice(2)])

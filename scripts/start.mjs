// `npm start`: the `toolwire run` command, built first when a source is newer than the build. Without arguments the example of
// the README runs before its demonstration.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'dist/node/cli/main.js')

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
const newest = Math.max(...sources.map((file) => modified(join(file.parentPath, file.name))))

if (modified(entry) <= newest) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
if (process.argv.length === 2) {
  console.log('The example of the README, on a scripted model (examples/weather.mjs):\n')
  await import('../examples/weather.mjs')
  console.log()
}
process.argv.splice(1, 1, entry, 'run')
await import(new URL('../dist/node/cli/main.js', import.meta.url).href)

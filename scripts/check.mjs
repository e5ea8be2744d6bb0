// `npm run check`: builds, then everything that is checked without running a test, two at a time, the longest first. What a check says
// is printed when it ends; all are made, and one that fails fails the whole.
import { spawn } from 'node:child_process'

const checks = [
  'tsc -p tsconfig.test.json',
  'npm run --silent lint',
  'knip',
  'node scripts/snippets.mjs',
  'node scripts/api.mjs',
  'node scripts/vendors.mjs',
  'node scripts/matrix.mjs',
  'node scripts/errors.mjs',
  'node scripts/links.mjs',
]

/** Runs a command of the package; false when it failed. */
async function isPassed(command) {
  const child = spawn(command, { shell: true })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece))
  const code = await new Promise((resolve) => child.on('close', resolve))
  process.stdout.write(Buffer.concat(said))
  if (code !== 0) console.error(`check: \`${command}\` failed`)
  return code === 0
}

async function passedInTurn(queue) {
  let passed = true
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) passed = (await isPassed(next)) && passed
  return passed
}

const queue = [...checks]
const lanes = (await isPassed('npm run --silent build')) ? [passedInTurn(queue), passedInTurn(queue)] : [false]
if ((await Promise.all(lanes)).includes(false)) process.exitCode = 1

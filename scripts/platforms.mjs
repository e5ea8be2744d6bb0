// The package where it is used: the tests and `npm start` on Node 20, 22 and 24, and the root door in a real Chromium. Ends with
// a table; exit code 1 when something failed or could not be tried.
//   npm run platforms                       everything, with the part of the tests that a platform can change
//   npm run platforms -- --all              with all tests (several minutes for each Node)
//   npm run platforms -- chromium 22        only these
import { onChromium } from './platforms/chromium.mjs'
import { onNode, versions } from './platforms/node.mjs'

const words = process.argv.slice(2)
const all = words.includes('--all')
const asked = words.filter((word) => word !== '--all')
const platforms = [
  ...Object.keys(versions).map((major) => ({ name: major, run: () => onNode(major, { all }) })),
  { name: 'chromium', run: onChromium },
]
const unknown = asked.filter((word) => !platforms.some(({ name }) => name === word))
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: there are ${platforms.map(({ name }) => name).join(', ')}, and --all\n`)
  process.exit(2)
}

const rows = []
for (const { name, run } of platforms.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  rows.push(await figures(name, run))
}
process.stdout.write(`\n${table(['platform', 'tests', 'passed', 'skipped', 'seconds', ''], rows.map(cells))}\n`)
if (rows.some((row) => row.failure !== undefined)) process.exitCode = 1

/** What a platform gave. A failure is told at once and does not keep the others from being tried. */
async function figures(name, run) {
  process.stdout.write(`\n# ${name}\n`)
  const begin = performance.now()
  const row = await run().catch((error) => ({ version: name, tests: 0, passed: 0, skipped: 0, failure: error.message }))
  if (row.failure !== undefined) process.stderr.write(`${row.failure}\n`)
  return { ...row, seconds: (performance.now() - begin) / 1000 }
}

function cells({ version, tests, passed, skipped, seconds, failure }) {
  return [version, tests, passed, skipped, seconds.toFixed(0), failure === undefined ? 'ok' : 'FAILED']
}

function table(heads, lines) {
  const line = (row) => `| ${row.join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...lines.map(line)].join('\n')
}

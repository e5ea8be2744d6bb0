// One Node: its binary from the registry, the tests on it, and `npm start`. Everything that the tests start finds it first on PATH.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, '.tmp', 'platforms')

/** By major version. The Node that runs this script stands for its own. */
export const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

/** Where the platform can make a difference: text, numbers, streams, HTTP, processes, files, modules. */
const telling = [
  ...['cli', 'conversation', 'durable/file-journal', 'frames', 'generate', 'json', 'laws', 'loop', 'model', 'offline'],
  ...['package', 'schema', 'signature', 'streams', 'testing', 'tools', 'transport', 'wire'],
].map((name) => `test/${name}`)

/** Figures of the tests on this version; `failure` says what went wrong. */
export async function onNode(major, { all }) {
  const node = process.versions.node.startsWith(`${major}.`) ? process.execPath : installed(versions[major])
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  const version = `Node ${output(node, ['--version'], env).trim()}`
  const report = join(folder, `tests-${major}.json`)
  mkdirSync(folder, { recursive: true })
  rmSync(report, { force: true })
  const filter = all ? [] : telling
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filter], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (!existsSync(report)) throw new Error(`${version}: the tests did not come to an end`)
  const told = JSON.parse(readFileSync(report, 'utf8'))
  const start = spawnSync('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const failures = [
    ...(told.success ? [] : [`${told.numFailedTests} tests and ${told.numFailedTestSuites} files failed`]),
    ...(start.status === 0 ? [] : [`npm start ended with ${start.status}`]),
  ]
  const { numTotalTests: tests, numPassedTests: passed, numPendingTests: skipped } = told
  const failure = failures.length === 0 ? undefined : `${version}: ${failures.join('; ')}`
  return { version, tests, passed, skipped, failure }
}

/** The binary of a version, fetched once. The package `node` would fetch this one by an install script, and none runs here. */
function installed(version) {
  const system = platform() === 'win32' ? 'win' : platform()
  const name = `${system === 'darwin' && arch() === 'arm64' ? 'node-bin' : 'node'}-${system}-${arch()}`
  const home = join(folder, `node-${version}`)
  const binary = join(home, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node')
  if (existsSync(binary)) return binary
  process.stdout.write(`fetching ${name}@${version}\n`)
  mkdirSync(home, { recursive: true })
  output('npm', ['install', '--prefix', home, '--no-save', '--ignore-scripts', `${name}@${version}`], process.env)
  if (!existsSync(binary)) throw new Error(`${name}@${version} has no ${binary}`)
  return binary
}

function output(command, args, env) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

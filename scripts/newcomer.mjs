// As a new user: an empty folder, the packed tarball, and nothing to read but the README in it and the quick start that it names. Types
// what they say, in their order, and compares what is printed with what they promise. Tells how long each step took, and how long it
// was to the first tool call. Only `npm install` needs the registry, or npm's cache of it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'toolwire-newcomer-'))
const project = join(home, 'empty-folder')
// No key of this machine, and no Ollama of it, is used.
const env = { PATH: process.env.PATH, HOME: process.env.HOME, OLLAMA_HOST: '127.0.0.1:9' }
/** No step may take longer: npm can wait for a registry for ever. */
const limitMs = 180_000
const begin = performance.now()
const rows = []

try {
  mkdirSync(project)
  must('npm', ['pack', '--silent', '--pack-destination', home], root)
  const tarball = join(
    home,
    readdirSync(home).find((name) => name.endsWith('.tgz')),
  )
  must('tar', ['-xzf', tarball, '-C', home, 'package/README.md'], home)
  const readme = readFileSync(join(home, 'package/README.md'), 'utf8')
  const guide = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')

  const start = performance.now()
  step('README: npm install', () => install(readme, tarball))
  step('README: the first program', () => expectOutput(program(readme, 0), 'weather', /It is 18 °C in Boston\./))
  const toFirstCall = performance.now() - start
  step('README: the command', () => {
    const command = lineOf(readme, 'toolwire run "')
    const said = must('npx', ['--no-install', ...words(command)], project)
    if (!said.includes('17 * 23 = 391')) throw new Error(`${command} said:\n${said}`)
  })
  step('quick start: npm install', () => install(guide, tarball))
  for (const [index, { code, output }] of programsOf(guide).entries()) {
    step(`quick start: program ${index + 1}`, () =>
      expectOutput(code, `step-${index + 1}`, output ?? /ANTHROPIC_API_KEY/),
    )
  }
  for (const [name, seconds] of rows) process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${name}\n`)
  const whole = (performance.now() - begin) / 1000
  process.stdout.write(
    `newcomer: ${rows.length} steps; first tool call after ${(toFirstCall / 1000).toFixed(1)} s, all in ${whole.toFixed(1)} s\n`,
  )
} catch (error) {
  process.stderr.write(`newcomer: ${rows.at(-1)?.[0] ?? 'packing'} was the last that worked; then:\n${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(home, { recursive: true, force: true })
}

function step(name, act) {
  const start = performance.now()
  act()
  rows.push([name, (performance.now() - start) / 1000])
}

/** What the page says to install, with the tarball for the package that is not in the registry yet. */
function install(page, tarball) {
  const packages = words(lineOf(page, 'npm install toolwire ')).slice(2)
  const given = packages.map((name) => (name === 'toolwire' ? tarball : name))
  must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', ...given], project)
}

/** The first line of a page's commands that begins so. */
function lineOf(page, beginning) {
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block.split('\n'))
  const line = commands.find((text) => text.startsWith(beginning))
  if (line === undefined) throw new Error(`the page has no command that begins with "${beginning}"`)
  return line.replace(/\s+# .*$/, '')
}

function words(line) {
  return line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''))
}

/** Every program of a page, with the output that stands below it. */
function programsOf(page) {
  const blocks = page.matchAll(/^```ts\n([\s\S]*?)^```(?:\n\n```text\n([\s\S]*?)^```)?/gm)
  return [...blocks].map(([, code, output]) => ({ code, output }))
}

function program(page, index) {
  return programsOf(page)[index].code
}

function expectOutput(code, name, expected) {
  const file = join(project, `${name}.mjs`)
  writeFileSync(file, code)
  const said = must(process.execPath, [file], project)
  const fits = typeof expected === 'string' ? said === expected : expected.test(said)
  if (!fits) throw new Error(`${name}.mjs printed:\n${said}\nand should have printed:\n${expected}`)
}

function must(command, args, cwd) {
  const { status, signal, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: limitMs })
  const outcome = signal === null ? status : `${signal}, after ${limitMs / 1000} s at most`
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${outcome}:\n${stdout}${stderr}`)
  return stdout
}

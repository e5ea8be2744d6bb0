// F: what a program costs before its first call: import and first reply in a fresh process, bytes of a bundle, an install.
// A further contender: a row in lib/programs.mjs, or EXTRA_COLD names a module that exports rows.
import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { median, startServer, stats } from './lib/pool.mjs'
import { programs } from './lib/programs.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const pinned = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).dependencies
const dist = resolve(here, '../../dist')

export default async function cold({ quick, isWanted = () => true }) {
  const further = process.env.EXTRA_COLD
  const more = further === undefined ? [] : (await import(pathToFileURL(resolve(further)).href)).default
  const all = [...programs, ...more].filter((program) => program.name.startsWith('raw-') || isWanted(program))
  const { nodeStartMs, nodeStartCpuMs, starts } = await measureStarts(all, quick ? 5 : 11)
  const found = { nodeStartMs, nodeStartCpuMs }
  for (const program of all) {
    const installed = process.env.NO_INSTALL ? {} : installOf(program)
    found[program.name] = { ...starts.get(program), ...(await bundleOf(program)), ...installed }
  }
  return found
}

/** Import, and time to the first reply with a tool call, in rounds of fresh processes; a bare Node is subtracted. */
async function measureStarts(all, rounds) {
  const server = await startServer()
  const folder = mkdtempSync(join(here, '.cold-'))
  try {
    const empty = { file: write(folder, 'empty.mjs', ''), wall: [], cpu: [] }
    const jobs = [empty]
    const byProgram = new Map()
    for (const [index, program] of all.entries()) {
      const loaded = { file: write(folder, `import${index}.mjs`, importsOf(program)), wall: [], cpu: [] }
      const first = program.adapter && {
        file: write(folder, `first${index}.mjs`, firstReply(program, server.base)),
        wall: [],
        cpu: [],
      }
      jobs.push(loaded, ...(first ? [first] : []))
      byProgram.set(program, { loaded, first })
    }
    for (let round = 0; round < rounds; round += 1)
      for (let turn = 0; turn < jobs.length; turn += 1) runOnce(jobs[(turn + round) % jobs.length])
    const starts = new Map([...byProgram].map(([program, measured]) => [program, startOf(measured, empty)]))
    return { nodeStartMs: stats(empty.wall), nodeStartCpuMs: stats(empty.cpu), starts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    server.stop()
  }
}

/** A program that tells its processor time and the time since its process began, its exit not counted. */
function write(folder, name, text) {
  const file = join(folder, name)
  const tell =
    'process.stdout.write(JSON.stringify({ cpu: process.cpuUsage(), up: performance.now() })); process.exit(0)'
  writeFileSync(file, `${text}\n${tell}\n`)
  return file
}

function importsOf({ imports }) {
  return imports.replace("'toolwire'", JSON.stringify(pathToFileURL(join(dist, 'node/index.js')).href))
}

function firstReply({ adapter: [file, name, wire] }, base) {
  const path = file.includes('/') ? pathToFileURL(resolve(file)).href : `../contenders/${file}.mjs`
  return `
console.warn = console.info = () => {}
const found = [(await import(${JSON.stringify(path)})).default].flat().find(({ name }) => name === ${JSON.stringify(name)})
const jsonSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [0, 1, 2, 3].map((i) => ({ name: 'tool_' + i, description: 'd', jsonSchema, execute: async () => 1 }))
const made = await found.create(${JSON.stringify(wire)}, { root: ${JSON.stringify(`${base}chat4`)}, tools })
if ((await made.chat('hi')).toolCalls.length !== 4) throw new Error('wrong calls')`
}

/** The upstream is a process of its own, so waiting here does not hold it up. */
function runOnce(job) {
  const env = { ...process.env, NODE_ENV: 'production' }
  const { stdout, stderr } = spawnSync(process.execPath, [job.file], { encoding: 'utf8', env })
  try {
    const { up, cpu } = JSON.parse(stdout.slice(stdout.lastIndexOf('{"cpu"')))
    job.wall.push(up)
    job.cpu.push((cpu.user + cpu.system) / 1000)
  } catch {
    job.error = stderr.slice(-300)
  }
}

function startOf({ loaded, first }, empty) {
  const base = median(empty.wall)
  const baseCpu = median(empty.cpu)
  const isMeasured = first !== undefined && first.wall.length > 0
  return {
    importMs: median(loaded.wall) - base,
    importMinMs: Math.min(...loaded.wall) - Math.min(...empty.wall),
    importCpuMs: median(loaded.cpu) - baseCpu,
    firstMs: isMeasured ? median(first.wall) - base : null,
    firstCpuMs: isMeasured ? median(first.cpu) - baseCpu : null,
    importSpread: [Math.min(...loaded.wall) - base, Math.max(...loaded.wall) - base],
    error: loaded.error ?? first?.error,
  }
}

async function bundleOf({ imports, program, external = [] }) {
  try {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `${imports}\n${program}`, resolveDir: here, loader: 'js' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external,
      alias: { toolwire: join(dist, 'index.js') },
      write: false,
      logLevel: 'silent',
      metafile: true,
    })
    const { contents } = outputFiles[0]
    const gzipped = gzipSync(contents, { level: 9 }).length
    return { bundleMin: contents.length, bundleGz: gzipped, bundleModules: Object.keys(metafile.inputs).length }
  } catch (error) {
    return { bundleError: String(error.message).slice(0, 200) }
  }
}

/** A fresh install from the package registry, toolwire from what would be published. */
function installOf({ install, packed }) {
  if (install.length === 0 && !packed) return { installBytes: 0, packages: 0 }
  const folder = mkdtempSync(join(tmpdir(), 'install-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const wanted = packed ? [packedHere()] : install.map((name) => (pinned[name] ? `${name}@${pinned[name]}` : name))
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    const { status, stderr } = spawnSync('npm', ['install', ...options, ...wanted], { cwd: folder, encoding: 'utf8' })
    if (status !== 0) return { installError: stderr.slice(-300) }
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
    const { bytes, files } = sizeOf(join(folder, 'node_modules'))
    return { installBytes: bytes, installFiles: files, packages: Object.keys(lock.packages).length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function packedHere() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-pack-'))
  const packed = spawnSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: resolve(here, '../..'),
    encoding: 'utf8',
  })
  return join(folder, packed.stdout.trim().split('\n').at(-1))
}

function sizeOf(folder) {
  const paths = readdirSync(folder, { recursive: true }).map((path) => lstatSync(join(folder, path)))
  const files = paths.filter((entry) => !entry.isDirectory())
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), files: files.length }
}

// Keeps docs/wires.md current with test/matrix/. Plain: fails when the page is not what the files say. With --write: computes
// every wire column anew with the codecs, for review in the diff, and writes the page.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url)
const folder = new URL('test/matrix/', root)
const page = new URL('docs/wires.md', root)
const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const asked = ['model', 'profile', 'stream']

const { columnOf, formatJson, pageOf, parseJson, readConcern, readConcerns } = await load()
if (process.argv.includes('--write')) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) refresh(file)
  writeFileSync(page, pageOf(readConcerns(folder)))
}
const concerns = readConcerns(folder)
if (!existsSync(page) || readFileSync(page, 'utf8') !== pageOf(concerns)) {
  process.stderr.write('docs/wires.md is not what test/matrix says; run: node scripts/matrix.mjs --write\n')
  process.exit(1)
}
process.stdout.write(`matrix: ${concerns.length} concerns on ${wires.length} wires, docs/wires.md is current\n`)

/** The matrix modules and the codecs under them, from their TypeScript sources. */
async function load() {
  const outfile = new URL(`.tmp/matrix-${process.pid}.mjs`, root)
  mkdirSync(new URL('.tmp/', root), { recursive: true })
  const contents = `export * from './format.js'; export * from './column.js'; export * from './page.js'
    export { parseJson } from '../../src/json/parse.js'`
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' }
  const stdin = { contents, resolveDir: fileURLToPath(folder), loader: 'ts' }
  await build({ ...options, stdin, outfile: fileURLToPath(outfile) })
  try {
    return await import(outfile.href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** Rewrites one file with columns computed anew; what a column asks for (model, profile, stream) is kept. */
function refresh(file) {
  const source = parseJson(readFileSync(new URL(file, folder), 'utf8'))
  const skeleton = Object.fromEntries(wires.map((wire) => [wire, askedOf(source.wires?.[wire] ?? {})]))
  const concern = readConcern(file.slice(0, -5), formatJson({ ...source, wires: skeleton }))
  const columns = Object.fromEntries(wires.map((wire) => [wire, columnOf(concern, wire)]))
  writeFileSync(new URL(file, folder), `${formatJson({ ...source, wires: columns })}\n`)
}

function askedOf(column) {
  return Object.fromEntries(Object.entries(column).filter(([key]) => asked.includes(key)))
}

// The architecture as a test: ranks, sizes, names, and what the root door may reach.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { filesBelow, root, type SourceFile, sourceFiles } from './source.js'

/** A file imports its own folder and folders of a lower rank only. */
const ranks: Readonly<Record<string, number>> = {
  errors: 0,
  json: 0,
  schema: 0,
  frames: 0,
  conversation: 1,
  wire: 2,
  transport: 2,
  tools: 2,
  model: 3,
  loop: 4,
  generate: 5,
  signature: 5,
  durable: 5,
  dbos: 5,
  gateway: 5,
  langchain: 5,
  mcp: 5,
  restate: 5,
  testing: 5,
  offline: 5,
  otel: 6,
  cli: 7,
  inspector: 7,
}
/** Within rank 0 these may be used by the others. */
const ground = new Set(['errors', 'json'])

const files = sourceFiles()
const folderOf = (path: string): string => path.split('/')[1] ?? ''
const wireOf = (path: string): string | undefined => /^src\/wire\/([^/]+)\//.exec(path)?.[1]

test('every folder of src has a rank', () => {
  const folders = new Set(files.map((file) => folderOf(file.path)).filter((name) => !name.endsWith('.ts')))
  expect([...folders].filter((name) => ranks[name] === undefined)).toEqual([])
})

test('a file imports its own folder and lower ranks only', () => {
  const offences = files.flatMap((file) =>
    file.imports.filter((name) => climbs(file, name)).map((name) => `${file.path} → ${name}`),
  )
  expect(offences).toEqual([])
})

function climbs(file: SourceFile, imported: string): boolean {
  if (!imported.startsWith('src/') || file.path === 'src/index.ts') return false
  const from = folderOf(file.path)
  const to = folderOf(imported)
  if (from === to) return false
  const [a, b] = [ranks[from] ?? -1, ranks[to] ?? 99]
  return b > a || (b === a && !ground.has(to))
}

test('wires never import each other', () => {
  const offences = files.flatMap((file) => {
    const own = wireOf(file.path)
    return own === undefined
      ? []
      : file.imports.filter((name) => (wireOf(name) ?? own) !== own).map((name) => `${file.path} → ${name}`)
  })
  expect(offences).toEqual([])
})

test('no source or test file passes 500 lines', () => {
  const long = [...files, ...testFiles()].filter((file) => file.text.split('\n').length > 500)
  expect(long.map((file) => file.path)).toEqual([])
})

function testFiles(): readonly { path: string; text: string }[] {
  return filesBelow('test')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

test('no folder or file has a name that says nothing', () => {
  const pattern = /(^|\/)(utils?|helpers?|common|shared|misc)(\.[a-z]+)?(\/|$)/
  const named = ['src', 'test', 'scripts', 'bench', 'examples', 'docs']
    .flatMap(filesBelow)
    .filter((path) => pattern.test(path))
  expect(named).toEqual([])
})

test('nothing under src/wire reads a clock or a random source', () => {
  const pattern = /\bDate\.now\(|new Date\(\)|Math\.random|performance\.now|crypto\./
  expect(
    files.filter((file) => file.path.startsWith('src/wire/') && pattern.test(file.text)).map((file) => file.path),
  ).toEqual([])
})

test('no code branches on a vendor name or an address', () => {
  const pattern = /(profile\.name|provider|vendor) === ['"`]|[uU]rl\.includes\(/
  const allowed = new Set(['src/conversation/seal-rules.ts'])
  const offences = files.filter((file) => pattern.test(file.text) && !allowed.has(file.path))
  expect(offences.map((file) => file.path)).toEqual([])
})

test('no Node builtin is reachable from the root door under the browser condition', async () => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    logLevel: 'silent',
    metafile: true,
  })
  expect(result.errors).toEqual([])
  expect(Object.keys(result.metafile.inputs).filter((path) => path.startsWith('node:'))).toEqual([])
})

// What a user pays before the first call: bytes of a bundle, packages of an install, modules of an import. Pinned, not timed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../layers/source.js'

interface Bundle {
  readonly bytes: Uint8Array
  readonly metafile: Metafile
}

async function bundleOf(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    alias: { '#sha256': './src/json/sha256.ts', '#transport': './src/transport/fetch.ts' },
    logLevel: 'silent',
    metafile: true,
  })
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), metafile }
}

const oneProviderOneTool = `
import { anthropic, run, tool } from './src/index.ts'
const weather = tool({ name: 'weather', description: 'Current weather', input: { type: 'object' }, execute: () => 'sunny' })
console.log(await run({ model: anthropic('m'), tools: [weather], prompt: 'Weather?' }))
`

// Raised only for something a user gets.
test('a program with one provider and one tool keeps its size', async () => {
  const { bytes } = await bundleOf(oneProviderOneTool)
  const gzippedKilobytes = gzipSync(bytes, { level: 9 }).length / 1024
  expect(gzippedKilobytes).toBeGreaterThan(20) // it is there at all
  expect(gzippedKilobytes).toBeLessThan(104.5)
})

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly peer?: boolean }>
  >
}

test('an install brings exactly the packages that were decided on', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const installed = Object.entries(packages)
    .filter(([path, { dev, optional, peer }]) => path !== '' && dev !== true && optional !== true && peer !== true)
    .map(([path]) => path.replace('node_modules/', ''))
  // The command line's gateway brings undici, and pino with what it needs.
  expect(installed).toEqual([
    '@noble/hashes',
    '@pinojs/redact',
    '@standard-schema/spec',
    'atomic-sleep',
    'commander',
    'jsonrepair',
    'on-exit-leak-free',
    'pino',
    'pino-abstract-transport',
    'pino-std-serializers',
    'process-warning',
    'quick-format-unescaped',
    'real-require',
    'safe-stable-stringify',
    'sonic-boom',
    'split2',
    'thread-stream',
    'undici',
  ])
})

/** The folder of a source file, or the package of any other. */
function placeOf(path: string): string {
  return /(?<=^src\/)[^/]+|(?<=node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path
}

test('the folders that the root door reaches import each other and packages exactly so', async () => {
  const { metafile } = await bundleOf("export * from './src/index.ts'")
  const graph = new Map<string, Set<string>>()
  for (const [path, { imports }] of Object.entries(metafile.inputs)) {
    const from = placeOf(path)
    if (path.includes('node_modules/') || path === '<stdin>') continue
    const known = graph.get(from) ?? new Set()
    for (const { path: to } of imports) if (placeOf(to) !== from) known.add(placeOf(to))
    graph.set(from, known)
  }
  const lines = [...graph].map(([from, to]) => `${from}: ${[...to].sort().join(' ')}`).sort()
  expect(lines).toEqual([
    'conversation: errors json',
    'errors: ',
    'frames: errors json',
    'generate: conversation errors json loop model schema tools',
    'index.ts: conversation errors frames generate loop model schema signature tools wire',
    'json: @noble/hashes errors',
    'loop: conversation errors json model tools',
    'model: conversation errors frames json schema transport wire',
    'schema: errors json',
    'signature: conversation errors frames json loop model schema tools wire',
    'tools: conversation errors json jsonrepair schema',
    'transport: errors frames',
    'wire: conversation errors frames json schema',
  ])
})

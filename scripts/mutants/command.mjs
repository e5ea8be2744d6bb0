// The `toolwire` command built from the sources with one mutant, for tests that start it as a process of its own.
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { instrument } from './coverage.mjs'
import { applyMutation } from './mutations.mjs'

/** Writes what a process ran when it ends. */
const writeMarks = (folder) => `import { writeFileSync as __write } from 'node:fs'
const __all = new Map()
globalThis.__marks = (source, count) => {
  const hits = new Uint8Array(count).fill(1, 0, 1)
  __all.set(source, hits)
  return (point) => { hits[point] = 1 }
}
process.on('exit', () => {
  const marks = [...__all].map(([source, hits]) => [source, [...hits.keys()].filter((point) => hits[point] === 1)])
  __write(${JSON.stringify(folder)} + '/spawned-' + process.pid + '-' + Date.now() + '.json', JSON.stringify(Object.fromEntries(marks)))
})`

/** Builds the command with a mutation, or with marks that are written to a folder. */
export async function buildCommand({ root, outfile, mutation, source, marksFolder }) {
  const change = {
    name: 'mutants',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path)
        if (mutation?.file === file)
          return { contents: applyMutation(source, mutation), loader: 'ts', resolveDir: dirname(path) }
        if (marksFolder === undefined || !file.startsWith('src/')) return undefined
        return { contents: instrument(file, await readFile(path, 'utf8')), loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2023',
    packages: 'external',
    alias: { '#sha256': './src/json/sha256-node.ts', '#transport': './src/transport/node.ts' },
    plugins: [change],
    logLevel: 'silent',
    ...(marksFolder === undefined ? {} : { banner: { js: writeMarks(marksFolder) } }),
  })
  return join(root, outfile)
}

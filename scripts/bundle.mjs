// What Node loads of the package: each door and what the doors have in common, in a few files instead of hundreds, because
// opening a file costs Node more than reading it. The modules beside it are for bundlers, which take only what a program uses.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const libraries = Object.values(doors).flatMap((door) => (door.node === undefined ? [] : [door.default]))
// The command loads a user's files of tools, which load the package: both must be the same copy.
const entries = [...libraries, './dist/cli/main.js']

await build({
  absWorkingDir: root,
  entryPoints: entries,
  outbase: 'dist',
  outdir: 'dist/node',
  chunkNames: 'parts/[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  packages: 'external',
  alias: { '#transport': './dist/transport/node.js' },
  logLevel: 'warning',
})

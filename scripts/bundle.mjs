// What Node loads of the package, in a few files instead of hundreds, because opening a file costs Node more than reading it: all
// that the main door reaches is one file, `parts/core.js`, and the other doors and the command bring only what they add to it.
// The modules beside it are for bundlers, which take only what a program uses.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const libraries = Object.values(doors).flatMap((door) => (door.node === undefined ? [] : [door.default]))
// The command loads a user's files of tools, which load the package: both must be the same copy.
const entries = [...libraries, './dist/cli/main.js']

const options = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  packages: 'external',
  alias: { '#transport': './dist/transport/node.js' },
  logLevel: 'warning',
}

/** The modules that the main door reaches, by path: what each exports, with the name it has in the core. */
async function coreModules() {
  const main = { ...options, entryPoints: [doors['.'].default], write: false, metafile: true }
  const paths = Object.keys((await build(main)).metafile.inputs)
  const modules = new Map()
  for (const path of paths) {
    const names = Object.keys(await import(pathToFileURL(join(root, path)).href))
    modules.set(
      path,
      names.map((name) => ({ name, inCore: `${name}$${modules.size}` })),
    )
  }
  return modules
}

/** Instead of a module of the core, what it exports is taken out of the core. */
function outOfCore(modules) {
  const namesOf = (names) => names.map(({ name, inCore }) => `${inCore} as ${name}`).join(', ')
  return {
    name: 'out-of-core',
    setup(bundler) {
      bundler.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const names = modules.get(relative(root, path).replaceAll('\\', '/'))
        return names === undefined ? undefined : { contents: `export { ${namesOf(names)} } from '#core'` }
      })
    },
  }
}

function coreText(modules) {
  const namesOf = (names) => names.map(({ name, inCore }) => `${name} as ${inCore}`).join(', ')
  return [...modules].map(([path, names]) => `export { ${namesOf(names)} } from './${path}'`).join('\n')
}

/** A source with any other character takes twice the memory. Only regular expressions still have some. */
function inAscii(file) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped))
}

const modules = await coreModules()
await build({
  ...options,
  stdin: { contents: coreText(modules), resolveDir: root },
  outfile: 'dist/node/parts/core.js',
})
inAscii(join(root, 'dist/node/parts/core.js'))
await build({
  ...options,
  entryPoints: entries,
  outbase: 'dist',
  outdir: 'dist/node',
  chunkNames: 'parts/[hash]',
  splitting: true,
  external: ['#core'],
  plugins: [outOfCore(modules)],
})

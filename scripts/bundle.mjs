// What Node loads of the package, in a few files instead of hundreds, because opening a file costs Node more than reading it.
// What the main door reaches is cut into the parts that `parts.mjs` names; a part is read when something of it is first used. The
// doors and the command bring only what they add. They are ES modules; the parts are not, because only `require` can load in the
// middle of a function that does not wait.
// The modules beside all this are for bundlers, which take only what a program uses.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { partOf } from './parts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const libraries = Object.values(doors).flatMap((door) => (door.node === undefined ? [] : [door.default]))
// The command loads a user's files of tools, which load the package: both must be the same copy.
const entries = [...libraries, './dist/cli/main.js']
const inRoot = (path) => relative(root, path).replaceAll('\\', '/')

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'es2023',
  packages: 'external',
  alias: { '#sha256': './dist/json/sha256-node.js', '#transport': './dist/transport/node.js' },
  logLevel: 'warning',
}

/** The modules behind the main door, by path: the part each is in, its name there, and what it exports. */
async function libraryModules() {
  const main = { ...options, format: 'esm', entryPoints: [doors['.'].default], write: false, metafile: true }
  const { inputs } = (await build(main)).metafile
  const found = new Map()
  for (const path of Object.keys(inputs)) {
    if (path === inRoot(resolve(root, doors['.'].default))) continue
    const values = Object.entries(await import(pathToFileURL(join(root, path)).href))
    found.set(path, { part: partOf(path, inputs), key: `m${found.size}`, values })
  }
  return found
}

const modules = await libraryModules()
const parts = [...new Set([...modules.values()].map(({ part }) => part))]
const foreign = 'toolwire-module:'
const loaderOf = (name) => `load_${name.replaceAll('-', '_')}`

/** Loads a part at its first use. */
function loaderText(name, folder) {
  const loader = loaderOf(name)
  return `var ${loader}_done;\nvar ${loader} = () => ${loader}_done ??= require("${folder}/${name}.cjs");\n`
}

/** In the text of one part: the modules of the others stay outside, each under the name of its path. */
function onlyOf(part) {
  return {
    name: 'only-of-part',
    setup(bundler) {
      bundler.onResolve({ filter: /^[.#]/ }, ({ path, resolveDir, importer }) => {
        const target = inRoot(resolve(root, options.alias[path] ?? join(resolveDir, path)))
        const isForeign = importer !== '<stdin>' && modules.has(target) && modules.get(target).part !== part
        return isForeign ? { path: foreign + target, external: true, sideEffects: false } : undefined
      })
    },
  }
}

function textOf(part) {
  const own = [...modules].filter(([, module]) => module.part === part && module.values.length > 0)
  const imports = own.map(([path, { key, values }]) => {
    return `import { ${values.map(([name]) => `${name} as ${name}_${key}`).join(', ')} } from './${path}'`
  })
  const objects = own.map(([, { key, values }]) => {
    return `${key}: { ${values.map(([name]) => `${name}: ${name}_${key}`).join(', ')} }`
  })
  return `${imports.join('\n')}\nexportAll({ ${objects.join(', ')} })`
}

/** How one part reaches a module of another: what was there before as it is, everything else by loading it at its use. */
function reached(path, from) {
  const { part, key, values } = modules.get(path)
  if (part.name === 'core' || from.after?.includes(part.name)) return `${loaderOf(part.name)}_done.${key}`
  return `{ ${values.map(([name]) => `get ${name}() { return ${loaderOf(part.name)}().${key}.${name} }`).join(', ')} }`
}

async function writePart(part) {
  const outfile = `dist/node/parts/${part.name}.cjs`
  const stdin = { contents: textOf(part), resolveDir: root }
  await build({ ...options, format: 'cjs', stdin, outfile, plugins: [onlyOf(part)] })
  const file = join(root, outfile)
  const text = readFileSync(file, 'utf8').replaceAll(new RegExp(`require\\("${foreign}([^"]+)"\\)`, 'g'), (_, path) =>
    reached(path, part),
  )
  const loaders = parts.map(({ name }) => {
    const loader = loaderOf(name)
    if (text.includes(`${loader}_done.`)) return `var ${loader}_done = require("./${name}.cjs");\n`
    return text.includes(`${loader}()`) ? loaderText(name, '.') : ''
  })
  const exporting = 'var exportAll = (all) => { module.exports = all };\n'
  writeFileSync(file, inAscii(`"use strict";\n${exporting}${loaders.join('')}${text}`))
}

/** A source with any other character takes twice the memory. Only regular expressions still have some. */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const isObject = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
const isWord = (value) => ['string', 'number', 'boolean'].includes(typeof value)

/** Functions that are called, not made with `new`; they may have such as members. */
function isFunction(value) {
  const isKind = typeof value === 'function' && !String(value).startsWith('class')
  return isKind && Object.values(value).every(isFunction)
}

/** What something else can stand for before it is there: functions, words, lists of words, and objects of these. */
function isReplaceable(value) {
  if (isWord(value) || isFunction(value)) return true
  if (Array.isArray(value)) return value.every(isWord)
  return isObject(value) && Object.values(value).every(isReplaceable)
}

/** What loads the value it stands for when it is called. */
function standIn(there, value) {
  if (isWord(value) || Array.isArray(value)) return JSON.stringify(value)
  const call = `(...given) => ${there}(...given)`
  const members = Object.entries(value).map(([name, member]) => `${name}: ${standIn(`${there}.${name}`, member)}`)
  if (isObject(value)) return `{ ${members.join(', ')} }`
  return members.length === 0 ? call : `/* @__PURE__ */ Object.assign(${call}, { ${members.join(', ')} })`
}

/** What a module of the parts exports, for an ES module: as it is, or for what is not there yet something that loads it. */
function standInsOf({ part, key, values }, { isThere, isReplaced, suffix = '' }) {
  const lines = values.map(([name, value]) => {
    const there = `${loaderOf(part.name)}().${key}.${name}`
    if (isThere(part)) return `export const ${name}${suffix} = ${there}`
    if (!isReplaced(value)) return `export const ${name}${suffix} = /* @__PURE__ */ (() => ${there})()`
    return `export const ${name}${suffix} = ${standIn(there, value)}`
  })
  return lines.join('\n')
}

function loadersFrom(folder, text) {
  const lines = parts.map(({ name }) => (text.includes(`${loaderOf(name)}()`) ? loaderText(name, folder) : ''))
  const ours = `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n`
  return `${ours}${lines.join('')}${text}`
}

/** Instead of the modules of the parts, what `textFor` makes of each. */
function insteadOf(textFor) {
  return {
    name: 'instead-of-parts',
    setup(bundler) {
      bundler.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const found = modules.get(inRoot(path))
        return found === undefined || found.values.length === 0 ? undefined : { contents: textFor(found) }
      })
    },
  }
}

/** The main door: only the core is there when it opens. */
async function writeMain() {
  const outfile = 'dist/node/index.js'
  const ways = { isThere: ({ name }) => name === 'core', isReplaced: isReplaceable }
  const plugins = [insteadOf((module) => standInsOf(module, ways))]
  await build({ ...options, format: 'esm', entryPoints: [doors['.'].default], outfile, plugins })
  const file = join(root, outfile)
  writeFileSync(file, loadersFrom('./parts', readFileSync(file, 'utf8')))
}

/** The other doors and the command share `parts/library.js`: the way of a call is there from the start, and every object is itself. */
async function writeDoors() {
  const ways = { isThere: ({ name }) => name === 'core' || name === 'call', isReplaced: isFunction }
  const needed = new Set()
  const fromLibrary = (module) => {
    needed.add(module)
    const names = module.values.map(([name]) => `${name}_${module.key} as ${name}`)
    return `export { ${names.join(', ')} } from '#library'`
  }
  await build({
    ...options,
    format: 'esm',
    entryPoints: entries.filter((entry) => entry !== doors['.'].default),
    outbase: 'dist',
    outdir: 'dist/node',
    chunkNames: 'parts/[hash]',
    splitting: true,
    external: ['#library'],
    plugins: [insteadOf(fromLibrary)],
  })
  const texts = [...needed].map((module) => standInsOf(module, { ...ways, suffix: `_${module.key}` }))
  writeFileSync(join(root, 'dist/node/parts/library.js'), loadersFrom('.', texts.join('\n')))
}

/** A part that needs another one while it is read would load it for everybody, and may find it half read. */
function checkParts() {
  const folder = join(root, 'dist/node/parts')
  const load = createRequire(join(folder, 'here'))
  for (const { name, after = [] } of parts) {
    for (const path of Object.keys(load.cache)) delete load.cache[path]
    load(`./${name}.cjs`)
    const allowed = ['core', name, ...after].map((part) => join(folder, `${part}.cjs`))
    const found = Object.keys(load.cache).filter((path) => dirname(path) === folder && !allowed.includes(path))
    if (found.length > 0)
      throw new Error(
        `the part ${name} loads ${found.map((path) => inRoot(path)).join(', ')} while it is read: change scripts/parts.mjs, or what the modules do at their top`,
      )
  }
}

await Promise.all(parts.map(writePart))
checkParts()
await writeMain()
await writeDoors()

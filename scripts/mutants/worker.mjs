// One process that keeps vitest and its transformed sources warm, and runs test files against one mutant after the other.
// Each run has fresh test processes: nothing that a mutant did is left in memory.
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { loadConfigFromFile } from 'vite'
import { createVitest } from 'vitest/node'
import { buildCommand } from './command.mjs'
import { instrument } from './coverage.mjs'
import { applyMutation } from './mutations.mjs'

const [root, planFile] = process.argv.slice(2)
process.env.MUTANTS_PLAN = planFile

/** What the sources are at the moment: `{ mutation }`, `{ isMarked: true }` or as they are. */
let variant = {}
/** What the current run found; undefined when none runs. */
let verdict

const plugin = {
  name: 'mutants',
  enforce: 'pre',
  transform(code, id) {
    const file = relative(root, id)
    if (!file.startsWith('src/')) return
    if (variant.isMarked) return { code: instrument(file, code), map: null }
    // The source comes with the request: the file may have been edited since the mutants were drawn.
    if (variant.mutation?.file === file) return { code: applyMutation(variant.source, variant.mutation), map: null }
  },
}

const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed')
      verdict ??= { status: 'killed', by: relative(root, test.module.moduleId), test: test.fullName }
  },
  onTestModuleEnd(module) {
    if (module.state() === 'failed') verdict ??= { status: 'killed', by: relative(root, module.moduleId) }
  },
}

/** Test files run in the order in which they are given. */
class GivenOrder {
  constructor(vitest) {
    this.vitest = vitest
  }
  sort(files) {
    return [...files].sort((a, b) => this.vitest.wanted.indexOf(a.moduleId) - this.vitest.wanted.indexOf(b.moduleId))
  }
  shard(files) {
    return files
  }
}

async function startVitest() {
  const { config } = await loadConfigFromFile({ command: 'serve', mode: 'test' }, join(root, 'vitest.config.ts'))
  const { projects, ...shared } = config.test
  const test = {
    ...shared,
    setupFiles: [...shared.setupFiles, join(root, 'scripts/mutants/setup.mjs')],
    execArgv: ['--max-old-space-size=2048'],
    maxWorkers: 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    bail: 1,
    sequence: { shuffle: false, sequencer: GivenOrder },
  }
  const options = { config: false, root, watch: false, reporters: [reporter], ...test }
  const inline = projects.map((project) => ({
    root,
    resolve: config.resolve,
    plugins: [plugin],
    test: { ...test, ...project.test },
  }))
  const vitest = await createVitest('test', options, { root, resolve: config.resolve, test: { projects: inline } })
  await vitest.standalone()
  return vitest
}

const vitest = await startVitest()
const specifications = new Map()
for (const specification of await vitest.globTestSpecifications())
  specifications.set(relative(root, specification.moduleId), specification)

/** Builds the command for tests that start it; the path of what was built. */
function prepareCommand({ mutation, source, marksFolder }) {
  const name = marksFolder === undefined ? `command-${process.pid}.js` : `command-${process.pid}-marked.js`
  // Below `dist`, from where the package finds itself.
  return buildCommand({ root, outfile: `dist/mutants/${name}`, mutation, source, marksFolder })
}

/** Runs test files, in this order, until one fails. */
async function run(request) {
  const { tests, mutation, source, marksFolder, isCommand } = request
  const command = isCommand ? await prepareCommand(request) : undefined
  const timeouts = Object.fromEntries(tests.map(({ file, timeoutMs }) => [file, timeoutMs]))
  writeFileSync(planFile, JSON.stringify({ timeouts, marksFolder, command }))
  variant = { mutation, source, isMarked: marksFolder !== undefined }
  if (mutation !== undefined) vitest.invalidateFile(join(root, mutation.file))
  verdict = undefined
  const started = Date.now()
  const wanted = tests.map(({ file }) => specifications.get(file)).filter((found) => found !== undefined)
  vitest.wanted = wanted.map(({ moduleId }) => moduleId)
  try {
    const { unhandledErrors } = await vitest.runTestSpecifications(wanted)
    return { ...judge(unhandledErrors), ms: Date.now() - started }
  } finally {
    variant = {}
    if (mutation !== undefined) vitest.invalidateFile(join(root, mutation.file))
  }
}

/** A test process that was killed is one that hung; an error outside of all tests fails a run like a failed test does. */
function judge(errors) {
  if (errors.some(({ message }) => /worker exited|emitted error|terminated/i.test(String(message))))
    return { status: 'timeout' }
  if (verdict !== undefined) return verdict
  const [error] = errors
  return error === undefined
    ? { status: 'survived' }
    : { status: 'killed', by: 'an unhandled error', test: String(error.message) }
}

process.on('message', async (request) => {
  if (request === 'list') process.send({ files: [...specifications.keys()] })
  else process.send(await run(request).catch((error) => ({ status: 'failed', test: String(error), ms: 0 })))
})
process.on('disconnect', () => process.exit())
process.send('ready')

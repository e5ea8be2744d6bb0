import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** Tests that start servers, listen for signals, measure or change their own process: a fresh worker for each file. */
const apart = [
  'test/{dbos,fuzz,mcp,restate}/**/*.test.ts',
  'test/gateway/{isolation,redis,serve,threads}.test.ts',
  'test/package/{commands,release,resources}.test.ts',
]

/** Tests that measure how cost grows. */
const growth = ['test/growth/**/*.test.ts']

/**
 * With a large young generation its collections hardly ever copy what is still in use: their cost depends on how much that is, not on
 * the code, and it jumps where an input outgrows the default.
 */
const growthFlags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

/** Of the files that share workers those that take longest: begun first, so that no worker is left alone with one at the end. */
const long = /\/(laws\/cuts|corpus\/splits|corpus\/splits-openai|corpus\/pairs|schema\/oracle)\.test\.ts$/

/**
 * Any order, by the seed, but first the files with a worker of their own and then those that share: a shared worker ends, with all it has
 * loaded, when the next file is not one for it.
 */
class AnyOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project, moduleId }: TestSpecification): string =>
      project.config.isolate ? '0' : long.test(moduleId) ? '1' : '2'
    const seed = String(this.ctx.config.sequence.seed)
    const placed = files.map((file) => {
      const place = createHash('sha1').update(seed).update(file.moduleId).digest('hex')
      return { file, place: rankOf(file) + place }
    })
    return Promise.resolve(placed.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ file }) => file))
  }
}

export default defineConfig({
  // The tests run on the sources; only test/package runs on the build.
  resolve: { alias: { '#sha256': source('json/sha256-node.ts'), '#transport': source('transport/node.ts') } },
  test: {
    testTimeout: 60_000,
    pool: 'forks',
    setupFiles: ['test/seed.ts'],
    // Many tests wait for processes and sockets: one worker more than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { shuffle: { tests: true }, sequencer: AnyOrder },
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: apart },
      },
      {
        extends: true,
        test: { name: 'growth', include: growth, execArgv: growthFlags },
      },
      {
        extends: true,
        // The rest is pure or cleans up after itself: its files share workers and what those have loaded and compiled.
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...apart, ...growth], isolate: false },
      },
    ],
  },
})

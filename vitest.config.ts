import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** Tests that start processes, listen for signals or change their own process: a fresh worker for each file. */
const apart = ['cli', 'dbos', 'durable', 'examples', 'fuzz', 'gateway', 'growth', 'mcp', 'package', 'peers', 'restate']
const inFolders = (folders: string): string => `test/${folders}/**/*.test.ts`

export default defineConfig({
  // The tests run on the sources; only test/package runs on the build.
  resolve: { alias: { '#transport': source('transport/node.ts') } },
  test: {
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: '100%',
    sequence: { shuffle: { tests: true, files: true } },
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: [inFolders(`{${apart.join(',')}}`)] },
      },
      {
        extends: true,
        // The rest is pure or cleans up after itself: its files share workers and what those have loaded and compiled.
        test: { name: 'together', include: [inFolders(`!(${apart.join('|')})`)], isolate: false },
      },
    ],
  },
})

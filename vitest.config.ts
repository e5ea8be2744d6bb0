import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  // The tests run on the sources; only test/package runs on the build.
  resolve: { alias: { '#transport': source('transport/node.ts') } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: '100%',
    sequence: { shuffle: { tests: true, files: true } },
  },
})

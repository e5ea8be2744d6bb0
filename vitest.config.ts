import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { tsconfigPaths: false },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    sequence: { shuffle: { tests: true, files: true } },
    reporters: ['default'],
  },
})

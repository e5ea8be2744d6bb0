// The programs of the quick start on the built package: each is plain JavaScript too, and prints what the page
// says below it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../layers/source.js'

const page = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')
// Inside the repository, so that the package finds itself by its name.
const folder = join(root, '.tmp', `programs-${process.pid}`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = [...page.matchAll(/```ts\n([^`]*(?:`(?!``)[^`]*)*)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code = '', output = ''], index) => ({ step: index + 1, code, output }),
)

test('every program but the one for a real provider has its output below it', () => {
  expect(programs.length).toBe([...page.matchAll(/```ts\n/g)].length - 1)
})

test.each(programs)('step $step prints what the page says', ({ step, code, output }) => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `step-${step}.mjs`)
  writeFileSync(file, code)
  const child = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  expect(child.stderr).toBe('')
  expect(child.stdout).toBe(output)
})

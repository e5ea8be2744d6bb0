// As a new user: the packed tarball in an empty folder, and in it the programs of the quick start. Each is plain JavaScript too,
// and prints what the page says below it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnvironment } from '../cli/command.js'
import { filesBelow, root } from '../layers/source.js'

const page = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')
const programs = [...page.matchAll(/```ts\n([^`]*(?:`(?!``)[^`]*)*)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code = '', output = ''], index) => ({ step: index + 1, code, output }),
)
const folder = mkdtempSync(join(tmpdir(), 'toolwire-new-user-'))
const modules = join(folder, 'node_modules')
const installed = join(modules, 'toolwire')

beforeAll(() => {
  mkdirSync(installed, { recursive: true })
  must('npm', ['pack', '--silent', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  must('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', installed], folder)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  // What `npm install` would fetch, and zod, which the page installs as well.
  for (const name of [...Object.keys(dependencies), 'zod']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every program but the one for a real provider has its output below it', () => {
  expect(programs.length).toBe([...page.matchAll(/```ts\n/g)].length - 1)
})

test('the package holds the build and what a reader needs, nothing else', () => {
  const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'schema']
  expect(readdirSync(installed).toSorted()).toEqual(expected)
  expect(readdirSync(join(installed, 'schema'))).toEqual(['toolwire.config.json'])
  const all = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  const [bundles, modules] = [true, false].map((isBundle) =>
    all.filter((path) => /\.\w+$/.test(path) && path.startsWith('node/') === isBundle).toSorted(),
  )
  const sources = filesBelow('src').map((path) => path.replace(/^src\//, '').replace(/\.ts$/, ''))
  expect(modules).toEqual(sources.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).toSorted())
  // What Node loads: a file for each door and the command, and what they have in common.
  const { exports, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly node?: string }>>
    readonly bin: Readonly<Record<string, string>>
  }
  const entries = [...Object.values(exports).flatMap(({ node = [] }) => node), ...Object.values(bin)]
  const parts = bundles?.filter((path) => /^node\/parts\/[\w-]+\.c?js$/.test(path)) ?? []
  expect(bundles).toEqual([...entries.map((path) => path.replace('./dist/', '')), ...parts].toSorted())
})

test.each(programs)('step $step prints what the page says', ({ step, code, output }) => {
  const file = join(folder, `step-${step}.mjs`)
  writeFileSync(file, code)
  const child = spawnSync(process.execPath, [file], { cwd: folder, env: cleanEnvironment(), encoding: 'utf8' })
  expect(child.stderr).toBe('')
  expect(child.stdout).toBe(output)
})

test('the command of the package answers', () => {
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { bin: { toolwire: string } }
  const args = [join(installed, bin.toolwire), 'run', '--model', 'offline', 'What is 17 * 23?']
  const child = spawnSync(process.execPath, args, { cwd: folder, env: cleanEnvironment(), encoding: 'utf8' })
  expect(child.status).toBe(0)
  expect(child.stdout).toContain('17 * 23 = 391')
})

function must(command: string, args: readonly string[], cwd: string): void {
  const child = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (child.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${child.stderr}`)
}

// docs/command-line.md says what the built command says of itself, and its commands run, offline.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleanEnvironment, type Ended, entry, temporaryFolder, toolwire } from '../cli/command.js'
import { root } from '../layers/source.js'

const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
const [head = '', ...rest] = page.split(/^## /m)
/** Commands by name, each with the section whose heading names it. */
const sections = new Map(
  rest.flatMap((section) => {
    const heading = section.split('\n', 1)[0] ?? ''
    return [...heading.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [name, section] as const)
  }),
)
const optionsIn = (text: string): string[] =>
  [...new Set(text.match(/--[a-z][a-z-]*/g))].filter((it) => it !== '--help')

test('the page has the commands of the help, and no others', async () => {
  const { stdout } = await toolwire(['--help'])
  const [, commands = ''] = stdout.split('Commands:\n')
  const names = [...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help')
  expect([...sections.keys()]).toEqual(names)
})

test.each([...sections])('%s: the options of the help, and no others', async (name, section) => {
  const { stdout } = await toolwire([name, '--help'])
  const [, help = ''] = stdout.split('\nOptions:\n')
  const flags = help.split('\n').flatMap((line) => optionsIn(/^ {2}(-\S.*?)(?: {2}|$)/.exec(line)?.[1] ?? ''))
  const rows = section.split('\n').filter((line) => line.startsWith('| `-'))
  const told = rows.flatMap((line) => optionsIn(line.split(' | ', 1)[0] ?? ''))
  expect(told.toSorted()).toEqual(flags.toSorted())
})

test('the page has the exit codes of the help', async () => {
  const { stdout } = await toolwire(['--help'])
  const codes = [...(/Exit codes: ([\s\S]*?)\.\n/.exec(stdout)?.[1] ?? '').matchAll(/\b\d+\b/g)].map(([code]) => code)
  expect([...head.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)).toEqual(codes)
})

describe('every sh block runs', () => {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
  test.each(blocks)('%s', async (commands) => {
    const ended = await shell(commands)
    expect(ended.stderr).not.toMatch(/^toolwire: /m)
    expect(ended.stdout).not.toContain('"ok":false')
    expect(ended.code).toBe(0)
  })
})

/** Runs a block in a folder with the tools of the page; the first command that fails ends it. */
function shell(commands: string): Promise<Ended> {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'toolwire'), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`)
  chmodSync(join(bin, 'toolwire'), 0o755)
  writeFileSync(join(folder, 'tools.mjs'), /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  const env = cleanEnvironment({ PATH: `${bin}:${process.env.PATH}` })
  const child = spawn('sh', ['-e', '-c', commands], { cwd: folder, env, timeout: 50_000 })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

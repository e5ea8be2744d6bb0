// docs/command-line.md says what the built command says of itself. That its commands run is in commands.test.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toolwire } from '../cli/command.js'
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

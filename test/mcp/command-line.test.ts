// The command with MCP, as processes of their own: servers for `run`, tools for others' clients, and the inspector as a judge.
import { execFile, spawn } from 'node:child_process'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleanEnvironment, entry, temporaryFolder, toolwire } from '../cli/command.js'
import { root } from '../layers/source.js'
import { binary, isAlive, listed, scripted, until } from './peers.js'

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

function folderWithNotes(): string {
  const folder = realpathSync(temporaryFolder())
  writeFileSync(join(folder, 'notes.txt'), 'The word is marmalade.')
  return folder
}

describe('toolwire run --mcp', () => {
  test('answers from a real directory through the filesystem server', async () => {
    const folder = folderWithNotes()
    const mcp = `${binary('mcp-server-filesystem')} ${folder}`
    const read = await toolwire(['run', '--model', 'offline', '--mcp', mcp, `Read the file ${folder}/notes.txt`])
    expect(read.stderr).toContain('mcp: mcp-server-filesystem, 14 tools')
    expect(read.stdout).toContain('The word is marmalade.')
    expect(read.code).toBe(0)
  })

  test('a tool that may change things is denied without a terminal, and runs with --approve all', async () => {
    const { command, args = [] } = scripted({ lists: [[[listed('mark_marmalade')]]] })
    const mcp = quoted([command, ...args])
    const said = ['run', '--model', 'offline', '--mcp', mcp]
    const denied = await toolwire([...said, 'mark marmalade'])
    expect(denied.stderr).toContain('the user allows no tool that uses shell')
    const allowed = await toolwire([...said, '--approve', 'all', 'mark marmalade'])
    expect(allowed.stdout).toContain('mark_marmalade 0')
  })

  test('a configuration file names servers, and its variables come from the environment', async () => {
    const folder = folderWithNotes()
    const file = join(temporaryFolder(), 'mcp.json')
    const mcpServers = {
      notes: { command: `\${SERVER}`, args: [folder] },
      off: { command: 'no-such-command-here', disabled: true },
    }
    writeFileSync(file, JSON.stringify({ mcpServers }))
    const args = ['run', '--model', 'offline', '--mcp-config', file, `Read the file ${folder}/notes.txt`]
    const answered = await toolwire(args, { env: { SERVER: binary('mcp-server-filesystem') } })
    expect(answered.stderr).toContain('mcp: notes, 14 tools')
    expect(answered.stdout).toContain('The word is marmalade.')
  })

  test.each([
    [
      ['--mcp', 'no-such-command-here'],
      1,
      'the MCP server "no-such-command-here" cannot be started: there is no command',
    ],
    [['--mcp', "x 'y"], 2, 'a quote that is never closed'],
  ])('%j ends with %i and says why', async (flags, code, words) => {
    const ended = await toolwire(['run', '--model', 'offline', ...flags, 'hello'])
    expect(ended.stderr).toContain(words)
    expect(ended.stderr).not.toContain('--base-url')
    expect(ended.code).toBe(code)
    expect(ended.stdout).toBe('')
  })
})

const toolsFile = `
export const add = {
  name: 'add_numbers',
  description: 'Adds two numbers',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  execute: ({ a, b }) => {
    console.log('this must not reach the protocol')
    return { sum: a + b }
  },
}
console.log('nor this')
`

/** The inspector looks for its own package.json from the working directory, which must lie one folder deep. */
function inspect(target: readonly string[], ...args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { cwd: join(root, 'test'), env: cleanEnvironment(), timeout: 50_000 }
    execFile(binary('mcp-inspector-cli'), ['--cli', ...target, ...args], options, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${error.message}\n${stderr}`))
      else resolve(JSON.parse(stdout))
    })
  })
}

const addition = ['--method', 'tools/call', '--tool-name', 'add_numbers', '--tool-arg', 'a=2', '--tool-arg', 'b=40']
const sum = { content: [{ type: 'text', text: '{"sum":42}' }], structuredContent: { sum: 42 } }

describe('toolwire mcp', () => {
  test('the inspector lists and calls the tools of a module over stdio', async () => {
    const file = join(temporaryFolder(), 'tools.mjs')
    writeFileSync(file, toolsFile)
    const target = [process.execPath, entry, 'mcp', '--tools', file]
    expect(await inspect(target, '--method', 'tools/list')).toMatchObject({
      tools: [{ name: 'add_numbers', inputSchema: { required: ['a', 'b'] }, outputSchema: { required: ['sum'] } }],
    })
    expect(await inspect(target, ...addition)).toEqual(sum)
  })

  test('the inspector lists and calls them over HTTP, until a signal ends it', async () => {
    const file = join(temporaryFolder(), 'tools.mjs')
    writeFileSync(file, toolsFile)
    const child = spawn(process.execPath, [entry, 'mcp', '--tools', file, '--demo-tools', '--port', '0'])
    const ended = new Promise((resolve) => child.once('exit', resolve))
    try {
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
      await until(() => said.includes('/mcp'))
      expect(said).toContain('serving 5 tools at http://127.0.0.1:')
      const target = [/http:\S+/.exec(said)?.[0] ?? '', '--transport', 'http']
      const { tools } = (await inspect(target, '--method', 'tools/list')) as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).toEqual(['add_numbers', 'clock', 'calculator', 'read_file', 'list_files'])
      expect(await inspect(target, ...addition)).toEqual(sum)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
    expect(isAlive(child.pid ?? 0)).toBe(false)
  })

  test('ends when its client does, and is a server for toolwire itself', async () => {
    const mcp = quoted([process.execPath, entry, 'mcp', '--demo-tools'])
    const answered = await toolwire(['run', '--model', 'offline', '--mcp', mcp, '--approve', 'all', 'What is 17 * 23?'])
    expect(answered.stdout).toContain('391')
    expect((await toolwire(['mcp', '--demo-tools'])).code).toBe(0)
  })

  test('without tools there is nothing to serve', async () => {
    const ended = await toolwire(['mcp'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('name a module with --tools')
  })
})

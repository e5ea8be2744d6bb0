// Every command that the pages show runs, offline: in a folder with the files they speak of, with the built command line, and with
// a server on the loopback in the place of the providers.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpService, serveMcp } from '../../src/mcp/index.js'
import { calculatorTool, offlineEngine } from '../../src/offline/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { cleanEnvironment, type Ended, entry } from '../cli/command.js'
import { root } from '../layers/source.js'
import { before, blocks, exits, notRun, reasonAgainst, serving, stands } from './commands.js'

const home = mkdtempSync(join(tmpdir(), 'toolwire-commands-'))
const bin = join(home, 'bin')
const run = blocks().flatMap(({ page, commands }, index) => {
  const own = commands.filter((command) => reasonAgainst(command) === undefined)
  return own.length === 0 ? [] : [{ page, index, commands: own, first: own[0] ?? '' }]
})
let provider: ProviderServer
let mcp: McpService

beforeAll(async () => {
  provider = await providerServer({ script: offlineEngine(), models: ['qwen3'] })
  mcp = await serveMcp([calculatorTool], { transport: 'http', http: { port: 0 } })
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs())) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
})
afterAll(async () => {
  await provider.close()
  await mcp.close()
  rmSync(home, { recursive: true, force: true })
})

test('the lists speak of commands that the pages have', () => {
  const shown = blocks().flatMap(({ commands }) => commands)
  const entries = [notRun, serving, exits, before].flatMap((list) => Object.keys(list))
  const stale = entries.filter((item) => !item.endsWith('…') && !shown.some((command) => stands(item, command)))
  expect(stale).toEqual([])
  expect(run.flatMap(({ commands }) => commands).length).toBeGreaterThan(30)
})

test.each(run)('$page: $first', async ({ commands, index }) => {
  const folder = join(home, `block-${index}`)
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files())) writeFileSync(join(folder, name), text)
  for (const command of commands) {
    const preparing = before[command]
    if (preparing !== undefined) expect(await shell(preparing, folder)).toMatchObject({ code: 0 })
    const ended = await shell(command, folder, serving[command])
    const { [command]: code = 0 } = exits
    expect({ command, ...ended }).toEqual({ command, ...ended, code })
    if (code === 0) expect(ended.stderr).not.toMatch(/^toolwire: /m)
    expect(ended.stdout).not.toContain('"ok":false')
    if (!/> |^toolwire mcp /.test(command))
      expect(`${command}: ${ended.stdout}${ended.stderr}`).not.toBe(`${command}: `)
  }
})

/** The words of a page, with what stands there for something else: an id, a call, the address of a server. */
function meant(command: string): string {
  return command
    .replaceAll(/\bID\b/g, '"$(last-run)"')
    .replaceAll(/\bCALLID\b/g, '"$(waiting-call)"')
    .replaceAll('http://127.0.0.1:11434', provider.url)
    .replaceAll('http://127.0.0.1:3001/mcp', mcp.url ?? '')
}

/** Runs one command; what serves is stopped once it says that it does. */
function shell(command: string, cwd: string, ready?: RegExp): Promise<Ended> {
  const env = cleanEnvironment({
    PATH: `${bin}:${process.env.PATH}`,
    PROVIDER: provider.url,
  })
  const exec = ready === undefined ? '' : 'exec '
  const child = spawn('sh', ['-c', exec + meant(command)], { cwd, env, timeout: 50_000 })
  let stdout = ''
  let stderr = ''
  let isTold = false // a second signal would not wait
  const look = (): void => {
    if (isTold || !ready?.test(stdout + stderr)) return
    isTold = child.kill('SIGTERM')
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    look()
  })
  child.stdin.on('error', () => {}) // a command that does not read its input may be gone already
  child.stdin.end(command.startsWith('toolwire chat') ? 'What is 3 + 4?\n/exit\n' : '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** What the commands start: ours as built, with any free port and the server of this test for a vendor's. */
function programs(): Readonly<Record<string, string>> {
  const node = `"${process.execPath}"`
  const field = (name: string): string =>
    `${node} -p 'JSON.parse(require("fs").readFileSync(0, "utf8").split("\\n")[0])${name}'`
  return {
    toolwire: `case "$*" in
      *"--model anthropic:"*) ANTHROPIC_API_KEY=none exec ${node} "${entry}" "$@" --base-url "$PROVIDER" ;;
      *"--model ollama:"*) OLLAMA_HOST="$PROVIDER" exec ${node} "${entry}" "$@" ;;
      serve*--help*) exec ${node} "${entry}" "$@" ;;
      serve*|mcp*--port*) exec ${node} "${entry}" "$@" --port 0 ;;
      *) exec ${node} "${entry}" "$@" ;;
    esac`,
    npx: `[ "$1" = -y ] && shift
      case "$1" in
        toolwire) shift; exec toolwire "$@" ;;
        @modelcontextprotocol/server-filesystem) shift; exec "${root}/node_modules/.bin/mcp-server-filesystem" "$@" ;;
        *) echo "the test has no $1" >&2; exit 1 ;;
      esac`,
    'last-run': `toolwire runs list --json | ${field('.runId')}`,
    'waiting-call': `toolwire runs show "$(last-run)" --json | ${field('.pending[0].callId')}`,
  }
}

/** The files that the pages speak of. */
function files(): Readonly<Record<string, string>> {
  const example = (path: string): string => readFileSync(join(root, 'test/examples', path), 'utf8')
  const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
  const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
  const target = { wire: 'ollama', baseUrl: provider.url, model: 'qwen3' }
  return {
    'README.md': '# Read me\n',
    'tools.mjs': `${/```js\n([\s\S]*?)```/.exec(page)?.[1] ?? ''}${payingTool}`,
    'place.json': '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',
    'mcp.json': '{"mcpServers":{}}',
    'gateway.json': JSON.stringify({ routes: [{ match: '*', targets: [target] }] }),
    'answers.jsonl': JSON.stringify({ id: 1, body: example('anthropic/response.tool.json') }),
    'requests.jsonl': JSON.stringify({ id: 1, request: { model: 'm', messages: [user] } }),
    'streams.jsonl': JSON.stringify({ id: 1, chunks: example('openai-chat/stream.tool.sse') }),
    'tools.jsonl': JSON.stringify({ id: 1, tool: { name: 'x', description: 'X', input_schema: { type: 'object' } } }),
  }
}

const payingTool = `
export const pay = {
  name: 'pay_invoice',
  description: 'Pays an invoice by its number',
  input: { type: 'object', properties: { invoice: { type: 'integer' } }, required: ['invoice'] },
  capabilities: ['database'],
  execute: ({ invoice }) => 'paid ' + invoice,
}
`

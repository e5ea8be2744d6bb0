// Real and scripted MCP servers for the tests. Everything that is started here ends with the test that started it.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ToolResult } from '../../src/conversation/messages.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { Json, ValueObject } from '../../src/json/types.js'
import { type ConnectOptions, connectMcp, type McpServer, type McpServers } from '../../src/mcp/connect.js'
import type { McpServerSpec, StdioServerSpec } from '../../src/mcp/server-spec.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import type { ExecuteOptions } from '../../src/tools/executor-options.js'
import type { ToolRegistry } from '../../src/tools/registry.js'
import { root } from '../layers/source.js'

export const binary = (name: string): string => join(root, 'node_modules/.bin', name)

export const everything: StdioServerSpec = { command: binary('mcp-server-everything') }

/** Connects, and closes with the test. */
export async function connected(
  specs: Readonly<Record<string, McpServerSpec>>,
  options: ConnectOptions = {},
): Promise<McpServers> {
  const servers = await connectMcp(specs, options)
  onTestFinished(() => servers.close())
  return servers
}

export function serverOf(servers: McpServers, name: string): McpServer {
  const server = servers.servers.get(name)
  if (server === undefined) throw new Error(`there is no server ${name}`)
  return server
}

/** One call, as a run would make it, with every capability allowed. */
export async function call(
  tools: ToolRegistry,
  name: string,
  args: ValueObject = {},
  options: ExecuteOptions = {},
): Promise<ToolResult> {
  const policy = { shell: 'allow', network: 'allow' } as const
  const [result] = await executeToolCalls(
    [{ type: 'tool_call', id: 'call_1', name, arguments: stringifyJson(args) }],
    tools,
    { policy, ...options },
  )
  if (result === undefined) throw new Error('no result')
  return result
}

export function textIn(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export interface Script {
  readonly lists?: readonly (readonly (readonly Json[] | 'again')[])[]
  readonly answers?: { readonly [tool: string]: Json }
  readonly stateFile?: string
  readonly junk?: string
  readonly stderr?: string
}

export function scripted(script: Script): StdioServerSpec {
  return { command: process.execPath, args: [join(root, 'test/mcp/scripted-server.mjs'), JSON.stringify(script)] }
}

/** A definition that takes anything. */
export function listed(name: string, more: { readonly [key: string]: Json } = {}): Json {
  return { name, description: `The tool ${name}`, inputSchema: { type: 'object' }, ...more }
}

export interface RunningServer {
  readonly url: string
  kill(): Promise<void>
  start(): Promise<void>
}

/** The everything server over HTTP, on a port that stays the same when it is started again. */
export async function everythingOverHttp(): Promise<RunningServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await gone
  }
  const start = async (): Promise<void> => {
    const started = spawn(binary('mcp-server-everything'), ['streamableHttp'], {
      env: { PATH: process.env.PATH ?? '', PORT: String(port) },
      stdio: 'ignore',
    })
    child = started
    await listening(url)
  }
  onTestFinished(kill)
  await start()
  return { url, kill, start }
}

async function listening(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    try {
      await (await fetch(url)).text()
      return
    } catch {
      await pause(50)
    }
  }
  throw new Error(`nothing listens at ${url}`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(address)))
    })
  })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until something holds; a test that waits in vain fails by its own time limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// The MCP servers of `--mcp` and `--mcp-config`: a server that cannot be used stops the command, one bad tool is only told of.
import { readFile } from 'node:fs/promises'
import { ToolwireError } from '../errors/error.js'
import { parseBody } from '../json/parse.js'
import type { McpServerSpec, McpServers } from '../mcp/index.js'
import type { ToolRegistry } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { commandWords } from './command-words.js'
import { type Environment, oneLine, type Terminal } from './terminal.js'

export interface McpFlags {
  readonly mcp?: readonly string[] | undefined
  readonly mcpConfig?: readonly string[] | undefined
}

export interface ServerTools {
  /** Tools of programs on this machine that only read, as those programs say. */
  readonly readers: readonly AnyTool[]
  close(): Promise<void>
}

/** Starts or reaches the servers and adds their tools. Whoever opens them closes them. */
export async function openMcpServers(
  flags: McpFlags,
  registry: ToolRegistry,
  terminal: Terminal,
): Promise<ServerTools> {
  const { connectMcp, mcpServersOf } = await loadMcp()
  const specs = new Map<string, McpServerSpec>()
  const add = (name: string, spec: McpServerSpec): void => void specs.set(freeName(name, specs), spec)
  for (const path of flags.mcpConfig ?? []) {
    const servers = mcpServersOf(await readConfig(path), terminal.env)
    for (const [name, spec] of Object.entries(servers)) add(name, spec)
  }
  for (const text of flags.mcp ?? []) add(...serverOf(text, terminal.env))
  terminal.spinner.start(`waiting for the MCP server${specs.size === 1 ? '' : 's'} ${[...specs.keys()].join(', ')}`)
  const log = { warn: (message: string) => terminal.say(`note: ${oneLine(message, 300)}`) }
  const connected = await connectMcp(Object.fromEntries(specs), { registry, log })
  terminal.spinner.stop()
  await checkServers(connected)
  for (const { error } of connected.problems) log.warn(error.message)
  for (const { name, tools } of connected.servers.values()) {
    terminal.say(terminal.paint('dim', `mcp: ${name}, ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`))
  }
  return { readers: readersOf(connected, specs), close: () => connected.close() }
}

/** The library behind it is optional: who has not installed it is told how. */
export async function loadMcp(): Promise<typeof import('../mcp/index.js')> {
  try {
    return await import('../mcp/index.js')
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const message = 'MCP needs a package that is not installed; run: npm install @modelcontextprotocol/sdk'
    throw new ToolwireError('misuse', message, { cause })
  }
}

async function readConfig(path: string): Promise<unknown> {
  try {
    return parseBody(await readFile(path, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ToolwireError('misuse', `cannot read the MCP configuration "${path}": ${why}`, { cause })
  }
}

/** What `--mcp` says: an address, or a command with its arguments. */
export function serverOf(text: string, env: Environment): [name: string, spec: McpServerSpec] {
  if (/^https?:\/\//.test(text)) {
    return [URL.canParse(text) ? new URL(text).host : text, { url: text }]
  }
  const [command, ...args] = commandWords(text)
  if (command === undefined) throw new ToolwireError('misuse', '--mcp is empty; give a command or an address')
  // The package that `npx` and the like are told to run says more than they do.
  const said = /(^|\/)(npx|uvx|bunx|node|python3?)$/.test(command)
    ? args.find((arg) => !arg.startsWith('-'))
    : undefined
  const name = (said ?? command).split('/').at(-1) ?? command
  return [name, { command: home(command, env), args }]
}

/** There is no shell to do it. */
function home(command: string, { HOME }: Environment): string {
  return HOME !== undefined && command.startsWith('~/') ? `${HOME}${command.slice(1)}` : command
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`
  return free
}

async function checkServers(connected: McpServers): Promise<void> {
  const failed = connected.problems.find((problem) => problem.tool === undefined)
  if (failed === undefined) return
  await connected.close()
  throw failed.error
}

function readersOf({ servers }: McpServers, specs: ReadonlyMap<string, McpServerSpec>): readonly AnyTool[] {
  return [...servers.values()].flatMap(({ name, tools }) => {
    if ('url' in (specs.get(name) ?? {})) return []
    return tools.filter(({ annotations }) => annotations.readOnlyHint === true).map(({ tool }) => tool)
  })
}

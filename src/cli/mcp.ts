// `toolwire mcp`: tools as an MCP server, for clients that start it or reach it over HTTP. Trap: on stdio the standard output
// belongs to the protocol, so what tools print goes to standard error.
import { Console } from 'node:console'
import { ToolwireError } from '../errors/error.js'
import { loadMcp } from './mcp-servers.js'
import { type ExitCode, exitCodes } from './outcome.js'
import { loadToolFiles } from './tool-files.js'

export interface ServeFlags {
  readonly tools?: readonly string[] | undefined
  readonly demoTools?: boolean | undefined
  readonly port?: number | undefined
}

/** Serves until the client on stdio goes away, or a signal comes. */
export async function mcpCommand(
  { tools = [], demoTools, port }: ServeFlags,
  process: NodeJS.Process,
): Promise<ExitCode> {
  if (tools.length === 0 && demoTools !== true) {
    throw new ToolwireError('misuse', 'there is nothing to serve; name a module with --tools, or use --demo-tools')
  }
  globalThis.console = new Console(process.stderr, process.stderr)
  const { serveMcp } = await loadMcp()
  const own = await loadToolFiles(tools)
  const demo = demoTools === true ? (await import('./demo-tools.js')).demoToolsBeside(own) : []
  const served = [...own, ...demo]
  const service = await serveMcp(served, port === undefined ? {} : { transport: 'http', http: { port } })
  const stop = (): void => void service.close()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  // Last: whoever reads it may send a signal at once.
  if (service.url !== undefined) process.stderr.write(`serving ${served.length} tools at ${service.url}\n`)
  await service.closed
  return exitCodes.answered
}

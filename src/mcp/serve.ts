// Any tools as an MCP server: on standard input and output for a client that starts this program, or over HTTP on this machine.
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolwireError } from '../errors/error.js'
import { sourceOf } from '../tools/execute.js'
import type { ExecuteOptions } from '../tools/executor-options.js'
import type { ToolSource } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { LineTransport } from './line-transport.js'
import { type HttpOptions, listenHttp } from './serve-http.js'
import { type ServerFacts, ToolService } from './tool-server.js'

/** Policy, approval, limits and audit are the executor's; without a policy imported tools with capabilities are denied. */
export interface ServeOptions extends ServerFacts, Omit<ExecuteOptions, 'onProgress' | 'runId' | 'turn' | 'signal'> {
  /** `stdio` unless given. Nothing else may then write to the standard output. */
  readonly transport?: 'stdio' | 'http' | undefined
  readonly http?: HttpOptions | undefined
  /** Instead of the standard input and output. */
  readonly streams?: { readonly input: Readable; readonly output: Writable } | undefined
}

/** Tools that are being served. */
export interface McpService {
  /** Where it listens, over HTTP. */
  readonly url: string | undefined
  /** Fulfilled when it is over: closed, or the client on stdio went away. */
  readonly closed: Promise<void>
  /** Tells the clients that the tools are not the same as before. */
  toolsChanged(): void
  close(): Promise<void>
}

/** Serves tools until it is closed. A registry is looked up live. */
export async function serveMcp(
  tools: ToolSource | readonly AnyTool[],
  options: ServeOptions = {},
): Promise<McpService> {
  const service = new ToolService(sourceOf(tools), options)
  switch (options.transport ?? 'stdio') {
    case 'stdio':
      return serveStreams(service.server(options), options)
    case 'http':
      return serveHttp(() => service.server(options), options)
    default:
      throw new ToolwireError('misuse', `serveMcp knows no transport "${options.transport}"; use 'stdio' or 'http'`)
  }
}

async function serveStreams(server: Server, { streams }: ServeOptions): Promise<McpService> {
  const { input, output } = streams ?? { input: process.stdin, output: process.stdout }
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(new LineTransport(input, output) as Transport)
  return { url: undefined, closed, toolsChanged: () => announce([server]), close: () => server.close() }
}

async function serveHttp(newServer: () => Server, { http = {} }: ServeOptions): Promise<McpService> {
  const { url, servers, close } = await listenHttp(http, newServer)
  let finish = (): void => {}
  const closed = new Promise<void>((resolve) => {
    finish = resolve
  })
  const end = async (): Promise<void> => {
    await close()
    finish()
  }
  return { url, closed, toolsChanged: () => announce(servers()), close: end }
}

function announce(servers: readonly Server[]): void {
  // A client that is just going away need not know.
  for (const server of servers) server.sendToolListChanged().catch(() => {})
}

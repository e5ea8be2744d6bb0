// MCP servers as tools: each is connected, its tools stand in one registry, and stay what the server says until it is closed.
import type { UserPart } from '../conversation/messages.js'
import { type Log, notify } from '../tools/audit.js'
import { ToolRegistry } from '../tools/registry.js'
import type { Ask } from './ask.js'
import { Connection } from './connection.js'
import { identity } from './identity.js'
import { type McpProblem, type McpTool, RemoteTools } from './remote-tools.js'
import { listResources, type McpResource, readResource } from './resources.js'
import { checkSpec, type McpServerSpec } from './server-spec.js'

/** Where the tools go, and who is told what. */
export interface ConnectOptions {
  /**
   * Where the tools go, beside a program's own. Its `onDrift` and `pins` say what happens to a definition that changed. Unless
   * given: a new one that qualifies names when they collide.
   */
  readonly registry?: ToolRegistry | undefined
  /** How long a server may take to start and list its tools; 30,000. */
  readonly connectTimeoutMs?: number | undefined
  /** Called after a server changed its list and the registry follows it. */
  readonly onToolsChanged?: ((server: string) => void) | undefined
  /** Told of problems that come up later. */
  readonly log?: Log | undefined
  /** What the servers are told of this program. */
  readonly client?: { readonly name: string; readonly version: string } | undefined
}

/** One server. */
export interface McpServer {
  readonly name: string
  /** `down`: the next call of one of its tools tries to bring it back. */
  readonly state: 'ready' | 'down' | 'closed'
  readonly tools: readonly McpTool[]
  /** The tools that cannot be used, and why the server cannot when it is down. */
  readonly problems: readonly McpProblem[]
  /** How the server wants to be used, in its own words. */
  readonly instructions: string | undefined
  /** The end of what a child process wrote to standard error. */
  readonly stderr: string
  /** Of the child process, while there is one. */
  readonly pid: number | undefined
  resources(): Promise<readonly McpResource[]>
  /** As parts of a user message: context that the program chooses. */
  readResource(uri: string, options?: { readonly signal?: AbortSignal }): Promise<readonly UserPart[]>
  /** Opens the connection unless it is open. */
  open(): Promise<void>
}

/** Servers that were connected; one that could not be is in `problems`. */
export interface McpServers {
  /** For `run({ tools })`. */
  readonly registry: ToolRegistry
  readonly servers: ReadonlyMap<string, McpServer>
  /** Of all servers. */
  readonly problems: readonly McpProblem[]
  /** Ends all connections and children; their tools are taken out of the registry. */
  close(): Promise<void>
}

/**
 * Connects servers by name, side by side. A server that cannot be connected is one of the `problems`, and the others are
 * there; only a spec that makes no sense is thrown, before anything starts. Whoever connects closes.
 */
export async function connectMcp(
  specs: Readonly<Record<string, McpServerSpec>>,
  options: ConnectOptions = {},
): Promise<McpServers> {
  const entries = Object.entries(specs)
  for (const [name, spec] of entries) checkSpec(name, spec)
  const { registry = new ToolRegistry([], { onCollision: 'qualify' }) } = options
  const opened: Opened[] = []
  let before: Promise<unknown> = Promise.resolve()
  for (const [name, spec] of entries) {
    const next = openServer(name, spec, { ...options, registry, turn: before })
    opened.push(next)
    // All start at once; their tools come in the order of the specs, whoever is first, or prompts could not be cached.
    before = Promise.all([before, next.server.open().catch(() => {})])
  }
  await before
  const servers = new Map(opened.map(({ server }) => [server.name, server]))
  return {
    registry,
    servers,
    get problems() {
      return [...servers.values()].flatMap((server) => server.problems)
    },
    async close() {
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}

interface Opened {
  readonly server: McpServer
  close(): Promise<void>
}

interface OpenOptions extends ConnectOptions {
  readonly registry: ToolRegistry
  /** When this server's tools may enter the registry. */
  readonly turn: Promise<unknown>
}

function openServer(name: string, spec: McpServerSpec, options: OpenOptions): Opened {
  const { registry, connectTimeoutMs = 30_000, client = identity } = options
  const remote = new RemoteTools(name, spec, registry, () => connection)
  const sync = syncing(name, remote, options)
  const connection: Connection = new Connection(
    name,
    spec,
    {
      opened: (ask, capabilities) => (capabilities.tools === undefined ? Promise.resolve() : sync.first(ask)),
      toolsChanged: sync.again,
    },
    { connectTimeoutMs, client },
  )
  const server: McpServer = {
    name,
    get state() {
      return connection.state
    },
    get tools() {
      return remote.tools
    },
    get problems() {
      const { failure } = connection
      return failure === undefined ? remote.problems : [{ server: name, error: failure }]
    },
    get instructions() {
      return connection.instructions
    },
    get stderr() {
      return connection.stderr
    },
    get pid() {
      return connection.pid
    },
    resources: () => listResources(connection.ask),
    readResource: (uri, { signal } = {}) => readResource(connection.ask, uri, signal),
    open: () => connection.open(),
  }
  const close = async (): Promise<void> => {
    await connection.close()
    remote.clear()
  }
  return { server, close }
}

interface Syncing {
  /** With the list of a connection that is being opened. */
  first(ask: Ask): Promise<void>
  /** With a list that changed: one at a time, and once more when it changed meanwhile. */
  again(ask: Ask): void
}

function syncing(server: string, remote: RemoteTools, { onToolsChanged, log, turn }: OpenOptions): Syncing {
  let last: Promise<void> = Promise.resolve()
  let isWaiting = false
  const next = (ask: Ask): Promise<void> => {
    const synced = last.then(() => {
      isWaiting = false
      return remote.sync(ask, turn)
    })
    last = synced.catch(() => {})
    return synced
  }
  const tell = (): void => {
    notify(() => onToolsChanged?.(server))
    for (const { tool = '', error } of remote.problems) notify(() => log?.warn(error.message, { server, tool }))
  }
  const again = (ask: Ask): void => {
    if (isWaiting) return
    isWaiting = true
    next(ask).then(tell, (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      notify(() =>
        log?.warn(`The list of tools of the MCP server "${server}" could not be read again`, { server, why }),
      )
    })
  }
  return { first: next, again }
}

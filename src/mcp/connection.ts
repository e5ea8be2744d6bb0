// One server: opened, lost, opened again. Calls open it when it is down; one that cannot be opened is left alone for a while
// that grows. Trap: over HTTP nothing tells that a server died with a call open, so every error of the connection asks it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type ServerCapabilities, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { ToolwireError } from '../errors/error.js'
import { type Ask, deadline, longestTimeoutMs, send } from './ask.js'
import { ChildTransport } from './child-transport.js'
import { type Circumstances, connectFailure, isUnreachable, requestFailure, wasNotTaken } from './failures.js'
import { httpTransport } from './http-transport.js'
import { isHttp, type McpServerSpec } from './server-spec.js'

export interface ConnectionEvents {
  /** The server answers: called before anybody else may ask it. What it throws closes the connection. */
  opened(ask: Ask, capabilities: ServerCapabilities): Promise<void>
  toolsChanged(ask: Ask): void
}
export interface ConnectionOptions {
  readonly connectTimeoutMs: number
  readonly client: { readonly name: string; readonly version: string }
  readonly now?: () => number
}

/** An open connection. */
interface Link {
  readonly client: Client
  readonly child: ChildTransport | undefined
  /** Set when a message of the server was too long, which ends the connection. */
  tooLong: ToolwireError | undefined
  /** Takes leave of the server. */
  close(): Promise<void>
  /** For a server that is gone: answers whoever waits, at once. */
  drop(): Promise<void>
}

const pingTimeoutMs = 2000
const firstPauseMs = 500
const longestPauseMs = 30_000

export class Connection {
  readonly name: string
  readonly spec: McpServerSpec
  readonly #events: ConnectionEvents
  readonly #options: ConnectionOptions
  readonly #now: () => number
  #link: Link | undefined
  #opening: Promise<Link> | undefined
  #closing: Promise<void> | undefined
  #failures = 0
  #notBefore = 0
  #failure: ToolwireError | undefined
  #lastChild: ChildTransport | undefined
  /** Gives up the attempt to open that is under way. */
  #giveUp = (): void => {}

  constructor(name: string, spec: McpServerSpec, events: ConnectionEvents, options: ConnectionOptions) {
    this.name = name
    this.spec = spec
    this.#events = events
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  get state(): 'ready' | 'down' | 'closed' {
    if (this.#closing !== undefined) return 'closed'
    return this.#link === undefined ? 'down' : 'ready'
  }

  /** The end of what the server, or the last one of its name, wrote to standard error. */
  get stderr(): string {
    return this.#lastChild?.stderr ?? ''
  }

  /** Why it could not be opened, until it is. */
  get failure(): ToolwireError | undefined {
    return this.#failure
  }

  get pid(): number | undefined {
    return this.#link?.child?.pid
  }

  /** How the server wants to be used, in its own words. */
  get instructions(): string | undefined {
    return this.#link?.client.getInstructions()
  }

  /** Opens the connection unless it is open; rejects with a coded error, at once while the pause after a failure lasts. */
  async open(): Promise<void> {
    await this.#opened()
  }

  /** Asks the server; a request that a restarted server did not take is sent once more to the new one. */
  readonly ask: Ask = async (asked, options = {}) => {
    const link = await this.#opened()
    try {
      return await send(link.client, asked, options)
    } catch (error) {
      if (isUnreachable(error)) this.#lose(link)
      if (!wasNotTaken(error) || options.signal?.aborted) throw this.#told(error, link)
      this.#lose(link)
    }
    const next = await this.#opened()
    return send(next.client, asked, options).catch((error: unknown) => {
      throw this.#told(error, next)
    })
  }

  /** Ends the connection for good, and the server with it when it is a child. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#giveUp()
    const opening = this.#opening?.catch(() => undefined)
    const link = this.#link ?? (await opening)
    this.#link = undefined
    await link?.close()
  }

  async #opened(): Promise<Link> {
    if (this.#closing !== undefined) {
      throw new ToolwireError('network', `the connection to the MCP server "${this.name}" was closed`)
    }
    if (this.#link !== undefined) return this.#link
    if (this.#opening === undefined && this.#failure !== undefined && this.#now() < this.#notBefore) throw this.#failure
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<Link> {
    const { connectTimeoutMs } = this.#options
    const { signal, isTimedOut, end, giveUp } = deadline(connectTimeoutMs)
    this.#giveUp = giveUp
    const link = this.#linkOf()
    link.client.onerror = (error) => keepTooLong(link, error)
    try {
      await link.client.connect(link.transport, { signal, timeout: longestTimeoutMs })
      this.#listen(link)
      const ask: Ask = (asked, options) => send(link.client, asked, { signal, ...options })
      await this.#events.opened(ask, link.client.getServerCapabilities() ?? {})
      if (link.client.transport === undefined) throw new Error('it went away')
    } catch (error) {
      const failure = connectFailure(error, this.#about(link), isTimedOut() ? connectTimeoutMs : undefined)
      await link.drop()
      throw this.#failed(failure)
    } finally {
      end()
      this.#giveUp = () => {}
    }
    this.#failures = 0
    this.#failure = undefined
    this.#link = link
    return link
  }

  #linkOf(): Link & { readonly transport: Transport } {
    const client = new Client(this.#options.client)
    if (isHttp(this.spec)) {
      const { transport, end } = httpTransport(this.spec, (error) => {
        link.tooLong = error
        // The calls that wait on that stream would never get an answer.
        if (this.#link === link) this.#lose(link)
        else link.drop().catch(() => {})
      })
      const close = async (): Promise<void> => {
        await end()
        await client.close()
      }
      const link: Link & { readonly transport: Transport } = {
        client,
        child: undefined,
        tooLong: undefined,
        transport,
        close,
        drop: () => client.close(),
      }
      return link
    }
    const child = new ChildTransport(this.spec)
    this.#lastChild = child
    const close = (): Promise<void> => child.close()
    return { client, child, tooLong: undefined, transport: child as Transport, close, drop: close }
  }

  #listen(link: Link): void {
    const { client } = link
    client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
      this.#events.toolsChanged((asked, options) => send(link.client, asked, options)),
    )
    client.onclose = () => this.#lose(link)
    let isAsking = false
    client.onerror = (error) => {
      keepTooLong(link, error)
      // A child's end is seen; an address has to be asked.
      if (link.child !== undefined || isAsking || this.#link !== link) return
      isAsking = true
      client
        .ping({ timeout: pingTimeoutMs })
        .catch(() => this.#lose(link))
        .finally(() => {
          isAsking = false
        })
    }
  }

  /** Calls that wait on it are answered, and the next one opens a new connection. */
  #lose(link: Link): void {
    if (this.#link !== link) return
    this.#link = undefined
    link.drop().catch(() => {})
  }

  #failed(error: ToolwireError): ToolwireError {
    this.#failures += 1
    this.#notBefore = this.#now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1))
    this.#failure = error
    return error
  }

  #told(error: unknown, link: Link): unknown {
    return requestFailure(error, this.#about(link), this.#link !== link)
  }

  #about(link: Link): Circumstances {
    return {
      name: this.name,
      spec: this.spec,
      ending: link.child?.ending,
      stderr: link.child?.stderr ?? '',
      tooLong: link.tooLong,
    }
  }
}

/** Keeps the error of a message that was too long: the pending calls only learn that the connection closed. */
function keepTooLong(link: Link, error: Error): void {
  if (ToolwireError.is(error) && error.code === 'limit_exceeded') link.tooLong ??= error
}

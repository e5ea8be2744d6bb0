// The sessions of the service over HTTP. Trap: any program on this machine can begin sessions, and must not end the sessions of
// others by doing so. Only an idle session makes room for a new one.
import { randomUUID } from 'node:crypto'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ExactIntegers } from './exact-integers.js'

export interface SessionLimits {
  readonly maxSessions: number
  /** How long a session without an open request counts as used. */
  readonly idleSessionMs: number
}

/** How long a session is kept that was begun and never used. */
const unusedMs = 10_000

export class HttpSession {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly integers: ExactIntegers = new ExactIntegers()
  #open = 0
  #requests = 0
  #lastUsedAt = performance.now()

  constructor(server: Server, onOpen: (id: string, session: HttpSession) => void) {
    this.server = server
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => onOpen(id, this),
    })
    const send = this.transport.send.bind(this.transport)
    this.transport.send = (sent, options) => send(this.integers.mark(sent), options)
  }

  /** Counts a request that begins; the function it returns ends it. */
  enter(): () => void {
    this.#open += 1
    this.#requests += 1
    this.#lastUsedAt = performance.now()
    return () => {
      this.#open -= 1
      this.#lastUsedAt = performance.now()
    }
  }

  /** For how long it has been idle beyond the time it is kept; negative while it must be kept. */
  idleBeyond(idleSessionMs: number): number {
    if (this.#open > 0) return Number.NEGATIVE_INFINITY
    const kept = this.#requests > 1 ? idleSessionMs : Math.min(unusedMs, idleSessionMs)
    return performance.now() - this.#lastUsedAt - kept
  }
}

export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #limits: SessionLimits
  readonly #newServer: () => Server
  /** Sessions that are being opened count too, or many at once would pass the limit. */
  #opening = 0

  constructor(limits: SessionLimits, newServer: () => Server) {
    this.#limits = limits
    this.#newServer = newServer
  }

  get servers(): readonly Server[] {
    return [...this.#sessions.values()].map(({ server }) => server)
  }

  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id)
  }

  /** Begins a session and lets `answer` handle its first request. Returns undefined when all sessions are in use. */
  async begin<T>(answer: (session: HttpSession) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#makeRoom())) return undefined
    this.#opening += 1
    let isOpening = true
    const opened = (): void => {
      if (isOpening) this.#opening -= 1
      isOpening = false
    }
    try {
      const server = this.#newServer()
      const session = new HttpSession(server, (id, own) => {
        this.#sessions.set(id, own)
        opened()
      })
      server.onclose = () => void this.#sessions.delete(session.transport.sessionId ?? '')
      await server.connect(session.transport as Transport)
      return await answer(session)
    } finally {
      opened()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()))
  }

  /** At the limit, ends the session that was idle the longest. Returns false when all sessions are in use. */
  async #makeRoom(): Promise<boolean> {
    const { maxSessions, idleSessionMs } = this.#limits
    if (this.#sessions.size + this.#opening < maxSessions) return true
    let idlest: HttpSession | undefined
    let longest = 0
    for (const session of this.#sessions.values()) {
      const idle = session.idleBeyond(idleSessionMs)
      if (idle > longest) [idlest, longest] = [session, idle]
    }
    await idlest?.server.close()
    return idlest !== undefined
  }
}

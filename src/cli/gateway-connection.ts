// A client's connection: what it is busy with, for those who end it, and the signal that tells its calls that the client left.
import type { Socket } from 'node:net'
import { ToolwireError } from '../errors/error.js'
import { refused } from '../gateway/failure.js'

/** So many calls share a signal: whoever derives another from it leaves a little behind. */
const callsPerSignal = 1_000

/** A body on its way. */
interface Incomplete {
  fail(error: unknown): void
}

/**
 * Tells the calls of a connection that their client left. They follow one another, so one signal serves them all: to make one
 * for each costs more than to read its request.
 */
export class Connection {
  /** The bodies of a connection follow one another, too. */
  reading: Incomplete | undefined
  readonly #socket: Socket
  #leaving = new AbortController()
  /** Pipelined calls may still have the one before. */
  #before: AbortController | undefined
  #calls = 0
  #answering = 0

  constructor(socket: Socket) {
    this.#socket = socket
    socket.once('close', () => this.#abort())
  }

  #abort(reason?: ToolwireError): void {
    this.#before?.abort(reason)
    this.#leaving.abort(reason)
  }

  /** A request has come; the signal is aborted when its client leaves. */
  begin(): AbortSignal {
    this.#answering += 1
    this.#calls += 1
    if (this.#calls % callsPerSignal === 0) {
      this.#before = this.#leaving
      this.#leaving = new AbortController()
    }
    return this.#leaving.signal
  }

  /** The answer is written. */
  end(): void {
    this.#answering -= 1
  }

  /** Closes a connection on which nothing is answered. */
  closeIdle(): void {
    if (this.#answering === 0 && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Refuses a body that is still on its way: who knows how long it takes. */
  refuseBody(): void {
    this.reading?.fail(refused(503, 'overloaded', 'this gateway is stopping; try again soon', { retryAfterMs: 1_000 }))
  }

  /** At once, whatever is on its way; its calls are told that it was not their client. */
  cut(): void {
    this.#abort(new ToolwireError('aborted', 'the gateway was stopped before this answer was whole'))
    this.#socket.destroy()
  }
}

const connections = new WeakMap<Socket, Connection>()

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const made = new Connection(socket)
  connections.set(socket, made)
  return made
}

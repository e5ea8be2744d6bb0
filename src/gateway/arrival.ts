// A request on its arrival and the answer to it, in a form that belongs to no HTTP library: web requests and Node's sockets both have it.

/** A request that a server hands to a gateway. */
export interface Arrival {
  readonly method: string
  /** Without dot segments: what it names is what it says. */
  readonly path: string
  /** With its question mark; empty where there is none. */
  readonly query: string
  /** Lower-case names; `host` is one of them. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Hands over the pieces of the body as they come, all within the time; asked for once at most. Rejects when the client broke
   * off or was too slow, and with what `take` threw.
   */
  read(take: (piece: Uint8Array) => void, timeoutMs: number): Promise<void>
  /** Aborted when the client leaves before its answer is whole. */
  readonly signal: AbortSignal
}

/** A part of an answer; text leaves as UTF-8. */
export type Piece = string | Uint8Array

/** Whole, or in pieces: those are asked for one by one, at the client's pace, to the end or until the client leaves: then `return` is called. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Piece | Pieces
}

export type Pieces = Required<Pick<AsyncIterator<Piece, undefined>, 'next' | 'return'>>

export function isWhole(body: Piece | object): body is Piece {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** Never rejects: what goes wrong is an answer, too. */
export type Handler = (arrival: Arrival) => Promise<Answer>

// What a provider server does wrong on demand, for one request: instead of an answer, or to the bytes of one.
import type { ToolwireError } from '../errors/error.js'
import type { ChatDefect } from './chat-defects.js'

/** An event is what the wire sends as one: a server-sent event, a line, or an item of a JSON array. */
export interface Misbehaviour {
  /** Answers with this status, and asks the script nothing. With `body` or `headers` alone it is 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body of such an answer; an error in the wire's own form for an error status when left out, else empty. */
  readonly body?: string
  /** Waits before the first byte. */
  readonly delayMs?: number
  /** The body ends after this many bytes, as if that were all: HTTP itself sees nothing wrong. */
  readonly cutAtByte?: number
  /** The stream ends after this many events, as if that were all. */
  readonly cutAfterEvents?: number
  /** Says nothing more after this many events, and keeps the connection open. */
  readonly stallAfterEvents?: number
  /** An error in the wire's own form after this many events of a stream. */
  readonly errorAfterEvents?: number
  /** What `errorAfterEvents` says; `overloaded` unless given. */
  readonly error?: ToolwireError
  /** The connection breaks after this many bytes of the body. */
  readonly resetAfterBytes?: number
  /** A defect of real servers in a Chat Completions stream; other answers are as they should be. */
  readonly chat?: ChatDefect | readonly ChatDefect[]
}

/** What happens to the requests of a server: the same to all, or decided for each. `index` counts model calls from 0. */
export type Misbehave<Request> = Misbehaviour | ((request: Request, index: number) => Misbehaviour | undefined)

export function misbehaviourOf<Request>(
  misbehave: Misbehave<Request> | undefined,
  request: Request,
  index: number,
): Misbehaviour {
  return (typeof misbehave === 'function' ? misbehave(request, index) : misbehave) ?? {}
}

/** Whether the script is not even asked. */
export function replacesAnswer({ status, headers, body }: Misbehaviour): boolean {
  return status !== undefined || headers !== undefined || body !== undefined
}

// What carries bytes: one function. Node's own HTTP where there is Node, fetch elsewhere, a user's own when injected.
import type { Body } from '../frames/body.js'
import type { Deadlines } from './deadlines.js'

/** One HTTP request as a transport sends it. */
export interface TransportRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Whole or in pieces; `bodyBytes` joins them. */
  readonly body?: Body | undefined
  /** Aborts at every stage: connecting, waiting for headers, reading the body. */
  readonly signal: AbortSignal
}
/** The answer, its body as it comes. Leaving the body closes the connection. */
export interface TransportResponse {
  readonly status: number
  /** Lower-case names; several values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded bytes, pulled: nothing is read ahead beyond the socket's own buffer. Leaving the iteration closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Sends one request. Never follows a redirect, never retries. Rejects with the reason of the signal, or a coded `network` error. */
export interface Transport {
  (request: TransportRequest): Promise<TransportResponse>
  /** The same under these limits, for a transport that holds them itself at less cost than a timer and a signal for each call. */
  readonly limited?: (limits: Deadlines) => Transport
}

/** The signal of a call that nobody can leave. It is never aborted, so nobody needs to listen to it. */
export const neverAborted: AbortSignal = new AbortController().signal

// The bytes of an answer on their way out, and what goes wrong with them on demand. A client that left is written nothing more.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Misbehaviour } from './misbehaviour.js'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body, in the pieces it is written in; asked for one by one. */
  readonly frames: Iterable<string>
  readonly misbehaviour: Misbehaviour
}

/** Sends the reply; done when it is sent, broken off as told, or the client left. */
export async function send(outgoing: ServerResponse, reply: Reply, left: AbortSignal): Promise<void> {
  const { cutAfterEvents, stallAfterEvents, delayMs = 0 } = reply.misbehaviour
  await paused(delayMs, left)
  if (left.aborted) return
  outgoing.writeHead(reply.status, reply.headers)
  outgoing.flushHeaders()
  const budget = byteBudget(reply.misbehaviour)
  let events = 0
  for (const frame of reply.frames) {
    if (events === stallAfterEvents) await paused(Number.POSITIVE_INFINITY, left)
    if (left.aborted || events === cutAfterEvents) break
    if (!(await write(outgoing, budget.take(frame), left)) || budget.spent) break
    events += 1
  }
  if (events === stallAfterEvents) await paused(Number.POSITIVE_INFINITY, left)
  if (budget.resets) await reset(outgoing)
  else outgoing.end()
}

/** Bytes that may still be sent. */
function byteBudget({ cutAtByte, resetAfterBytes }: Misbehaviour): {
  take(frame: string): Uint8Array
  readonly spent: boolean
  /** The connection breaks where the bytes end. */
  readonly resets: boolean
} {
  const limit = Math.min(cutAtByte ?? Number.POSITIVE_INFINITY, resetAfterBytes ?? Number.POSITIVE_INFINITY)
  let left = limit
  return {
    take(frame) {
      const bytes = new TextEncoder().encode(frame)
      const taken = bytes.subarray(0, Math.min(bytes.length, left))
      left -= taken.length
      return taken
    },
    get spent() {
      return left <= 0
    },
    get resets() {
      return resetAfterBytes !== undefined && resetAfterBytes === limit
    },
  }
}

/** Writes and waits for a slow reader; false when the reader left. */
async function write(outgoing: ServerResponse, bytes: Uint8Array, left: AbortSignal): Promise<boolean> {
  if (bytes.length > 0 && !outgoing.write(bytes)) {
    await once(outgoing, 'drain', { signal: left }).catch(() => {}) // told by the signal
  }
  return !left.aborted
}

/** Breaks the connection once what was written is on its way. */
async function reset(outgoing: ServerResponse): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  outgoing.socket?.resetAndDestroy()
}

/** Waits this long, for ever when it is infinite, or until the client left. */
async function paused(ms: number, left: AbortSignal): Promise<void> {
  if (ms === 0 || left.aborted) return
  if (ms === Number.POSITIVE_INFINITY) await once(left, 'abort')
  else await wait(ms, undefined, { signal: left }).catch(() => {}) // told by the signal
}

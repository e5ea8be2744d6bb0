// One request to a server and its answer. Time is the caller's signal alone, never the SDK's own minute.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { type Progress, type Result, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { onAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import type { Value } from '../json/types.js'

export interface Asked {
  readonly method: string
  readonly params?: { readonly [key: string]: Value }
}
export interface AskOptions {
  /** Aborted: the server is told that nobody waits any more. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Called before each time the request is sent; what it throws keeps it from being sent. */
  readonly onSend?: (() => void) | undefined
}
/** Sends a request and gives what was answered, of any form. */
export type Ask = (asked: Asked, options?: AskOptions) => Promise<Result>

/** As long as the platform's timers go. */
export const longestTimeoutMs = 2_147_483_647

/** The answer in any form: one strange tool or block must not cost the rest. */
export async function send(client: Client, { method, params }: Asked, options: AskOptions = {}): Promise<Result> {
  const { signal, onProgress, onSend } = options
  const abandoned = (cause: unknown): ToolwireError =>
    new ToolwireError('aborted', `nobody waits for the answer to ${method} any more`, { cause })
  if (signal?.aborted) throw abandoned(signal.reason)
  onSend?.()
  const request = params === undefined ? { method } : { method, params: { ...params } }
  // The SDK listens to its signal for ever and would cancel a request that was answered long ago: each gets its own.
  const controller = new AbortController()
  const release = signal === undefined ? () => {} : onAbort(signal, (reason) => controller.abort(reason))
  try {
    return await client.request(request as Parameters<Client['request']>[0], ResultSchema, {
      timeout: longestTimeoutMs,
      signal: controller.signal,
      ...(onProgress === undefined ? {} : { onprogress: onProgress }),
    })
  } catch (error) {
    throw controller.signal.aborted ? abandoned(error) : error
  } finally {
    release()
  }
}

export interface Deadline {
  readonly signal: AbortSignal
  readonly isTimedOut: () => boolean
  readonly giveUp: () => void
  /** Must be called, or the timer goes on. */
  readonly end: () => void
}

/** Time for something that asks more than once. */
export function deadline(ms: number): Deadline {
  const controller = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort(new DOMException(`The ${ms} ms for this are over`, 'TimeoutError'))
  }, ms)
  return {
    signal: controller.signal,
    isTimedOut: () => timedOut,
    giveUp: () => controller.abort(),
    end: () => clearTimeout(timer),
  }
}

// A place among the calls on their way, of the gateway and of the key. Whoever takes one gives it back.
import type { ToolwireError } from '../errors/error.js'
import { refused } from './failure.js'
import type { Metrics } from './metrics.js'
import type { Admission, ClientKey, Limiter } from './options.js'

/** Frees the place; `tokens` is what the call used. Does nothing the second time. */
export type Release = (tokens: number) => Promise<void> | undefined

export interface Door {
  readonly metrics: Metrics
  readonly limiter: Limiter
  /** Calls at once, of all clients. */
  readonly concurrency: number
}

/** Throws what the client is told when there is no place. */
export function admitted(door: Door, client: ClientKey | undefined): Release | Promise<Release> {
  const { metrics, concurrency } = door
  if (metrics.active >= concurrency) throw busy(`the gateway serves ${concurrency} calls already`, 1_000)
  metrics.active += 1
  return client === undefined ? releaseOf(metrics) : admittedKey(door, client)
}

async function admittedKey({ metrics, limiter }: Door, client: ClientKey): Promise<Release> {
  try {
    return releaseOf(metrics, await admissionOf(limiter, client))
  } catch (error) {
    metrics.active -= 1
    throw error
  }
}

function releaseOf(metrics: Metrics, admission?: Granted): Release {
  let isOpen = true
  return (tokens) => {
    if (!isOpen) return undefined
    isOpen = false
    metrics.active -= 1
    return admission?.release(tokens)
  }
}

type Granted = Extract<Admission, { admitted: true }>

async function admissionOf(limiter: Limiter, client: ClientKey): Promise<Granted> {
  const admission = await limiter.admit(client.name, client)
  if (admission.admitted) return admission
  const { limit, retryAfterMs } = admission
  if (limit === 'concurrency') throw busy('this key has too many calls on their way', retryAfterMs)
  throw refused(429, 'rate_limited', `this key has used its ${limit} of this minute`, { retryAfterMs })
}

function busy(message: string, retryAfterMs: number): ToolwireError {
  return refused(503, 'overloaded', `${message}; try again soon`, { retryAfterMs })
}

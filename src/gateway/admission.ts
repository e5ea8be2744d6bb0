// A place among the calls on their way, of the gateway and of the key. Whoever takes one gives it back.
import type { ToolwireError } from '../errors/error.js'
import { refused } from './failure.js'
import type { Metrics } from './metrics.js'
import type { Admission, ClientKey, Limiter } from './options.js'
import type { Slots } from './slots.js'

/** Frees the place; `tokens` is what the call used. Does nothing the second time. */
export type Release = (tokens: number) => Promise<void> | undefined

export interface Door {
  readonly metrics: Metrics
  readonly limiter: Limiter
  /** Calls at once, of all clients. */
  readonly concurrency: number
  readonly slots: Slots
  /** How many keys share the slots. */
  readonly keyCount: number
}

/** Throws what the client is told when there is no slot. Only a call of a model counts against the limits of the key. */
export function admitted(door: Door, client: ClientKey | undefined, isCall: boolean): Release | Promise<Release> {
  const { metrics, slots, concurrency, keyCount } = door
  const isFull = slots.active >= concurrency
  if (!slots.take(client?.name, concurrency, keyCount)) {
    throw busy(
      isFull
        ? `the gateway serves ${concurrency} calls already`
        : `this key has its share of the ${concurrency} calls that the gateway serves at once`,
      1_000,
    )
  }
  metrics.active = slots.active
  return client === undefined || !isCall ? releaseOf(door, client) : admittedKey(door, client)
}

async function admittedKey(door: Door, client: ClientKey): Promise<Release> {
  try {
    return releaseOf(door, client, await admissionOf(door.limiter, client))
  } catch (error) {
    freeSlot(door, client)
    throw error
  }
}

function freeSlot({ metrics, slots }: Door, client: ClientKey | undefined): void {
  slots.free(client?.name)
  metrics.active = slots.active
}

function releaseOf(door: Door, client: ClientKey | undefined, admission?: Granted): Release {
  let isOpen = true
  return (tokens) => {
    if (!isOpen) return undefined
    isOpen = false
    freeSlot(door, client)
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

// What a gateway keeps between calls: counts, and what clients come back to. It outlives a change of the options.
import { type Continuations, continuationStore } from './continuations.js'
import { type Conversations, conversationStore } from './conversations.js'
import { memoryLimiter } from './memory-limiter.js'
import { createMetrics, type Metrics } from './metrics.js'
import type { GatewayLimits, Limiter } from './options.js'
import { type Owners, ownerStore } from './owners.js'
import { createSlots, type Slots } from './slots.js'
import { storedBytes as sharedMemory } from './stored-bytes.js'

const mebibyte = 1_048_576

/** What a gateway remembers between calls: give it to the next one and nothing is forgotten. */
export interface GatewayState {
  readonly conversations: Conversations
  readonly continuations: Continuations
  readonly limiter: Limiter
  readonly metrics: Metrics
  readonly slots: Slots
  readonly owners: Owners
}

/** A new memory for a gateway. */
export function gatewayState({
  storedConversations = 1_000,
  storedBytes = 256 * mebibyte,
}: GatewayLimits = {}): GatewayState {
  const memory = sharedMemory(storedBytes)
  return {
    conversations: conversationStore(storedConversations, memory),
    continuations: continuationStore(storedConversations, memory),
    limiter: memoryLimiter(),
    metrics: createMetrics(),
    slots: createSlots(),
    owners: ownerStore(),
  }
}

// What a gateway keeps between calls: counts, and what clients come back to. It outlives a change of the options.
import { type Continuations, continuationStore } from './continuations.js'
import { type Conversations, conversationStore } from './conversations.js'
import { memoryLimiter } from './memory-limiter.js'
import { createMetrics, type Metrics } from './metrics.js'
import type { GatewayLimits, Limiter } from './options.js'

const mebibyte = 1_048_576

export interface GatewayState {
  readonly conversations: Conversations
  readonly continuations: Continuations
  readonly limiter: Limiter
  readonly metrics: Metrics
}

export function gatewayState({
  storedConversations = 1_000,
  storedBytes = 256 * mebibyte,
}: GatewayLimits = {}): GatewayState {
  return {
    conversations: conversationStore(storedConversations, storedBytes),
    continuations: continuationStore(storedConversations),
    limiter: memoryLimiter(),
    metrics: createMetrics(),
  }
}

// What an answer that goes on unread used, and how it ended: the events that tell so, without those of its content.
import type { CompletionEvent } from '../conversation/events.js'
import { outcome as anthropicOutcome } from './anthropic/outcome.js'
import type { ClientCodec, Env, Exchange, HttpResponse } from './codec.js'

/** Usage and finish of a whole answer as its codec decodes them; nothing of an answer that cannot be read. */
export function outcomeOf(
  codec: ClientCodec,
  http: HttpResponse,
  exchange: Exchange,
  env: Env,
): readonly CompletionEvent[] {
  return codec.wire === 'anthropic' ? anthropicOutcome(http) : codec.response.decode(http, exchange, env)
}

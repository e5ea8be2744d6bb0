// Limits that providers document for settings. A request beyond one would be rejected as a whole: the nearest setting that is accepted is
// sent instead, and reported.
import type { Loss } from '../conversation/losses.js'
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'

/** The request with the first `max` of its stop sequences. */
export function limitStops(wire: Wire, request: CompletionRequest, max: number, losses: Loss[]): CompletionRequest {
  if (request.stop === undefined || request.stop.length <= max) return request
  const stop = request.stop.slice(0, max)
  const message = `the provider accepts at most ${max} stop sequences; the first ${max} of ${request.stop.length} are sent`
  losses.push({ code: 'stop_dropped', wire, path: '/stop', kind: 'changed', to: stop, message })
  return { ...request, stop }
}

/** The request with a `maxTokens` of at least `min`. */
export function raiseMaxTokens(wire: Wire, request: CompletionRequest, min: number, losses: Loss[]): CompletionRequest {
  if (request.maxTokens === undefined || request.maxTokens >= min) return request
  const message = `the provider rejects a limit below ${min} tokens; ${min} is sent instead of ${request.maxTokens}`
  losses.push({ code: 'max_tokens_raised', wire, path: '/maxTokens', kind: 'changed', to: min, message })
  return { ...request, maxTokens: min }
}

// Answers that their provider ended as failed: other wires have no word for that, so there they would look like successes.
// The trap: on the wire they came from the provider's own word goes on, and calls that can be made are still to be answered.
import type { CompletionEvent } from '../conversation/events.js'
import type { CompletionResponse, Metadata } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { withoutSecrets } from '../model/secrets.js'
import { endingWords } from '../wire/failure.js'
import type { GatewayCall } from './call.js'

/** The answer as a turn of calls, if it failed with some that can be made; without them it is thrown as the failure it is, its text too. */
export function ended(call: GatewayCall, response: CompletionResponse): CompletionResponse {
  const { finishReason, message, rawFinishReason, metadata } = response
  const { wire } = call.exchange
  if (finishReason !== 'error' || message.origin?.wire === wire) return response
  if (message.content.some((part) => part.type === 'tool_call')) return { ...response, finishReason: 'tool_calls' }
  throw failed(call, rawFinishReason, metadata)
}

/** Takes note of what a stream tells, and gives each event as the client is to hear it: an end as failed is an error. */
export function streamWatch(call: GatewayCall): (event: CompletionEvent) => CompletionEvent {
  const { exchange, progress } = call
  let isOwn = false
  let hasCalls = false
  return (event) => {
    switch (event.type) {
      case 'start':
        isOwn = event.origin?.wire === exchange.wire
        return event
      case 'tool_call':
        hasCalls = true
        return event
      case 'usage':
        progress.usage = event.usage
        return event
      case 'finish':
        progress.finishReason = event.reason
        if (event.reason !== 'error' || isOwn) return event
        if (hasCalls) return { ...event, reason: 'tool_calls' }
        return { type: 'error', error: failed(call, event.raw, event.metadata) }
      default:
        return event
    }
  }
}

/** The failure in which the first events of a stream end it, while there is still time for a status. */
export function failureAmong(call: GatewayCall, events: readonly CompletionEvent[]): ToolwireError | undefined {
  const watch = streamWatch(call)
  for (const event of events) {
    const told = watch(event)
    if (told.type === 'error') return told.error
  }
  return undefined
}

function failed({ chosen }: GatewayCall, raw: string | undefined, metadata: Metadata | undefined): ToolwireError {
  const words = endingWords(metadata)
  const told = [raw === undefined ? '' : ` (${raw})`, words === undefined ? '' : `: ${words}`].join('')
  const error = new ToolwireError('server_error', `the model ended its answer with an error${told}`)
  return withoutSecrets(
    error,
    chosen.candidates.flatMap(({ endpoint }) => endpoint?.secrets ?? []),
  )
}

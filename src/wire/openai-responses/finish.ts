// Why an answer ended: the status and, when it is incomplete, the reason for that. A turn that calls tools is `completed` too.
import type { FinishReason } from '../../conversation/response.js'
import { isJsonObject } from '../../json/parse.js'
import type { JsonObject } from '../../json/types.js'

const byIncomplete: ReadonlyMap<string, FinishReason> = new Map([
  ['max_output_tokens', 'length'],
  ['max_messages', 'length'],
  ['content_filter', 'content_filter'],
  ['steered', 'pause'],
])

const byStatus: ReadonlyMap<string, FinishReason> = new Map([
  ['queued', 'pause'],
  ['in_progress', 'pause'],
  ['failed', 'error'],
  ['cancelled', 'error'],
])

/** The reason, and the provider's word for it. A server that gives no status has completed its answer. */
export function reasonOf(
  response: JsonObject,
  calls: boolean,
  refused: boolean,
): { readonly reason: FinishReason; readonly raw: string } {
  const status = typeof response.status === 'string' ? response.status : 'completed'
  if (status === 'incomplete') {
    const detail = isJsonObject(response.incomplete_details) ? response.incomplete_details.reason : undefined
    const raw = typeof detail === 'string' ? detail : status
    return { reason: byIncomplete.get(raw) ?? 'error', raw }
  }
  const ended = byStatus.get(status)
  if (ended !== undefined) return { reason: ended, raw: status }
  return { reason: calls ? 'tool_calls' : refused ? 'content_filter' : 'stop', raw: status }
}

export interface Ending {
  readonly status: string
  readonly incomplete: string | null
}

/**
 * The status that says a reason. `raw` is the word of this wire for it, when the answer came from this wire; `refused`, that
 * a refusal is what the answer holds, which is an answer that came to its end.
 */
export function endingOf(reason: FinishReason, raw: string | undefined, refused: boolean): Ending {
  if (raw !== undefined) {
    if (byStatus.has(raw) && byStatus.get(raw) === reason && raw !== 'failed') return { status: raw, incomplete: null }
    if (byIncomplete.get(raw) === reason) return { status: 'incomplete', incomplete: raw }
  }
  switch (reason) {
    case 'stop':
    case 'tool_calls':
      return { status: 'completed', incomplete: null }
    case 'length':
      return { status: 'incomplete', incomplete: 'max_output_tokens' }
    case 'content_filter':
      return refused
        ? { status: 'completed', incomplete: null }
        : { status: 'incomplete', incomplete: 'content_filter' }
    case 'pause':
      return { status: 'incomplete', incomplete: 'steered' }
    case 'error':
      return { status: 'incomplete', incomplete: 'error' }
  }
}

// Usage and finish of a whole answer, for those who only count. What a block says is not read.
import type { CompletionEvent } from '../../conversation/events.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { HttpResponse } from '../codec.js'
import { finishOf } from './response.js'
import { usageEvent } from './usage.js'

/** As `decode` of a response tells them; nothing of what is no message. */
export function outcome(http: HttpResponse): readonly CompletionEvent[] {
  const body = messageIn(http)
  if (!isJsonObject(body) || !Array.isArray(body.content) || body.type === 'error') return []
  const usage = usageEvent(body.usage)
  const raw = typeof body.stop_reason === 'string' ? body.stop_reason : undefined
  const hasCalls = body.content.some((block: Json) => isJsonObject(block) && block.type === 'tool_use')
  const finish: CompletionEvent = {
    type: 'finish',
    reason: finishOf(raw, hasCalls),
    ...(raw === undefined ? {} : { raw }),
  }
  return usage === undefined ? [finish] : [usage, finish]
}

function messageIn({ status, body }: HttpResponse): Json {
  if (status >= 400) return null
  try {
    return parseBody(body)
  } catch {
    return null
  }
}

// What a choice holds: its message or a delta of it, in the forms that servers use, and what is missing in one that is no answer.
// The trap: some servers send both, and some send the complete message once more at the end of a stream.
import type { CompletionEvent } from '../../conversation/events.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Answer } from './answer.js'
import { wire } from './types.js'

/**
 * The message of a choice, or its delta in a stream; the text of the older completions API counts as one.
 * quirk(perplexity): choices have both, with an empty delta in a body and the text so far as the message in a stream
 */
export function messageOf({ message, delta, text }: JsonObject, whole: boolean): JsonObject | undefined {
  const [first, second] = whole ? [message, delta] : [delta, message]
  if (isJsonObject(first)) return first
  if (isJsonObject(second)) return second
  return typeof text === 'string' ? { content: text } : undefined
}

/** Whether a lone value is a content block: its type is text, or names the member that holds the content. */
export function isBlock(value: Json): boolean {
  return isJsonObject(value) && typeof value.type === 'string' && Object.hasOwn(value, value.type)
}

/** What a message at the end of a stream adds to the deltas. Text that was shown cannot be taken back: where the message differs, it is left out. */
export function newIn(answer: Answer, message: JsonObject, events: CompletionEvent[]): JsonObject {
  const { calls, reasoning, refused, textLength } = answer
  const { content } = message
  if (textLength > 0 && typeof content === 'string' && content !== '' && content.length !== textLength) {
    const said = 'the text at the end of the stream differs from what was streamed before; the streamed text is kept'
    const loss = { code: 'streamed_text_kept', wire, path: '/text', kind: 'repaired', message: said } as const
    events.push({ type: 'loss', loss })
  }
  const isKnown = (key: string): boolean => {
    if (key === 'content') return textLength > 0
    if (key === 'tool_calls' || key === 'function_call') return calls.count() > 0
    if (key === 'refusal') return refused
    return key.startsWith('reasoning') && reasoning !== undefined
  }
  return Object.fromEntries(Object.entries(message).filter(([key]) => !isKnown(key)))
}

/** Why an answer that ended well is no answer; nothing when it is one. */
export function missingIn({ hasMessage, textLength, hasUnreadable, calls }: Answer): string | undefined {
  if (!hasMessage) return 'choices[0] must be an object with a message'
  if (hasUnreadable && textLength === 0 && calls.count() === 0) {
    return 'choices[0].message holds no text, and its content or tool_calls are in no known form'
  }
  return undefined
}

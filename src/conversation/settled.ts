// What is known of the beginning of a history: the part of frozen messages that no later message can change. A conversation
// that grows is then looked at once. Trap: equal is not enough, the messages must be the very same objects.
import { isFrozen } from './freeze.js'
import type { Message } from './messages.js'

export interface SettledPart {
  /** Everything else that what is known depends on. */
  readonly key: string
  readonly messages: readonly Message[]
  readonly length: number
}

export interface SettledParts<T extends SettledPart> {
  /** What is known of a beginning of these messages. */
  find(messages: readonly Message[], key: () => string): T | undefined
  keep(part: T): void
}

/** Kept by the second message, which is the first that two conversations with the same system text do not share. */
export function settledParts<T extends SettledPart>(): SettledParts<T> {
  const parts = new WeakMap<Message, T>()
  return {
    find(messages, key) {
      const second = messages[1]
      const known = second === undefined || !isFrozen(second) ? undefined : parts.get(second)
      if (known === undefined || known.length > messages.length || known.key !== key()) return undefined
      for (let index = 0; index < known.length; index += 1) {
        if (known.messages[index] !== messages[index]) return undefined
      }
      return known
    },
    keep(part) {
      const second = part.messages[1]
      if (second !== undefined) parts.set(second, part)
    },
  }
}

/**
 * How many messages are settled when the first `from` are: all before the last turn of the assistant, if they are frozen. A turn
 * may be spread over several messages. Nothing when there are no more than before.
 */
export function settledLength(messages: readonly Message[], from: number): number | undefined {
  const next = messages[from]
  if (next === undefined || !isFrozen(next)) return undefined
  let length = messages.findLastIndex((message) => message.role === 'assistant')
  while (length > 0 && messages[length - 1]?.role === 'assistant') length -= 1
  if (length <= Math.max(from, 1)) return undefined
  for (let index = from + 1; index < length; index += 1) if (!isFrozen(messages[index] as Message)) return undefined
  return length
}

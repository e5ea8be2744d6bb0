// An immutable list that grows at its end. Lists share what they have in common: appending looks at one node whatever the length.
// The trap: an array kept in every node would make a chain of n lists hold n² entries, so arrays are kept by whoever asks for them.
import type { Message } from './messages.js'

export interface MessageList {
  readonly length: number
  readonly last: Message | undefined
  readonly before: MessageList | undefined
}

export const emptyList: MessageList = { length: 0, last: undefined, before: undefined }

export function append(list: MessageList, message: Message): MessageList {
  return { length: list.length + 1, last: message, before: list }
}

/** The messages, first to last, in a frozen array. */
export function toArray(list: MessageList): readonly Message[] {
  const messages: Message[] = []
  for (let node: MessageList | undefined = list; node?.last !== undefined; node = node.before) messages.push(node.last)
  return Object.freeze(messages.reverse())
}

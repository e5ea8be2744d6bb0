// A history in whole turns: what one side says in several messages in a row counts as one.
import type { Message } from '../conversation/messages.js'

/** The same history with neighbouring turns of the model, and neighbouring results, as one message each. */
export function wholeTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === 'assistant' && message.role === 'assistant') {
      turns[turns.length - 1] = { ...last, content: [...last.content, ...message.content] }
    } else if (last?.role === 'tool' && message.role === 'tool') {
      turns[turns.length - 1] = { ...last, results: [...last.results, ...message.results] }
    } else turns.push(message)
  }
  return turns
}

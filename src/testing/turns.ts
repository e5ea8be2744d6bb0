// A history in whole turns: what one side says in several messages in a row counts as one.
import type { AssistantPart, Message, ToolResult } from '../conversation/messages.js'

/** The same history with neighbouring turns of the model, and neighbouring results, as one message each. */
export function wholeTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = []
  /** The content or the results of the last turn, once it consists of several messages. */
  let content: AssistantPart[] | undefined
  let results: ToolResult[] | undefined
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === 'assistant' && message.role === 'assistant') {
      content ??= [...last.content]
      for (const part of message.content) content.push(part)
      turns[turns.length - 1] = { ...last, content }
    } else if (last?.role === 'tool' && message.role === 'tool') {
      results ??= [...last.results]
      for (const result of message.results) results.push(result)
      turns[turns.length - 1] = { ...last, results }
    } else {
      turns.push(message)
      content = undefined
      results = undefined
    }
  }
  return turns
}

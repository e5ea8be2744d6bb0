// One turn of the model that is spread over several assistant messages, as clients do that store each chunk of a stream.
// Pitfall: results follow the last message of the run, while the call they answer may stand in an earlier one.
import type { AssistantMessage, AssistantPart, Message, ToolResult } from './messages.js'
import { isCall } from './messages.js'

/** A message with its path in the given history. */
export interface Placed {
  readonly message: Message
  readonly path: string
  /** The results of a message made here, to which the results of the next messages are added. */
  readonly joined?: ToolResult[]
}

/**
 * Joins a run of assistant messages into one if results after the run answer calls before its last message. Other runs stay
 * as they are. `report` gets the path of the first message of each joined run.
 */
export function joinSpreadTurns(
  list: readonly Placed[],
  join: (first: AssistantMessage, content: readonly AssistantPart[]) => AssistantMessage,
  report: (path: string) => void,
): readonly Placed[] {
  if (!list.some((placed, index) => isAssistant(placed) && isAssistant(list[index + 1]))) return list
  const joined: Placed[] = []
  for (let start = 0; start < list.length; ) {
    const end = endOfRun(list, start)
    const { message, path } = list[start] as Placed
    if (end - start > 1 && isAnsweredLate(list, start, end)) {
      report(path)
      joined.push({ message: join(message as AssistantMessage, list.slice(start, end).flatMap(partsOf)), path })
    } else for (let index = start; index < end; index += 1) joined.push(list[index] as Placed)
    start = end
  }
  return joined
}

function isAssistant(placed: Placed | undefined): boolean {
  return placed?.message.role === 'assistant'
}

function partsOf({ message }: Placed): readonly AssistantPart[] {
  return message.role === 'assistant' ? message.content : []
}

/** The index after the run of assistant messages that starts here; any other message is a run of its own. */
function endOfRun(list: readonly Placed[], start: number): number {
  let end = start + 1
  while (isAssistant(list[start]) && isAssistant(list[end])) end += 1
  return end
}

/** Whether a result between this run and the next assistant message answers a call before the last message of the run. */
function isAnsweredLate(list: readonly Placed[], start: number, end: number): boolean {
  const answered = new Set<string>()
  for (let index = end; index < list.length && !isAssistant(list[index]); index += 1) {
    const message = list[index]?.message
    if (message?.role === 'tool') for (const { callId } of message.results) answered.add(callId)
  }
  for (const part of partsOf(list[end - 1] as Placed)) if (isCall(part)) answered.delete(part.id)
  if (answered.size === 0) return false
  return list
    .slice(start, end - 1)
    .some((placed) => partsOf(placed).some((part) => isCall(part) && answered.has(part.id)))
}

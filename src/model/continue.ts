// One more turn by hand: the results of a model's calls, back to the model.
import { Conversation } from '../conversation/conversation.js'
import { isCall, type Message, type ToolResult } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import type { CallOptions, Model, ModelRequest } from './model.js'

/**
 * Appends the results to the conversation and asks the model to go on. `settings` are those of any request. A conversation does
 * not hold its tools, so pass them again: without them, a turn with calls is refused as `misuse`.
 */
export async function continueWithToolResults(
  model: Model,
  conversation: Conversation | readonly Message[],
  results: readonly ToolResult[],
  settings: Omit<ModelRequest, 'messages'> & CallOptions = {},
): Promise<{ readonly response: CompletionResponse; readonly conversation: Conversation }> {
  const start = conversation instanceof Conversation ? conversation : new Conversation(conversation)
  const { signal, deltas, ...request } = settings
  if ((request.tools ?? []).length === 0 && hasCalls(start)) {
    const message =
      'continueWithToolResults needs the tools of the turn it continues, or the model is asked without them; pass them as { tools }'
    throw new ToolwireError('misuse', message)
  }
  const answered = start.toolResults(results)
  const response = await model.complete({ ...request, messages: answered.messages }, { signal, deltas })
  return { response, conversation: answered.append(response.message) }
}

/** Whether the last answer made calls. */
function hasCalls({ messages }: Conversation): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant')
  return last?.role === 'assistant' && last.content.some(isCall)
}

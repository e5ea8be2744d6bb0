// One more turn by hand: the results of a model's calls, back to the model.
import { Conversation } from '../conversation/conversation.js'
import type { Message, ToolResult } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { CallOptions, Model, ModelRequest } from './model.js'

/** Appends the results to the conversation and asks the model to go on. `settings` are those of any request (tools, …). */
export async function continueWithToolResults(
  model: Model,
  conversation: Conversation | readonly Message[],
  results: readonly ToolResult[],
  settings: Omit<ModelRequest, 'messages'> & CallOptions = {},
): Promise<{ readonly response: CompletionResponse; readonly conversation: Conversation }> {
  const start = conversation instanceof Conversation ? conversation : new Conversation(conversation)
  const answered = start.toolResults(results)
  const { signal, deltas, ...request } = settings
  const response = await model.complete({ ...request, messages: answered.messages }, { signal, deltas })
  return { response, conversation: answered.append(response.message) }
}

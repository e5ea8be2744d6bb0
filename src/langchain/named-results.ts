// quirk(@langchain/ollama 1.3.0): a tool message is sent as { role: 'tool', content } alone, without the name of the tool and
// the id of the call, so that a model cannot tell the results of parallel calls apart; test/langchain/ollama-results.test.ts
// shows the bytes. The package hands its messages to `client.chat`, in the order they were given, with the ids and names of
// the calls on the assistant's: there each result gets the name and id of the call it stands for.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { isRecord } from './blocks.js'

/** The same chat model, whose results are named. The given one is left as it is. */
export function withNamedResults(chatModel: BaseChatModel): BaseChatModel {
  const client = 'client' in chatModel ? chatModel.client : undefined
  if (!isRecord(client) || typeof client.chat !== 'function') return chatModel
  const chat = client.chat.bind(client) as (request: unknown) => unknown
  const named: object = Object.create(client, {
    chat: { value: (request: unknown) => chat(isRecord(request) ? withNames(request) : request) },
  })
  return Object.create(chatModel, { client: { value: named, writable: true } }) as BaseChatModel
}

function withNames(request: { readonly [key: string]: unknown }): object {
  const { messages } = request
  if (!Array.isArray(messages)) return request
  let open: unknown[] = []
  const named = messages.map((message: unknown) => {
    if (!isRecord(message)) return message
    if (message.role !== 'tool') {
      open = Array.isArray(message.tool_calls) ? [...message.tool_calls] : []
      return message
    }
    const call = open.shift()
    return { ...nameOf(call), ...message } // what the package comes to say by itself one day wins
  })
  return { ...request, messages: named }
}

function nameOf(call: unknown): { tool_name?: string; tool_call_id?: string } {
  if (!isRecord(call)) return {}
  const name = isRecord(call.function) ? call.function.name : undefined
  return {
    ...(typeof name === 'string' ? { tool_name: name } : {}),
    ...(typeof call.id === 'string' ? { tool_call_id: call.id } : {}),
  }
}

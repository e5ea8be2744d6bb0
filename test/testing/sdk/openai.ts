// The official OpenAI SDK, over Chat Completions and over Responses.
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import type { ResponseInputItem, Tool } from 'openai/resources/responses/responses'
import { description, type Opening, schema } from './conversation.js'

const parameters = schema as unknown as Record<string, unknown>
const client = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 })

export const chat: Opening = (url, stream) => {
  const { completions } = client(url).chat
  const messages: ChatCompletionMessageParam[] = []
  const tools: ChatCompletionTool[] = [{ type: 'function', function: { name: 'get_weather', description, parameters } }]
  let open: readonly string[] = []
  return {
    async ask(said) {
      if ('text' in said) messages.push({ role: 'user', content: said.text })
      else messages.push(...said.results.map((content, at) => resultMessage(open[at], content)))
      const params = { model: 'm', messages, tools }
      const message = stream
        ? await completions.stream(params).finalMessage()
        : (await completions.create(params)).choices[0]?.message
      if (message === undefined) throw new Error('no message')
      messages.push(message)
      const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
      open = calls.map((call) => call.id)
      return {
        calls: calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, args: JSON.parse(text) })),
        text: message.content ?? '',
      }
    },
  }
}

export const responses: Opening = (url, stream) => {
  const api = client(url).responses
  const input: ResponseInputItem[] = []
  const tools: Tool[] = [{ type: 'function', name: 'get_weather', description, parameters, strict: false }]
  let open: readonly string[] = []
  return {
    async ask(said) {
      if ('text' in said) input.push({ role: 'user', content: said.text })
      else input.push(...said.results.map((output, at) => resultItem(open[at], output)))
      const params = { model: 'm', input, tools, store: false }
      const response = stream ? await api.stream(params).finalResponse() : await api.create(params)
      input.push(...(response.output as ResponseInputItem[]))
      const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
      open = calls.map((call) => call.call_id)
      return {
        calls: calls.map((call) => ({ id: call.call_id, name: call.name, args: JSON.parse(call.arguments) })),
        text: response.output_text,
      }
    },
  }
}

function resultMessage(id: string | undefined, content: string): ChatCompletionMessageParam {
  return { role: 'tool', tool_call_id: id ?? '', content }
}

function resultItem(id: string | undefined, output: string): ResponseInputItem {
  return { type: 'function_call_output', call_id: id ?? '', output }
}

// The official OpenAI SDK, over Chat Completions and over Responses.
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import type { ResponseFormatTextConfig, ResponseInputItem, Tool } from 'openai/resources/responses/responses'
import type { ResponseFormatJSONObject, ResponseFormatJSONSchema } from 'openai/resources/shared'
import { description, type Opening, type Question, type Result, schema, textOf, thought } from './conversation.js'

type ChatFormat = ResponseFormatJSONObject | ResponseFormatJSONSchema

const parameters = schema as unknown as Record<string, unknown>
const client = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 })
const png = (image: string): string => `data:image/png;base64,${image}`

export const chat: Opening = (url, stream) => {
  const { completions } = client(url).chat
  const messages: ChatCompletionMessageParam[] = []
  const tools: ChatCompletionTool[] = [{ type: 'function', function: { name: 'get_weather', description, parameters } }]
  let open: readonly string[] = []
  return {
    async ask(said) {
      if ('text' in said) messages.push(questionMessage(said))
      else messages.push(...said.results.map((result, at) => resultMessage(open[at], result)))
      const output = 'text' in said ? said.output : undefined
      const params = {
        model: 'm',
        messages,
        ...(output === undefined ? { tools } : { response_format: chatFormat(output) }),
      }
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
      if ('text' in said) input.push(questionItem(said))
      else input.push(...said.results.map((result, at) => resultItem(open[at], result)))
      const output = 'text' in said ? said.output : undefined
      const params = {
        model: 'm',
        input,
        store: false,
        ...(output === undefined ? { tools } : { text: { format: responsesFormat(output) } }),
      }
      const response = stream ? await api.stream(params).finalResponse() : await api.create(params)
      input.push(...(response.output as ResponseInputItem[]))
      const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
      open = calls.map((call) => call.call_id)
      const summaries = response.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      return {
        calls: calls.map((call) => ({ id: call.call_id, name: call.name, args: JSON.parse(call.arguments) })),
        text: response.output_text,
        ...thought(summaries.map((summary) => summary.text).join('')),
      }
    },
  }
}

function chatFormat(output: NonNullable<Question['output']>): ChatFormat {
  if (output === 'json_object') return { type: output }
  return { type: 'json_schema', json_schema: { name: 'answer', schema: output } }
}

function responsesFormat(output: NonNullable<Question['output']>): ResponseFormatTextConfig {
  return output === 'json_object' ? { type: output } : { type: 'json_schema', name: 'answer', schema: output }
}

function questionMessage({ text, image }: Question): ChatCompletionMessageParam {
  if (image === undefined) return { role: 'user', content: text }
  const picture = { type: 'image_url' as const, image_url: { url: png(image) } }
  return { role: 'user', content: [{ type: 'text', text }, picture] }
}

function resultMessage(id: string | undefined, result: Result): ChatCompletionMessageParam {
  return { role: 'tool', tool_call_id: id ?? '', content: textOf(result) }
}

function questionItem({ text, image }: Question): ResponseInputItem {
  if (image === undefined) return { role: 'user', content: text }
  const picture = { type: 'input_image' as const, image_url: png(image), detail: 'auto' as const }
  return { role: 'user', content: [{ type: 'input_text', text }, picture] }
}

function resultItem(id: string | undefined, result: Result): ResponseInputItem {
  return { type: 'function_call_output', call_id: id ?? '', output: textOf(result) }
}

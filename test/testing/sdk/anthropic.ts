// The official Anthropic SDK.
import Anthropic from '@anthropic-ai/sdk'
import type { ContentBlockParam, MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages'
import { description, type Opening, type Question, type Result, schema, textOf, thought } from './conversation.js'

const input_schema = schema as unknown as Tool['input_schema']
const tools: Tool[] = [{ name: 'get_weather', description, input_schema }]

export const anthropic: Opening = (url, stream) => {
  const api = new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 }).messages
  const messages: MessageParam[] = []
  let open: readonly string[] = []
  return {
    async ask(said) {
      const content = 'text' in said ? questionBlocks(said) : said.results.map((result, at) => block(open[at], result))
      messages.push({ role: 'user', content })
      const output = 'text' in said ? said.output : undefined
      const params = {
        model: 'm',
        max_tokens: 1024,
        messages,
        ...(output === undefined ? { tools } : {}),
        ...(typeof output === 'object'
          ? { output_config: { format: { type: 'json_schema' as const, schema: output } } }
          : {}),
      }
      const message = stream ? await api.stream(params).finalMessage() : await api.create(params)
      messages.push({ role: 'assistant', content: message.content })
      const calls = message.content.flatMap((part) => (part.type === 'tool_use' ? [part] : []))
      open = calls.map((call) => call.id)
      return {
        calls: calls.map(({ id, name, input }) => ({ id, name, args: input })),
        text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        ...thought(message.content.map((part) => (part.type === 'thinking' ? part.thinking : '')).join('')),
      }
    },
  }
}

function questionBlocks({ text, image }: Question): ContentBlockParam[] {
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image ?? '' }
  return [{ type: 'text', text }, ...(image === undefined ? [] : [{ type: 'image' as const, source }])]
}

function block(id = '', result: Result): ContentBlockParam {
  const failed = typeof result === 'string' ? {} : { is_error: true }
  return { type: 'tool_result', tool_use_id: id, content: textOf(result), ...failed }
}

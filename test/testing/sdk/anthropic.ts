// The official Anthropic SDK.
import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages'
import { description, type Opening, schema } from './conversation.js'

export const anthropic: Opening = (url, stream) => {
  const api = new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 }).messages
  const messages: MessageParam[] = []
  const input_schema = schema as unknown as Tool['input_schema']
  const tools: Tool[] = [{ name: 'get_weather', description, input_schema }]
  let open: readonly string[] = []
  return {
    async ask(said) {
      if ('text' in said) messages.push({ role: 'user', content: said.text })
      else {
        const content = said.results.map((text, at) => ({
          type: 'tool_result' as const,
          tool_use_id: open[at] ?? '',
          content: text,
        }))
        messages.push({ role: 'user', content })
      }
      const params = { model: 'm', max_tokens: 1024, messages, tools }
      const message = stream ? await api.stream(params).finalMessage() : await api.create(params)
      messages.push({ role: 'assistant', content: message.content })
      const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
      open = calls.map((call) => call.id)
      return {
        calls: calls.map(({ id, name, input }) => ({ id, name, args: input })),
        text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      }
    },
  }
}

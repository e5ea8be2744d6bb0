// The official Ollama client. Its types have no ids, and it passes what it does not know.
import { type Message, Ollama, type Tool } from 'ollama'
import { description, type Opening, schema } from './conversation.js'

export const ollama: Opening = (url, stream) => {
  const client = new Ollama({ host: url })
  const messages: Message[] = []
  const parameters = schema as unknown as NonNullable<Tool['function']['parameters']>
  const tools: Tool[] = [{ type: 'function', function: { name: 'get_weather', description, parameters } }]
  return {
    async ask(said) {
      if ('text' in said) messages.push({ role: 'user', content: said.text })
      else messages.push(...said.results.map((content) => ({ role: 'tool', tool_name: 'get_weather', content })))
      const message = stream ? await streamed() : (await client.chat({ model: 'm', messages, tools })).message
      messages.push(message)
      const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({ name, args }))
      return { calls, text: message.content }
    },
  }

  /** The lines of a stream as one message. */
  async function streamed(): Promise<Message> {
    let content = ''
    let thinking = ''
    const calls: NonNullable<Message['tool_calls']> = []
    for await (const line of await client.chat({ model: 'm', messages, tools, stream: true })) {
      content += line.message.content
      thinking += line.message.thinking ?? ''
      calls.push(...(line.message.tool_calls ?? []))
    }
    return { role: 'assistant', content, thinking, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
  }
}

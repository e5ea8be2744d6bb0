// The official Ollama client. Its types have no ids, and it passes what it does not know.
import { type ChatRequest, type Message, Ollama, type Tool } from 'ollama'
import { description, type Opening, schema, textOf, thought } from './conversation.js'

const parameters = schema as unknown as NonNullable<Tool['function']['parameters']>
const tools: Tool[] = [{ type: 'function', function: { name: 'get_weather', description, parameters } }]

export const ollama: Opening = (url, stream) => {
  const client = new Ollama({ host: url })
  const messages: Message[] = []
  return {
    async ask(said) {
      if ('text' in said) {
        const images = said.image === undefined ? {} : { images: [said.image] }
        messages.push({ role: 'user', content: said.text, ...images })
      } else messages.push(...said.results.map((result) => ({ ...answer, content: textOf(result) })))
      const output = 'text' in said ? said.output : undefined
      const params = {
        model: 'm',
        messages,
        ...(output === undefined ? { tools } : { format: output === 'json_object' ? 'json' : output }),
      }
      const message = stream ? await streamed(params) : (await client.chat(params)).message
      messages.push(message)
      const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({ name, args }))
      return { calls, text: message.content, ...thought(message.thinking ?? '') }
    },
  }

  /** The lines of a stream as one message. */
  async function streamed(params: ChatRequest): Promise<Message> {
    let content = ''
    let thinking = ''
    const calls: NonNullable<Message['tool_calls']> = []
    for await (const line of await client.chat({ ...params, stream: true })) {
      content += line.message.content
      thinking += line.message.thinking ?? ''
      calls.push(...(line.message.tool_calls ?? []))
    }
    return { role: 'assistant', content, thinking, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
  }
}

const answer = { role: 'tool', tool_name: 'get_weather' }

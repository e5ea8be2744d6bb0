// A history as a client's body on each wire, message by message. A codec would join and repair messages on the way out, and clients
// need not: here each message of the history is written as it is.
import { type AnyCall, isCall, type Message, textOf, type Wire } from '../../src/conversation/messages.js'

type Json = Record<string, unknown>
type Content = Message extends infer M ? (M extends { content: infer C } ? C : never) : never

/** The members of a body that hold the history. */
export const historyBodies: Readonly<Record<Wire, (messages: readonly Message[]) => Json>> = {
  'openai-chat': (messages) => ({ messages: messages.flatMap(chatMessages) }),
  'openai-responses': (messages) => ({ input: messages.flatMap(responsesItems) }),
  anthropic(messages) {
    const system = leadingSystem(messages)
    const rest = messages.slice(system.length)
    return {
      max_tokens: 100,
      ...(system.length === 0 ? {} : { system: system.flatMap(({ content }) => anthropicBlocks(content)) }),
      messages: rest.map(anthropicMessage),
    }
  },
  ollama: (messages) => ({ messages: messages.flatMap(ollamaMessages) }),
  gemini(messages) {
    const system = leadingSystem(messages)
    const parts = system.flatMap(({ content }) => geminiParts(content))
    return {
      ...(system.length === 0 ? {} : { systemInstruction: { parts } }),
      contents: messages.slice(system.length).map(geminiContent),
    }
  },
}

function leadingSystem(messages: readonly Message[]): readonly Extract<Message, { role: 'system' }>[] {
  const end = messages.findIndex((message) => message.role !== 'system')
  return messages.slice(0, end) as Extract<Message, { role: 'system' }>[]
}

function textsOf(content: Content): readonly { text: string }[] {
  return content.flatMap((part) => (part.type === 'text' ? [part] : []))
}

/** A lone text as a string, as clients send it. */
function contentOf<T>(content: Content, write: (content: Content) => T): T | string {
  const [first] = content
  return content.length === 1 && first?.type === 'text' ? first.text : write(content)
}

function chatMessages(message: Message): readonly Json[] {
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => {
      return { role: 'tool', tool_call_id: callId, content: contentOf(content, chatParts) }
    })
  }
  const content = contentOf(message.content, chatParts)
  if (message.role !== 'assistant') return [{ role: message.role, content }]
  const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
  const calls = callsOf(message).map(({ id, name, arguments: text }) => {
    return { id, type: 'function', function: { name, arguments: text } }
  })
  return [
    {
      role: 'assistant',
      content,
      ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('') }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]
}

function chatParts(content: Content): readonly Json[] {
  return content.flatMap((part): readonly Json[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    return part.type === 'image' ? [{ type: 'image_url', image_url: { url: part.url } }] : []
  })
}

function callsOf(message: Message): readonly AnyCall[] {
  return message.role === 'assistant' ? message.content.filter(isCall) : []
}

function responsesItems(message: Message): readonly Json[] {
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => {
      return { type: 'function_call_output', call_id: callId, output: contentOf(content, responsesParts) }
    })
  }
  if (message.role !== 'assistant') {
    return [{ type: 'message', role: message.role, content: contentOf(message.content, responsesParts) }]
  }
  return message.content.flatMap((part): readonly Json[] => {
    if (part.type === 'text') {
      const content = [{ type: 'output_text', text: part.text, annotations: [] }]
      return [{ type: 'message', role: 'assistant', status: 'completed', content }]
    }
    if (part.type === 'reasoning') return [{ type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }] }]
    if (part.type === 'opaque') return []
    return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }]
  })
}

function responsesParts(content: Content): readonly Json[] {
  return content.flatMap((part): readonly Json[] => {
    if (part.type === 'text') return [{ type: 'input_text', text: part.text }]
    return part.type === 'image' ? [{ type: 'input_image', image_url: part.url }] : []
  })
}

function anthropicMessage(message: Message): Json {
  if (message.role === 'tool') {
    const content = message.results.map(({ callId, isError, content }) => {
      return {
        type: 'tool_result',
        tool_use_id: callId,
        is_error: isError,
        content: contentOf(content, anthropicBlocks),
      }
    })
    return { role: 'user', content }
  }
  return { role: message.role, content: contentOf(message.content, anthropicBlocks) }
}

function anthropicBlocks(content: Content): readonly Json[] {
  return content.flatMap((part): readonly Json[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'reasoning':
        return [{ type: 'thinking', thinking: part.text, signature: 'c2lnbmF0dXJl' }]
      case 'image':
        return [{ type: 'image', source: { type: 'url', url: part.url } }]
      case 'tool_call':
      case 'broken_call':
        return [{ type: 'tool_use', id: part.id, name: part.name, input: JSON.parse(part.arguments) }]
      default:
        return []
    }
  })
}

function ollamaMessages(message: Message): readonly Json[] {
  if (message.role === 'tool') {
    return message.results.map(({ callId, name, content }) => {
      const id = callId === '' ? {} : { tool_call_id: callId }
      return { role: 'tool', tool_name: name, ...id, content: textOf(content) }
    })
  }
  const calls = callsOf(message).map(({ id, name, arguments: text }) => {
    return { ...(id === '' ? {} : { id }), function: { name, arguments: JSON.parse(text) } }
  })
  const thinking = (message.content as Content).flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
  const images = (message.content as Content).flatMap((part) => (part.type === 'image' ? ['/9j/4AAQSkZJRgABAQ=='] : []))
  // Several texts are blocks, as clients of other wires send them.
  const texts = textsOf(message.content)
  return [
    {
      role: message.role,
      content: texts.length < 2 ? (texts[0]?.text ?? '') : texts.map(({ text }) => ({ type: 'text', text })),
      ...(thinking.length === 0 ? {} : { thinking: thinking.join('') }),
      ...(images.length === 0 ? {} : { images }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]
}

function geminiContent(message: Message): Json {
  if (message.role !== 'tool') {
    return { role: message.role === 'assistant' ? 'model' : message.role, parts: geminiParts(message.content) }
  }
  const parts = message.results.map(({ callId, name, isError, content }) => {
    const response = { [isError ? 'error' : 'output']: textOf(content) }
    return { functionResponse: { ...(callId === '' ? {} : { id: callId }), name, response } }
  })
  return { role: 'user', parts }
}

function geminiParts(content: Content): readonly Json[] {
  return content.flatMap((part): readonly Json[] => {
    switch (part.type) {
      case 'text':
        return [{ text: part.text }]
      case 'reasoning':
        return [{ text: part.text, thought: true }]
      case 'image':
        return [{ fileData: { mimeType: 'image/png', fileUri: part.url } }]
      case 'tool_call':
      case 'broken_call': {
        const id = part.id === '' ? {} : { id: part.id }
        return [{ functionCall: { ...id, name: part.name, args: JSON.parse(part.arguments) } }]
      }
      default:
        return []
    }
  })
}

// Where a recorded stream says that the answer is whole. A stream cut before that place must never look finished.
import type { Wire } from '../../src/conversation/messages.js'
import { count, type Fields, fields, list } from './reading/reading.js'

const isTerminal: Readonly<Record<Wire, (payload: Fields) => boolean>> = {
  // Compatibles leave [DONE] out and the usage chunk may be lost: the finish reason decides.
  'openai-chat': (chunk) =>
    chunk.error !== undefined ||
    list(chunk.choices).some((choice) => count(choice.index) === 0 && Boolean(choice.finish_reason)),
  'openai-responses': (event) =>
    ['response.completed', 'response.incomplete', 'response.failed', 'error'].includes(String(event.type)),
  anthropic: (event) => event.type === 'message_stop' || event.type === 'error',
  ollama: (line) => line.done === true || line.error !== undefined,
  // The stream ends at the end of the connection: the finish reason is all it says.
  gemini: (chunk) => list(chunk.candidates).some((candidate) => candidate.finishReason !== undefined),
}

/** The place right behind the terminal marker, in characters. A payload over several lines is the last one of its stream. */
export function terminalEnd(wire: Wire, stream: string): number {
  let start = 0
  for (const line of stream.split('\n')) {
    const end = start + line.trimEnd().length
    const payload = line.replace(/^data: ?/, '').trim()
    if (payload === '[DONE]') return end
    if (payload.startsWith('{') && isTerminal[wire](parsed(payload))) return end
    start += line.length + 1
  }
  return stream.lastIndexOf('}') + 1
}

function parsed(payload: string): Fields {
  try {
    return fields(JSON.parse(payload))
  } catch {
    return {}
  }
}

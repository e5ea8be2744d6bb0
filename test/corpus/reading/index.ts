// The independent reading of a recorded answer, by wire.
import type { Wire } from '../../../src/conversation/messages.js'
import { answerText, type Exchanged, isStreamed } from '../records.js'
import { anthropic } from './anthropic.js'
import { gemini } from './gemini.js'
import { ollama } from './ollama.js'
import { openaiChat } from './openai-chat.js'
import { openaiResponses } from './openai-responses.js'
import type { Reader, Reading } from './reading.js'

const readers: Readonly<Record<Wire, Reader>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
  gemini,
}

export function readingOf(wire: Wire, record: Exchanged): Reading {
  const { status } = record.response
  if (status >= 400) return { kind: 'error', status }
  const reader = readers[wire]
  return isStreamed(record) ? reader.readStream(answerText(wire, record)) : reader.readBody(record.response.body)
}

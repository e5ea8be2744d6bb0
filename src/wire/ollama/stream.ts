// A streamed answer: NDJSON whose last line says `done`. An end before it is `truncated`.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { ndjsonFrames } from '../../frames/ndjson.js'
import type { Env, Exchange, StreamDecoder } from '../codec.js'
import { lineReader } from './lines.js'

export { encode } from './stream-encode.js'

export function decode(exchange: Exchange, env: Env): StreamDecoder {
  const frames = ndjsonFrames(env.limits)
  const reader = lineReader(exchange, env)
  return {
    push(bytes) {
      const events: CompletionEvent[] = []
      try {
        for (const text of frames.push(bytes)) reader.readText(text, events)
      } catch (error) {
        if (reader.isOpen()) reader.fail(error as ToolwireError, events)
      }
      return events
    },
    end() {
      const events: CompletionEvent[] = []
      try {
        for (const text of frames.end()) {
          if (isCut(text)) break
          reader.readText(text, events)
        }
      } catch (error) {
        if (reader.isOpen()) reader.fail(error as ToolwireError, events)
      }
      if (reader.isOpen()) reader.fail(truncated(), events)
      return events
    },
  }
}

/** Whether the end came inside of an object. */
function isCut(text: string): boolean {
  if (!text.startsWith('{')) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

export function truncated(): ToolwireError {
  return new ToolwireError('truncated', 'the answer ended before its last line ("done": true); send the request again')
}

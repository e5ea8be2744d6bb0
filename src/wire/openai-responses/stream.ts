// Streams of a server: frames to events. Nothing is thrown; what is wrong on the wire becomes an `error` event.
// The trap: the end of the bytes proves nothing. Only a terminal event (completed, incomplete, failed) ends an answer.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import type { SseFrame } from '../../frames/sse.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange, StreamDecoder } from '../codec.js'
import { type FrameReader, sseStream } from '../sse-stream.js'
import { createOutputReader } from './output-decode.js'
import { decode as decodeBody } from './response.js'

export function decode(exchange: Exchange, env: Env): StreamDecoder {
  const reader = createOutputReader(exchange, env)
  let failed = false
  const frames: FrameReader = {
    isDone: () => failed || reader.isEnded(),
    read({ event, data }: SseFrame, events: CompletionEvent[]) {
      if (data === '' || data === '[DONE]') return
      const value: Json = parseBody(data)
      if (!isJsonObject(value)) events.push({ type: 'unknown', raw: value })
      else reader.event(value.type === undefined && event !== undefined ? { type: event, ...value } : value, events)
    },
    fail(error, events) {
      failed = true
      events.push({ type: 'error', error: asError(error) })
    },
    end(events) {
      frames.fail(new ToolwireError('truncated', 'the stream ended before the response was completed'), events)
    },
  }
  return sseStream(env, frames, (body) => decodeBody({ status: 200, headers: {}, body }, exchange, env))
}

function asError(cause: unknown): ToolwireError {
  if (ToolwireError.is(cause)) return cause
  return new ToolwireError('malformed_response', 'the stream could not be read', { cause })
}

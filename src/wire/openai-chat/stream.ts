// A streamed answer as events: chunks until `[DONE]`. A plain body under the name of a stream is read too.
// The trap: the end of the bytes proves nothing. Without the marker or a finish reason the answer was cut.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import type { SseFrame } from '../../frames/sse.js'
import { ChangingText } from '../../json/changing-text.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import type { Env, Exchange, StreamDecoder } from '../codec.js'
import { type FrameReader, sseStream } from '../sse-stream.js'
import { type Answer, finishAnswer, type LoneString, loneString, openAnswer, readChunk, readLone } from './answer.js'
import { errorIn } from './error.js'
import { decode as decodeBody, hasError, noChoices } from './response.js'

interface Reader {
  readonly answer: Answer
  /** Most chunks of most servers differ in one string alone: the text, or a fragment of the arguments of a call. */
  readonly texts: ChangingText
  /** What that string is. */
  learned: LoneString | undefined
  done: boolean
}

export function decode(exchange: Exchange, env: Env): StreamDecoder {
  const answer = openAnswer(exchange, env, false)
  const reader: Reader = { answer, texts: new ChangingText(), learned: undefined, done: false }
  const frames: FrameReader = {
    isDone: () => reader.done,
    read: (frame, events) => readFrame(reader, frame, events),
    fail: (error, events) => fail(reader, error, events),
    end(events) {
      if (reader.answer.state === 'finished') finishAnswer(reader.answer, events)
      else fail(reader, cut(), events)
      reader.done = true
    },
  }
  return sseStream(env, frames, (body) => decodeBody({ status: 200, headers: {}, body }, exchange, env))
}

function cut(): ToolwireError {
  return new ToolwireError('truncated', 'the stream ended before its finish reason; what came is not a whole answer')
}

function fail(reader: Reader, error: unknown, events: CompletionEvent[]): void {
  reader.done = true
  const message = 'the stream cannot be read'
  const typed = ToolwireError.is(error) ? error : new ToolwireError('malformed_response', message, { cause: error })
  events.push({ type: 'error', error: typed })
}

function readFrame(reader: Reader, frame: SseFrame, events: CompletionEvent[]): void {
  const { data } = frame
  const text = frame.event === 'error' ? undefined : reader.texts.read(data)
  if (text !== undefined && reader.learned !== undefined) {
    readLone(reader.answer, reader.learned, text, events)
    return
  }
  if (data === '[DONE]') {
    reader.done = true
    if (reader.answer.state === 'empty') fail(reader, noChoices(), events)
    else finishAnswer(reader.answer, events)
    return
  }
  if (data.trim() === '') return
  const body = parseBody(data)
  if (!isJsonObject(body)) {
    events.push({ type: 'unknown', raw: body })
    return
  }
  const { choices } = body
  if (!Array.isArray(choices) || hasError(body.error) || frame.event === 'error') {
    const error = errorIn(body)
    if (error !== undefined) fail(reader, error, events)
    else events.push({ type: 'unknown', raw: body })
    return
  }
  readChunk(reader.answer, body, choices, data, events)
  if (reader.answer.failure !== undefined) fail(reader, reader.answer.failure, events)
  else if (reader.answer.started) {
    const found = loneString(body, choices)
    if (found !== undefined && reader.texts.learn(data, found.key)) reader.learned = found
  }
}

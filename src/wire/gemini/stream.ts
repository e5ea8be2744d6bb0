// A streamed answer, read: server-sent events, or without alt=sse one JSON array; a bare object is read as a whole answer.
// Trap: which it is shows in the first character, whatever the content type says.
import type { CompletionEvent } from '../../conversation/events.js'
import { ToolwireError } from '../../errors/error.js'
import { bodyBytes } from '../../frames/body.js'
import type { Framer } from '../../frames/framer.js'
import { jsonArrayFrames } from '../../frames/json-array.js'
import { type SseFrame, sseFrames } from '../../frames/sse.js'
import { isJsonObject, isList, parseBody } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange, StreamDecoder } from '../codec.js'
import { isBlank } from '../sse-stream.js'
import { answerReader } from './answer.js'

export { encode } from './stream-encode.js'

type Frames = Framer<SseFrame | string>

const nothing: readonly CompletionEvent[] = []

export function decode(exchange: Exchange, env: Env): StreamDecoder {
  const reader = answerReader(exchange, env)
  let frames: Frames | undefined
  let head: Uint8Array = new Uint8Array(0)
  let done = false

  const fail = (error: unknown, events: CompletionEvent[]): void => {
    done = true
    const known = ToolwireError.is(error) ? error : new ToolwireError('malformed_response', 'the stream cannot be read')
    events.push({ type: 'error', error: known })
  }

  const readChunk = (chunk: Json, text: string, events: CompletionEvent[]): void => {
    if (isJsonObject(chunk)) done = !reader.push(chunk, text, events)
    else if (isList(chunk)) for (const item of chunk) readChunk(item, JSON.stringify(item), events)
    else events.push({ type: 'unknown', raw: chunk })
  }

  /** A frame cut short by the end of the bytes is a cut answer; anywhere else it is a broken one. */
  const read = (list: readonly (SseFrame | string)[], last: boolean, events: CompletionEvent[]): void => {
    for (const frame of list) {
      if (done) return
      const text = typeof frame === 'string' ? frame : frame.data
      if (isBlank(text) || text.trim() === '[DONE]') continue
      let chunk: Json
      try {
        chunk = parseBody(text)
      } catch (error) {
        if (!last || (ToolwireError.is(error) && error.code !== 'malformed_response')) throw error
        throw new ToolwireError('truncated', 'the stream ended inside of a chunk; the answer is not complete')
      }
      readChunk(chunk, text, events)
    }
  }

  const framesFor = (bytes: Uint8Array): Frames | undefined => {
    if (frames !== undefined) return frames
    // A copy only where nothing is decided yet: the caller may use its bytes again.
    const given = head.length === 0 ? bytes : bodyBytes([head, bytes])
    const first = firstCharacter(given)
    head = first === undefined ? new Uint8Array(given) : given
    if (first === undefined) return undefined
    const limits = env.limits
    frames = first === '[' || first === '{' ? jsonArrayFrames(limits) : first === '<' ? refused() : sseFrames(limits)
    return frames
  }

  return {
    push(bytes) {
      if (done) return nothing
      const events: CompletionEvent[] = []
      try {
        const known = frames !== undefined
        const framer = framesFor(bytes)
        if (framer !== undefined) read(framer.push(known ? bytes : head), false, events)
      } catch (error) {
        fail(error, events)
      }
      return events
    },
    end() {
      if (done) return nothing
      const events: CompletionEvent[] = []
      try {
        if (frames !== undefined) read(frames.end(), true, events)
        if (!done) reader.finish('truncated', events)
      } catch (error) {
        fail(error, events)
      }
      done = true
      return events
    },
  }
}

/** The first character that says something; nothing while only white space or a byte order mark came. */
function firstCharacter(bytes: Uint8Array): string | undefined {
  for (const byte of bytes) {
    if (byte > 32 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return String.fromCharCode(byte)
  }
  return undefined
}

/** A page instead of a stream: a proxy or a wrong address answered. */
function refused(): Frames {
  const refuse = (): never => {
    throw new ToolwireError('malformed_response', 'the answer is a page, not a stream; is the address right?')
  }
  return { push: refuse, end: refuse }
}

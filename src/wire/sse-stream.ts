// The frame of every decoder of server-sent events: bytes to frames to a wire's own reader, errors as events.
// The trap: a server may answer with a plain body (an error, a page, a whole answer) under the name of a stream.
import type { CompletionEvent } from '../conversation/events.js'
import { bodyText } from '../frames/body.js'
import { type SseFrame, sseFrames } from '../frames/sse.js'
import type { Env, StreamDecoder } from './codec.js'
import { cutShort } from './failure.js'

/** What a wire does with the frames of an answer. */
export interface FrameReader {
  /** Whether the answer is over, well or not: nothing more is read then. */
  isDone(): boolean
  read(frame: SseFrame, events: CompletionEvent[]): void
  /** Ends the answer with a failure. */
  fail(error: unknown, events: CompletionEvent[]): void
  /** The bytes are over and the answer is not: finishes it if it may, else tells that it was cut. */
  end(events: CompletionEvent[]): void
}

const none: readonly CompletionEvent[] = []

/** `readBody` reads what came when it was no stream at all. */
export function sseStream(
  env: Env,
  reader: FrameReader,
  readBody: (body: string) => readonly CompletionEvent[],
): StreamDecoder {
  const framer = sseFrames(env.limits)
  /** The bytes before the first frame: they may be a plain body. */
  let held: Uint8Array[] | undefined = []

  const take = (frames: () => readonly SseFrame[], bytes?: Uint8Array): readonly CompletionEvent[] => {
    if (reader.isDone()) return none
    const events: CompletionEvent[] = []
    try {
      const list = frames()
      if (list.length > 0) held = undefined
      else if (bytes !== undefined) held?.push(bytes)
      for (const frame of list) if (!reader.isDone() && !isBlank(frame.data)) reader.read(frame, events)
    } catch (error) {
      // A frame that breaks off at the end of the bytes was cut; anywhere else it is broken.
      reader.fail(bytes === undefined ? cutShort(error) : error, events)
    }
    return events
  }
  return {
    push: (bytes) => take(() => framer.push(bytes), bytes),
    end() {
      const events = [...take(() => framer.end())]
      if (reader.isDone()) return events
      const body = held === undefined ? '' : bodyText(held).trim()
      if (/^[{[<]/.test(body)) return [...events, ...readBody(body)]
      reader.end(events)
      return events
    },
  }
}

/** Whether a frame carries nothing: proxies keep a stream alive with empty `data:` lines. */
export function isBlank(data: string): boolean {
  return data === '' || (data.charCodeAt(0) <= 32 && data.trim() === '')
}

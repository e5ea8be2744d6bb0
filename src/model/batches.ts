// Events in the batches they arrived in, for those who write them on: a promise for each event costs more than the event.
import type { CompletionEvent } from '../conversation/events.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Events } from './awaitable.js'
import type { CompletionStream } from './model.js'

export type Batches = Events<readonly CompletionEvent[], CompletionResponse>

const inBatches: unique symbol = Symbol('inBatches')

interface BatchedStream extends CompletionStream {
  [inBatches](): Batches
}

/** The stream, which `batchesOf` then reads as it arrives. */
export function withBatches(stream: CompletionStream, open: () => Batches): CompletionStream {
  return Object.assign(stream, { [inBatches]: open })
}

/** The events of a stream that nobody reads yet; of a stream that knows no batches, each alone. Whoever leaves aborts the call's signal first. */
export function batchesOf(stream: CompletionStream): Batches {
  return inBatches in stream ? (stream as BatchedStream)[inBatches]() : alone(stream)
}

async function* alone(stream: CompletionStream): AsyncGenerator<readonly CompletionEvent[], CompletionResponse> {
  for await (const event of stream) yield [event]
  return await stream
}

// A stream through its codec, in the pieces given, and an answer in the words of a table.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import { isCall } from '../../src/conversation/messages.js'
import { inputTokens, outputTokens } from '../../src/conversation/usage.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'

export function streamEvents(
  codec: Codec,
  pieces: readonly Uint8Array[],
  exchange: Exchange,
  env: Env,
): readonly CompletionEvent[] {
  const decoder = codec.stream.decode(exchange, env)
  const events = pieces.flatMap((piece) => decoder.push(piece))
  return [...events, ...decoder.end()]
}

/** What the events add up to; an error is returned beside what came before it. */
export function foldAll(events: Iterable<CompletionEvent>): Folded {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done()
}

/** What an answer should be; what is left out is empty. */
export interface Expected {
  readonly text?: string
  readonly reasoning?: string
  /** Name and exact arguments of each call, runnable or not. */
  readonly calls?: readonly (readonly [name: string, args: string])[]
  readonly finish?: string
  /** Everything read and everything written. */
  readonly usage?: readonly [input: number, output: number]
  /** The code of the error, when the stream holds one. */
  readonly error?: string
  /** The types of blocks that only the provider itself reads. */
  readonly blocks?: readonly unknown[]
}

type Summary = { readonly [K in keyof Expected]-?: Expected[K] | undefined }

/** The summary of an answer that says nothing. */
export const nothing: Summary = {
  text: '',
  reasoning: '',
  calls: [],
  finish: 'error',
  usage: undefined,
  error: undefined,
  blocks: [],
}

export function summaryOf({ response, error }: Folded): Summary {
  const { content } = response.message
  const { usage } = response
  return {
    text: response.text,
    reasoning: content.map((part) => (part.type === 'reasoning' ? part.text : '')).join(''),
    calls: content.filter(isCall).map((call) => [call.name, call.arguments] as const),
    finish: response.finishReason,
    usage: usage === undefined ? undefined : [inputTokens(usage) ?? 0, outputTokens(usage) ?? 0],
    error: error?.code,
    blocks: content.flatMap((part) => (part.type === 'opaque' ? [part.data.type] : [])),
  }
}

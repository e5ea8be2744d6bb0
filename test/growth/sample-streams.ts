// Answers as the bytes of a wire, written by its own server half.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { utf8 } from '../../src/frames/body.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { profileOf } from '../../src/wire/index.js'

export function envOf(codec: Codec): Env {
  return { profile: profileOf(codec), createdSeconds: 0, deltas: true }
}

function exchangeOf(codec: Codec): Exchange {
  return { wire: codec.wire, model: 'm', provider: envOf(codec).profile.name, stream: true }
}

export function written(codec: Codec, events: readonly CompletionEvent[]): Uint8Array {
  const writer = codec.stream.encode(exchangeOf(codec), envOf(codec))
  return utf8([...events.map((event) => writer.push(event)), writer.end()].join(''))
}

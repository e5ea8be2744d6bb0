// Answers of any size as the bytes of a wire, written by its own server half, and read in small pieces.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { utf8 } from '../../src/frames/body.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { profileOf } from '../../src/wire/index.js'

const pieceBytes = 700

export function envOf(codec: Codec): Env {
  return { profile: profileOf(codec), createdSeconds: 0, deltas: true }
}

function exchangeOf(codec: Codec): Exchange {
  return { wire: codec.wire, model: 'm', provider: envOf(codec).profile.name, stream: true }
}

const start: CompletionEvent = { type: 'start', id: 'answer_1', model: 'm' }

export function textEvents(deltas: number): readonly CompletionEvent[] {
  const texts = Array.from({ length: deltas }, (_, index): CompletionEvent => {
    return { type: 'text_delta', part: 0, text: ` word${index % 97}` }
  })
  return [start, ...texts, { type: 'finish', reason: 'stop' }]
}

/** One call, its arguments in fragments of 50 characters. */
export function callEvents(characters: number): readonly CompletionEvent[] {
  const rows = Array.from({ length: characters / 50 }, (_, index) => `row ${index} of the "file"`.padEnd(46, '.'))
  const text = JSON.stringify({ path: 'src/a.ts', rows })
  const call = { part: 0, id: 'call_1', name: 'write_file' }
  const fragments = Array.from({ length: Math.ceil(text.length / 50) }, (_, index): CompletionEvent => {
    return { type: 'tool_call_delta', ...call, text: text.slice(index * 50, (index + 1) * 50) }
  })
  const whole = { type: 'tool_call', id: call.id, name: call.name, arguments: text } as const
  return [start, ...fragments, { type: 'tool_call', part: 0, call: whole }, { type: 'finish', reason: 'tool_calls' }]
}

export function written(codec: Codec, events: readonly CompletionEvent[]): Uint8Array {
  const writer = codec.stream.encode(exchangeOf(codec), envOf(codec))
  return utf8([...events.map((event) => writer.push(event)), writer.end()].join(''))
}

export function read(codec: Codec, bytes: Uint8Array): CompletionResponse {
  const machine = codec.stream.decode(exchangeOf(codec), envOf(codec))
  const folder = createFolder()
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const event of machine.push(bytes.subarray(at, at + pieceBytes))) folder.push(event)
  }
  for (const event of machine.end()) folder.push(event)
  return folder.done().response
}

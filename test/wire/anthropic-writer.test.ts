// The Anthropic stream writer, where the events of another wire do not come as its blocks want them.
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold } from '../../src/conversation/fold.js'
import { applyLosses } from '../../src/conversation/losses.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { envOf, exchange } from './anthropic-fixtures.js'

test('text that goes on behind complete arguments is reported, not silently run', () => {
  const env = envOf()
  const call = { type: 'broken_call', id: 'a', name: 'f', arguments: '{"x":1}{"cut', reason: 'malformed' } as const
  const events: readonly CompletionEvent[] = [
    { type: 'start', id: 'r', model: 'm' },
    { type: 'tool_call_delta', part: 0, id: 'a', name: 'f', text: '{"x":1}' },
    { type: 'text_delta', part: 1, text: 'and then' },
    { type: 'tool_call_delta', part: 0, id: 'a', name: 'f', text: '{"cut' },
    { type: 'broken_call', part: 0, call },
    { type: 'finish', reason: 'tool_calls' },
  ]
  const writer = codec.stream.encode(exchange, env)
  const text = events.map((event) => writer.push(event)).join('') + writer.end()
  const reader = codec.stream.decode(exchange, env)
  const read = fold([...reader.push(new TextEncoder().encode(text)), ...reader.end()])
  expect(writer.losses.map((loss) => loss.path)).not.toEqual([])
  const { content } = applyLosses(fold(events), writer.losses).message
  expect(read.message.content).toEqual(content)
})

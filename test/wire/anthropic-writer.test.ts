// The Anthropic stream writer, where the events of another wire do not come as its blocks want them.
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { foldAll, streamEvents } from '../streams/streamed.js'
import { envOf, exchange } from './anthropic-fixtures.js'

test('a call whose arguments go on behind its closed block ends the stream in an error: it cannot be run', () => {
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
  const { response, error } = foldAll(streamEvents(codec, [new TextEncoder().encode(text)], exchange, env))
  expect(error?.code).toBe('malformed_response')
  expect(response.toolCalls).toEqual([])
})

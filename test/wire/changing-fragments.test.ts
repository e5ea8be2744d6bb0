// Fragments that differ in one string alone are read by that string. Here each stream is also read with other white space in every
// frame, which is always read whole: both must tell the same.
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { utf8 } from '../../src/frames/body.js'
import type { Json } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { streamEvents } from '../streams/streamed.js'

type Told = 'openai-chat' | 'anthropic'

function eventsOf(wire: Told, frames: readonly Json[], spaced: boolean): readonly CompletionEvent[] {
  const written = frames.map((frame, n) => `data:${' '.repeat(spaced ? n + 2 : 1)}${JSON.stringify(frame)}\n\n`)
  const end = wire === 'anthropic' ? '' : 'data: [DONE]\n\n'
  const env = { profile: profileOf(codecs[wire]), createdSeconds: 1_794_700_000, deltas: true }
  return streamEvents(codecs[wire], [utf8(written.join('') + end)], { wire, model: 'm-1', stream: true }, env)
}

function expectSame(wire: Told, frames: readonly Json[]): readonly CompletionEvent[] {
  const events = eventsOf(wire, frames, false)
  expect(events).toEqual(eventsOf(wire, frames, true))
  return events
}

const argumentsOf = (events: readonly CompletionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool_call' ? [event.call.arguments] : []))

const chunk = (delta: Json, reason: string | null = null): Json => ({
  id: 'a',
  choices: [{ index: 0, delta, finish_reason: reason }],
})
const head = (index: number, name: string): Json =>
  chunk({ tool_calls: [{ index, id: `id-${name}`, function: { name, arguments: '' } }] })
const piece = (index: number, text: string): Json => chunk({ tool_calls: [{ index, function: { arguments: text } }] })

test('openai-chat: fragments of calls that take turns, with texts between them', () => {
  const events = expectSame('openai-chat', [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'One "arguments": ' }),
    chunk({ content: 'moment.' }),
    head(0, 'first'),
    piece(0, '{"arguments":'),
    piece(0, '"\\u0000'),
    piece(0, '\u0000 \\"content\\":"'),
    head(1, 'second'),
    piece(1, '{"id":12345678901234'),
    piece(0, ',"b":"é'),
    piece(1, '567890}'),
    piece(0, ''),
    chunk({ content: 'Still here.' }),
    piece(0, '"}'),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ' ' } }], content: 'Both.' }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ' ' } }], vendor_note: 'x' }),
    chunk({}, 'tool_calls'),
  ])
  expect(events.filter((event) => event.type === 'broken_call')).toHaveLength(1)
  expect(argumentsOf(events)).toEqual(['{"id":12345678901234567890}'])
})

const block = (index: number, content: Json): Json => ({ type: 'content_block_start', index, content_block: content })
const delta = (index: number, type: string, member: { readonly [key: string]: Json }): Json => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...member },
})
const json = (index: number, text: string): Json => delta(index, 'input_json_delta', { partial_json: text })
const text = (index: number, said: string): Json => delta(index, 'text_delta', { text: said })
const start: Json = { type: 'message_start', message: { id: 'm', model: 'x', content: [], usage: { input_tokens: 1 } } }
const stop: readonly Json[] = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]

test('anthropic: fragments of thinking, text and calls, also after their blocks were closed', () => {
  const events = expectSame('anthropic', [
    start,
    block(0, { type: 'thinking', thinking: '' }),
    delta(0, 'thinking_delta', { thinking: 'First "thinking": ' }),
    delta(0, 'thinking_delta', { thinking: 'the port.' }),
    delta(0, 'signature_delta', { signature: 's' }),
    block(1, { type: 'text', text: '' }),
    text(1, 'One '),
    text(1, ''),
    text(1, 'moment.'),
    block(2, { type: 'tool_use', id: 'c1', name: 'first', input: {} }),
    block(3, { type: 'tool_use', id: 'c2', name: 'second', input: {} }),
    json(2, ''),
    json(2, '{"partial_json":"'),
    json(3, '{"rawInvalidInput"'),
    json(3, ':1'),
    json(2, 'a\\"b'),
    json(3, ',"n":12345678901234567890}'),
    { type: 'content_block_stop', index: 3 },
    json(2, '"'),
    json(2, '}'),
    ...stop,
  ])
  expect(argumentsOf(events)).toEqual(['{"partial_json":"a\\"b"}', '{"rawInvalidInput":1,"n":12345678901234567890}'])
})

test('anthropic: a fragment that fits the former block of an index does not fit another kind of block', () => {
  const events = expectSame('anthropic', [
    start,
    block(0, { type: 'text', text: '' }),
    text(0, 'a'),
    text(0, 'b'),
    block(0, { type: 'tool_use', id: 'c', name: 'first', input: {} }),
    text(0, 'c'),
    json(0, '{}'),
    ...stop,
  ])
  expect(events.filter((event) => event.type === 'unknown')).toHaveLength(1)
})

// Streams as servers really send them, one oddity each, in our own words. Each is read whole, cut at every position, one byte
// at a time, and cut off at every position: before its end it must never look finished.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Folded } from '../../src/conversation/fold.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { terminalEnd } from '../corpus/terminals.js'
import { type Expected, foldAll, nothing, streamEvents, summaryOf } from './streamed.js'

const expected: Readonly<Record<string, Expected>> = {
  'openai-chat-filter-results-first.sse': { text: 'Grüße aus Köln', finish: 'stop' },
  'openai-chat-two-choices.sse': { text: 'Red fox', finish: 'stop', usage: [20, 6] },
  'openai-chat-two-choices-calling.sse': { calls: [['find_bus', '{"line":7}']], finish: 'tool_calls' },
  'openai-chat-no-done.sse': { text: 'No marker follows.', finish: 'stop', usage: [20, 6] },
  'openai-chat-call-without-index.sse': { calls: [['list_rooms', '{"floor": 3}']], finish: 'tool_calls' },
  'openai-chat-empty-name-later.sse': {
    calls: [['searchWeb', '{"q": "tide table"}']],
    finish: 'tool_calls',
    usage: [20, 6],
  },
  'openai-chat-head-repeated.sse': { calls: [['app_version', '{}']], finish: 'tool_calls', usage: [20, 6] },
  'openai-chat-content-blocks.sse': { text: '42', reasoning: 'Seven times six.', finish: 'stop', usage: [20, 6] },
  'openai-chat-error-event.sse': { reasoning: 'I should call it.', error: 'invalid_request' },
  'openai-chat-comments.sse': { text: 'Here at last', finish: 'stop' },
  'openai-chat-eos.sse': { text: 'Fin', finish: 'stop', usage: [20, 6] },
  'openai-chat-finish-with-call.sse': { calls: [['book', '{"seat": "12A"}']], finish: 'tool_calls', usage: [20, 6] },
  'openai-chat-null-arguments.sse': { text: 'Let me look.', calls: [['find_lessons', '{}']], finish: 'tool_calls' },
  'openai-chat-legacy-function.sse': { calls: [['get_tide', '{\n  "port": "Oban"\n}']], finish: 'tool_calls' },
  'openai-chat-usage-apart.sse': { text: '4', reasoning: 'hm', finish: 'stop', usage: [12, 31] },
  'openai-chat-usage-in-vendor-field.sse': { text: 'ok', finish: 'stop', usage: [20, 6] },
  'openai-responses-no-event-names.sse': { text: '4', reasoning: 'Two and two.', finish: 'stop', usage: [30, 9] },
  'openai-responses-changing-ids.sse': {
    calls: [['set_alarm', '{"at":"07:15"}']],
    finish: 'tool_calls',
    usage: [30, 9],
  },
  'openai-responses-id-of-another.sse': { reasoning: 'Once.', finish: 'stop', usage: [30, 9] },
  'openai-responses-two-ids-per-item.sse': {
    text: 'Low tide at six.',
    reasoning: 'Hm.',
    finish: 'stop',
    usage: [30, 9],
  },
  'openai-responses-id-of-another-kind.sse': {
    text: 'Low tide at six.',
    reasoning: 'Hm.',
    finish: 'stop',
    usage: [30, 9],
  },
  'openai-responses-deltas-without-index.sse': { text: 'Low tide at six.', finish: 'stop', usage: [30, 9] },
  'openai-responses-server-side-custom-call.sse': {
    text: 'They sail hourly.',
    calls: [['note', '{"input":"ferries sail"}']],
    blocks: ['custom_tool_call'],
    finish: 'tool_calls',
    usage: [30, 9],
  },
  'openai-responses-contradicting-end.sse': {
    text: 'Low tide at six.',
    reasoning: 'Checking the tables.',
    finish: 'stop',
    usage: [30, 9],
  },
  'openai-responses-call-cut.sse': { calls: [['set_alarm', '{"at":"07']], finish: 'length', usage: [30, 9] },
  'openai-responses-hosted-tool.sse': {
    text: '18 °C.',
    blocks: ['web_search_call'],
    finish: 'stop',
    usage: [30, 9],
  },
  'openai-chat-custom-tool.sse': { calls: [['run_code', '{"input":"print(2 + 2)"}']], finish: 'tool_calls' },
  'gemini-code-execution.sse': {
    text: 'It is 4.',
    blocks: [undefined, undefined, undefined],
    finish: 'stop',
    usage: [12, 9],
  },
  'openai-responses-custom-tool.sse': {
    calls: [['run_code', '{"input":"print(2 + 2)"}']],
    finish: 'tool_calls',
    usage: [30, 9],
  },
  'anthropic-second-message.sse': { text: 'First answer.', finish: 'stop', usage: [20, 4] },
  'anthropic-input-in-start.sse': { calls: [['roll', '{"sides":20}']], finish: 'tool_calls', usage: [20, 12] },
  'anthropic-empty-input.sse': { calls: [['now', '{}']], finish: 'tool_calls', usage: [20, 3] },
  'anthropic-server-tool.sse': {
    text: 'They sail hourly.',
    blocks: ['server_tool_use', 'web_search_tool_result'],
    finish: 'stop',
    usage: [905, 21],
  },
  'anthropic-unknown-delta.sse': { text: 'Go on.', blocks: ['compaction'], finish: 'stop', usage: [20, 8] },
  'anthropic-compaction.sse': {
    text: 'The last one sails at ten.',
    blocks: ['compaction'],
    finish: 'stop',
    usage: [960, 38],
  },
  'gemini-json-array.json': { text: 'Der erste Satz — fertig.', finish: 'stop', usage: [11, 12] },
  'gemini-number-finish.sse': { text: 'Cut of', finish: 'length', usage: [11, 2] },
  'gemini-empty-text-signature.sse': { text: 'Yes.', reasoning: 'Weighing it.', finish: 'stop', usage: [11, 8] },
  'gemini-partial-arguments.sse': {
    calls: [
      ['read_theme', '{}'],
      ['read_screen', '{"screen":"home","depth":2,"deep":{"flag":true}}'],
    ],
    finish: 'tool_calls',
    usage: [11, 9],
  },
  'gemini-blocked-prompt.sse': { finish: 'content_filter' },
  'ollama-object-over-two-lines.ndjson': { text: 'Ein Öl.', finish: 'stop', usage: [9, 4] },
  'ollama-one-line.ndjson': { text: 'All at once.', finish: 'stop', usage: [6, 3] },
  'ollama-call-without-id.ndjson': { calls: [['age_of', '{"person":"Zoë"}']], finish: 'tool_calls', usage: [0, 8] },
  'ollama-load.ndjson': { finish: 'stop' },
}

const files = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.ts'))

test('every stream has an expectation, and every expectation a stream', () => {
  expect(files.toSorted()).toEqual(Object.keys(expected).toSorted())
})

test.each(files)('%s is read as it was meant', (file) => {
  expect(summaryOf(folded(file, [bytesOf(file)]))).toEqual({ ...nothing, ...expected[file] })
})

test('items of a Responses stream that are done under one id are as many as they were', () => {
  const file = 'openai-responses-id-of-another.sse'
  const { content } = folded(file, [bytesOf(file)]).response.message
  expect(content.map((part) => [part.type, 'opaque' in part && part.opaque?.data.encrypted_content])).toEqual([
    ['reasoning', 'Zmlyc3Q='],
    ['reasoning', 'c2Vjb25k'],
  ])
})

test.each(files)('%s is the same answer wherever it is cut', (file) => {
  const bytes = bytesOf(file)
  const whole = JSON.stringify(read(file, [bytes]))
  const differing = positions(bytes, 1).filter(
    (at) => JSON.stringify(read(file, [bytes.subarray(0, at), bytes.subarray(at)])) !== whole,
  )
  expect(differing).toEqual([])
  expect(
    JSON.stringify(
      read(
        file,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
    ),
  ).toBe(whole)
})

test.each(files)('%s never looks finished before its end', (file) => {
  const bytes = bytesOf(file)
  const text = new TextDecoder().decode(bytes)
  const terminal = new TextEncoder().encode(text.slice(0, terminalEnd(wireOf(file), text))).length
  const { response } = read(file, [bytes])
  const wrong = positions(bytes, 0).filter((at) => {
    const cut = read(file, [bytes.subarray(0, at)])
    return cut.error === undefined && (at < terminal || cut.response.text !== response.text)
  })
  expect(wrong).toEqual([])
})

function positions(bytes: Uint8Array, first: number): readonly number[] {
  return Array.from({ length: bytes.length - first }, (_, index) => index + first)
}

function wireOf(file: string): Wire {
  const wire = wires.find((name) => file.startsWith(`${name}-`))
  if (wire === undefined) throw new Error(`${file} names no wire`)
  return wire
}

function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, import.meta.url)))
}

function folded(file: string, pieces: readonly Uint8Array[]): Folded {
  const wire = wireOf(file)
  const env = { profile: profileOf(codecs[wire]), createdSeconds: 1_794_700_000, deltas: false }
  return foldAll(streamEvents(codecs[wire], pieces, { wire, model: 'm-1', stream: true }, env))
}

function read(file: string, pieces: readonly Uint8Array[]) {
  const { response, error } = folded(file, pieces)
  return { response, error: error?.code }
}

// Whole answers and requests as they really come, one oddity each, in our own words.
import { expect, test } from 'vitest'
import type { UserPart, Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { type Expected, foldAll, nothing, summaryOf } from './streamed.js'

interface Body {
  readonly wire: Wire
  readonly what: string
  readonly status?: number
  readonly body: JsonObject
  readonly expected: Expected
}

const chat = (message: JsonObject, more: JsonObject = { finish_reason: 'stop' }): JsonObject => ({
  id: 'c-1',
  object: 'chat.completion',
  created: 1_794_700_000,
  model: 'm-1',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, ...more }],
})
const call = { id: 'call_1', type: 'function', function: { name: 'get_tide', arguments: '{"port": "Oban"}' } }
const responses = (more: JsonObject): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  model: 'm-1',
  error: null,
  ...more,
})
const anthropic = (stop: string, content: readonly JsonObject[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 2 },
})
const gemini = (
  candidate: JsonObject,
  usage: JsonObject = { promptTokenCount: 5, totalTokenCount: 5 },
): JsonObject => ({
  candidates: [candidate],
  usageMetadata: usage,
  modelVersion: 'm-1',
  responseId: 'r-1',
})

const bodies: readonly Body[] = [
  {
    wire: 'openai-chat',
    what: 'every member is there and empty, the finish reason too',
    body: chat(
      {
        content: 'Soon.',
        refusal: '',
        tool_calls: null,
        function_call: { name: '', arguments: '' },
        annotations: null,
      },
      { finish_reason: '' },
    ),
    expected: { text: 'Soon.', finish: 'stop' },
  },
  {
    wire: 'openai-chat',
    what: 'an empty custom tool stands beside the function of a call',
    body: chat(
      {
        content: '',
        function_call: { name: '', arguments: '' },
        tool_calls: [{ ...call, custom: { name: '', input: '' } }],
      },
      { finish_reason: '' },
    ),
    expected: { calls: [['get_tide', '{"port": "Oban"}']], finish: 'tool_calls' },
  },
  {
    wire: 'openai-chat',
    what: 'there is no finish reason',
    body: chat({ content: 'Paris.', refusal: null }, { logprobs: null }),
    expected: { text: 'Paris.', finish: 'stop' },
  },
  {
    wire: 'openai-chat',
    what: 'a call has no arguments member',
    body: chat({
      content: 'Looking.',
      tool_calls: [{ id: 'toolu_1', index: 0, type: 'function', function: { name: 'find' } }],
    }),
    expected: { text: 'Looking.', calls: [['find', '{}']], finish: 'tool_calls' },
  },
  {
    wire: 'openai-chat',
    what: 'content is a list with thinking in it',
    body: chat({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Easy.' }], closed: true },
        { type: 'text', text: 'Four.' },
      ],
    }),
    expected: { text: 'Four.', reasoning: 'Easy.', finish: 'stop' },
  },
  {
    wire: 'openai-chat',
    what: 'an error comes with status 200',
    body: {
      error: { message: 'The prompt was filtered', type: null, param: 'prompt', code: 'content_filter', status: 400 },
    },
    expected: { error: 'content_filtered' },
  },
  {
    wire: 'openai-chat',
    what: 'the input of a custom tool is free text',
    body: chat(
      { content: null, tool_calls: [{ id: 'call_2', type: 'custom', custom: { name: 'sum', input: '4 + 4' } }] },
      { finish_reason: 'tool_calls' },
    ),
    expected: { calls: [['sum', '{"input":"4 + 4"}']], finish: 'tool_calls' },
  },
  {
    wire: 'openai-responses',
    what: 'the answer is a list of embeddings',
    body: { object: 'list', data: [{ object: 'embedding', index: 0, embedding: 'AAAA' }], model: 'm-1' },
    expected: { error: 'malformed_response' },
  },
  {
    wire: 'openai-responses',
    what: 'the answer is queued',
    body: responses({ status: 'queued', background: true, output: [], usage: null }),
    expected: { finish: 'pause' },
  },
  {
    wire: 'openai-responses',
    what: 'an unknown model is a 400',
    status: 400,
    body: {
      error: {
        message: 'The model does not exist.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    },
    expected: { error: 'not_found' },
  },
  {
    wire: 'anthropic',
    what: 'the conversation was compacted and the turn stops for it',
    body: anthropic('compaction', [{ type: 'compaction', content: 'So far: nothing.' }]),
    expected: { blocks: ['compaction'], finish: 'pause', usage: [4, 2] },
  },
  {
    wire: 'anthropic',
    what: 'a refusal has no content at all',
    body: anthropic('refusal', []),
    expected: { finish: 'content_filter', usage: [4, 2] },
  },
  {
    wire: 'anthropic',
    what: 'a call comes with end_turn and text behind it',
    body: anthropic('end_turn', [
      { type: 'tool_use', id: 'toolu_1', name: 'roll', input: { sides: 6 } },
      { type: 'text', text: 'Rolled.' },
    ]),
    expected: { text: 'Rolled.', calls: [['roll', '{"sides":6}']], finish: 'tool_calls', usage: [4, 2] },
  },
  {
    wire: 'gemini',
    what: 'a filter of the platform stops the answer',
    body: gemini({ finishReason: 'MODEL_ARMOR', finishMessage: 'filtered' }),
    expected: { finish: 'content_filter', usage: [5, 0] },
  },
  {
    wire: 'gemini',
    what: 'a call of an undeclared function is an error, and still there',
    body: gemini({
      content: { role: 'model', parts: [{ functionCall: { name: 'ls', args: {} } }] },
      finishReason: 'UNEXPECTED_TOOL_CALL',
    }),
    expected: { calls: [['ls', '{}']], finish: 'error', usage: [5, 0] },
  },
  {
    wire: 'gemini',
    what: 'the content is an empty object and the finish reason a number',
    body: gemini({ content: {}, finishReason: 2 }, { promptTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 9 }),
    expected: { finish: 'length', usage: [5, 4] },
  },
  {
    wire: 'ollama',
    what: 'done has no reason and counts are missing',
    body: {
      model: 'm-1',
      created_at: '2026-11-15T10:00:00Z',
      message: { role: 'assistant', content: ' Yes.' },
      done: true,
    },
    expected: { text: ' Yes.', finish: 'stop' },
  },
]

test.each(bodies)('$wire: $what', ({ wire, status = 200, body, expected }) => {
  const env = { profile: profileOf(codecs[wire]), createdSeconds: 1_794_700_000, deltas: false }
  const http = { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const events = codecs[wire].response.decode(http, { wire, model: 'm-1', stream: false }, env)
  expect(summaryOf(foldAll(events))).toEqual({ ...nothing, ...expected })
})

function decoded(wire: Wire, path: string, body: JsonObject): CompletionRequest {
  const env = { profile: profileOf(codecs[wire]), createdSeconds: 1_794_700_000, deltas: false }
  return codecs[wire].request.decode({ method: 'POST', path, headers: {}, body: JSON.stringify(body) }, env).request
}

test('gemini: base64 in the URL-safe alphabet becomes the usual one', () => {
  const parts = [{ inline_data: { mime_type: 'image/png', data: '-_-_AA' } }]
  const { messages } = decoded('gemini', '/v1beta/models/m-1:generateContent', { contents: [{ role: 'user', parts }] })
  const [part] = messages[0]?.role === 'user' ? messages[0].content : ([] as readonly UserPart[])
  expect(part).toMatchObject({ type: 'image', mediaType: 'image/png', data: '+/+/AA==' })
})

test('anthropic: an address that only its own vendor can read is not sent', () => {
  const env = { profile: profileOf(codecs.anthropic), createdSeconds: 1_794_700_000, deltas: false }
  const content: readonly UserPart[] = [
    { type: 'text', text: 'What is this?' },
    { type: 'file', url: 'gs://bucket/film.mp4', mediaType: 'video/mp4' },
  ]
  const { http, losses } = codecs.anthropic.request.encode(
    { model: 'm-1', messages: [{ role: 'user', content }] },
    { stream: false },
    env,
  )
  expect(bodyText(http.body)).not.toContain('gs://')
  expect(losses.map(({ path }) => path)).toContain('/messages/0/content/1')
})

test('seal: a loss points at the part as it was given, also behind reasoning that was left out', () => {
  const env = { profile: profileOf(codecs['openai-chat']), createdSeconds: 1_794_700_000, deltas: false }
  const origin = { wire: 'anthropic' } as const
  const { losses } = codecs['openai-chat'].seal(
    {
      model: 'm-1',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Search it.' }] },
        {
          role: 'assistant',
          origin,
          content: [
            { type: 'reasoning', text: '', opaque: { origin, data: { signature: 's' } } },
            { type: 'text', text: 'Searching.' },
            { type: 'opaque', origin, data: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} } },
          ],
        },
      ],
    },
    env,
  )
  expect(losses.map(({ path }) => path)).toEqual(['/messages/1/content/0', '/messages/1/content/2'])
})

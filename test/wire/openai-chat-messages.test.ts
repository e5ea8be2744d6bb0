// Messages of the Chat Completions API in all their spellings: what they mean, and how they are written again.
import { describe, expect, test } from 'vitest'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { profileOf } from '../../src/wire/index.js'
import { openaiChatCodec as codec } from '../../src/wire/openai-chat/index.js'

const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const hello = { role: 'user', content: 'Hi' }
const origin = { wire: 'openai-chat' } as const
const own = (extra: JsonObject): JsonObject => ({ extra: { 'openai-chat': extra } })
const text = (value: string): JsonObject => ({ type: 'text', text: value })

interface Read {
  readonly message: unknown
  /** The message as it is written again. */
  readonly written: unknown
  readonly codes: readonly string[]
}

function read(message: JsonObject): Read {
  const isAnswer = message.role === 'assistant'
  const messages = message.role === 'user' ? [message] : isAnswer ? [hello, message] : [message, hello]
  const at = isAnswer ? 1 : 0
  const body = JSON.stringify({ model: 'm', messages })
  const { request, losses } = codec.request.decode({ method: 'POST', path: '/', headers: {}, body }, env)
  const encoded = codec.request.encode(request, { stream: false }, env)
  const again = JSON.parse(bodyText(encoded.http.body)) as { messages: readonly unknown[] }
  const codes = [...losses, ...encoded.losses].map(({ code }) => code).filter((code) => code !== 'result_missing')
  return { message: request.messages[at], written: again.messages[at], codes }
}

type Row = readonly [name: string, given: JsonObject, meant: JsonObject]

describe('written again as it came', () => {
  test.each<Row>([
    [
      'a block that nobody knows',
      { role: 'user', content: [{ type: 'novel', x: 1 }] },
      { role: 'user', content: [{ type: 'opaque', origin, data: { type: 'novel', x: 1 } }] },
    ],
    [
      'a refusal where only models refuse',
      { role: 'user', content: [{ type: 'refusal', refusal: 'no' }] },
      { role: 'user', content: [{ type: 'opaque', origin, data: { type: 'refusal', refusal: 'no' } }] },
    ],
    [
      'empty text with a name',
      { role: 'user', content: '', name: 'ann' },
      { role: 'user', content: [], ...own({ name: 'ann' }) },
    ],
    [
      'the role of developers',
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: [text('Be brief.')], ...own({ $role: 'developer' }) },
    ],
    [
      'a refusal as a block, with a field of its own',
      { role: 'assistant', content: [text('a'), { type: 'refusal', refusal: 'no', own: 1 }] },
      {
        role: 'assistant',
        origin,
        content: [
          text('a'),
          {
            ...text('no'),
            extra: { 'openai-chat': { own: 1, $refusal: 'block' }, 'openai-responses': { $refusal: true } },
          },
        ],
      },
    ],
    [
      'a refusal as a member',
      { role: 'assistant', content: null, refusal: 'no' },
      {
        role: 'assistant',
        origin,
        content: [
          { ...text('no'), extra: { 'openai-chat': { $refusal: true }, 'openai-responses': { $refusal: true } } },
        ],
      },
    ],
    [
      'a refusal beside empty content',
      { role: 'assistant', content: '', refusal: 'no' },
      {
        role: 'assistant',
        origin,
        content: [
          { ...text('no'), extra: { 'openai-chat': { $refusal: true }, 'openai-responses': { $refusal: true } } },
        ],
        ...own({ $content: '' }),
      },
    ],
    [
      'thinking that is not at the front',
      { role: 'assistant', content: [text('a'), { type: 'thinking', thinking: 'hm' }] },
      {
        role: 'assistant',
        origin,
        content: [text('a'), { type: 'opaque', origin, data: { type: 'thinking', thinking: 'hm' } }],
      },
    ],
    [
      'broken arguments',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }],
      },
      {
        role: 'assistant',
        origin,
        content: [{ type: 'broken_call', id: 'c', name: 'f', arguments: '{"a":', reason: 'malformed' }],
      },
    ],
    [
      'audio',
      { role: 'assistant', content: 'a', audio: { id: 'x' } },
      { role: 'assistant', origin, content: [text('a')], ...own({ audio: { id: 'x' } }) },
    ],
    [
      'annotations and a name',
      { role: 'assistant', content: 'a', annotations: [{ type: 'url_citation' }], name: 'bob' },
      {
        role: 'assistant',
        origin,
        content: [text('a')],
        ...own({ annotations: [{ type: 'url_citation' }], name: 'bob' }),
      },
    ],
  ])('%s', (_, given, meant) => {
    expect(read(given)).toEqual({ message: meant, written: given, codes: [] })
  })

  test('a call in the form before tools', () => {
    const given = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}', own: 1 } }
    const { message, written } = read(given)
    expect(message).toMatchObject({
      content: [
        { type: 'tool_call', name: 'f', arguments: '{"a":1}', ...own({ function: { own: 1 }, $legacy: true }) },
      ],
    })
    expect(written).toEqual(given)
  })
})

describe('written in the usual spelling', () => {
  test.each<readonly [...Row, written: JsonObject]>([
    [
      'text as a list item',
      { role: 'user', content: ['plain', { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: [text('plain'), { ...text('x'), ...own({ cache_control: { type: 'ephemeral' } }) }] },
      { role: 'user', content: [text('plain'), { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ],
    [
      'items that are no blocks',
      { role: 'user', content: [7, null] },
      {
        role: 'user',
        content: [
          { type: 'opaque', origin, data: { value: 7 } },
          { type: 'opaque', origin, data: { value: null } },
        ],
      },
      { role: 'user', content: [{ value: 7 }, { value: null }] },
    ],
    [
      'arguments as an object',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
      },
      { role: 'assistant', origin, content: [{ type: 'tool_call', id: 'c', name: 'f', arguments: '{"a":1}' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ],
    [
      'empty arguments, and a signature',
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c',
            type: 'function',
            function: { name: 'f', arguments: '' },
            extra_content: { google: { thought_signature: 's' } },
          },
        ],
      },
      {
        role: 'assistant',
        origin,
        content: [
          {
            type: 'tool_call',
            id: 'c',
            name: 'f',
            arguments: '{}',
            opaque: { origin, data: { google: { thought_signature: 's' } } },
          },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
            extra_content: { google: { thought_signature: 's' } },
          },
        ],
      },
    ],
    [
      'an empty list of annotations',
      { role: 'assistant', content: 'a', annotations: [] },
      { role: 'assistant', origin, content: [text('a')] },
      { role: 'assistant', content: 'a' },
    ],
  ])('%s', (_, given, meant, written) => {
    expect(read(given)).toEqual({ message: meant, written, codes: [] })
  })
})

describe('reported where it is left out', () => {
  const thought = (value: string, data: JsonObject): JsonObject => ({
    type: 'reasoning',
    text: value,
    opaque: { origin, data },
  })
  const answer = (...members: readonly JsonObject[]): JsonObject => ({
    role: 'assistant',
    content: 'a',
    ...Object.assign({}, ...members),
  })

  test.each<Row>([
    ['reasoning_content', answer({ reasoning_content: 'hm' }), thought('hm', { field: 'reasoning_content' })],
    ['reasoning', answer({ reasoning: 'hm' }), thought('hm', { field: 'reasoning' })],
    [
      'reasoning with its details',
      answer({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's' }] }),
      thought('hm', { field: 'reasoning', details: [{ type: 'reasoning.text', text: 'hm', signature: 's' }] }),
    ],
    [
      'details alone, their summary as text',
      answer({
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'hm' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      }),
      thought('hm', {
        details: [
          { type: 'reasoning.summary', summary: 'hm' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      }),
    ],
    [
      'a thinking block at the front',
      answer({ content: [{ type: 'thinking', thinking: [text('hm')] }, text('a')] }),
      thought('hm', { field: 'thinking' }),
    ],
    [
      'a thinking block whose text is plain, with a signature',
      answer({ content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, text('a')] }),
      thought('hm', { signature: 's', field: 'thinking' }),
    ],
  ])('%s, on an API without reasoning', (_, given, part) => {
    expect(read(given)).toEqual({
      message: { role: 'assistant', origin, content: [part, text('a')] },
      written: { role: 'assistant', content: 'a' },
      codes: ['reasoning_dropped'],
    })
  })

  test('an image in a system message', () => {
    const given = {
      role: 'system',
      content: [text('a'), { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    }
    expect(read(given)).toEqual({
      message: { role: 'system', content: [text('a')] },
      written: { role: 'system', content: 'a' },
      codes: ['block_dropped'],
    })
  })
})

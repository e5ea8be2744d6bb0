// What spans hold of a conversation, in the JSON form of the GenAI conventions: credentials masked, bytes left out.
import { expect, test } from 'vitest'
import type { AssistantPart, Message } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { contentText, inputMessages, outputMessages } from '../../src/otel/content.js'

const content: readonly AssistantPart[] = [
  { type: 'reasoning', text: 'hm' },
  { type: 'text', text: 'Hi' },
  { type: 'tool_call', id: 'a', name: 'add', arguments: '{"x":1}' },
  { type: 'broken_call', id: 'b', name: 'add', arguments: '{', reason: 'malformed' },
  { type: 'opaque', origin: { wire: 'anthropic' }, data: { secret: 'block' } },
]
const parts = [
  { type: 'reasoning', content: 'hm' },
  { type: 'text', content: 'Hi' },
  { type: 'tool_call', id: 'a', name: 'add', arguments: '{"x":1}' },
  { type: 'tool_call', id: 'b', name: 'add', arguments: '{' },
  { type: 'opaque' },
]

test('messages of every role', () => {
  const messages: readonly Message[] = [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', url: 'https://a.example/b.png' },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
        { type: 'file', data: 'BBBB', mediaType: 'application/pdf', name: 'b.pdf' },
      ],
    },
    { role: 'assistant', content },
    {
      role: 'tool',
      results: [
        {
          callId: 'a',
          name: 'add',
          isError: false,
          content: [
            { type: 'text', text: '2' },
            { type: 'image', data: 'CCCC' },
          ],
        },
        { callId: 'b', name: 'add', isError: true, content: [{ type: 'text', text: 'no' }] },
      ],
    },
  ]
  expect(inputMessages(messages)).toStrictEqual([
    { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'Look' },
        { type: 'uri', uri: 'https://a.example/b.png', modality: 'image' },
        { type: 'blob', modality: 'image', mime_type: 'image/png' },
        { type: 'blob', modality: 'file', mime_type: 'application/pdf' },
      ],
    },
    { role: 'assistant', parts },
    {
      role: 'tool',
      parts: [
        { type: 'tool_call_response', id: 'a', response: '2' },
        { type: 'tool_call_response', id: 'b', response: 'no' },
      ],
    },
  ])
})

test('an answer with the reason why it ended', () => {
  const response = {
    message: { role: 'assistant', content },
    finishReason: 'tool_calls',
  } as unknown as CompletionResponse
  expect(outputMessages(response)).toStrictEqual([{ role: 'assistant', parts, finish_reason: 'tool_calls' }])
})

test('credentials are masked', () => {
  const text = contentText({ key: 'sk-proj-1234567890abcdefghijklmnop', city: 'Paris' })
  expect(text).not.toContain('1234567890abcdefghijklmnop')
  expect(text).toContain('Paris')
})

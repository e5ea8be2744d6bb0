// Conversations as LangChain messages and back: nothing is lost that is not declared.
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AssistantMessage, applyLosses, type Message } from '../../src/index.js'
import { fromLangChainMessages, toLangChain, toLangChainMessages } from '../../src/langchain/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'

const { messages: anyMessages } = conversationArbitraries()

function stored(messages: readonly BaseMessage[]): BaseMessage[] {
  return mapStoredMessagesToChatMessages(JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([...messages]))))
}

function partsLangChainKnows(message: BaseMessage): unknown {
  return [(message as AIMessage).tool_calls, (message as ToolMessage).artifact]
}

describe('there and back', () => {
  test('any messages come back as they were, but for declared losses', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const { messages: written, losses } = toLangChainMessages(messages)
        const { messages: read, losses: lost } = fromLangChainMessages(written)
        expect(lost).toEqual([])
        expect(read).toEqual(applyLosses(messages, losses))
      }),
      { numRuns: 500 },
    )
  })

  test('also through the form in which LangChain stores messages', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const { messages: written, losses } = toLangChainMessages(messages)
        // LangChain's storage drops such keys from the objects it knows: arguments and artifacts.
        fc.pre(!written.some((message) => /"__proto__":/.test(JSON.stringify(partsLangChainKnows(message)))))
        expect(fromLangChainMessages(stored(written)).messages).toEqual(applyLosses(messages, losses))
      }),
      { numRuns: 300 },
    )
  })

  test('a conversation that needs no notes has none', () => {
    const messages: readonly Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_call', id: 'a', name: 'get_weather', arguments: '{"city":"Rome"}' },
        ],
      },
      {
        role: 'tool',
        results: [{ callId: 'a', name: 'get_weather', content: [{ type: 'text', text: '24' }], isError: false }],
      },
    ]
    const { messages: written } = toLangChainMessages(messages)
    expect(written.map((message) => message.additional_kwargs)).toEqual([{}, {}, {}, {}])
    expect(written.map((message) => message.type)).toEqual(['system', 'human', 'ai', 'tool'])
    expect(written[2]?.content).toBe('Let me look.')
    expect((written[2] as AIMessage).tool_calls).toEqual([
      { type: 'tool_call', id: 'a', name: 'get_weather', args: { city: 'Rome' } },
    ])
    expect(written[3]).toMatchObject({ content: '24', tool_call_id: 'a', name: 'get_weather', status: 'success' })
  })

  test('reasoning, broken calls and text behind a call are standard content blocks', () => {
    const turn: AssistantMessage = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hmm.', opaque: { origin: { wire: 'anthropic' }, data: { signature: 's' } } },
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' },
        { type: 'broken_call', id: 'b', name: 'g', arguments: '{"x":', reason: 'truncated' },
        { type: 'text', text: 'Done.' },
      ],
    }
    const [written] = toLangChainMessages([turn]).messages as [AIMessage]
    expect(written.contentBlocks.map((block) => block.type)).toEqual([
      'reasoning',
      'tool_call',
      'invalid_tool_call',
      'text',
    ])
    expect(written.text).toBe('Done.')
    expect(written.tool_calls?.map((call) => call.id)).toEqual(['a'])
    expect(written.invalid_tool_calls).toMatchObject([{ id: 'b', name: 'g', args: '{"x":' }])
  })
})

describe('a message that was edited is taken as it is now', () => {
  const signed: AssistantMessage = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hmm.', opaque: { origin: { wire: 'anthropic' }, data: { signature: 's' } } },
      { type: 'text', text: 'One.' },
      { type: 'tool_call', id: 'a', name: 'f', arguments: '{ "n": 12345678901234567890 }' },
    ],
  }
  const written = (): AIMessage => toLangChainMessages([signed]).messages[0] as AIMessage
  const readBack = (message: AIMessage): AssistantMessage =>
    fromLangChainMessages([message]).messages[0] as AssistantMessage

  test('every digit of an untouched call is kept', () => {
    expect(readBack(written())).toEqual(signed)
  })

  test('changed arguments replace the text', () => {
    const message = written()
    message.tool_calls = [{ id: 'a', name: 'f', args: { n: 1 }, type: 'tool_call' }]
    expect(readBack(message).content.at(-1)).toEqual({ type: 'tool_call', id: 'a', name: 'f', arguments: '{"n":1}' })
  })

  test('also when the message was merged from chunks', async () => {
    const calls = [
      { id: 'a', name: 'f', args: '{ "n": 1 }' },
      { id: 'b', name: 'g', args: '{}' },
    ]
    let merged: AIMessageChunk | undefined
    for await (const chunk of await toLangChain(scriptedModel([{ calls }])).stream('Go')) {
      merged = merged === undefined ? chunk : merged.concat(chunk)
    }
    const message = merged as unknown as AIMessage
    const call = { type: 'tool_call', id: 'a', name: 'f', arguments: '{ "n": 1 }' }
    expect(readBack(message).content).toEqual([call, { type: 'tool_call', id: 'b', name: 'g', arguments: '{}' }])
    message.tool_calls = [{ id: 'a', name: 'f', args: { n: 2 }, type: 'tool_call' }]
    expect(readBack(message).content).toEqual([{ ...call, arguments: '{"n":2}' }])
  })

  test('a removed call is gone, and changed reasoning has no signature any more', () => {
    const message = written()
    message.tool_calls = []
    message.content = [
      { type: 'reasoning', reasoning: 'Else.' },
      { type: 'text', text: 'One.' },
    ]
    expect(readBack(message).content).toEqual([
      { type: 'reasoning', text: 'Else.' },
      { type: 'text', text: 'One.' },
    ])
  })
})

describe('messages of others', () => {
  test('every form of image and file is read', () => {
    const content = [
      { type: 'image_url', image_url: 'https://a.example/x.png' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'image', url: 'https://a.example/y.png' },
      { type: 'image', mimeType: 'image/png', data: new Uint8Array([1, 2, 3]) },
      { type: 'image', source_type: 'base64', mime_type: 'image/jpeg', data: 'BBBB' },
      { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'CCCC' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,DDDD' } },
      { type: 'document', source: { type: 'url', url: 'https://a.example/z.pdf' } },
    ]
    const { messages, losses } = fromLangChainMessages([new HumanMessage({ content })])
    expect(losses).toEqual([])
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', url: 'https://a.example/x.png' },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
          { type: 'image', url: 'https://a.example/y.png' },
          { type: 'image', mediaType: 'image/png', data: 'AQID' },
          { type: 'image', mediaType: 'image/jpeg', data: 'BBBB' },
          { type: 'image', mediaType: 'image/gif', data: 'CCCC' },
          { type: 'file', mediaType: 'application/pdf', data: 'DDDD', name: 'a.pdf' },
          { type: 'file', url: 'https://a.example/z.pdf' },
        ],
      },
    ])
  })

  test('text documents, sounds and the blocks of Responses are read', () => {
    const base64 = btoa('hello')
    const content = [
      { type: 'text-plain', text: 'hello', title: 'Greeting' },
      { type: 'text-plain', data: base64, mimeType: 'text/markdown', metadata: { filename: 'a.md' } },
      { type: 'file', source_type: 'text', text: 'hello', mime_type: 'text/plain', metadata: { filename: 'b.txt' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' }, title: 'Greeting' },
      { type: 'text-plain', text: 'grüß' },
      { type: 'audio', mimeType: 'audio/wav', data: 'UklG' },
      { type: 'video', mimeType: 'video/mp4', url: 'https://a.example/v.mp4' },
      { type: 'input_text', text: 'Read them.' },
      { type: 'input_image', image_url: 'https://a.example/x.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,DDDD' },
      { type: 'input_file', file_url: 'https://a.example/z.pdf' },
    ]
    const { messages, losses } = fromLangChainMessages([new HumanMessage({ content } as never)])
    expect(losses).toEqual([])
    expect(messages[0]).toEqual({
      role: 'user',
      content: [
        { type: 'file', mediaType: 'text/plain', data: base64, name: 'Greeting' },
        { type: 'file', mediaType: 'text/markdown', data: base64, name: 'a.md' },
        { type: 'file', mediaType: 'text/plain', data: base64, name: 'b.txt' },
        { type: 'file', mediaType: 'text/plain', data: base64, name: 'Greeting' },
        { type: 'file', mediaType: 'text/plain', data: 'Z3LDvMOf' },
        { type: 'file', mediaType: 'audio/wav', data: 'UklG' },
        { type: 'file', mediaType: 'video/mp4', url: 'https://a.example/v.mp4' },
        { type: 'text', text: 'Read them.' },
        { type: 'image', url: 'https://a.example/x.png' },
        { type: 'file', mediaType: 'application/pdf', data: 'DDDD', name: 'a.pdf' },
        { type: 'file', url: 'https://a.example/z.pdf' },
      ],
    })
  })

  test('the thinking of Anthropic and Gemini keeps its signature, whoever reads it', () => {
    const thinking = [
      { type: 'thinking', thinking: 'Hmm.', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
    ]
    const anthropic = new AIMessage({
      content: thinking,
      response_metadata: { model_provider: 'anthropic', model: 'claude-x' },
    })
    const origin = { wire: 'anthropic', provider: 'anthropic', model: 'claude-x' }
    expect(fromLangChainMessages([anthropic]).messages[0]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hmm.', opaque: { origin, data: { signature: 's' } } },
        { type: 'opaque', origin, data: { type: 'redacted_thinking', data: 'r' } },
      ],
    })
    const gemini = new AIMessage({
      content: '',
      tool_calls: [{ id: 'a', name: 'f', args: {} }],
      additional_kwargs: { __gemini_function_call_thought_signatures__: { a: 'g' } },
      response_metadata: { model_provider: 'google-genai' },
    })
    expect(fromLangChainMessages([gemini]).messages[0]).toMatchObject({
      content: [{ id: 'a', opaque: { origin: { wire: 'gemini' }, data: { thoughtSignature: 'g' } } }],
    })
  })

  test('results are joined, named by their calls, and artifacts kept', () => {
    const messages = [
      new HumanMessage('Go'),
      new AIMessage({
        content: '',
        tool_calls: [
          { id: 'a', name: 'f', args: {} },
          { id: 'b', name: 'g', args: {} },
        ],
      }),
      new ToolMessage({ content: '1', tool_call_id: 'a', artifact: [1, 2] }),
      new ToolMessage({ content: 'Error: no\n Please fix your mistakes.', tool_call_id: 'b', status: 'error' }),
    ]
    const { messages: read } = fromLangChainMessages(messages)
    expect(read[2]).toEqual({
      role: 'tool',
      results: [
        {
          callId: 'a',
          name: 'f',
          content: [{ type: 'text', text: '1' }],
          isError: false,
          artifacts: { artifact: [1, 2] },
        },
        {
          callId: 'b',
          name: 'g',
          content: [{ type: 'text', text: 'no\n Please fix your mistakes.' }],
          isError: true,
          error: { category: 'unknown', message: 'no\n Please fix your mistakes.' },
        },
      ],
    })
  })

  test('what has no canonical place is dropped and reported', () => {
    const { messages, losses } = fromLangChainMessages([
      new SystemMessage('Be brief.'),
      new ChatMessage('hello', 'user'),
      new HumanMessage({
        content: [
          { type: 'audio', fileId: 'f1' },
          { type: 'text', text: 'hi' },
        ],
        name: 'Ann',
      }),
      new RemoveMessage({ id: 'x' }),
    ])
    expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'user'])
    expect(losses.map(({ code, path, kind }) => [code, path, kind])).toEqual([
      ['name_dropped', '/2/name', 'dropped'],
      ['block_dropped', '/2/content/0', 'dropped'],
      ['message_dropped', '/3', 'dropped'],
    ])
  })

  test('hostile notes change nothing but what they name, and never a prototype', () => {
    const kwargs = { toolwire: '{"notes":[{"of":1},null,{"of":"x","set":{"__proto__":{"a":1}}}],"message":7}' }
    const message = new HumanMessage({ content: 'hi', additional_kwargs: kwargs })
    expect(fromLangChainMessages([message]).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ])
    expect(({} as { a?: number }).a).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { append, emptyList, type MessageList, toArray } from '../../src/conversation/message-list.js'
import type { AssistantMessage, Message, ToolResult } from '../../src/conversation/messages.js'
import { answerOpenCalls } from '../../src/conversation/pairing.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'

const asked: AssistantMessage = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Looking.' },
    { type: 'tool_call', id: 'a', name: 'get_weather', arguments: '{"city":"Boston"}' },
    { type: 'broken_call', id: 'b', name: 'get_weather', arguments: '{"ci', reason: 'truncated' },
  ],
}
const result = (callId: string): ToolResult => ({
  callId,
  name: 'get_weather',
  content: [{ type: 'text', text: '18' }],
  isError: false,
})

describe('Conversation', () => {
  test('builds messages of every role and leaves the earlier value alone', () => {
    const first = new Conversation().system('Be brief.').user('Weather?')
    const later = first
      .assistant(asked)
      .toolResults([result('a'), result('b')])
      .assistant('18 degrees.')
    expect(first.messages.map((message) => message.role)).toEqual(['system', 'user'])
    expect(later.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant'])
    expect(later.messages[1]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Weather?' }] })
    expect(later.length).toBe(5)
  })

  test('takes parts as well as text from the user', () => {
    const conversation = new Conversation().user([{ type: 'image', url: 'https://example.com/a.png' }])
    expect(conversation.messages[0]).toEqual({
      role: 'user',
      content: [{ type: 'image', url: 'https://example.com/a.png' }],
    })
  })

  test('two branches of one conversation share its messages and do not see each other', () => {
    const trunk = new Conversation().user('one')
    const left = trunk.assistant('left')
    const right = trunk.assistant('right')
    expect(left.messages[0]).toBe(right.messages[0])
    expect(left.messages[1]).not.toEqual(right.messages[1])
    expect(trunk.length).toBe(1)
  })

  test('what was added cannot be changed afterwards, by its owner or by a reader', () => {
    const content = [{ type: 'text' as const, text: 'before' }]
    const conversation = new Conversation().user(content)
    content[0] = { type: 'text', text: 'after' }
    expect(conversation.messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'before' }] })
    expect(Object.isFrozen(conversation.messages)).toBe(true)
    expect(() => {
      ;(conversation.messages[0] as { role: string }).role = 'system'
    }).toThrow(TypeError)
  })

  test('a message that came out of a conversation goes into another as the same object', () => {
    const [message] = new Conversation().user('hello').messages
    expect(new Conversation().append(message as Message).messages[0]).toBe(message)
  })

  test('requires tool execution until every call, broken ones too, has a result', () => {
    const waiting = new Conversation().user('Weather?').assistant(asked)
    expect(waiting.requiresToolExecution).toBe(true)
    expect(waiting.pendingCalls.map((call) => call.id)).toEqual(['a', 'b'])
    const half = waiting.toolResults([result('b')])
    expect(half.pendingCalls.map((call) => call.id)).toEqual(['a'])
    expect(half.toolResults([result('a')]).requiresToolExecution).toBe(false)
    expect(waiting.user('Never mind.').requiresToolExecution).toBe(false)
    expect(new Conversation().requiresToolExecution).toBe(false)
  })

  test('one id twice in a turn needs two results', () => {
    const twice: AssistantMessage = {
      role: 'assistant',
      content: [1, 2].map((n) => ({ type: 'tool_call', id: 'a', name: 'add', arguments: `{"n":${n}}` })),
    }
    const conversation = new Conversation().assistant(twice).toolResults([result('a')])
    expect(conversation.pendingCalls.map((call) => call.arguments)).toEqual(['{"n":2}'])
  })

  test('10,000 appends look at one node each, and reading looks at each node once', () => {
    let reads = 0
    const counting = (list: MessageList): MessageList =>
      new Proxy(list, {
        get(target, key) {
          reads += 1
          return Reflect.get(target, key)
        },
      })
    const message: Message = { role: 'user', content: [] }
    let list = counting(emptyList)
    for (let index = 0; index < 10_000; index += 1) list = counting(append(list, message))
    expect(reads).toBe(10_000)
    reads = 0
    expect(toArray(list)).toHaveLength(10_000)
    expect(reads).toBeLessThanOrEqual(3 * 10_000 + 1)
  })

  test('10,000 messages added one by one are all there, in order', () => {
    let conversation = new Conversation()
    for (let index = 0; index < 10_000; index += 1) conversation = conversation.user(String(index))
    const texts = conversation.messages.map((message) => (message.role === 'user' ? message.content : []))
    expect(texts.every(([part], index) => part?.type === 'text' && part.text === String(index))).toBe(true)
  })
})

describe('pairing', () => {
  test('answers every open call of any history, changes nothing else, and does so once', () => {
    const { messages } = conversationArbitraries()
    fc.assert(
      fc.property(messages, (history) => {
        const answered = answerOpenCalls(history, 'stopped')
        expect(answerOpenCalls(answered, 'stopped')).toBe(answered)
        const kept = answered.filter((message) => message.role !== 'tool')
        expect(kept).toEqual(history.filter((message) => message.role !== 'tool'))
      }),
    )
  })

  test('well paired histories come back as the same list', () => {
    fc.assert(
      fc.property(conversationArbitraries().conversation, (history) => {
        expect(answerOpenCalls(history, 'stopped')).toBe(history)
      }),
    )
  })

  test('a call without a result is answered as cancelled, next to the results there are', () => {
    const [, answers] = answerOpenCalls([asked, { role: 'tool', results: [result('b')] }], 'the run was stopped')
    expect(answers).toMatchObject({
      results: [
        { callId: 'b', isError: false },
        {
          callId: 'a',
          error: { category: 'cancelled', message: 'the run was stopped' },
          content: [{ type: 'text', text: 'Tool execution failed (cancelled): the run was stopped' }],
        },
      ],
    })
  })
})

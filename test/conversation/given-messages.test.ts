// Messages that a program passes: a member that is not known or has the wrong type is the caller's mistake, named by its place.
import { describe, expect, test } from 'vitest'
import { checkMessages } from '../../src/conversation/check-request.js'
import { ToolwireError } from '../../src/errors/error.js'

const text = { type: 'text', text: 'Hi' }
const call = { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' }
const result = { callId: 'a', name: 'f', isError: false, content: [text] }
const opaque = { type: 'opaque', origin: { wire: 'anthropic' }, data: {} }

const good = {
  system: { role: 'system', content: [text], extra: {} },
  user: {
    role: 'user',
    content: [text, { type: 'image', url: 'https://a.example/b.png' }, { type: 'file', data: 'AA', name: 'b' }, opaque],
  },
  assistant: {
    role: 'assistant',
    origin: { wire: 'anthropic' },
    content: [
      { type: 'reasoning', text: 'hm' },
      text,
      { ...call, recovered: true },
      { ...call, type: 'broken_call', reason: 'malformed' },
      opaque,
    ],
  },
  tool: { role: 'tool', results: [{ ...result, error: { category: 'unknown', message: '' }, artifacts: [] }] },
}

const refusal = (message: unknown): ToolwireError => {
  try {
    checkMessages([good.user, message])
  } catch (error) {
    return error as ToolwireError
  }
  throw new Error('it was accepted')
}

test.each(Object.entries(good))('a good %s message is accepted', (_, message) => {
  expect(() => checkMessages([message])).not.toThrow()
})

describe('refused with its place', () => {
  test.each<[string, unknown, string]>([
    ['an unknown member of a system message', { ...good.system, name: 'x' }, 'name'],
    ['an unknown member of a user message', { ...good.user, name: 'x' }, 'name'],
    ['an unknown member of an assistant message', { ...good.assistant, tool_calls: [] }, 'tool_calls'],
    ['an unknown member of a tool message', { ...good.tool, tool_call_id: 'x' }, 'tool_call_id'],
    ['an origin of a user', { ...good.user, origin: {} }, 'origin'],
    ['an unknown member of a result', { role: 'tool', results: [{ ...result, status: 1 }] }, 'status'],
    ['an unknown member of a text', { role: 'user', content: [{ ...text, cache: 1 }] }, 'cache'],
    ['an unknown member of an image', { role: 'user', content: [{ type: 'image', src: 'x' }] }, 'src'],
    ['a reason of a call that is not broken', { role: 'assistant', content: [{ ...call, reason: 'x' }] }, 'reason'],
    ['another role', { role: 'developer', content: [text] }, 'role'],
    ['text as content', { role: 'user', content: 'Hi' }, 'content'],
    ['a call of a user', { role: 'user', content: [call] }, 'type'],
    ['an image of an assistant', { role: 'assistant', content: [{ type: 'image', url: 'x' }] }, 'type'],
    ['reasoning in a system message', { role: 'system', content: [{ type: 'reasoning', text: 'x' }] }, 'type'],
    ['text that is none', { role: 'user', content: [{ type: 'text', text: 7 }] }, 'text'],
    ['arguments as an object', { role: 'assistant', content: [{ ...call, arguments: {} }] }, 'arguments'],
    ['a call without an id', { role: 'assistant', content: [{ type: 'tool_call', name: 'f', arguments: '{}' }] }, 'id'],
    ['results that are no list', { role: 'tool', results: result }, 'results'],
    [
      'a result that does not say whether it is an error',
      { role: 'tool', results: [{ ...result, isError: undefined }] },
      'isError',
    ],
    ['a result whose call is not named', { role: 'tool', results: [{ ...result, callId: 7 }] }, 'callId'],
    ['a result whose content is text', { role: 'tool', results: [{ ...result, content: 'sunny' }] }, 'content'],
    ['a block without its origin', { role: 'user', content: [{ type: 'opaque', data: {} }] }, 'origin'],
    ['a block without data', { role: 'user', content: [{ type: 'opaque', origin: {} }] }, 'data'],
  ])('%s', (_, message, member) => {
    const error = refusal(message)
    expect(error).toBeInstanceOf(ToolwireError)
    expect(error.code).toBe('invalid_request')
    expect(error.message).toContain(member)
    expect(error.message).toMatch(/messages\[1\]/)
  })

  test.each([null, 7, 'Hi', [], undefined])('a message that is %j', (message) => {
    expect(refusal(message)).toMatchObject({ code: 'invalid_request' })
  })

  test.each([null, {}, 'Hi', 7])('messages that are %j', (messages) => {
    expect(() => checkMessages(messages)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

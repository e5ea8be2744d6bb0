import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { decodeConversation, decodeResult } from '../../src/conversation/stored.js'
import { ToolwireError } from '../../src/errors/error.js'
import { conversationArbitraries, json } from '../arbitraries/conversation.js'

const text = { type: 'text', text: 'x' }
const call = { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' }
const resultOf = (more: object): object => ({ callId: 'a', name: 'f', content: [], isError: false, ...more })

function refusal(value: unknown): ToolwireError {
  try {
    decodeConversation(value)
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('was accepted')
}

function nested(depth: number): object {
  let value: object = {}
  for (let level = 0; level < depth; level += 1) value = { value }
  return value
}

describe('stored conversations', () => {
  test('any conversation comes back from JSON as it was', () => {
    fc.assert(
      fc.property(conversationArbitraries().messages, (messages) => {
        const conversation = new Conversation(messages)
        expect(isDeepStrictEqual(conversation.messages, messages)).toBe(true)
        const back = Conversation.from(JSON.parse(JSON.stringify(conversation)))
        expect(isDeepStrictEqual(back.messages, messages)).toBe(true)
        expect(JSON.stringify(back)).toBe(JSON.stringify(conversation))
      }),
      { numRuns: 200 },
    )
  })

  test('half of a surrogate pair is kept as it is', () => {
    const conversation = new Conversation().user('\ud800 and \udc00')
    expect(Conversation.from(JSON.parse(JSON.stringify(conversation))).messages).toEqual(conversation.messages)
  })

  test('any other JSON is refused with a typed error or is a conversation', () => {
    fc.assert(
      fc.property(fc.oneof(json, fc.array(json)), (value) => {
        if (Array.isArray(value) && value.length === 0) return
        expect(['invalid_request', 'limit_exceeded']).toContain(refusal(value).code)
      }),
    )
  })

  test('one changed place in a stored conversation is refused or gives a conversation that round trips', () => {
    fc.assert(
      fc.property(conversationArbitraries().messages, fc.nat(), json, (messages, seed, value) => {
        const text = JSON.stringify(messages)
        let count = 0
        JSON.parse(text, (_, member: unknown) => {
          count += 1
          return member
        })
        let place = 0
        const edited: unknown = JSON.parse(text, (_, member: unknown) => (place++ === seed % count ? value : member))
        try {
          const conversation = Conversation.from(edited)
          expect(Conversation.from(JSON.parse(JSON.stringify(conversation))).messages).toEqual(conversation.messages)
        } catch (error) {
          expect(ToolwireError.is(error), String(error)).toBe(true)
        }
      }),
      { numRuns: 250 },
    )
  })

  test.each([
    ['text instead of a list', '[]', '""'],
    ['an object instead of a list', { messages: [] }, '""'],
    ['nothing', undefined, '""'],
    ['a message that is null', [null], '"/0"'],
    ['an unknown role', [{ role: 'developer', content: [] }], '"/0/role"'],
    ['a role that is an object', [{ role: { user: true }, content: [] }], '"/0/role"'],
    ['a missing content', [{ role: 'user' }], '"/0/content"'],
    ['text as content', [{ role: 'user', content: 'hello' }], '"/0/content"'],
    ['an unknown part', [{ role: 'user', content: [{ type: 'video' }] }], '"/0/content/0/type"'],
    ['a call in a user message', [{ role: 'user', content: [call] }], '"/0/content/0/type"'],
    ['an image in a system message', [{ role: 'system', content: [{ type: 'image' }] }], '"/0/content/0/type"'],
    ['text that is a number', [{ role: 'user', content: [text, { type: 'text', text: 1 }] }], '"/0/content/1/text"'],
    ['an unknown field', [{ role: 'user', content: [], 'a/b': 1 }], '"/0/a~1b"'],
    ['an unknown field of a part', [{ role: 'user', content: [{ ...text, id: 'x' }] }], '"/0/content/0/id"'],
    ['an origin on a user message', [{ role: 'user', content: [], origin: { wire: 'gemini' } }], '"/0/origin"'],
    ['an unknown wire', [{ role: 'assistant', content: [], origin: { wire: 'smtp' } }], '"/0/origin/wire"'],
    ['extra of an unknown wire', [{ role: 'user', content: [], extra: { smtp: {} } }], '"/0/extra/smtp"'],
    ['extra that is no object', [{ role: 'user', content: [], extra: { gemini: [] } }], '"/0/extra/gemini"'],
    [
      'a call with text that is not JSON',
      [{ role: 'assistant', content: [{ ...call, arguments: '{"a"' }] }],
      '"/0/content/0/arguments"',
    ],
    [
      'a call with a list',
      [{ role: 'assistant', content: [{ ...call, arguments: '[]' }] }],
      '"/0/content/0/arguments"',
    ],
    [
      'a broken call without a reason',
      [{ role: 'assistant', content: [{ ...call, type: 'broken_call' }] }],
      '"/0/content/0/reason"',
    ],
    [
      'an unknown error category',
      [{ role: 'tool', results: [resultOf({ error: { category: 'x', message: '' } })] }],
      '"/0/results/0/error/category"',
    ],
    ['a result without a flag', [{ role: 'tool', results: [resultOf({ isError: 'no' })] }], '"/0/results/0/isError"'],
    [
      'details that are not text',
      [{ role: 'tool', results: [resultOf({ error: { category: 'unknown', message: '', details: { a: 1 } } })] }],
      '"/0/results/0/error/details/a"',
    ],
    [
      'a number that JSON does not have',
      [{ role: 'tool', results: [resultOf({ artifacts: { a: Number.NaN } })] }],
      '"/0/results/0/artifacts/a"',
    ],
    [
      'a date',
      [{ role: 'tool', results: [resultOf({ artifacts: { a: new Date(0) } })] }],
      '"/0/results/0/artifacts/a"',
    ],
    [
      'a function',
      [{ role: 'tool', results: [resultOf({ artifacts: { a: () => 1 } })] }],
      '"/0/results/0/artifacts/a"',
    ],
    ['a bigint', [{ role: 'tool', results: [resultOf({ artifacts: { a: 1n } })] }], '"/0/results/0/artifacts/a"'],
  ])('%s is refused and named', (_, value, place) => {
    const error = refusal(value)
    expect(error.code).toBe('invalid_request')
    expect(error.detail).toEqual({ path: JSON.parse(place) as string })
  })

  test('values that throw when they are read are refused', () => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const throwing = {
      get role(): string {
        throw new Error('no')
      },
    }
    expect(refusal([throwing]).code).toBe('invalid_request')
    expect(refusal(revoked.proxy).code).toBe('invalid_request')
    expect(refusal([revoked.proxy]).code).toBe('invalid_request')
  })

  test('depth, cycles and size are capped', () => {
    const cycle: { self?: object } = {}
    cycle.self = cycle
    let bomb: object = {}
    for (let level = 0; level < 40; level += 1) bomb = { a: bomb, b: bomb }
    const withArtifacts = (artifacts: object): unknown => [{ role: 'tool', results: [resultOf({ artifacts })] }]
    for (const artifacts of [nested(600), nested(100_000), cycle, bomb, { list: new Array(1_000_001).fill(0) }]) {
      expect(refusal(withArtifacts(artifacts)).code).toBe('limit_exceeded')
    }
    expect(decodeConversation(withArtifacts(nested(500)))).toHaveLength(1)
    const many = new Array(100_001).fill({ role: 'user', content: [] })
    expect(refusal(many).code).toBe('limit_exceeded')
    const wide = { role: 'user', content: new Array(10_001).fill(text) }
    expect(refusal([wide]).code).toBe('limit_exceeded')
    const long = { type: 'text', text: 'x'.repeat(2 ** 22) }
    expect(refusal([{ role: 'user', content: new Array(17).fill(long) }]).code).toBe('limit_exceeded')
  })

  test('a stored __proto__ reaches no prototype and is kept only where any key is', () => {
    const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    const kept = `[{"role":"user","content":[],"extra":{"gemini":${hostile}}}]`
    const [message] = decodeConversation(JSON.parse(kept))
    expect(JSON.stringify(message)).toBe(JSON.stringify(JSON.parse(kept)[0]))
    expect(Object.getPrototypeOf(message?.extra?.gemini)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(refusal(JSON.parse(`[{"role":"user","content":[],"__proto__":{"role":"system"}}]`)).detail).toEqual({
      path: '/0/__proto__',
    })
    const inherited = Object.create({ role: 'user', content: [] }) as object
    expect(refusal([inherited]).code).toBe('invalid_request')
  })

  test('a stored result alone is checked in the same way', () => {
    expect(decodeResult(resultOf({ content: [text] }))).toEqual(resultOf({ content: [text] }))
    expect(() => decodeResult({})).toThrow(ToolwireError)
  })
})

test('the message of an error names the place as code has it, and what belongs there', () => {
  expect(() => new Conversation([{ role: 'user', content: 'Hi' }] as never)).toThrow(
    'messages[0].content must be an array',
  )
  expect(() => new Conversation().append({ role: 'user', content: 7 } as never)).toThrow('content must be an array')
  expect(() => Conversation.from('x')).toThrow('the stored data must be an array')
})

// The most of each list that a request may hold: what is refused, with which words, and that each limit can be raised.
import { expect, test } from 'vitest'
import type { Message, ToolCall } from '../../src/conversation/messages.js'
import {
  checkRequestLimits,
  defaultRequestLimits,
  noRequestLimits,
  type RequestLimits,
  readRequestLimits,
} from '../../src/conversation/request-limits.js'
import { ToolwireError } from '../../src/errors/error.js'

const text = { type: 'text', text: 'a' } as const
const user: Message = { role: 'user', content: [text, text, text] }
const call = (index: number): ToolCall => ({ type: 'tool_call', id: `call_${index}`, name: 'look', arguments: '{}' })
const turn: Message = { role: 'assistant', content: [call(0), call(1), call(2)] }
const result = (index: number) => ({
  callId: `call_${index}`,
  name: 'look',
  isError: false,
  content: [text, text, text],
})
const results: Message = { role: 'tool', results: [result(0), result(1), result(2)] }
const request = {
  messages: [user, turn, results],
  tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
}

const cases: readonly (readonly [keyof RequestLimits, string, string])[] = [
  ['messages', '/messages', 'messages'],
  ['tools', '/tools', 'tools'],
  ['callsPerTurn', '/messages/1/content', 'calls'],
  ['resultsPerTurn', '/messages/2/results', 'results'],
  ['partsPerMessage', '/messages/0/content', 'parts'],
]

function failureOf(limits: RequestLimits): ToolwireError | undefined {
  try {
    checkRequestLimits(request, limits, 'limits')
    return undefined
  } catch (error) {
    return ToolwireError.is(error) ? error : undefined
  }
}

test.each(cases)(
  'a request over the limit of %s is refused with the path, the count and the option',
  (name, path, noun) => {
    const failure = failureOf({ ...defaultRequestLimits, [name]: 2 })
    expect(failure?.code).toBe('limit_exceeded')
    expect(failure?.message).toBe(`${path} has 3 ${noun}, and the limit is 2; raise limits.${name} if you need more`)
    expect(failure?.detail).toEqual({ path, count: 3, limit: 2, option: `limits.${name}` })
    expect(failureOf({ ...defaultRequestLimits, [name]: 3 })).toBeUndefined()
  },
)

test('the parts of a result count as those of a message', () => {
  const long = { messages: [{ role: 'tool', results: [result(0)] }] } as const
  expect(() => checkRequestLimits(long, { ...noRequestLimits, partsPerMessage: 2 }, 'limits')).toThrow(
    '/messages/0/results/0/content has 3 parts',
  )
})

test('limits that are not given keep their defaults, and each must be above 0', () => {
  expect(readRequestLimits(undefined, 'limits')).toEqual(defaultRequestLimits)
  expect(readRequestLimits({ tools: 5 }, 'limits')).toEqual({ ...defaultRequestLimits, tools: 5 })
  expect(readRequestLimits({ messages: Number.POSITIVE_INFINITY }, 'limits').messages).toBe(Number.POSITIVE_INFINITY)
  expect(() => readRequestLimits({ tools: 0 }, 'limits')).toThrow('limits.tools must be a number above 0')
})

// Every kind of event that a model's answer consists of, and what becomes of it in the response.
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, fold } from '../../src/conversation/fold.js'
import { ToolwireError } from '../../src/errors/error.js'

const origin = { wire: 'anthropic', provider: 'anthropic', model: 'm' } as const
const start: CompletionEvent = { type: 'start', id: 'r1', model: 'm' }
const finish: CompletionEvent = { type: 'finish', reason: 'stop' }
const opaque = (signature: string) => ({ origin, data: { signature } })

const contentOf = (...events: readonly CompletionEvent[]): unknown => fold([start, ...events, finish]).message.content

describe('parts', () => {
  test.each<[string, readonly CompletionEvent[], readonly object[]]>([
    [
      'text',
      [
        { type: 'text_delta', part: 0, text: 'a' },
        { type: 'text_delta', part: 0, text: 'b' },
      ],
      [{ type: 'text', text: 'ab' }],
    ],
    [
      'two texts',
      [
        { type: 'text_delta', part: 1, text: 'b' },
        { type: 'text_delta', part: 0, text: 'a' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['reasoning', [{ type: 'reasoning_delta', part: 0, text: 'hm' }], [{ type: 'reasoning', text: 'hm' }]],
    [
      'a call',
      [{ type: 'tool_call', part: 0, call: { type: 'tool_call', id: 'a', name: 'add', arguments: '{}' } }],
      [{ type: 'tool_call', id: 'a', name: 'add', arguments: '{}' }],
    ],
    [
      'a broken call',
      [
        {
          type: 'broken_call',
          part: 0,
          call: { type: 'broken_call', id: 'a', name: 'add', arguments: '{', reason: 'malformed' },
        },
      ],
      [{ type: 'broken_call', id: 'a', name: 'add', arguments: '{', reason: 'malformed' }],
    ],
    [
      'a block of the provider',
      [{ type: 'opaque', part: 0, value: { type: 'opaque', origin, data: { kind: 'search' } } }],
      [{ type: 'opaque', origin, data: { kind: 'search' } }],
    ],
    [
      'a signature that comes after its text',
      [
        { type: 'reasoning_delta', part: 0, text: 'hm' },
        { type: 'attach', part: 0, of: 'reasoning', opaque: opaque('s') },
      ],
      [{ type: 'reasoning', text: 'hm', opaque: opaque('s') }],
    ],
    [
      'a signature that comes before its text, or without any',
      [{ type: 'attach', part: 0, of: 'reasoning', opaque: opaque('s') }],
      [{ type: 'reasoning', text: '', opaque: opaque('s') }],
    ],
    [
      'fields that are attached bit by bit',
      [
        { type: 'text_delta', part: 0, text: 'a' },
        { type: 'attach', part: 0, of: 'text', extra: { anthropic: { x: 1 } } },
        { type: 'attach', part: 0, of: 'text', extra: { anthropic: { y: 2 } } },
      ],
      [{ type: 'text', text: 'a', extra: { anthropic: { x: 1, y: 2 } } }],
    ],
  ])('%s', (_, events, expected) => {
    expect(contentOf(...events)).toStrictEqual(expected)
  })

  test('fragments of calls and unknown events are no part of the response', () => {
    const fragment: CompletionEvent = { type: 'tool_call_delta', part: 0, id: 'a', name: 'add', text: '{' }
    expect(contentOf(fragment, { type: 'unknown', raw: { a: 1 } })).toStrictEqual([])
  })
})

describe('what surrounds the parts', () => {
  test('the start names id, model and origin', () => {
    expect(fold([start, finish])).toMatchObject({ id: 'r1', model: 'm' })
    expect('origin' in fold([start, finish]).message).toBe(false)
    const { message } = fold([{ ...start, origin, extra: { anthropic: { role: 'x' } } }, finish])
    expect(message).toMatchObject({ origin, extra: { anthropic: { role: 'x' } } })
  })

  test('metadata of the start, the usage and the finish is joined by wire', () => {
    const metadata = (key: string) => ({ metadata: { anthropic: { [key]: 1 } } })
    const usage = { input: 1, output: 2, total: 3 }
    const response = fold([
      { ...start, ...metadata('a') },
      { type: 'usage', usage, ...metadata('b') },
      { ...finish, ...metadata('c') } as CompletionEvent,
    ])
    expect(response.metadata).toEqual({ anthropic: { a: 1, b: 1, c: 1 } })
    expect(response.usage).toEqual(usage)
  })

  test('the reason is kept as the provider spells it, where it is known', () => {
    expect(fold([start, { type: 'finish', reason: 'length', raw: 'max_tokens' }])).toMatchObject({
      finishReason: 'length',
      rawFinishReason: 'max_tokens',
    })
    expect('rawFinishReason' in fold([start, finish])).toBe(false)
  })

  test('losses are told in the order they came', () => {
    const loss = (code: string): CompletionEvent =>
      ({ type: 'loss', loss: { code, path: '/a', kind: 'dropped', message: code } }) as CompletionEvent
    expect(fold([start, loss('one'), loss('two'), finish]).losses.map(({ code }) => code)).toEqual(['one', 'two'])
  })

  test('of several errors the first counts', () => {
    const folder = createFolder()
    folder.push(start)
    folder.push({ type: 'error', error: new ToolwireError('truncated', 'first') })
    folder.push({ type: 'error', error: new ToolwireError('network', 'second') })
    expect(folder.done().error).toMatchObject({ code: 'truncated', message: 'first' })
  })
})

import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, fold, partialOf } from '../../src/conversation/fold.js'
import { applyLosses, type Loss } from '../../src/conversation/losses.js'
import { addUsage, usageFrom } from '../../src/conversation/usage.js'
import { ToolwireError } from '../../src/errors/error.js'

const start: CompletionEvent = { type: 'start', id: 'r1', model: 'm' }
const finish: CompletionEvent = { type: 'finish', reason: 'stop', raw: 'end_turn' }

describe('fold', () => {
  test('parts stand where their position says, whatever arrived first', () => {
    const response = fold([
      start,
      { type: 'tool_call', part: 9, call: { type: 'tool_call', id: 'b', name: 'add', arguments: '{}' } },
      { type: 'text_delta', part: 1, text: 'Hello ' },
      { type: 'reasoning_delta', part: 0, text: 'hm' },
      { type: 'text_delta', part: 1, text: 'there' },
      finish,
    ])
    expect(response.message.content.map((part) => part.type)).toEqual(['reasoning', 'text', 'tool_call'])
    expect(response.text).toBe('Hello there')
    expect(response.requiresToolExecution).toBe(true)
    expect(response.rawFinishReason).toBe('end_turn')
  })

  test('text is empty, never null, when only calls came back', () => {
    const response = fold([
      start,
      {
        type: 'broken_call',
        part: 0,
        call: { type: 'broken_call', id: 'a', name: 'add', arguments: '{', reason: 'malformed' },
      },
      finish,
    ])
    expect(response.text).toBe('')
    expect(response.requiresToolExecution).toBe(true)
  })

  test('later usage replaces earlier usage, and the total is the sum of the buckets', () => {
    const response = fold([
      start,
      { type: 'usage', usage: usageFrom({ inputWithCache: 100, cacheRead: 60, outputWithReasoning: 1 }) },
      { type: 'usage', usage: usageFrom({ outputWithReasoning: 30, reasoning: 10 }) },
      finish,
    ])
    expect(response.usage).toEqual({ input: 40, cacheRead: 60, output: 20, reasoning: 10, total: 130 })
  })

  test('an error carries what came before it', () => {
    const events: CompletionEvent[] = [
      start,
      { type: 'text_delta', part: 0, text: 'half' },
      { type: 'error', error: new ToolwireError('truncated', 'the stream ended early') },
    ]
    const caught = catchError(() => fold(events))
    expect(caught.code).toBe('truncated')
    expect(partialOf(caught)?.text).toBe('half')
    expect(JSON.stringify(caught)).not.toContain('half')
  })

  test('a folder may be asked while events still come', () => {
    const folder = createFolder()
    folder.push(start)
    folder.push({ type: 'text_delta', part: 0, text: 'a' })
    expect(folder.done().response.text).toBe('a')
    folder.push({ type: 'text_delta', part: 0, text: 'b' })
    expect(folder.done().response.text).toBe('ab')
  })

  test('signatures and fields are attached to their part, and metadata is merged by wire', () => {
    const opaque = { origin: { wire: 'gemini' }, data: { thoughtSignature: 's' } } as const
    const response = fold([
      { ...start, metadata: { gemini: { a: 1, b: 1 } } },
      { type: 'attach', part: 2, of: 'text', opaque },
      { ...finish, metadata: { gemini: { b: 2 } } } as CompletionEvent,
    ])
    expect(response.message.content).toEqual([{ type: 'text', text: '', opaque }])
    expect(response.metadata).toEqual({ gemini: { a: 1, b: 2 } })
  })
})

describe('losses', () => {
  const loss = (path: string, kind: Loss['kind'], to?: Loss['to']): Loss => ({
    code: 'x',
    wire: 'ollama',
    path,
    kind,
    message: '',
    ...(to === undefined ? {} : { to }),
  })

  test('all paths point into the value as given, so dropping list members shifts nothing', () => {
    const value = { list: ['a', 'b', 'c'], keep: 1 }
    expect(applyLosses(value, [loss('/list/0', 'dropped'), loss('/list/2', 'changed', 'C')])).toEqual({
      list: ['b', 'C'],
      keep: 1,
    })
  })

  test('changed and widened put the new value, repaired is not applied again', () => {
    const value = { toolChoice: { tool: 'x' }, maxTokens: 5 } as Record<string, unknown>
    expect(applyLosses(value, [loss('/toolChoice', 'widened', 'required'), loss('/maxTokens', 'repaired')])).toEqual({
      toolChoice: 'required',
      maxTokens: 5,
    })
    expect(applyLosses({ a: 1 }, [loss('/b~1c', 'changed', 2)])).toEqual({ a: 1, 'b/c': 2 })
  })
})

describe('usage', () => {
  test('buckets are disjoint, never negative, and add up', () => {
    expect(usageFrom({ inputWithCache: 10, cacheRead: 30, outputWithReasoning: 5 })).toEqual({
      input: 0,
      cacheRead: 30,
      output: 5,
      total: 35,
    })
    expect(usageFrom({ total: 7 })).toEqual({ total: 7 })
    expect(addUsage({ input: 1, total: 1 }, { output: 2, total: 2 })).toEqual({ input: 1, output: 2, total: 3 })
  })
})

function catchError(fn: () => unknown): ToolwireError {
  try {
    fn()
  } catch (error) {
    if (ToolwireError.is(error)) return error
  }
  throw new Error('expected a ToolwireError')
}

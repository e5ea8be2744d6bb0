// What programs may rely on in an error: which codes are worth another attempt, the brand, and what crosses into JSON and logs.
import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'

const retryable: readonly ErrorCode[] = [
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  'timeout',
  'truncated',
  'malformed_response',
  'run_locked',
]

test('exactly the codes of passing failures are retryable', () => {
  const marked = Object.entries(errorCodes).filter(([, isRetryable]) => isRetryable)
  expect(marked.map(([code]) => code).toSorted()).toEqual(retryable.toSorted())
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    expect([code, new ToolwireError(code, 'it failed').retryable]).toEqual([code, retryable.includes(code)])
  }
})

describe('an error', () => {
  test('says itself whether it is retryable where the caller knows better', () => {
    expect(new ToolwireError('network', 'it failed', { retryable: false }).retryable).toBe(false)
    expect(new ToolwireError('permission', 'it failed', { retryable: true }).retryable).toBe(true)
  })

  test('has only the members it was given', () => {
    const bare = new ToolwireError('timeout', 'it took too long')
    for (const member of ['retryAfterMs', 'status', 'requestId', 'detail', 'partial', 'cause']) {
      expect([member, member in bare]).toEqual([member, false])
    }
    const cause = new Error('below')
    const options = {
      retryAfterMs: 5,
      status: 429,
      requestId: 'r',
      detail: { path: '/a' },
      partial: { text: '' },
      cause,
    }
    expect(new ToolwireError('rate_limited', 'wait', options)).toMatchObject(options)
  })

  test('keeps members that are zero, empty or null', () => {
    const error = new ToolwireError('rate_limited', 'wait', { retryAfterMs: 0, status: 0, requestId: '', cause: null })
    expect(error).toMatchObject({ retryAfterMs: 0, status: 0, requestId: '' })
    expect('cause' in error).toBe(true)
  })

  test('is recognized by its brand, also one of another copy of the package, and nothing else is', () => {
    const error = new ToolwireError('misuse', 'no')
    expect(ToolwireError.is(error)).toBe(true)
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('ToolwireError')
    const foreign = Object.assign(new Error('no'), { code: 'misuse', [Symbol.for('toolwire.error')]: true })
    expect(ToolwireError.is(foreign)).toBe(true)
    for (const other of [new Error('misuse'), { code: 'misuse' }, null, undefined, 'misuse', 7]) {
      expect([other, ToolwireError.is(other)]).toEqual([other, false])
    }
  })

  test('is JSON with what it was given, without cause and partial answer', () => {
    expect(JSON.parse(JSON.stringify(new ToolwireError('timeout', 'late')))).toEqual({
      code: 'timeout',
      message: 'late',
      retryable: true,
    })
    const options = { retryAfterMs: 0, status: 429, requestId: 'r', detail: { path: '/a' } }
    const error = new ToolwireError('rate_limited', 'wait', {
      ...options,
      partial: { text: 'a' },
      cause: new Error('b'),
    })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'rate_limited',
      message: 'wait',
      retryable: true,
      ...options,
    })
    expect(Object.keys(error)).not.toContain('partial')
    expect(error.partial).toEqual({ text: 'a' })
  })
})

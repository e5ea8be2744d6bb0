// Errors that come back from JSON: what toJSON wrote is read, and anything else is an error that says so.
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { errorFromJson } from '../../src/errors/stored.js'

const stored = (error: ToolwireError): unknown => JSON.parse(JSON.stringify(error))

test.each([
  new ToolwireError('network', 'gone'),
  new ToolwireError('network', 'gone', { retryable: false }),
  new ToolwireError('rate_limited', 'wait', { retryAfterMs: 0, status: 429, requestId: 'r' }),
  new ToolwireError('misuse', '', { status: 0, requestId: '' }),
])('an error comes back: %s', (error) => {
  const back = errorFromJson(stored(error))
  expect(stored(back)).toEqual(stored(error))
  expect(back).toBeInstanceOf(ToolwireError)
})

describe('what is no stored error', () => {
  test.each([null, undefined, 7, 'text', [], {}])('%j becomes a server error that says so', (json) => {
    expect(errorFromJson(json)).toMatchObject({
      code: 'server_error',
      message: 'a stored error cannot be read',
      retryable: false,
    })
  })

  test('is taken member by member', () => {
    const odd = { code: 'toString', message: 'kept', retryable: 'yes', retryAfterMs: '5', status: null, requestId: 7 }
    const error = errorFromJson(odd)
    expect(error).toMatchObject({ code: 'server_error', message: 'kept', retryable: false })
    for (const member of ['retryAfterMs', 'status', 'requestId'])
      expect([member, member in error]).toEqual([member, false])
    expect(errorFromJson({ code: 'timeout', message: 1 })).toMatchObject({
      code: 'timeout',
      message: 'a stored error cannot be read',
    })
  })
})

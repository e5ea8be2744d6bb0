// Which headers hold a key, and that no error of a model repeats one.
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { isCredential, secretsIn, withoutSecrets } from '../../src/model/secrets.js'

test.each(['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie'])(
  '%s says who the caller is',
  (name) => {
    expect(isCredential(name)).toBe(true)
    expect(secretsIn({ [name]: 'Bearer abc' })).toEqual(['Bearer abc', 'abc'])
    expect(secretsIn({ [name]: 'k' })).toEqual(['k', 'k'])
  },
)

test.each([
  'accept',
  'anthropic-version',
  'content-type',
  'http-referer',
  'openai-organization',
  'user-agent',
  'x-stainless-os',
  'x-title',
])('%s holds no secret', (name) => {
  expect(isCredential(name)).toBe(false)
  expect(secretsIn({ [name]: 'a long enough value' })).toEqual([])
})

test('a header that nobody knows may hold a key, unless it is too short for one', () => {
  expect(secretsIn({ 'x-own-token': 'abcdefgh' })).toEqual(['abcdefgh'])
  expect(secretsIn({ 'x-own-token': 'abcdefg' })).toEqual([])
  expect(secretsIn({ 'my-user-agent': 'abcdefgh' })).toEqual(['abcdefgh'])
})

describe('an error without secrets', () => {
  const key = 'sk-secret-123456'

  test('keeps everything but the key', () => {
    const cause = Object.assign(new TypeError(`fetch with ${key} failed`), {
      request: { headers: { authorization: key } },
    })
    const error = new ToolwireError('rate_limited', `the key ${key} is limited`, {
      retryable: false,
      retryAfterMs: 5,
      status: 429,
      requestId: `req-${key}`,
      detail: { list: [key, 1, null], inner: { key } },
      cause,
      partial: { text: 'half' },
    })
    const told = withoutSecrets(error, [key])
    expect(told).toMatchObject({ code: 'rate_limited', retryable: false, retryAfterMs: 5, status: 429 })
    expect(told.partial).toEqual({ text: 'half' })
    expect(told.detail).toEqual({ list: [expect.any(String), 1, null], inner: { key: expect.any(String) } })
    expect((told.cause as Error).name).toBe('TypeError')
    expect((told.cause as Error).message).toMatch(/^fetch with .* failed$/)
    expect('request' in (told.cause as object)).toBe(false)
    const whole = [told.message, told.requestId, told.stack, JSON.stringify(told), String(told.cause)].join()
    expect(whole).not.toContain(key)
  })

  test('has no members that the error did not have', () => {
    const told = withoutSecrets(new ToolwireError('network', 'gone'), [key])
    for (const member of ['requestId', 'detail', 'cause', 'status'])
      expect([member, member in told]).toEqual([member, false])
    expect(withoutSecrets(new ToolwireError('network', 'gone', { cause: `text ${key}` }), [key]).cause).toMatchObject({
      name: 'Error',
    })
  })
})

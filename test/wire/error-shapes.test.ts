// The many forms in which servers report an error, and what decides the code: a telling word first, then the status.
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import type { ErrorCode } from '../../src/errors/error.js'
import type { Json } from '../../src/json/types.js'
import { codecs } from '../../src/wire/index.js'

const read = (body: Json | string, status = 418) =>
  codecs['openai-chat'].error.decode({
    status,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('a body', () => {
  test.each<[Json, ErrorCode, string]>([
    [
      { error: { message: 'm', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      'context_too_long',
      'm',
    ],
    [{ error: { message: 'm', code: 'rate_limit_exceeded' } }, 'rate_limited', 'm'],
    [{ error: 'plain' }, 'invalid_request', 'plain'],
    [{ error: 'plain', code: 'insufficient_quota' }, 'quota_exceeded', 'plain'],
    [{ error: 'plain', type: 'overloaded_error' }, 'overloaded', 'plain'],
    [{ object: 'error', message: 'm', type: 'NotFoundError', code: 404 }, 'invalid_request', 'm'],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'm' } }, 'rate_limited', 'm'],
    [{ type: 'error', message: 'm' }, 'invalid_request', 'm'],
    [{ detail: 'Not authenticated' }, 'invalid_request', 'Not authenticated'],
    [{ detail: [{ loc: ['body'], msg: 'required' }] }, 'invalid_request', '[{"loc":["body"],"msg":"required"}]'],
    [{ message: 'm' }, 'invalid_request', 'm'],
    [{ message: 'm', code: 'rate_limit_exceeded' }, 'rate_limited', 'm'],
    [[{ error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } }], 'rate_limited', 'm'],
    [{ error: {} }, 'invalid_request', 'the provider gave no message'],
    [{ error: { message: { nested: 'x' } } }, 'invalid_request', 'the provider gave no message'],
    [{ unknown: 1 }, 'invalid_request', '{"unknown":1}'],
  ])('%j', (body, code, message) => {
    expect(read(body)).toMatchObject({ code, message, status: 418 })
  })
})

describe('the status decides where no word does', () => {
  test.each<[number, ErrorCode]>([
    [400, 'invalid_request'],
    [401, 'authentication'],
    [402, 'quota_exceeded'],
    [403, 'permission'],
    [404, 'not_found'],
    [405, 'invalid_request'],
    [408, 'timeout'],
    [409, 'server_error'],
    [413, 'context_too_long'],
    [422, 'invalid_request'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [501, 'server_error'],
    [502, 'server_error'],
    [503, 'overloaded'],
    [504, 'timeout'],
    [529, 'overloaded'],
  ])('%i', (status, code) => {
    expect(read({ error: { message: 'it failed' } }, status)).toMatchObject({ code, status })
    // A vague type does not overrule a telling status.
    expect(read({ error: { message: 'it failed', type: 'invalid_request_error' } }, status).code).toBe(code)
  })
})

describe('a word decides whatever the status is', () => {
  test.each<[string, ErrorCode]>([
    ['insufficient_quota', 'quota_exceeded'],
    ['billing_error', 'quota_exceeded'],
    ['payment_required', 'quota_exceeded'],
    ['context_length_exceeded', 'context_too_long'],
    ['context_window_exceeded', 'context_too_long'],
    ['request_too_large', 'context_too_long'],
    ['content_filter', 'content_filtered'],
    ['content_policy_violation', 'content_filtered'],
    ['invalid_api_key', 'authentication'],
    ['authentication_error', 'authentication'],
    ['UNAUTHENTICATED', 'authentication'],
    ['permission_error', 'permission'],
    ['not_found_error', 'not_found'],
    ['model_not_found', 'not_found'],
    ['rate_limit_error', 'rate_limited'],
    ['too_many_requests', 'rate_limited'],
    ['overloaded_error', 'overloaded'],
    ['UNAVAILABLE', 'overloaded'],
    ['timeout_error', 'timeout'],
    ['DEADLINE_EXCEEDED', 'timeout'],
  ])('%s', (word, code) => {
    for (const status of [400, 500]) {
      expect([status, read({ error: { message: 'it failed', type: word } }, status).code]).toEqual([status, code])
      expect([status, read({ error: { message: 'it failed', code: word } }, status).code]).toEqual([status, code])
    }
  })

  test.each<[string, ErrorCode]>([
    ["This model's maximum context length is 8192 tokens", 'context_too_long'],
    ['prompt is too long: 300000 tokens', 'context_too_long'],
    ['The input token count exceeds the maximum', 'context_too_long'],
    ['API key not valid. Please pass a valid API key.', 'authentication'],
    ['Incorrect API key provided', 'authentication'],
    ['You exceeded your current quota, please check your plan and billing details', 'quota_exceeded'],
    ['Insufficient credits', 'quota_exceeded'],
    ['qwen does not support tools', 'unsupported_feature'],
    ['qwen does not support thinking', 'unsupported_feature'],
  ])('the message “%s”', (message, code) => {
    for (const wire of wires.filter((wire) => wire !== 'gemini')) {
      const body = JSON.stringify({ error: wire === 'ollama' ? message : { message } })
      expect([wire, codecs[wire].error.decode({ status: 400, headers: {}, body }).code]).toEqual([wire, code])
    }
  })
})

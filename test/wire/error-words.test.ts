// What a provider says of an error in words of its own wire comes out there again, and nowhere else.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { HttpResponse } from '../../src/wire/codec.js'
import { codecs } from '../../src/wire/index.js'

const toClient = (wire: Wire) => ({ wire, model: 'm', stream: false })
const again = (
  wire: Wire,
  status: number,
  body: object,
  to: Wire = wire,
): Pick<HttpResponse, 'status'> & { body: unknown } => {
  const error = codecs[wire].error.decode({ status, headers: {}, body: JSON.stringify(body) })
  const http = codecs[to].error.encode(error, toClient(to))
  return { status: http.status, body: JSON.parse(http.body) }
}
const openai = (type: string | null, param: string | null, code: string | number | null): object => ({
  error: { message: 'it failed', type, param, code },
})

describe.each<Wire>(['openai-chat', 'openai-responses'])('%s: status, type, param and code of the provider', (wire) => {
  test.each([
    [400, openai('invalid_request_error', 'previous_response_id', 'previous_response_not_found')],
    [400, openai('invalid_request_error', 'model', 'model_not_found')],
    [400, openai('invalid_request_error', 'messages[0].content', 'unsupported_value')],
    [400, openai('invalid_request_error', 'messages', 'context_length_exceeded')],
    [404, openai('invalid_request_error', 'input', null)],
    [404, openai('invalid_request_error', null, 'DeploymentNotFound')],
    [422, openai('invalid_request_error', null, null)],
    [429, openai('tokens', null, 'rate_limit_exceeded')],
    [402, openai(null, null, 402)],
  ])('%i %j', (status, body) => {
    expect(again(wire, status, body)).toEqual({ status, body })
  })
})

describe('anthropic: status, type and details of the provider', () => {
  const body = (type: string, details: object | null): object => ({
    type: 'error',
    error: { type, message: 'it failed', details },
    request_id: 'req_1',
  })
  test.each([
    [404, body('not_found_error', { error_code: 'thread_not_found' })],
    [
      400,
      body('invalid_request_error', { error_code: 'spend_limit', error_visibility: 'user_facing', more: { a: [1] } }),
    ],
    [409, body('conflict_error', null)],
    [429, body('rate_limit_error', { error_code: 'enabled_later' })],
  ])('%i %j', (status, sent) => {
    expect(again('anthropic', status, sent)).toEqual({ status, body: sent })
  })
})

test('another wire says it as it says our code', () => {
  const lost = openai('invalid_request_error', 'previous_response_id', 'previous_response_not_found')
  expect(again('openai-responses', 400, lost, 'openai-chat')).toMatchObject({
    status: 404,
    body: { error: { param: null, code: 'model_not_found' } },
  })
  expect(again('openai-responses', 400, lost, 'anthropic')).toMatchObject({
    status: 404,
    body: { error: { type: 'not_found_error', details: null } },
  })
})

test.each<Wire>(['openai-chat', 'openai-responses', 'anthropic'])(
  '%s: what was written of our code is written again',
  (wire) => {
    const { error } = codecs[wire]
    const exchange = toClient(wire)
    for (const code of ['not_found', 'rate_limited', 'timeout', 'unsupported_feature', 'context_too_long'] as const) {
      const http = error.encode(new ToolwireError(code, 'it failed'), exchange)
      expect(error.encode(error.decode(http), exchange)).toEqual(http)
    }
  },
)

test('a failed stream of Responses says the code of the provider', () => {
  const { stream } = codecs['openai-responses']
  const env = { profile: codecs['openai-responses'].profiles.openai as never, createdSeconds: 0, deltas: true }
  const event = {
    type: 'error',
    code: 'image_parse_error',
    message: 'it failed',
    param: 'input[0]',
    sequence_number: 0,
  }
  const events = stream
    .decode({ ...toClient('openai-responses'), stream: true }, env)
    .push(new TextEncoder().encode(`event: error\ndata: ${JSON.stringify(event)}\n\n`))
  const encoder = stream.encode({ ...toClient('openai-responses'), stream: true }, env)
  const text = events.map((one) => encoder.push(one)).join('')
  expect(text).toContain('"code":"image_parse_error","message":"it failed","param":"input[0]"')
})

// Errors of our server half, as users of the official SDKs meet them: the right status and type, also in mid-stream.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { Wire } from '../../src/conversation/messages.js'
import { type ErrorCode, ToolwireError } from '../../src/errors/error.js'
import { streamed } from '../laws/subjects.js'
import { subjectOf } from '../matrix/column.js'
import { judges } from './fixtures.js'
import { type Answering, type Loopback, startServer } from './server.js'

let server: Loopback
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

interface Expected {
  readonly code: ErrorCode
  /** The status where all wires agree, and the exceptions. */
  readonly status: number
  readonly statuses?: Readonly<Partial<Record<Wire, number>>>
  /** The type, where the SDK has one. */
  readonly types: Readonly<Partial<Record<Wire, string>>>
}

const errors: readonly Expected[] = [
  {
    code: 'invalid_request',
    status: 400,
    types: { 'openai-chat': 'invalid_request_error', anthropic: 'invalid_request_error' },
  },
  { code: 'authentication', status: 401, types: { anthropic: 'authentication_error' } },
  { code: 'permission', status: 403, types: { anthropic: 'permission_error' } },
  { code: 'not_found', status: 404, types: { anthropic: 'not_found_error' } },
  { code: 'rate_limited', status: 429, types: { anthropic: 'rate_limit_error' } },
  { code: 'server_error', status: 500, types: { anthropic: 'api_error' } },
  { code: 'overloaded', status: 503, statuses: { anthropic: 529 }, types: { anthropic: 'overloaded_error' } },
]

function failing(wire: Wire, error: ToolwireError): Answering {
  const { codec, env } = subjectOf(wire, {})
  return (http) => codec.error.encode(error, codec.request.decode(http, env).exchange)
}

/** An answer that begins well and then fails. */
function failingMidway(wire: Wire, error: ToolwireError): Answering {
  const subject = subjectOf(wire, {})
  const { codec, env } = subject
  const events: readonly CompletionEvent[] = [
    { type: 'start', id: 'answer-1', model: 'example-1' },
    { type: 'text_delta', part: 0, text: 'The weather' },
    { type: 'error', error },
  ]
  return (http) => {
    const { exchange } = codec.request.decode(http, env)
    const { headers } = codec.stream.encode(exchange, env)
    return { status: 200, headers, body: streamed(subject, exchange, events).bytes }
  }
}

describe.each(judges)('$sdk', (judge) => {
  describe.each(errors)('$code', ({ code, status, statuses, types }) => {
    it.each([false, true])('reaches the user with its status and type (stream: %s)', async (stream) => {
      const error = new ToolwireError(code, 'this went wrong')
      const { value } = await server.exchange(failing(judge.wire, error), () => judge.fail(server.url, stream))
      expect(value.status).toBe(statuses?.[judge.wire] ?? status)
      expect(value.message).toContain('this went wrong')
      if (types[judge.wire] !== undefined) expect(value.type).toBe(types[judge.wire])
    })
  })

  it('throws when an answer fails in mid-stream', async () => {
    const error = new ToolwireError('overloaded', 'this went wrong midway')
    const { value } = await server.exchange(failingMidway(judge.wire, error), () => judge.fail(server.url, true))
    expect(value.message).toContain('this went wrong midway')
    if (judge.wire === 'anthropic') expect(value.type).toBe('overloaded_error')
    if (judge.wire === 'gemini') expect(value.status).toBe(503)
  })
})

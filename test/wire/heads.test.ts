// What surrounds a body on each wire: the method, path and headers of a request, and the status and headers of an error response.
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const request: CompletionRequest = {
  model: 'm-1',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
}

/** The path of each vendor, and of a stream where that differs. */
const paths: Readonly<Record<Wire, readonly (readonly [vendor: string, path: string, stream?: string])[]>> = {
  'openai-chat': [
    ['openai', '/v1/chat/completions'],
    ['azure', '/openai/v1/chat/completions'],
    ['mistral', '/v1/chat/completions'],
    ['compatible', '/v1/chat/completions'],
  ],
  'openai-responses': [
    ['openai', '/v1/responses'],
    ['azure', '/openai/v1/responses'],
  ],
  anthropic: [['anthropic', '/v1/messages']],
  ollama: [['ollama', '/api/chat']],
  gemini: [
    ['gemini', '/v1beta/models/m-1:generateContent', '/v1beta/models/m-1:streamGenerateContent?alt=sse'],
    [
      'vertex',
      '/v1beta1/publishers/google/models/m-1:generateContent',
      '/v1beta1/publishers/google/models/m-1:streamGenerateContent?alt=sse',
    ],
  ],
}

const vendors = wires.flatMap((wire) =>
  paths[wire].map(([vendor, whole, stream = whole]) => ({ wire, vendor, whole, stream })),
)

test.each(vendors)('$wire: a request to $vendor is JSON posted to its path', ({ wire, vendor, whole, stream }) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec, vendor), createdSeconds: 0, deltas: false }
  for (const isStream of [false, true]) {
    const { http } = codec.request.encode(request, { stream: isStream }, env)
    expect([http.method, http.path]).toEqual(['POST', isStream ? stream : whole])
    expect(http.headers['content-type']).toBe('application/json')
    expect(Object.keys(http.headers)).toEqual(Object.keys(http.headers).map((name) => name.toLowerCase()))
  }
})

test('only Responses asks for the media type of its response, and only Anthropic for a version', () => {
  for (const wire of wires) {
    const codec = codecs[wire]
    const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
    const headers = (stream: boolean): object => codec.request.encode(request, { stream }, env).http.headers
    const isResponses = wire === 'openai-responses'
    expect([wire, 'accept' in headers(false)]).toEqual([wire, isResponses])
    expect([wire, 'anthropic-version' in headers(false)]).toEqual([wire, wire === 'anthropic'])
    if (isResponses) {
      expect(headers(false)).toMatchObject({ accept: 'application/json' })
      expect(headers(true)).toMatchObject({ accept: 'text/event-stream' })
    }
  }
})

/** The status of each error code, and the one of all others. */
const statuses: Readonly<Record<Wire, { readonly [Code in ErrorCode]?: number } & { readonly others: number }>> = {
  'openai-chat': {
    invalid_request: 400,
    unsupported_feature: 400,
    authentication: 401,
    permission: 403,
    not_found: 404,
    rate_limited: 429,
    quota_exceeded: 429,
    context_too_long: 400,
    content_filtered: 400,
    overloaded: 503,
    timeout: 504,
    network: 502,
    limit_exceeded: 413,
    others: 500,
  },
  'openai-responses': {
    invalid_request: 400,
    invalid_tool_spec: 400,
    unsupported_feature: 400,
    authentication: 401,
    permission: 403,
    not_found: 404,
    rate_limited: 429,
    quota_exceeded: 429,
    context_too_long: 400,
    content_filtered: 400,
    overloaded: 503,
    timeout: 504,
    network: 502,
    truncated: 502,
    malformed_response: 502,
    limit_exceeded: 413,
    others: 500,
  },
  anthropic: {
    invalid_request: 400,
    invalid_tool_spec: 400,
    invalid_tool_fields: 400,
    unsupported_feature: 400,
    content_filtered: 400,
    context_too_long: 400,
    misuse: 400,
    limit_exceeded: 413,
    authentication: 401,
    quota_exceeded: 402,
    permission: 403,
    not_found: 404,
    rate_limited: 429,
    timeout: 504,
    overloaded: 529,
    others: 500,
  },
  ollama: {
    invalid_request: 400,
    invalid_tool_spec: 400,
    invalid_tool_fields: 400,
    unsupported_feature: 400,
    context_too_long: 400,
    content_filtered: 400,
    misuse: 400,
    authentication: 401,
    quota_exceeded: 402,
    permission: 403,
    not_found: 404,
    limit_exceeded: 413,
    rate_limited: 429,
    aborted: 499,
    network: 502,
    malformed_response: 502,
    truncated: 502,
    overloaded: 503,
    timeout: 504,
    others: 500,
  },
  gemini: {
    authentication: 401,
    permission: 403,
    not_found: 404,
    rate_limited: 429,
    quota_exceeded: 429,
    overloaded: 503,
    server_error: 500,
    network: 502,
    timeout: 504,
    aborted: 499,
    truncated: 502,
    malformed_response: 502,
    others: 400,
  },
}

describe.each(wires)('%s: an error response', (wire) => {
  const { encode, decode } = codecs[wire].error
  const client = { wire, model: 'm', stream: false }

  test.each(Object.keys(errorCodes) as ErrorCode[])(
    'with the code %s has its status, and is read as that code',
    (code) => {
      const http = encode(new ToolwireError(code, 'it failed', { retryAfterMs: 1500, requestId: 'req_1' }), client)
      expect(http.status).toBe(statuses[wire][code] ?? statuses[wire].others)
      expect(http.headers['content-type']).toMatch(/^application\/json/)
      const back = decode(http)
      expect({ code: back.code, message: back.message, retryAfterMs: back.retryAfterMs, status: back.status }).toEqual({
        code,
        message: wire === 'anthropic' && code === 'context_too_long' ? 'prompt is too long: it failed' : 'it failed',
        retryAfterMs: 1500,
        status: http.status,
      })
      if (wire !== 'gemini') expect(back.requestId).toBe('req_1')
    },
  )

  test('without a time to wait or an id says neither', () => {
    const http = encode(new ToolwireError('rate_limited', 'it failed'), client)
    const names = Object.keys(http.headers)
    expect(names.filter((name) => name.startsWith('retry-') || name.endsWith('request-id'))).toEqual([])
    expect(decode(http).retryAfterMs).toBeUndefined()
  })

  test('whose body is empty or no JSON is read by its status', () => {
    const read = (status: number, body: string) => decode({ status, headers: {}, body })
    expect(read(401, '')).toMatchObject({ code: 'authentication', status: 401 })
    expect(read(401, '').message).toContain('401')
    expect(read(500, '   ').message).toContain('500')
    expect(read(404, '<html><title>Not here</title></html>')).toMatchObject({ code: 'not_found', message: 'Not here' })
    expect(read(502, 'Bad\n  gateway').message).toBe('Bad gateway')
    expect(read(502, 'x'.repeat(500)).message).toBe('x'.repeat(300))
  })
})

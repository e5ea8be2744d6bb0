// Programs pass on options they may not have: a member that is undefined is a member that is not there.
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { type CompletionRequest, requestFields } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const request: CompletionRequest = {
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_call', id: 'call_1', name: 'look', arguments: '{}' }] },
    {
      role: 'tool',
      results: [{ callId: 'call_1', name: 'look', isError: false, content: [{ type: 'text', text: 'Here' }] }],
    },
  ],
  tools: [{ name: 'look', inputSchema: { type: 'object', properties: {} } }],
}

/** Optional members of the parts of a request, by the type or role of what has them. */
const optional = {
  text: ['extra', 'opaque'],
  image: ['extra', 'url'],
  tool_call: ['extra', 'opaque', 'recovered'],
  user: ['extra'],
  assistant: ['extra', 'origin'],
  tool: ['extra'],
} as const

function withUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUndefined)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [
    key,
    key === 'inputSchema' ? member : withUndefined(member),
  ])
  const { type, role } = value as { readonly type?: string; readonly role?: string }
  const more = optional[(type ?? role) as keyof typeof optional] ?? []
  const missing = more.filter((key) => !(key in value)).map((key) => [key, undefined])
  return Object.fromEntries([...members, ...missing])
}

describe.each(wires)('%s', (wire) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const encode = (given: CompletionRequest) => {
    const { http, losses } = codec.request.encode(given, { stream: false }, env)
    return {
      path: http.path,
      body: JSON.parse(bodyText(http.body)) as unknown,
      losses: losses.map(({ code, path }) => [code, path]),
    }
  }
  const keys = [...requestFields].filter((key) => key !== 'model' && key !== 'messages')

  test.each(keys)('%s of the request', (key) => {
    const { [key as keyof CompletionRequest]: _, ...without } = request
    const given = { ...without, [key]: undefined } as unknown as CompletionRequest
    expect(encode(given)).toEqual(encode(without as CompletionRequest))
  })

  test('members of messages, parts and results', () => {
    expect(encode(withUndefined(request) as CompletionRequest)).toEqual(encode(request))
  })

  test('members of a tool', () => {
    const [tool] = request.tools ?? []
    const more = {
      description: undefined,
      strict: undefined,
      outputSchema: undefined,
      annotations: undefined,
      extra: undefined,
    }
    const given = { ...request, tools: [{ ...tool, ...more }] } as unknown as CompletionRequest
    expect(encode(given)).toEqual(encode(request))
  })
})

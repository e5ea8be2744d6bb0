// The form before tools: `functions` and `function_call`, which old clients still send, mean tools and are written again as they came.
import { describe, expect, test } from 'vitest'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { profileOf } from '../../src/wire/index.js'
import { openaiChatCodec as codec } from '../../src/wire/openai-chat/index.js'

const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const functions: readonly JsonObject[] = [
  { name: 'f', description: 'Does f', parameters },
  { name: 'g', parameters: { type: 'object', properties: {} } },
]

function decode(more: JsonObject) {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more })
  return codec.request.decode({ method: 'POST', path: '/', headers: {}, body }, env)
}
function again(more: JsonObject): JsonObject {
  const { http } = codec.request.encode(decode(more).request, { stream: false }, env)
  const { messages: _, model: __, ...rest } = JSON.parse(bodyText(http.body)) as JsonObject
  return rest
}

describe('functions', () => {
  test('are tools', () => {
    expect(decode({ functions }).request.tools).toMatchObject([
      { name: 'f', description: 'Does f', inputSchema: parameters },
      { name: 'g' },
    ])
    expect(again({ functions })).toEqual({ functions })
  })

  test.each<[Json, unknown]>([
    ['auto', 'auto'],
    ['none', 'none'],
    [{ name: 'f' }, { tool: 'f' }],
  ])('function_call %j is a choice', (choice, meant) => {
    expect(decode({ functions, function_call: choice }).request.toolChoice).toEqual(meant)
    expect(again({ functions, function_call: choice })).toEqual({ functions, function_call: choice })
  })

  test.each<[string, JsonObject, string]>([
    ['no list', { functions: {} }, '/functions'],
    ['no object', { functions: ['f'] }, '/functions/0'],
  ])('that are %s are the client’s mistake', (_, more, path) => {
    expect(() => decode(more)).toThrow(expect.objectContaining({ code: 'invalid_request', detail: { path } }))
  })
})

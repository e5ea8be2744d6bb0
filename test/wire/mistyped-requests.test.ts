// A member of a request whose value has the wrong type is the client's mistake, reported with its place in the body.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'

type Form = 'text' | 'list' | 'object' | 'text or list' | 'number' | 'boolean'

/** The place, what must stand there, and the place that is reported where it is another one. */
type Row = readonly [place: string, form: Form, reported?: string]

const weather = { name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } }

const subjects: Readonly<Record<Wire, { readonly body: JsonObject; readonly rows: readonly Row[] }>> = {
  'openai-chat': {
    body: {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: 'Wait.',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'sunny' },
      ],
      tools: [{ type: 'function', function: weather }],
    },
    rows: [
      ['/model', 'text'],
      ['/messages', 'list'],
      ['/messages/0', 'object'],
      ['/messages/1/role', 'text'],
      ['/messages/0/content', 'text or list'],
      ['/messages/1/tool_calls', 'list'],
      ['/messages/1/tool_calls/0', 'object'],
      ['/tools', 'list'],
      ['/tools/0', 'object'],
      ['/tools/0/type', 'text'],
      ['/tools/0/function/name', 'text'],
      ['/tools/0/function/parameters', 'object'],
    ],
  },
  'openai-responses': {
    body: {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'function_call', call_id: 'c', name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'sunny' }] },
      ],
      tools: [{ type: 'function', ...weather }],
      text: { format: { type: 'text' } },
      reasoning: { effort: 'low' },
      parallel_tool_calls: false,
      max_output_tokens: 100,
    },
    rows: [
      ['/model', 'text'],
      ['/instructions', 'text'],
      ['/input', 'text or list'],
      ['/input/0', 'object'],
      ['/input/0/content/0', 'object'],
      ['/input/2/output', 'text or list'],
      ['/input/2/output/0', 'object'],
      ['/tools', 'list'],
      ['/tools/0', 'object'],
      ['/text', 'object'],
      ['/reasoning', 'object'],
      ['/parallel_tool_calls', 'boolean'],
      ['/max_output_tokens', 'number'],
    ],
  },
  anthropic: {
    body: {
      model: 'm',
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'get_weather', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'sunny' }] },
      ],
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
    },
    rows: [
      ['/model', 'text'],
      ['/max_tokens', 'number'],
      ['/system', 'text or list'],
      ['/system/0', 'object', '/system'],
      ['/system/0/text', 'text', '/system'],
      ['/messages', 'list'],
      ['/messages/0', 'object'],
      ['/messages/0/role', 'text'],
      ['/messages/0/content', 'text or list'],
      ['/messages/1/content/0', 'object', '/messages/1/content'],
      ['/tools', 'list'],
      ['/tools/0', 'object'],
    ],
  },
  ollama: {
    body: {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi', images: ['AAAA'] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm.',
          tool_calls: [{ function: { name: 'get_weather', arguments: {} } }],
        },
        { role: 'tool', tool_name: 'get_weather', content: 'sunny' },
      ],
      tools: [{ type: 'function', function: weather }],
      options: { temperature: 0 },
    },
    rows: [
      ['/model', 'text'],
      ['/messages', 'list'],
      ['/messages/0', 'object'],
      ['/messages/0/role', 'text'],
      ['/messages/0/content', 'text or list'],
      ['/messages/0/images', 'list'],
      ['/messages/0/images/0', 'text'],
      ['/messages/1/thinking', 'text'],
      ['/messages/1/tool_calls', 'list'],
      ['/messages/1/tool_calls/0', 'object'],
      ['/messages/1/tool_calls/0/function', 'object', '/messages/1/tool_calls/0'],
      ['/tools', 'list'],
      ['/tools/0', 'object'],
      ['/options', 'object'],
    ],
  },
  gemini: {
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] },
      ],
      tools: [{ functionDeclarations: [weather] }],
    },
    rows: [
      ['/tools/0', 'object'],
      ['/tools/0/functionDeclarations/0', 'object'],
      ['/tools/0/functionDeclarations/0/name', 'text', '/tools/0/functionDeclarations/0'],
    ],
  },
}

const values: readonly Json[] = [true, 7, 'x', [7], {}]

/** Whether a value has the form, up to what lies inside it. */
const fits: Readonly<Record<Form, (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  list: Array.isArray,
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  'text or list': (value) => typeof value === 'string' || Array.isArray(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

function replaced(body: JsonObject, place: string, value: Json): JsonObject {
  const copy = structuredClone(body)
  const steps = place.slice(1).split('/')
  const last = steps.pop() ?? ''
  let holder: unknown = copy
  for (const step of steps) holder = (holder as JsonObject)[step]
  ;(holder as { [key: string]: Json })[last] = value
  return copy
}

function decode(wire: Wire, body: Json): unknown {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const path = wire === 'gemini' ? '/v1beta/models/m:generateContent' : '/'
  return codec.request.decode({ method: 'POST', path, headers: {}, body: JSON.stringify(body) }, env)
}

const rows = Object.entries(subjects).flatMap(([wire, { body, rows }]) =>
  rows.map(([place, form, reported = place]) => ({ wire: wire as Wire, body, place, form, reported })),
)

test.each(rows)('$wire: $place must be $form', ({ wire, body, place, form, reported }) => {
  expect(() => decode(wire, body)).not.toThrow()
  for (const value of values.filter((value) => !fits[form](value))) {
    let error: unknown
    try {
      decode(wire, replaced(body, place, value))
    } catch (thrown) {
      error = thrown
    }
    expect([value, error]).toEqual([value, expect.any(ToolwireError)])
    const { code, detail, message } = error as ToolwireError
    expect([value, code, detail?.path]).toEqual([value, 'invalid_request', reported])
    expect(message).toContain(`${reported} must be`)
  }
})

describe.each(Object.keys(subjects) as Wire[])('%s', (wire) => {
  test.each([['[]'], ['7'], ['"x"'], ['null']])('a body that is %s must be an object', (text) => {
    expect(() => decode(wire, JSON.parse(text) as Json)).toThrow('the request body must be a JSON object')
  })
})

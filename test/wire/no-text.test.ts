// Objects where a text belongs, with a member that hides how they become one: nothing may try.
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { dialectNames } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { importTool } from '../../src/tools/import-tool.js'
import type { Env } from '../../src/wire/codec.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { foldAll } from '../streams/streamed.js'

const mute: JsonObject = JSON.parse('{"toString":0,"valueOf":0}')

const schemas: Readonly<Record<string, JsonObject>> = {
  'a required name': { type: 'object', properties: { a: { type: 'string' } }, required: [mute, 'a'] },
  'a type': { anyOf: [{ type: [mute, 'string'] }, { type: ['string', 'null'] }] },
  'the names of branches': {
    anyOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: [mute], additionalProperties: false },
      { type: 'object', properties: { b: { type: 'string' } }, required: [mute], additionalProperties: false },
    ],
  },
  'a value of an enum': { type: 'object', properties: { a: { enum: [mute, 1] } } },
  'a limit': {
    allOf: [
      { type: 'string', minLength: mute, pattern: mute, format: mute },
      { minLength: 2, maxLength: mute, title: mute, description: mute },
    ],
  },
  'the limits of a list': { type: 'array', minItems: mute, maxItems: mute, items: { minimum: mute, multipleOf: mute } },
  'limits that meet': {
    allOf: [
      { minimum: mute, maximum: 3 },
      { minimum: 1, maximum: mute, enum: mute },
    ],
    $ref: mute,
  },
  'a member that is optional': { type: 'object', properties: { a: { optional: true } }, required: [mute, 'a'] },
}

describe.each(Object.entries(schemas))('%s', (_, schema) => {
  test.each(dialectNames)('%s takes the schema or says why not', (dialect) => {
    expect(isSettled(() => restrict(schema, dialect))).toBe(true)
  })

  test('a tool with it is imported or refused', () => {
    const tool = {
      name: 'find',
      description: 'Finds something',
      inputSchema: { type: 'object', properties: { x: schema } },
    }
    expect(isSettled(() => importTool(tool as never, { execute: () => '' }))).toBe(true)
    expect(isSettled(() => importTool({ ...tool, inputSchema: schema } as never, { execute: () => '' }))).toBe(true)
  })

  test.each(Object.values(codecs))('$wire sends a request with it or refuses it', (codec) => {
    const env: Env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
    const tools = [{ name: 'find', inputSchema: schema, strict: true }]
    expect(isSettled(() => codec.request.encode({ model: 'm', messages, tools }, { stream: false }, env))).toBe(true)
  })
})

test.each<[string, Json]>([
  ['a reason to finish', { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: mute }] }],
  ['a reason to block', { promptFeedback: { blockReason: mute } }],
])('gemini: %s', (_, body) => {
  const codec = codecs.gemini
  const env: Env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const http = { status: 200, headers: {}, body: JSON.stringify(body) }
  const exchange = { wire: 'gemini', model: 'm', provider: 'gemini', stream: false } as const
  const { response, error } = foldAll(codec.response.decode(http, exchange, env))
  expect(error?.code ?? response.rawFinishReason).toBeTypeOf('string')
})

test('gemini: the quota of a violation', () => {
  const error = {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'no',
    details: [{ violations: [{ quotaId: mute }] }],
  }
  const http = { status: 429, headers: {}, body: JSON.stringify({ error }) }
  expect(codecs.gemini.error.decode(http).code).toBe('rate_limited')
})

/** Whether it came to an end, if by a typed error. */
function isSettled(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    return ToolwireError.is(error)
  }
}

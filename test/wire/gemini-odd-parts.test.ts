// Gemini from compatible servers and proxies: parts that say two things, several candidates, and chunks that come twice.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { envOf, exchange, folded, streamed } from './gemini-fixtures.js'

const env = envOf()
const sse = (...chunks: readonly Json[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
const chunk = (parts: readonly Json[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
  responseId: 'r1',
})
const stop = { finishReason: 'STOP' }
const codes = (text: string): readonly string[] => folded(streamed(text)).response.losses.map((loss) => loss.code)
const whole = (body: Json) =>
  folded(codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(body) }, exchange, env)).response

describe('a part that says two things', () => {
  const call = { id: 'c1', name: 'find', args: { q: 'tide' } }
  const both: Json = { text: 'Let me look.', functionCall: call, thoughtSignature: 'c2ln' }

  test('of an answer is split, and the signature stays with the call', () => {
    for (const response of [whole(chunk([both], stop)), folded(streamed(sse(chunk([both], stop)))).response]) {
      expect(response.text).toBe('Let me look.')
      expect(response.toolCalls).toMatchObject([{ id: 'c1', arguments: '{"q":"tide"}' }])
      expect(response.toolCalls[0]?.opaque?.data).toEqual({ thoughtSignature: 'c2ln' })
      expect(response.losses.map((loss) => loss.code)).toEqual(['part_split'])
    }
  })

  test('keeps a thought apart from the call', () => {
    const { message } = whole(chunk([{ text: 'Hm.', thought: true, functionCall: call }], stop))
    expect(message.content.map((part) => part.type)).toEqual(['reasoning', 'tool_call'])
  })

  test.each<[string, Json]>([
    ['an empty text', ''],
    ['a null', null],
  ])('beside a call, %s says nothing', (_, text) => {
    const response = whole(chunk([{ text, functionCall: call }], stop))
    expect(response.message.content).toMatchObject([{ type: 'tool_call', id: 'c1' }])
    expect(response.message.content[0]).not.toHaveProperty('extra')
    expect(response.losses).toEqual([])
  })

  test('of a request is split and reported where it stands', () => {
    const parts: readonly Json[] = [
      { text: 'Look at this.', inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { text: 'And that.' },
    ]
    const contents: Json = [
      { role: 'user', parts },
      { role: 'model', parts: [both] },
      {
        role: 'user',
        parts: [{ text: 'Thanks.', functionResponse: { id: 'c1', name: 'find', response: { output: 'x' } } }],
      },
    ]
    const path = '/v1beta/models/m:generateContent'
    const http = { method: 'POST', path, headers: {}, body: JSON.stringify({ contents }) }
    const { request, losses } = codec.request.decode(http, env)
    expect(
      request.messages.map((message) => [
        message.role,
        message.role === 'tool' ? message.results.length : message.content.map((part) => part.type),
      ]),
    ).toEqual([
      ['user', ['text', 'image', 'text']],
      ['assistant', ['text', 'tool_call']],
      ['tool', 1],
      ['user', ['text']],
    ])
    expect(losses.filter((loss) => loss.code === 'part_split').map((loss) => loss.path)).toEqual([
      '/contents/0/parts/0',
      '/contents/1/parts/0',
      '/contents/2/parts/0',
    ])
  })
})

describe('several candidates', () => {
  const of = (index: number, text: string, more: JsonObject = {}): JsonObject => ({
    content: { role: 'model', parts: [{ text }] },
    index,
    ...more,
  })

  test.each<[string, readonly Json[]]>([
    ['in each chunk', [{ candidates: [of(0, 'A'), of(1, 'B')] }, { candidates: [of(0, 'a', stop), of(1, 'b', stop)] }]],
    ['in turns', [{ candidates: [of(0, 'A')] }, { candidates: [of(1, 'B')] }, { candidates: [of(0, 'a', stop)] }]],
    [
      'in another order',
      [{ candidates: [of(1, 'B'), of(0, 'A')] }, { candidates: [of(1, 'b', stop), of(0, 'a', stop)] }],
    ],
  ])('%s: only the first is read, and that is reported once', (_, chunks) => {
    const { response, error } = folded(streamed(sse(...chunks)))
    expect([error, response.text, response.finishReason]).toEqual([undefined, 'Aa', 'stop'])
    expect(response.losses.map((loss) => loss.code)).toEqual(['candidates_ignored'])
  })

  test('without an index they count by their place, and arguments are those of the right one', () => {
    const call = (n: string): Json => ({ content: { parts: [{ functionCall: { id: 'c', name: 'f', args: { n } } }] } })
    expect(
      whole({ candidates: [{ ...(call('first') as JsonObject), ...stop }, call('second')] }).toolCalls,
    ).toMatchObject([{ arguments: '{"n":"first"}' }])
    const placed = [
      { ...(call('second') as JsonObject), index: 1 },
      { ...(call('first') as JsonObject), index: 0, ...stop },
    ]
    expect(whole({ candidates: placed }).toolCalls).toMatchObject([{ arguments: '{"n":"first"}' }])
  })
})

describe('what comes twice', () => {
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 }

  test('a copy of the last chunk is left out', () => {
    const last = { ...chunk([{ text: 'sails at ten.' }], stop), usageMetadata }
    const text = sse(chunk([{ text: 'The last one ' }]), last, last)
    expect(folded(streamed(text)).response.text).toBe('The last one sails at ten.')
    expect(codes(text)).toEqual(['chunk_repeated'])
    const called = chunk([{ functionCall: { name: 'find', args: { q: 'x' } } }], stop)
    expect(folded(streamed(sse(chunk([{ text: 'Let me look.' }]), called, called))).response.toolCalls).toHaveLength(1)
    expect(folded(streamed(sse(last, last))).response.text).toBe('sails at ten.')
  })

  test('a last chunk with the complete text adds nothing', () => {
    const text = sse(
      chunk([{ text: 'The last one ' }]),
      chunk([{ text: 'sails at ten.' }]),
      chunk([{ text: 'The last one sails at ten.' }], stop),
    )
    const { response } = folded(streamed(text))
    expect([response.text, response.finishReason]).toEqual(['The last one sails at ten.', 'stop'])
    expect(codes(text)).toEqual(['text_repeated'])
  })

  test('what a model says twice stays', () => {
    const ha = chunk([{ text: 'ha' }])
    expect(folded(streamed(sse(ha, ha, chunk([{ text: 'haha' }], stop)))).response.text).toBe('hahahaha')
    const line = chunk([{ text: 'a line that is longer than a word\n' }])
    expect(folded(streamed(sse(line, line, chunk([{ text: '' }], stop)))).response.text).toHaveLength(68)
    // Older servers finish every chunk and count only once.
    const finished = chunk([{ text: 'no ' }], stop)
    const end = { ...chunk([{ text: '!' }], stop), usageMetadata }
    expect(folded(streamed(sse(finished, finished, end))).response.text).toBe('no no !')
    expect(codes(sse(finished, finished, end))).toEqual([])
  })
})

describe('a call in pieces', () => {
  const piece = (more: JsonObject): JsonObject => chunk([{ functionCall: more }])
  const partialArgs: Json = [{ jsonPath: '$.q', stringValue: 'tide' }]
  const read = (...calls: readonly JsonObject[]) => folded(streamed(sse(...calls.map(piece), chunk([], stop)))).response

  test('with complete arguments instead of pieces has those', () => {
    const response = read({ name: 'find', willContinue: true }, { args: { q: 'tide' } })
    expect(response.toolCalls).toMatchObject([{ name: 'find', arguments: '{"q":"tide"}' }])
    expect(response.losses.map((loss) => loss.code)).not.toContain('arguments_contradicted')
  })

  test('with complete arguments that say the same is not reported', () => {
    const response = read(
      { name: 'find', willContinue: true },
      { partialArgs, willContinue: true },
      { args: { q: 'tide' } },
    )
    expect(response.toolCalls).toMatchObject([{ arguments: '{"q":"tide"}' }])
    expect(response.losses.map((loss) => loss.code)).not.toContain('arguments_contradicted')
  })

  test('with complete arguments that say something else keeps the pieces, and reports it', () => {
    const response = read(
      { name: 'find', willContinue: true },
      { partialArgs, willContinue: true },
      { args: { q: 'x' } },
    )
    expect(response.toolCalls).toMatchObject([{ arguments: '{"q":"tide"}' }])
    expect(response.losses.map((loss) => loss.code)).toContain('arguments_contradicted')
  })
})

test('an answer in snake_case has its text, its call, its finish and its figures', () => {
  const { text, toolCalls, finishReason, usage, model } = whole({
    candidates: [
      {
        content: { parts: [{ text: 'Hm.' }, { function_call: { name: 'f', args: { q: 1 } } }] },
        finish_reason: 'STOP',
      },
    ],
    usage_metadata: { prompt_token_count: 3, candidates_token_count: 4, total_token_count: 7 },
    model_version: 'm-1',
  })
  expect([text, toolCalls[0]?.arguments, finishReason, model]).toEqual(['Hm.', '{"q":1}', 'tool_calls', 'm-1'])
  expect(usage).toEqual({ input: 3, output: 4, total: 7 })
})

test('a function with two schemas has the JSON Schema, and that is reported', () => {
  const declaration = { name: 'f', parameters: { type: 'OBJECT' }, parametersJsonSchema: { type: 'object' } }
  const body = JSON.stringify({ contents: [], tools: [{ functionDeclarations: [declaration] }] })
  const http = { method: 'POST', path: '/v1beta/models/m:generateContent', headers: {}, body }
  const { request, losses } = codec.request.decode(http, env)
  expect(request.tools).toMatchObject([{ name: 'f', inputSchema: { type: 'object' } }])
  expect(losses.map((loss) => [loss.code, loss.path])).toEqual([['schema_ignored', '/tools/0/functionDeclarations/0']])
})

// The Gemini wire: results, and which call each answers.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AssistantMessage,
  isCall,
  type Message,
  type ToolMessage,
  textOf,
} from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { JsonObject } from '../../src/json/types.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { bodyOf, contents, decoded, encoded, envOf, exact, same, user } from './gemini-fixtures.js'

const env = envOf()

describe('gemini: results and ids', () => {
  const turn = (calls: JsonObject[], responses: JsonObject[], role = 'user'): JsonObject => ({
    contents: [
      ...contents,
      { role: 'model', parts: calls.map((functionCall) => ({ functionCall })) },
      { role, parts: responses.map((functionResponse) => ({ functionResponse })) },
    ],
  })
  const old = '/v1beta/models/gemini-2.5-flash:generateContent'
  const resultsOf = (request: CompletionRequest) => (request.messages[2] as ToolMessage).results

  test.each([
    [{ output: 'text' }, 'text', false],
    [{ output: '' }, '', false],
    [{ output: { temp: 18 } }, '{"temp":18}', false],
    [{ output: null }, 'null', false],
    [{ error: 'no' }, 'no', true],
    [{ error: { code: 1 } }, '{"code":1}', true],
    [{ result: 'x' }, '{"result":"x"}', false],
    [{ error: 'no', code: 5 }, '{"error":"no","code":5}', true],
    [{ error: 'no', output: 'yes' }, '{"error":"no","output":"yes"}', false],
    [{}, undefined, false],
  ])('the response %j is read as %j and goes back as it came', (response, text, isError) => {
    const request = same(turn([{ id: 'c', name: 'f', args: {} }], [{ id: 'c', name: 'f', response }]), old)
    const [result] = resultsOf(request)
    expect(result?.isError).toBe(isError)
    expect(result?.content).toEqual(text === undefined ? [] : [{ type: 'text', text }])
    expect(exact(request)).toEqual([])
  })

  test('digits of arguments and responses are never rounded', () => {
    const body = JSON.stringify(
      turn([{ id: 'c', name: 'f', args: { id: 7 } }], [{ id: 'c', name: 'f', response: { output: { id: 7 } } }]),
    ).replaceAll(':7', ':12345678901234567890')
    const { request } = codec.request.decode({ method: 'POST', path: old, headers: {}, body }, env)
    const out = bodyOf(codec.request.encode(request, { stream: false }, env))
    expect(out.split('{"id":12345678901234567890}')).toHaveLength(3)
  })

  test('an edited result is sent as edited, whatever form it came in', () => {
    const request = decoded(
      turn([{ id: 'c', name: 'f', args: {} }], [{ id: 'c', name: 'f', response: { result: 'x' } }]),
      old,
    )
    const [result] = resultsOf(request)
    const edited = { ...result, content: [{ type: 'text', text: 'not json' }], isError: true }
    const messages = [...request.messages.slice(0, 2), { role: 'tool', results: [edited] }] as readonly Message[]
    exact({ ...request, messages })
    expect(JSON.stringify(encoded({ ...request, messages }))).toContain('"response":{"error":"not json"}')
  })

  test('calls without ids get some, which are not sent back; results find their calls by name and order', () => {
    const calls = ['f', 'g', 'f'].map((name, place) => ({ name, args: { place } }))
    const responses = ['f', 'g', 'f'].map((name) => ({ name, response: { output: name } }))
    const request = same(turn(calls, responses), old)
    const message = request.messages[1] as AssistantMessage
    const ids = message.content.map((part) => (part.type === 'tool_call' ? part.id : ''))
    expect(new Set(ids).size).toBe(3)
    expect(resultsOf(request).map((result) => result.callId)).toEqual(ids)
    expect(exact(request)).toEqual([])
    // A result the program made has no notes, and still meets its call.
    const results = resultsOf(request).map(({ callId, name, isError, content }) => ({ callId, name, isError, content }))
    const again = { ...request, messages: [...request.messages.slice(0, 2), { role: 'tool', results } as const] }
    expect(encoded(again)).toEqual(turn(calls, responses))
  })

  test('ids that only one side has are written as they came', () => {
    same(turn([{ id: 'c', name: 'f', args: {} }], [{ name: 'f', response: { output: 'x' } }]), old)
    same(turn([{ name: 'f', args: {} }], [{ id: 'c', name: 'f', response: { output: 'x' } }]), old)
  })

  test('an id made for an answer is not sent back', () => {
    const body = JSON.stringify({
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }],
      responseId: 'r9',
    })
    const events = codec.response.decode(
      { status: 200, headers: {}, body },
      { wire: 'gemini', model: 'gemini-2.5-flash', stream: false },
      env,
    )
    const call = events.find((event) => event.type === 'tool_call')?.call
    if (call === undefined) throw new Error('no call')
    const result = { callId: call.id, name: 'f', content: [], isError: false }
    const request: CompletionRequest = {
      model: 'gemini-2.5-flash',
      messages: [user, { role: 'assistant', content: [call] }, { role: 'tool', results: [result] }],
    }
    expect(JSON.stringify(encoded(request))).not.toContain('"id"')
    expect(exact(request)).toEqual([
      '/messages/1/content/0/id',
      '/messages/1/content/0/extra/gemini/$made',
      '/messages/2/results/0/callId',
    ])
  })

  test('the old role "function" and results joined with text are kept as they came', () => {
    const call = { id: 'c', name: 'f', args: {} }
    const response = { id: 'c', name: 'f', response: { output: 'x' } }
    same(turn([call], [response], 'function'), old)
    const mixed = turn([call], [response]) as { contents: { parts: JsonObject[] }[] }
    mixed.contents[2]?.parts.push({ text: 'And now?' })
    const request = same(mixed as unknown as JsonObject, old)
    expect(request.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(exact(request)).toEqual([])
  })

  test('results of one turn share one content, media stands inside them or behind them by model', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aaaa' } as const
    const messages: readonly Message[] = [
      user,
      { role: 'assistant', content: ['1', '2'].map((id) => ({ type: 'tool_call', id, name: 'f', arguments: '{}' })) },
      {
        role: 'tool',
        results: [{ callId: '1', name: 'f', content: [image, { type: 'text', text: 'x' }], isError: false }],
      },
      { role: 'tool', results: [{ callId: '2', name: 'f', content: [{ type: 'text', text: 'no' }], isError: true }] },
    ]
    const now = encoded({ model: 'gemini-3.8-flash', messages }).contents as { role: string; parts: JsonObject[] }[]
    expect(now).toHaveLength(3)
    expect(now[2]?.parts).toEqual([
      {
        functionResponse: {
          id: '1',
          name: 'f',
          response: { output: 'x' },
          parts: [{ inlineData: { mimeType: 'image/png', data: 'aaaa' } }],
        },
      },
      { functionResponse: { id: '2', name: 'f', response: { error: 'no' } } },
    ])
    const then = encoded({ model: 'gemini-2.5-flash', messages }).contents as { parts: JsonObject[] }[]
    expect(then[3]?.parts[1]).toEqual({ inlineData: { mimeType: 'image/png', data: 'aaaa' } })
  })
})

describe('gemini: a turn that is spread over several contents', () => {
  const call = fc.record({ name: fc.constantFrom('a', 'b', 'c'), hasId: fc.boolean() })
  const turns = fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 6 }),
    cuts: fc.array(fc.nat(6)),
    resultCuts: fc.array(fc.nat(6)),
    withIds: fc.boolean(),
    order: fc.array(fc.nat(5)),
  })

  test('keeps every result with its call, however calls and results are cut', () => {
    fc.assert(
      fc.property(turns, ({ calls, cuts, resultCuts, withIds, order }) => {
        const sent = calls.map(({ name, hasId }, index) => ({
          ...(hasId ? { id: `id_${index}` } : {}),
          name,
          args: { index },
        }))
        // Results of one name keep the order of their calls; results of different names may change places.
        const shuffled = sent.toSorted((x, y) => rankOf(x.name, order) - rankOf(y.name, order))
        const results = shuffled.map(({ args, ...whom }) => ({
          ...(withIds ? whom : { name: whom.name }),
          response: { output: args },
        }))
        const parts = sent.map((functionCall) => ({ functionCall }))
        const answers = results.map((functionResponse) => ({ functionResponse }))
        const body = {
          contents: [
            ...contents,
            ...pieces(parts, cuts).map((piece) => ({ role: 'model', parts: piece })),
            ...pieces(answers, resultCuts).map((piece) => ({ role: 'user', parts: piece })),
          ],
        }
        const { messages } = decoded(body as JsonObject, '/v1beta/models/m:generateContent')
        const made = messages.flatMap((message) => (message.role === 'assistant' ? message.content : [])).filter(isCall)
        const given = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
        expect(given).toHaveLength(made.length)
        for (const one of made) {
          const own = given.filter((result) => result.callId === one.id)
          expect(own.map((result) => textOf(result.content))).toEqual([one.arguments])
        }
      }),
    )
  })

  function rankOf(name: string, order: readonly number[]): number {
    return order['abc'.indexOf(name)] ?? 0
  }

  /** The list in pieces, cut at these places. */
  function pieces<T>(list: readonly T[], cuts: readonly number[]): readonly (readonly T[])[] {
    const places = [...new Set([0, ...cuts.filter((cut) => cut < list.length), list.length])].toSorted((a, b) => a - b)
    return places.slice(1).map((end, index) => list.slice(places[index], end))
  }
})

// What every module call does besides asking: retries within one budget, demos, history, streaming, abort, what it cost.
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Conversation } from '../../src/conversation/conversation.js'
import { partialOf } from '../../src/conversation/fold.js'
import { type Message, textOf, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { chatAdapter } from '../../src/signature/chat-adapter.js'
import { jsonAdapter } from '../../src/signature/json-adapter.js'
import { chainOfThought, predict } from '../../src/signature/predict.js'
import { configure } from '../../src/signature/settings.js'
import { signature } from '../../src/signature/signature.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { failureOf } from './failure.js'
import { bench, callTurn, wiresAndModes } from './wire-models.js'

afterEach(() => configure({ model: undefined, adapter: undefined, toolMode: undefined, maxOutputRetries: undefined }))

const add = tool({
  name: 'add',
  description: 'Adds two whole numbers',
  input: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => a + b,
})
const usage = { input: 10, output: 5, total: 15 }
const said = (message: Message | undefined): string =>
  message === undefined || message.role === 'tool' ? '' : textOf(message.content)

describe('retries', () => {
  test('decode, validation and call failures share one budget, each is fed back and reported', async () => {
    const model = scriptedModel([
      { text: 'no form at all', usage },
      { text: '[[ ## answer ## ]]\nx\n[[ ## n ## ]]\n99', usage },
      { brokenCalls: [{ name: 'add', arguments: '{"a":' }], usage },
      { text: '[[ ## answer ## ]]\nx\n[[ ## n ## ]]\n3', usage },
    ])
    const seen: string[] = []
    const program = predict('q, t: tools -> answer, n: integer(max 5), calls?: tool_calls', {
      model,
      maxOutputRetries: 3,
      onRetry: (retry) => seen.push(`${retry.modelCall} ${retry.error.code}`),
    })
    const result = await program({ q: 'hi', t: [add] })
    expect(result).toMatchObject({ kind: 'answer', outputs: { answer: 'x', n: 3 }, modelCalls: 4 })
    expect(result.usage).toEqual({ input: 40, output: 20, total: 60 })
    expect(result.retries.map(({ modelCall, rung, error }) => [modelCall, rung, error.code])).toEqual([
      [1, 'markers', 'missing_required_output'],
      [2, 'markers', 'malformed_response'],
      [3, 'markers', 'malformed_arguments'],
    ])
    expect(seen).toEqual(['1 missing_required_output', '2 malformed_response', '3 malformed_arguments'])
    const last = model.requests[3]?.messages ?? []
    expect(last.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'user',
    ])
    expect(said(last[5])).toContain('"n" must be at most 5')
    expect(last[7]).toMatchObject({
      role: 'tool',
      results: [{ isError: true, error: { category: 'invalid_arguments' } }],
    })
  })

  test('a budget that is spent ends with the last error, what it took, and the last answer', async () => {
    const model = scriptedModel([
      { text: '[[ ## n ## ]]\none', usage },
      { text: '[[ ## n ## ]]\ntwo', usage },
    ])
    const error = await failureOf(predict('q -> n: integer', { model, maxOutputRetries: 1 })({ q: 'hi' }))
    expect(error).toMatchObject({
      code: 'malformed_response',
      detail: { field: 'n', modelCalls: 2, retries: ['malformed_response'], usage: { total: 30 } },
    })
    expect(partialOf(error)?.text).toBe('[[ ## n ## ]]\ntwo')
  })

  test('with a budget of 0 the model is asked once', async () => {
    const model = scriptedModel(['nothing', 'never asked'])
    await failureOf(predict('q -> n: integer', { model, maxOutputRetries: 0 })({ q: 'hi' }))
    expect(model.requests).toHaveLength(1)
  })

  test('an adapter or a hook that throws is misuse, told by name', async () => {
    const throwing = (): never => {
      throw new Error('oops')
    }
    const model = scriptedModel(['x', 'x', 'x'])
    const program = predict('q -> n: integer', { model })
    const format = await failureOf(program({ q: 'hi' }, { adapter: { ...chatAdapter, format: throwing } }))
    const parse = await failureOf(program({ q: 'hi' }, { adapter: { ...chatAdapter, parse: throwing } }))
    const plan = await failureOf(program({ q: 'hi' }, { adapter: { ...chatAdapter, format: () => ({}) as never } }))
    expect(plan.message).toBe('the adapter "chat" gave no plan; it needs a request with messages, and rungs')
    const hook = await failureOf(program({ q: 'hi' }, { onRetry: throwing }))
    expect([format, parse, hook].map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'misuse: the adapter "chat" failed: oops',
      'misuse: the adapter "chat" failed: oops',
      'misuse: the onRetry hook failed: oops',
    ])
  })

  test('a failure of the model is not an answer to correct', async () => {
    const model = scriptedModel([
      { error: new ToolwireError('rate_limited', 'slow down', { retryAfterMs: 5 }) },
      'never asked',
    ])
    const error = await failureOf(predict('q -> answer', { model })({ q: 'hi' }))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 5, detail: { modelCalls: 1 } })
    expect(model.requests).toHaveLength(1)
  })

  test.each(wires)(
    '%s: a correction with an answered broken call is a conversation the provider takes',
    async (wire) => {
      await using on = await bench(wire, 'native', [
        { text: 'Adding.', brokenCalls: [{ name: 'add', arguments: '{"a":' }] },
        { calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      ])
      const result = await predict('q, t: tools -> calls: tool_calls', { model: on.model })({ q: 'hi', t: [add] })
      expect(result).toMatchObject({
        kind: 'calls',
        modelCalls: 2,
        outputs: { calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      })
      expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
    },
  )

  test('checks of a Standard Schema count, asynchronous ones too, and its output is the result', async () => {
    const even = z
      .number()
      .refine(async (value) => value % 2 === 0, { message: 'must be even' })
      .transform((value) => `#${value}`)
    const program = predict(signature.build().input('q').output('n', even).done(), {
      model: scriptedModel(['[[ ## n ## ]]\n3', '[[ ## n ## ]]\n4']),
    })
    const result = await program({ q: 'hi' })
    expect(result.outputs).toEqual({ n: '#4' })
    expect(result.retries[0]?.error.message).toBe('the answer has outputs of the wrong kind: "n" must be even')
  })
})

describe('rungs', () => {
  test('json asks with a schema, and in words only when that answer cannot be used', async () => {
    const model = scriptedModel(['{"n":"x"}', '{"n":1}'])
    const result = await predict('q -> n: integer', { model, adapter: jsonAdapter })({ q: 'hi' })
    expect(result).toMatchObject({ outputs: { n: 1 }, rung: 'json', retries: [{ rung: 'schema' }] })
    expect(model.requests.map(({ output }) => output)).toMatchObject([{ name: 'outputs' }, undefined])
    expect(model.requests[0]?.output).toHaveProperty('schema', {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    })
  })

  test('a provider that refuses the schema is asked in words, within the same budget', async () => {
    const refusal = { error: new ToolwireError('invalid_request', 'no json_schema here') }
    const model = scriptedModel([refusal, '{"n":1}'])
    const result = await predict('q -> n: integer', { model, adapter: jsonAdapter })({ q: 'hi' })
    expect(result).toMatchObject({
      outputs: { n: 1 },
      rung: 'json',
      modelCalls: 2,
      retries: [{ error: { code: 'invalid_request' } }],
    })
    const once = predict('q -> n: integer', {
      model: scriptedModel([refusal]),
      adapter: jsonAdapter,
      maxOutputRetries: 0,
    })
    expect((await failureOf(once({ q: 'hi' }))).code).toBe('invalid_request')
  })

  test('a model that is known not to take a schema is never sent one', async () => {
    const model = scriptedModel(['{"n":1}', '{"n":2}'], { capabilities: { structuredOutputWithTools: 'no' } })
    const program = predict('q, t?: tools -> n: integer', { model, adapter: jsonAdapter })
    expect((await program({ q: 'hi', t: [add] })).rung).toBe('json')
    expect((await program({ q: 'hi' })).rung).toBe('schema')
    expect(model.requests.map(({ output }) => output !== undefined)).toEqual([false, true])
    const never = scriptedModel(['{"n":1}'], { capabilities: { structuredOutput: 'no' } })
    await predict('q -> n: integer', { model: never, adapter: jsonAdapter })({ q: 'hi' })
    expect(never.requests[0]).not.toHaveProperty('output')
  })

  test.each(wiresAndModes)('%s, %s: json answers with tools beside it', async (wire, mode) => {
    await using on = await bench(wire, mode, ['{"answer":"x","n":3}'])
    const program = predict('q, t: tools -> answer, n: integer, calls?: tool_calls', {
      model: on.model,
      adapter: jsonAdapter,
    })
    expect(await program({ q: 'hi', t: [add] })).toMatchObject({ kind: 'answer', outputs: { answer: 'x', n: 3 } })
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined])
  })
})

describe('tool mode', () => {
  const text = 'q, t: tools -> answer, calls?: tool_calls'

  test('a capability that is not known is tried natively; only a known no is prompted', async () => {
    for (const [tools, mode] of [
      ['unknown', 'native'],
      ['yes', 'native'],
      ['no', 'prompted'],
    ] as const) {
      const model = scriptedModel(['[[ ## answer ## ]]\nok'], { capabilities: { tools } })
      const result = await predict(text, { model })({ q: 'hi', t: [add] })
      expect([tools, result.mode, model.requests[0]?.tools !== undefined]).toEqual([tools, mode, mode === 'native'])
    }
  })

  test('prompted can be forced; native on a model known to have no tools is refused before it is asked', async () => {
    const model = scriptedModel(['[[ ## answer ## ]]\nok'])
    const forced = await predict(text, { model, toolMode: 'prompted' })({ q: 'hi', t: [add] })
    expect(forced.mode).toBe('prompted')
    expect(model.requests[0]).not.toHaveProperty('tools')
    const none = scriptedModel([], { capabilities: { tools: 'no' } })
    const error = await failureOf(predict(text, { model: none, toolMode: 'native' })({ q: 'hi', t: [add] }))
    expect(error.code).toBe('unsupported_feature')
    expect(none.requests).toEqual([])
  })

  test('a forced choice goes with tools only', async () => {
    const request = { toolChoice: 'required', parallelToolCalls: false, temperature: 0 } as const
    const model = scriptedModel(['[[ ## answer ## ]]\nok', '[[ ## answer ## ]]\nok'])
    const program = predict(text, { model, request })
    await program({ q: 'hi', t: [add] })
    await program({ q: 'hi', t: [add] }, { toolMode: 'prompted' })
    expect(model.requests[0]).toMatchObject({ toolChoice: 'required', parallelToolCalls: false, temperature: 0 })
    expect(model.requests[1]).toMatchObject({ temperature: 0 })
    expect(model.requests[1]).not.toHaveProperty('toolChoice')
    expect(model.requests[1]).not.toHaveProperty('parallelToolCalls')
  })
})

describe('inputs', () => {
  const model = scriptedModel([])
  test.each([
    [{}, 'the input "question" is missing; give it, or write question? in the signature'],
    [{ question: 'x', qestion: 'y' }, 'the signature has no input "qestion"; did you mean "question"?'],
    [{ question: 'x', other: 'y' }, 'the signature has no input "other"; it has question, day, list'],
    [{ question: 5 }, 'the value of "question" cannot be used: must be a string'],
    [
      { question: 'x', day: new Date() },
      'the value of "day" cannot be used: must be a date as text, YYYY-MM-DD; write date.toISOString(), or its first ten characters for a date',
    ],
    [{ question: 'x', list: [1, 'b'] }, 'the value of "list" cannot be used: /0 must be a string'],
    [null, 'the inputs must be an object with one member for each field'],
  ])('%j is refused before a model is asked', async (inputs, message) => {
    const program = predict(signature('question, day?: date, list?: string[] -> answer' as string), { model })
    const error = await failureOf(program(inputs as never))
    expect({ code: error.code, message: error.message }).toEqual({ code: 'misuse', message })
  })

  test('without a model, or with options that make no sense, it says so', async () => {
    expect((await failureOf(predict('q -> a')({ q: 'x' }))).message).toBe(
      'there is no model to ask; give one to the module, or call configure({ model })',
    )
    expect((await failureOf(predict('q -> a', { model, maxOutputRetries: -1 })({ q: 'x' }))).message).toBe(
      'maxOutputRetries is -1; give a whole number from 0 on',
    )
    expect((await failureOf(predict('q -> a', { model, toolMode: 'x' as never })({ q: 'x' }))).message).toBe(
      `toolMode is "x"; use 'auto', 'native' or 'prompted'`,
    )
    expect((await failureOf(() => predict(5 as never))).message).toBe(
      'a module needs a signature: its text, or what signature() gave',
    )
    expect((await failureOf(() => chainOfThought('reasoning -> a'))).code).toBe('misuse')
  })
})

test('internal outputs are asked for and checked, and are not in the result', async () => {
  const model = scriptedModel(['[[ ## plan ## ]]\nthink\n[[ ## answer ## ]]\nx'])
  const result = await predict('q -> plan!, answer', { model })({ q: 'hi' })
  expect(result.outputs).toEqual({ answer: 'x' })
  expect(result.trace.outputs).toEqual({ plan: 'think', answer: 'x' })
})

describe('demos', () => {
  test('are turns before the question, incomplete ones first and said to be so', async () => {
    const model = scriptedModel(['[[ ## answer ## ]]\nx\n[[ ## n ## ]]\n1'])
    const demos = [
      { q: 'one', answer: 'uno', n: 1 },
      { q: 'two', answer: 'dos' },
    ]
    await predict('q -> answer, n: integer', { model, demos })({ q: 'three' })
    const [, first, second, third, fourth, last] = model.requests[0]?.messages ?? []
    expect(said(first)).toBe('An example in which some fields are left out.\n\n[[ ## q ## ]]\ntwo')
    expect(said(second)).toBe('[[ ## answer ## ]]\ndos\n\n[[ ## completed ## ]]')
    expect([said(third), said(fourth)]).toEqual([
      '[[ ## q ## ]]\none',
      '[[ ## answer ## ]]\nuno\n\n[[ ## n ## ]]\n1\n\n[[ ## completed ## ]]',
    ])
    expect(said(last)).toBe('[[ ## q ## ]]\nthree')
  })

  test.each(wiresAndModes)('%s, %s: may show calls', async (wire, mode) => {
    await using on = await bench(wire, mode, [callTurn(mode, 'calls', [{ name: 'add', args: { a: 3, b: 4 } }])])
    const calls = [{ id: 'demo1', name: 'add', args: { a: 1, b: 2 } }]
    const program = predict('q, t: tools -> calls: tool_calls', { model: on.model, demos: [{ q: '1+2?', calls }] })
    expect(await program({ q: '3+4?', t: [add] })).toMatchObject({ kind: 'calls', modelCalls: 1 })
    const sent = on.server.requests[0]?.request.messages ?? []
    expect(sent.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual(
      mode === 'native' ? ['user', 'assistant', 'tool', 'user'] : ['user', 'assistant', 'user'],
    )
    expect(on.server.requests[0]?.refusal).toBeUndefined()
  })

  test('that show nothing, or values of the wrong kind, are refused', async () => {
    const program = predict('q -> n: integer', { model: scriptedModel([]) })
    expect((await failureOf(program({ q: 'x' }, { demos: [{ q: 'only' }] }))).message).toBe(
      'demos[0] needs at least one input and one output of the signature',
    )
    expect((await failureOf(program({ q: 'x' }, { demos: [{ q: 'a', n: 'one' }] }))).message).toBe(
      'the value of "n" cannot be used: must be a whole number',
    )
  })
})

describe('history', () => {
  const text = 'history: history, q?: string, t: tools -> answer, calls?: tool_calls'

  test.each(wiresAndModes)('%s, %s: a turn with calls and their results goes on', async (wire, mode) => {
    await using on = await bench(wire, mode, [
      callTurn(mode, 'calls', [{ name: 'add', args: { a: 1, b: 2 } }]),
      '[[ ## answer ## ]]\nThree.',
    ])
    const program = predict(text, { model: on.model })
    const first = await program({ history: [], q: '1+2?', t: [add] })
    if (first.kind !== 'calls') throw new Error('no calls')
    const results = await executeToolCalls(first.toolCalls, [add])
    const second = await program({ history: [{ ...first.turn, results }], t: [add] })
    expect(second).toMatchObject({ kind: 'answer', outputs: { answer: 'Three.' } })
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
    const sent = on.server.requests[1]?.request.messages ?? []
    expect(sent.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual(
      mode === 'native' ? ['user', 'assistant', 'tool'] : ['user', 'assistant', 'user', 'user'],
    )
    expect(JSON.stringify(sent)).toContain('1+2?')
  })

  test('a call without a result is answered, never left open', async () => {
    const model = scriptedModel(['[[ ## answer ## ]]\nok'])
    const calls = [{ id: 'c1', name: 'add', args: { a: 1 } }]
    await predict(text, { model })({ history: [{ inputs: { q: 'x' }, outputs: { calls } }], q: 'y', t: [add] })
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    expect(model.requests[0]?.messages[3]).toMatchObject({ results: [{ callId: 'c1', isError: true }] })
  })

  test('a conversation with calls is text to a model without tools', async () => {
    const calls = [{ type: 'tool_call', id: 'c1', name: 'add', arguments: '{"a":1,"b":2}' }] as const
    const history = new Conversation()
      .user('1+2?')
      .assistant({ role: 'assistant', content: [{ type: 'text', text: 'Adding.' }, ...calls] })
      .toolResults([{ callId: 'c1', name: 'add', content: [{ type: 'text', text: '3' }], isError: false }])
    const model = scriptedModel(['[[ ## answer ## ]]\nok'], { capabilities: { tools: 'no' } })
    await predict(text, { model })({ history, q: 'and?', t: [add] })
    const [, , answer, results] = model.requests[0]?.messages ?? []
    expect([answer?.role, said(answer)]).toEqual([
      'assistant',
      'Adding.\n\n[[ ## calls ## ]]\n[{"name":"add","args":{"a":1,"b":2}}]',
    ])
    expect([results?.role, said(results)]).toEqual([
      'user',
      '[[ ## tool_results ## ]]\n[{"id":"c1","name":"add","content":"3","is_error":false}]',
    ])
  })

  test('may be a conversation as it is', async () => {
    const model = scriptedModel(['[[ ## answer ## ]]\nok'])
    const history = new Conversation().user('Hello').assistant('Hi!')
    await predict('history: history, q -> answer', { model })({ history, q: 'next' })
    expect(model.requests[0]?.messages.slice(1).map(said)).toEqual(['Hello', 'Hi!', '[[ ## q ## ]]\nnext'])
    const error = await failureOf(
      predict('history: history, q -> answer', { model })({ history: 'x' as never, q: 'y' }),
    )
    expect(error.message).toBe('a history is a list of turns { inputs, outputs, results }, or a Conversation')
  })
})

describe('streaming', () => {
  test.each(wires)('%s: text fields grow by deltas, a retry makes them void, all fields end whole', async (wire) => {
    await using on = await bench(wire, 'native', [
      '[[ ## answer ## ]]\nA first try that lacks something',
      '[[ ## answer ## ]]\nA second, longer try\n\n[[ ## n ## ]]\n3\n\n[[ ## completed ## ]]',
    ])
    const stream = predict('q -> hidden?!, answer, n: integer', { model: on.model }).stream({ q: 'hi' })
    let text = ''
    const types: string[] = []
    for await (const event of stream) {
      if (event.type === 'retry') text = ''
      if (event.type === 'field_delta') text += event.text
      if (types.at(-1) !== event.type) types.push(event.type)
    }
    expect(text).toBe('A second, longer try')
    expect(types).toEqual(['field_delta', 'retry', 'field_delta', 'field', 'done'])
    const result = await stream
    expect(result).toMatchObject({ outputs: { answer: 'A second, longer try', n: 3 }, modelCalls: 2 })
  })

  test('json fields grow too, and an adapter that cannot do it tells whole fields', async () => {
    const answer = '{"answer":"A long \\"quoted\\" text","n":3}'
    const deltas = async (adapter: typeof jsonAdapter): Promise<string[]> => {
      const found: string[] = []
      for await (const event of predict('q -> answer, n: integer', { model: scriptedModel([answer]), adapter }).stream({
        q: 'x',
      })) {
        if (event.type === 'field_delta') found.push(event.text)
      }
      return found
    }
    expect((await deltas(jsonAdapter)).join('')).toBe('A long "quoted" text')
    const { readFields: _, ...whole } = jsonAdapter
    expect(await deltas(whole)).toEqual([])
  })

  test('awaiting without reading gives the result; leaving aborts', async () => {
    expect((await predict('q -> a', { model: scriptedModel(['x']) }).stream({ q: 'y' })).outputs).toEqual({ a: 'x' })
    const stream = predict('q -> a', {
      model: scriptedModel(['[[ ## a ## ]]\na long text that comes in pieces']),
    }).stream({ q: 'y' })
    for await (const event of stream) if (event.type === 'field_delta') break
    expect((await failureOf(async () => stream)).code).toBe('aborted')
  })
})

describe('abort', () => {
  test('stops a call on its way, before it starts, and between retries', async () => {
    const stop = new AbortController()
    const hanging = predict('q -> a: integer', { model: scriptedModel([{ hang: true }]) })(
      { q: 'x' },
      { signal: stop.signal },
    )
    setTimeout(() => stop.abort(), 5)
    expect((await failureOf(hanging)).code).toBe('aborted')
    const model = scriptedModel(['x', '[[ ## a ## ]]\n1'])
    const program = predict('q -> a: integer', { model })
    expect((await failureOf(program({ q: 'x' }, { signal: AbortSignal.abort() }))).code).toBe('aborted')
    expect(model.requests).toEqual([])
    const between = new AbortController()
    const error = await failureOf(program({ q: 'x' }, { signal: between.signal, onRetry: () => between.abort() }))
    expect(error.code).toBe('aborted')
    expect(model.requests).toHaveLength(1)
  })

  test('a time limit is a timeout, also with a model that knows no signal', async () => {
    const deaf = { ...scriptedModel([]), complete: () => new Promise<never>(() => {}) }
    const error = await failureOf(predict('q -> a', { model: deaf })({ q: 'x' }, { timeoutMs: 5 }))
    expect(error.code).toBe('timeout')
  })
})

describe('configure', () => {
  test('sets what modules use, and the module and the call win over it', async () => {
    const [global, own, call] = ['global', 'own', 'call'].map((id) => scriptedModel(() => '{"a":"x"}', { id }))
    configure({ model: global, adapter: jsonAdapter, maxOutputRetries: 0 })
    const used = async (result: Promise<{ readonly trace: { readonly model: string; readonly adapter: string } }>) => {
      const { model, adapter } = (await result).trace
      return `${model} ${adapter}`
    }
    const program = predict('q -> a')
    expect(await used(program({ q: 'x' }))).toBe('global json')
    expect(await used(predict('q -> a', { model: own, adapter: chatAdapter })({ q: 'x' }))).toBe('own chat')
    expect(await used(program.with({ model: own })({ q: 'x' }, { model: call }))).toBe('call json')
    configure({ adapter: undefined })
    expect(await used(program({ q: 'x' }))).toBe('global chat')
  })

  test('refuses what cannot be used', async () => {
    expect((await failureOf(() => configure({ adapter: {} as never }))).message).toBe(
      'an adapter has the functions format and parse, or the older pair formatInstructions and parseOutputs',
    )
    expect((await failureOf(() => configure({ model: {} as never }))).code).toBe('misuse')
  })
})

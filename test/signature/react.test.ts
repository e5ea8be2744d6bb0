// `react` on every wire, native and prompted, against a strict provider: parallel calls, failing and unknown tools, outputs that do
// not fit, a model that stops short, and a context that overflows.
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { react } from '../../src/signature/react.js'
import { signature } from '../../src/signature/signature.js'
import { type ScriptedTurn, scriptedModel, type Turn } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { expectPaired } from '../loop/paired.js'
import { failureOf } from './failure.js'
import { bench, callTurn, type Mode, wiresAndModes } from './wire-models.js'

const numbers = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
} as const
const add = tool({ name: 'add', description: 'Adds two whole numbers', input: numbers, execute: ({ a, b }) => a + b })
const divide = tool({
  name: 'divide',
  description: 'Divides two whole numbers',
  input: numbers,
  execute: ({ a, b }) => {
    if (b === 0) throw new Error('division by zero')
    return a / b
  },
})
const calling = (mode: Mode, ...calls: readonly (readonly [string, object])[]): Turn =>
  callTurn(
    mode,
    'tool_calls',
    calls.map(([name, args]) => ({ name, args })),
  )
const text = 'question -> answer: string, total: integer'
const submit = ['submit', { answer: 'done', total: 10 }] as const

describe.each(wiresAndModes)('%s, %s', (wire, mode) => {
  test('a task of several steps: parallel calls, then one that needs their results, then the outputs', async () => {
    await using on = await bench(wire, mode, [
      calling(mode, ['add', { a: 1, b: 2 }], ['add', { a: 3, b: 4 }]),
      calling(mode, ['add', { a: 3, b: 7 }]),
      calling(mode, submit),
    ])
    const result = await react(text, { model: on.model, tools: [add] })({ question: '(1+2)+(3+4)?' })
    expect(result).toMatchObject({
      kind: 'answer',
      outputs: { answer: 'done', total: 10 },
      stop: { reason: 'submit' },
      mode,
      modelCalls: 3,
      calls: 4,
      dropped: 0,
      retries: [],
    })
    expectPaired(result.messages)
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined])
    const told = JSON.stringify(on.server.requests[1]?.request.messages)
    expect(told).toMatch(/"3".*"7"|\\"3\\".*\\"7\\"/)
    expect(on.server.requests[0]?.request.tools?.length).toBe(mode === 'native' ? 2 : undefined)
  })

  test('a failing tool, an unknown tool and wrong arguments are results the model reads', async () => {
    await using on = await bench(wire, mode, [
      calling(mode, ['divide', { a: 1, b: 0 }], ['multiply', { a: 1 }], ['add', { a: 'x' }]),
      calling(mode, submit),
    ])
    const result = await react(text, { model: on.model, tools: [add, divide] })({ question: '1/0?' })
    expect(result).toMatchObject({ kind: 'answer', modelCalls: 2, calls: 4 })
    const told = JSON.stringify(on.server.requests[1]?.request.messages)
    expect(told).toContain('division by zero')
    expect(told).toContain('Unknown tool')
    expect(told).toContain('/b is required')
  })

  test('outputs that do not fit are sent back, within the budget', async () => {
    const wrong = calling(mode, ['submit', { answer: 'done', total: 'ten' }])
    await using on = await bench(wire, mode, [wrong, calling(mode, submit), wrong, wrong])
    const agent = react(text, { model: on.model, tools: [add], maxOutputRetries: 1 })
    const result = await agent({ question: '?' })
    expect(result).toMatchObject({
      kind: 'answer',
      modelCalls: 2,
      retries: [{ modelCall: 1, rung: 'submit', error: { code: 'malformed_response' } }],
    })
    const spent = await agent({ question: '?' })
    expect(spent).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'invalid_outputs', error: { code: 'malformed_response' } },
      modelCalls: 2,
    })
    expectPaired(spent.messages)
  })

  test('a model that answers in words is asked for the outputs at once', async () => {
    await using on = await bench(wire, mode, ['I would say ten.', calling(mode, submit)])
    const result = await react(text, { model: on.model, tools: [add] })({ question: '?' })
    expect(result).toMatchObject({ kind: 'answer', stop: { reason: 'forced_submit', after: 'answer' }, modelCalls: 2 })
    const choice = on.server.requests[1]?.request.toolChoice
    // On Ollama it is the only tool, and a call is demanded; a prompted request has no tools to choose from.
    const demanded = wire === 'ollama' ? 'required' : { tool: 'submit' }
    expect(choice).toEqual(mode === 'native' ? demanded : undefined)
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
  })

  test('at the end of its turns, too, and when it still gives none that is the reason', async () => {
    const more = calling(mode, ['add', { a: 1, b: 2 }])
    await using on = await bench(wire, mode, [
      more,
      calling(mode, ['add', { a: 2, b: 2 }]),
      calling(mode, submit),
      'Hm.',
      'Still not.',
    ])
    const agent = react(text, { model: on.model, tools: [add], maxTurns: 2 })
    expect(await agent({ question: '?' })).toMatchObject({
      kind: 'answer',
      stop: { reason: 'forced_submit', after: 'max_turns' },
      modelCalls: 3,
    })
    const never = await agent({ question: '?' })
    expect(never).toMatchObject({ kind: 'stopped', stop: { reason: 'no_submit', detail: 'answer' }, modelCalls: 2 })
  })

  test('a context that overflows loses its oldest turns, and says how many', async () => {
    const overflow: ScriptedTurn = { error: new ToolwireError('context_too_long', 'the prompt is too long') }
    await using on = await bench(wire, mode, [
      calling(mode, ['add', { a: 101, b: 2 }]),
      calling(mode, ['add', { a: 202, b: 2 }]),
      overflow,
      overflow,
      calling(mode, submit),
    ])
    const result = await react(text, { model: on.model, tools: [add] })({ question: 'long?' })
    expect(result).toMatchObject({ kind: 'answer', dropped: 2, modelCalls: 5 })
    const [, , third, fourth, fifth] = on.server.requests.map(({ request }) => JSON.stringify(request.messages))
    expect([third?.includes('101'), third?.includes('202')]).toEqual([true, true])
    expect([fourth?.includes('101'), fourth?.includes('202')]).toEqual([false, true])
    expect([fifth?.includes('101'), fifth?.includes('202'), fifth?.includes('long?')]).toEqual([false, false, true])
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

test.each(wires)('%s: text outputs grow while they are submitted, and a retry makes them void', async (wire) => {
  const answer = 'A longer answer with "quotes" and é.'
  await using on = await bench(wire, 'native', [
    { calls: [{ name: 'submit', args: { answer: 'A wrong one' } }] },
    { calls: [{ name: 'submit', args: { answer, total: 3 } }] },
  ])
  const stream = react(text, { model: on.model }).stream({ question: '?' })
  let told = ''
  for await (const event of stream) {
    if (event.type === 'retry') told = ''
    if (event.type === 'field_delta' && event.field === 'answer') told += event.text
  }
  expect(await stream).toMatchObject({ kind: 'answer', outputs: { answer, total: 3 }, retries: [{ modelCall: 1 }] })
  expect(told).toBe(answer)
})

describe('react', () => {
  test('stops with context_too_long when there is nothing left to drop', async () => {
    const overflow = { error: new ToolwireError('context_too_long', 'the prompt is too long') }
    const result = await react(text, { model: scriptedModel([overflow]) })({ question: '?' })
    expect(result).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'context_too_long', error: { code: 'context_too_long' } },
      dropped: 0,
    })
  })

  test('drops at most three turns', async () => {
    const script = (_: unknown, index: number): Turn =>
      index < 5
        ? { calls: [{ name: 'add', args: { a: index, b: 1 } }] }
        : { error: new ToolwireError('context_too_long', 'too long') }
    const result = await react(text, { model: scriptedModel(script), tools: [add] })({ question: '?' })
    expect(result).toMatchObject({ kind: 'stopped', stop: { reason: 'context_too_long' }, dropped: 3, modelCalls: 9 })
  })

  test('takes tools from its inputs and its options, and refuses two of one name and one called submit', async () => {
    const model = scriptedModel([{ calls: [{ name: 'submit', args: { answer: 'x' } }] }])
    const agent = react('question, tools: tools -> answer', { model, tools: [divide] })
    await agent({ question: '?', tools: [add] })
    expect(model.requests[0]?.tools?.map((spec) => 'name' in spec && spec.name)).toEqual(['add', 'divide', 'submit'])
    expect((await failureOf(agent({ question: '?', tools: [divide] }))).code).toBe('invalid_tool_fields')
    const error = await failureOf(agent({ question: '?', tools: [{ name: 'submit' }] }))
    expect(error.message).toBe(
      'the field "tools" holds a tool called "submit", which is how react takes the outputs; rename it',
    )
    expect((await failureOf(() => react('q, t: tools -> c: tool_calls'))).message).toBe(
      'react makes the calls itself; leave the output "c" out, or use predict',
    )
  })

  test('the parameters of submit are the outputs, internal ones are not in the result', async () => {
    const model = scriptedModel([
      { calls: [{ name: 'submit', args: { plan: 'p', mood: 'good', note: null, extra: 1 } }] },
    ])
    const asked = signature('q -> plan!, mood: class "good, bad" "how it is", note?: string')
    const result = await react(asked, { model })({ q: '?' })
    expect(result).toMatchObject({ kind: 'answer' })
    expect(result.kind === 'answer' ? result.outputs : {}).toEqual({ mood: 'good' })
    expect(result.trace.outputs).toEqual({ plan: 'p', mood: 'good' })
    expect(model.requests[0]?.tools).toMatchObject([
      {
        name: 'submit',
        inputSchema: {
          properties: { plan: { type: 'string' }, mood: { enum: ['good', 'bad'], description: 'how it is' }, note: {} },
          required: ['plan', 'mood'],
        },
      },
    ])
  })

  test('demos are tasks that were submitted, and a history comes before the question', async () => {
    const model = scriptedModel([{ calls: [{ name: 'submit', args: { answer: 'c' } }] }])
    const agent = react('history: history, q -> answer', { model, demos: [{ q: 'one', answer: 'a' }] })
    await agent({ history: [{ inputs: { q: 'two' }, outputs: {} }], q: 'three' })
    const messages = model.requests[0]?.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user', 'user'])
    expect(messages[2]).toMatchObject({ content: [{ type: 'tool_call', name: 'submit', arguments: '{"answer":"a"}' }] })
    const error = await failureOf(agent({ history: [], q: 'x' }, { demos: [{ q: 'one', answer: 5 }] }))
    expect(error.message).toBe('the value of "answer" cannot be used: must be a string')
  })

  test('approval pauses, and the state goes on', async () => {
    const model = scriptedModel([
      { calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      { calls: [{ name: 'submit', args: { answer: 'x', total: 3 } }] },
    ])
    const agent = react(text, { model, tools: [add], approve: (call) => (call.name === 'add' ? 'pause' : 'allow') })
    const paused = await agent({ question: '?' })
    if (paused.kind !== 'stopped' || paused.state === undefined) throw new Error('did not pause')
    expect(paused.stop).toEqual({ reason: 'needs_approval' })
    const done = await agent({ question: '?' }, { resume: paused.state, approvals: { call_1_1: 'allow' } })
    expect(done).toMatchObject({ kind: 'answer', outputs: { total: 3 }, stop: { reason: 'submit' } })
  })

  test('aborts, and tells model failures as stops', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 5)
    const hanging = react(text, { model: scriptedModel([{ hang: true }]) })
    expect(await hanging({ question: '?' }, { signal: stop.signal })).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'aborted' },
    })
    const failing = react(text, { model: scriptedModel([{ error: new ToolwireError('authentication', 'no key') }]) })
    expect(await failing({ question: '?' })).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'error', error: { code: 'authentication' } },
    })
    const greedy = react(text, {
      model: scriptedModel([{ calls: [{ name: 'add' }], usage: { total: 50 } }]),
      tools: [add],
      maxTokensTotal: 10,
    })
    expect(await greedy({ question: '?' })).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'budget', detail: 'tokens' },
    })
    const stuck = react(text, {
      model: scriptedModel((request) => stuckTurn(request as CompletionRequest)),
      tools: [add],
    })
    expect(await stuck({ question: '?' })).toMatchObject({
      kind: 'answer',
      stop: { reason: 'forced_submit', after: 'identical_calls' },
    })
  })

  test('streams the events of the loop, retries and whole fields; leaving stops it', async () => {
    const script = [
      { calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      { calls: [{ name: 'submit', args: { answer: 'x' } }] },
      { calls: [{ name: 'submit', args: { answer: 'x', total: 3 } }] },
    ]
    const stream = react(text, { model: scriptedModel(script), tools: [add] }).stream({ question: '?' })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types.filter((type) => ['tool_result', 'retry', 'field', 'done'].includes(type))).toEqual([
      'tool_result',
      'tool_result',
      'retry',
      'tool_result',
      'field',
      'field',
      'done',
    ])
    expect(await stream).toMatchObject({ kind: 'answer', outputs: { answer: 'x', total: 3 } })
    const left = react(text, { model: scriptedModel(script), tools: [add] }).stream({ question: '?' })
    for await (const event of left) if (event.type === 'tool_result') break
    expect(await left).toMatchObject({ kind: 'stopped', stop: { reason: 'aborted' } })
  })

  test('limits are those of the whole call, and those that make no sense are refused', async () => {
    const overflow = { error: new ToolwireError('context_too_long', 'too long') }
    const busy = { calls: [{ name: 'add', args: { a: 1, b: 2 } }], usage: { total: 6 } }
    const model = scriptedModel([busy, overflow, { ...busy, calls: [{ name: 'add', args: { a: 2, b: 2 } }] }])
    const result = await react(text, { model, tools: [add], maxTokensTotal: 10 })({ question: '?' })
    expect(result).toMatchObject({
      kind: 'stopped',
      stop: { reason: 'budget', detail: 'tokens' },
      modelCalls: 3,
      usage: { total: 12 },
    })
    const timed = await react(text, { model: scriptedModel([{ hang: true }]) })({ question: '?' }, { timeoutMs: 5 })
    expect(timed).toMatchObject({ kind: 'stopped', stop: { reason: 'budget', detail: 'time' } })
    expect((await failureOf(react(text, { model, maxTurns: 0 })({ question: '?' }))).message).toContain('maxTurns is 0')
    expect((await failureOf(react(text, { model, tools: 5 as never })({ question: '?' }))).code).toBe(
      'invalid_tool_fields',
    )
  })

  test('a model without named choices is asked with the strongest it has', async () => {
    const capabilities = { toolChoiceNamed: 'no', toolChoiceRequired: 'no' } as const
    const model = scriptedModel(['words', { calls: [{ name: 'submit', args: { answer: 'x', total: 1 } }] }], {
      capabilities,
    })
    expect(await react(text, { model })({ question: '?' })).toMatchObject({ kind: 'answer' })
    expect(model.requests[1]?.toolChoice).toBe('auto')
  })
})

/** Makes the same call over and over, until it is told to submit. */
function stuckTurn(request: CompletionRequest): Turn {
  const isForced = typeof request.toolChoice === 'object'
  return {
    calls: [isForced ? { name: 'submit', args: { answer: 'x', total: 1 } } : { name: 'add', args: { a: 1, b: 1 } }],
  }
}

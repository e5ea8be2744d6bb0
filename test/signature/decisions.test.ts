// The decisions, risk mitigations and migration steps of the adapter boundary, one by one, on every wire, native and prompted.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import type { Adapter, TextAdapter } from '../../src/signature/adapter.js'
import { chatAdapter } from '../../src/signature/chat-adapter.js'
import { jsonAdapter } from '../../src/signature/json-adapter.js'
import { chainOfThought, predict } from '../../src/signature/predict.js'
import { react } from '../../src/signature/react.js'
import { signature } from '../../src/signature/signature.js'
import { scriptedModel } from '../../src/testing/index.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import { failureOf } from './failure.js'
import { bench, callTurn, wiresAndModes } from './wire-models.js'

let runs = 0
const counter = tool({
  name: 'count',
  description: 'Counts how often it was run',
  input: { type: 'object', properties: { by: { type: 'integer' } } },
  execute: () => {
    runs += 1
    return runs
  },
})
const text = 'q, t: tools -> answer, calls?: tool_calls'

/** The older pair: `name = value` lines. */
const lines: TextAdapter = {
  name: 'lines',
  formatInstructions: ({ outputs }) => `Answer with lines: ${outputs.map(({ name }) => `${name} = …`).join(', ')}`,
  parseOutputs: (_signature, answer) =>
    Object.fromEntries(
      answer.split('\n').flatMap((line) => (line.includes(' = ') ? [line.split(' = ') as [string, string]] : [])),
    ),
}

describe.each(wiresAndModes)('%s, %s', (wire, mode) => {
  test('decision 1: the adapter shapes the request, modules pass it on as it is', async () => {
    await using on = await bench(wire, mode, ['[[ ## answer ## ]]\nok'])
    const plans: unknown[] = []
    const watching: Adapter = {
      ...chatAdapter,
      format: (...given) => {
        const plan = chatAdapter.format(...given)
        plans.push(plan.request)
        return plan
      },
    }
    const result = await predict(text, { model: on.model, adapter: watching })({ q: 'hi', t: [counter] })
    expect(result.mode).toBe(mode)
    expect(plans).toHaveLength(1)
    expect(result.trace.messages.slice(0, -1)).toEqual((plans[0] as { messages: unknown }).messages)
    expect(result.trace.tools).toEqual((plans[0] as { tools?: unknown }).tools)
  })

  test('decision 2: the types of fields drive the request and the reading, not options', async () => {
    await using on = await bench(wire, mode, [callTurn(mode, 'c', [{ name: 'count', args: { by: 2 } }])])
    const result = await predict('q, x: tool -> c: tool_calls', { model: on.model })({ q: 'hi', x: counter })
    expect(result.outputs.c).toMatchObject([{ name: 'count', args: { by: 2 } }])
    expect(on.server.requests[0]?.request.tools?.length).toBe(mode === 'native' ? 1 : undefined)
  })

  test('decision 3: calls given as such win over calls written in the text', async () => {
    const turn = {
      text: '[[ ## calls ## ]]\n[{"name":"count","args":{"by":1}}]\n[[ ## answer ## ]]\nok',
      calls: [{ name: 'count', args: { by: 2 } }],
    }
    await using on = await bench(wire, mode, [turn])
    const result = await predict(text, { model: on.model })({ q: 'hi', t: [counter] })
    expect(result.outputs).toMatchObject({ answer: 'ok', calls: [{ name: 'count', args: { by: 2 } }] })
    expect(result.outputs.calls).toHaveLength(1)
  })

  test('decision 4: adapters and predict never run a tool; react does, through the executor', async () => {
    runs = 0
    const call = (field: string) => callTurn(mode, field, [{ name: 'count', args: {} }])
    await using on = await bench(wire, mode, [
      call('calls'),
      call('calls'),
      call('tool_calls'),
      callTurn(mode, 'tool_calls', [{ name: 'submit', args: { answer: 'x' } }]),
    ])
    await predict(text, { model: on.model })({ q: 'hi', t: [counter] })
    await chainOfThought(text, { model: on.model })({ q: 'hi', t: [counter] })
    expect(runs).toBe(0)
    await react('q, t: tools -> answer', { model: on.model })({ q: 'hi', t: [counter] })
    expect(runs).toBe(1)
  })

  test('risk, incomplete tools: an error that names the field and the rule, before the model is asked', async () => {
    await using on = await bench(wire, mode, [])
    const error = await failureOf(predict(text, { model: on.model })({ q: 'hi', t: [{ name: '' }] }))
    expect(error).toMatchObject({ code: 'invalid_tool_spec', detail: { field: 't', index: 0, rule: 'name_missing' } })
    expect(on.server.requests).toEqual([])
  })

  test('risk, retries out of step: calls are one output field, and its failures are retried like any other', async () => {
    const broken =
      mode === 'native'
        ? { brokenCalls: [{ name: 'count', arguments: '{"by":' }] }
        : '[[ ## calls ## ]]\n[{"name":"count","args":"{"}]'
    await using on = await bench(wire, mode, [broken, callTurn(mode, 'calls', [{ name: 'count', args: {} }])])
    const result = await predict(text, { model: on.model, maxOutputRetries: 1 })({ q: 'hi', t: [counter] })
    expect(result).toMatchObject({
      kind: 'calls',
      modelCalls: 2,
      retries: [{ error: { code: 'malformed_arguments' } }],
    })
    expect(on.server.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
  })

  test('risk, older custom adapters: the pair formatInstructions and parseOutputs works, tools included', async () => {
    await using on = await bench(wire, mode, [
      'answer = Paris',
      mode === 'native' ? { calls: [{ name: 'count', args: {} }] } : 'answer = none',
      'nothing',
      'answer = Rome',
    ])
    const program = predict('q -> answer', { model: on.model, adapter: lines })
    expect((await program({ q: 'hi' })).outputs).toEqual({ answer: 'Paris' })
    const prompt = on.server.requests[0]?.request.messages
    expect(prompt).toEqual([
      {
        role: 'user',
        content: [{ type: 'text', text: 'From `q`, work out `answer`.\n\nq: hi\n\nAnswer with lines: answer = …' }],
      },
    ])
    const called = await predict(text, { model: on.model, adapter: lines })({ q: 'hi', t: [counter] })
    expect(called.kind).toBe(mode === 'native' ? 'calls' : 'answer')
    const retried = await program({ q: 'hi' })
    expect(retried).toMatchObject({ outputs: { answer: 'Rome' }, modelCalls: 2 })
  })

  test('risk, providers differ: a call is name and arguments whatever the wire, the rest stays in the response', async () => {
    await using on = await bench(wire, mode, [callTurn(mode, 'calls', [{ name: 'count', args: { by: 1 } }])])
    const result = await predict(text, { model: on.model })({ q: 'hi', t: [counter] })
    if (result.kind !== 'calls') throw new Error('no calls')
    expect(result.calls.map((call) => Object.keys(call))).toEqual([['id', 'name', 'args']])
    expect(result.toolCalls).toMatchObject([{ type: 'tool_call', name: 'count', arguments: '{"by":1}' }])
    expect(result.response.message.origin?.wire).toBe(wire)
  })

  test('migration 2: the chat and the json adapter both know tool fields', async () => {
    const wrapped =
      mode === 'native' ? { calls: [{ name: 'count', args: {} }] } : '{"calls":[{"name":"count","args":{}}]}'
    await using on = await bench(wire, mode, [callTurn(mode, 'calls', [{ name: 'count', args: {} }]), wrapped])
    for (const adapter of [chatAdapter, jsonAdapter]) {
      const result = await predict(text, { model: on.model, adapter })({ q: 'hi', t: [counter] })
      expect(result).toMatchObject({ kind: 'calls', outputs: { calls: [{ name: 'count', args: {} }] } })
    }
  })

  test('migration 3: predict and chainOfThought hand the whole response to the adapter', async () => {
    await using on = await bench(wire, mode, [
      '[[ ## answer ## ]]\nok',
      '[[ ## reasoning ## ]]\nr\n[[ ## answer ## ]]\nok',
    ])
    const seen: CompletionResponse[] = []
    const watching: Adapter = {
      ...chatAdapter,
      parse: (asked, response, plan) => {
        seen.push(response)
        return chatAdapter.parse(asked, response, plan)
      },
    }
    await predict(text, { model: on.model, adapter: watching })({ q: 'hi', t: [counter] })
    await chainOfThought(text, { model: on.model, adapter: watching })({ q: 'hi', t: [counter] })
    expect(seen.map((response) => [response.finishReason, response.toolCalls.length, response.message.role])).toEqual([
      ['stop', 0, 'assistant'],
      ['stop', 0, 'assistant'],
    ])
  })
})

test('migration 1: format and parse are pure functions of what they are given', async () => {
  const asked = signature(text)
  const inputs = { q: 'hi', t: [counter] }
  expect(chatAdapter.format(asked, inputs)).toEqual(chatAdapter.format(asked, inputs))
  const response = responseOf({ calls: [{ name: 'count', args: { by: 1 } }] }, 0, 'm')
  expect(await chatAdapter.parse(asked, response)).toEqual(await chatAdapter.parse(asked, response))
})

describe('migration 4: deterministic tests of', () => {
  test('a list of tools to the tools of the request', () => {
    const other = { name: 'other', description: 'Another tool', parameters: { type: 'object', properties: {} } }
    const { request, tools } = chatAdapter.format(signature('q, one: tool, t: tools -> answer'), {
      q: 'hi',
      one: other,
      t: [counter],
    })
    expect(request.tools?.map((spec) => 'name' in spec && spec.name)).toEqual(['other', 'count'])
    expect(tools.map(({ name }) => name)).toEqual(['other', 'count'])
  })

  test('a list of calls, good and malformed', async () => {
    const asked = signature(text)
    const good = await chatAdapter.parse(
      asked,
      responseOf({ calls: [{ name: 'count', id: 'c1', args: { by: 1 } }] }, 0, 'm'),
    )
    expect(good).toMatchObject({ kind: 'calls', calls: [{ id: 'c1', name: 'count', args: { by: 1 } }] })
    const bad = await failureOf(
      chatAdapter.parse(asked, responseOf({ calls: [{ name: 'count', args: '{"by":' }] }, 0, 'm')),
    )
    expect(bad.message).toBe(
      'the field "calls" has a call to "count" whose arguments cannot be used: they are not JSON\nRaw text: {"by":',
    )
  })

  test.each(wires)('text-only flows that stay as they are: %s', async (wire) => {
    await using on = await bench(wire, 'native', ['[[ ## answer ## ]]\nok', '{"answer":"ok"}'])
    for (const adapter of [chatAdapter, jsonAdapter]) {
      const result = await predict('q -> answer', { model: on.model, adapter })({ q: 'hi' })
      expect(result).toMatchObject({ kind: 'answer', outputs: { answer: 'ok' }, modelCalls: 1, retries: [] })
    }
    expect(on.server.requests.map(({ request }) => request.tools)).toEqual([undefined, undefined])
  })
})

test('migration 5: the page of signatures tells of every name that they export', () => {
  const page = readFileSync(new URL('../../docs/signatures.md', import.meta.url), 'utf8')
  const index = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8')
  const exported = [...index.matchAll(/export \{([^}]*)\} from '\.\/signature\//g)]
    .flatMap((match) => (match[1] ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
  expect(exported.length).toBeGreaterThan(8)
  expect(exported.filter((name) => !page.includes(name))).toEqual([])
})

test('an older adapter that throws, or gives no object, is an answer that cannot be read', async () => {
  const throwing = {
    ...lines,
    parseOutputs: () => {
      throw new Error('what is this?')
    },
  }
  const program = predict('q -> answer', { model: scriptedModel(['a', 'b']), maxOutputRetries: 0 })
  const error = await failureOf(program({ q: 'hi' }, { adapter: throwing }))
  expect(error).toMatchObject({
    code: 'malformed_response',
    message: 'the adapter lines cannot read the answer: what is this?',
  })
  const empty = await failureOf(program({ q: 'hi' }, { adapter: { ...lines, parseOutputs: () => null as never } }))
  expect(empty.message).toBe('the adapter lines gave no object of outputs')
})

// The requirements on signature adapters, scenario by scenario, on every wire, native and prompted.
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/conversation/messages.js'
import { chatAdapter } from '../../src/signature/chat-adapter.js'
import { jsonAdapter } from '../../src/signature/json-adapter.js'
import { chainOfThought, predict } from '../../src/signature/predict.js'
import { signature } from '../../src/signature/signature.js'
import { scriptedModel } from '../../src/testing/index.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { failureOf } from './failure.js'
import { bench, callTurn, wiresAndModes } from './wire-models.js'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: parameters,
  execute: () => 18,
})
const asMap = { name: 'get_weather', description: 'Current weather for a city', parameters }
const spec = { name: 'get_weather', description: 'Current weather for a city', inputSchema: parameters }

describe('signature adapters map tools fields into request tools', () => {
  describe.each(wiresAndModes)('%s, %s', (wire, mode) => {
    test.each([
      ['a tool', 'q, t: tool -> answer', weather],
      ['a tool as a map', 'q, t: tool -> answer', asMap],
      ['tools', 'q, t: tools -> answer', [weather]],
      ['tools as maps', 'q, t: tools -> answer', [asMap]],
      ['tools as OpenAI writes them', 'q, t: tools -> answer', [{ type: 'function', function: asMap }]],
      ['a registry', 'q, t: tools -> answer', new ToolRegistry([weather])],
    ] as const)('convert signature tool declarations into request tools: %s', async (_what, text, value) => {
      await using on = await bench(wire, mode, ['[[ ## answer ## ]]\nok'])
      const result = await predict(signature(text as string), { model: on.model })({ q: 'Weather?', t: value })
      expect(result).toMatchObject({ kind: 'answer', outputs: { answer: 'ok' }, mode })
      const [asked] = on.server.requests
      const prompt = JSON.stringify(asked?.request.messages)
      if (mode === 'native') {
        expect(asked?.request.tools).toEqual([spec])
        expect(prompt).not.toContain('get_weather')
      } else {
        expect(asked?.request).not.toHaveProperty('tools')
        expect(prompt).toContain('get_weather')
      }
    })

    test('no tool field yields a plain request', async () => {
      await using on = await bench(wire, mode, ['[[ ## answer ## ]]\nok'])
      const result = await predict('q -> answer', { model: on.model })({ q: 'hi' })
      expect(result.outputs).toEqual({ answer: 'ok' })
      expect(on.server.requests[0]?.request).not.toHaveProperty('tools')
      expect(on.server.requests[0]?.raw.body).not.toContain('"tools"')
    })

    test.each([
      ['invalid_tool_spec', 'q, t: tool -> answer', { description: 'has no name' }],
      ['invalid_tool_spec', 'q, t: tools -> answer', [weather, { name: 'x', parameters: 'none' }]],
      [
        'invalid_tool_spec',
        'q, t: tools -> answer',
        [{ name: 'x', parameters: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } }],
      ],
      ['invalid_tool_spec', 'q, t: tools -> answer', ['get_weather']],
      ['invalid_tool_spec', 'q, t: tools -> answer', [null]],
      ['invalid_tool_fields', 'q, t: tools -> answer', 'get_weather'],
      ['invalid_tool_fields', 'q, t: tools -> answer', weather],
      ['invalid_tool_fields', 'q, t: tools -> answer', [weather, asMap]],
      ['invalid_tool_fields', 'q, t: tools -> t2: tool_calls', []],
    ] as const)('invalid tool definition fails fast: %s %#', async (code, text, value) => {
      await using on = await bench(wire, mode, ['[[ ## answer ## ]]\nok'])
      const program = predict(signature(text as string), { model: on.model })
      const error = await failureOf(program({ q: 'hi', t: value }))
      expect(error.code).toBe(code)
      expect(error.detail?.field).toBe(text.includes('t2') ? 't2' : 't')
      expect(on.server.requests).toEqual([])
    })
  })

  test('the canonical tool becomes the nested function of Chat Completions below the adapter', async () => {
    await using on = await bench('openai-chat', 'native', ['[[ ## answer ## ]]\nok'])
    await predict('q, t: tools -> answer', { model: on.model })({ q: 'hi', t: [asMap] })
    const body = JSON.parse(on.server.requests[0]?.raw.body ?? '') as { readonly tools: unknown }
    expect(body.tools).toEqual([{ type: 'function', function: asMap }])
  })
})

describe('signature adapters parse calls from the structured answer', () => {
  const text = 'q, t: tools -> answer, calls?: tool_calls'

  describe.each(wiresAndModes)('%s, %s', (wire, mode) => {
    test('parse tool call results into a tool_calls output field', async () => {
      const calls = [
        { name: 'get_weather', args: { city: 'Boston' } },
        { name: 'get_weather', args: { city: 'Zürich', n: [1, null] } },
      ]
      await using on = await bench(wire, mode, [callTurn(mode, 'calls', calls)])
      const result = await predict(text, { model: on.model })({ q: 'Weather?', t: [weather] })
      expect(result.kind).toBe('calls')
      expect(result.outputs.calls?.map(({ name, args }) => ({ name, args }))).toEqual(calls)
      expect(new Set(result.outputs.calls?.map(({ id }) => id)).size).toBe(2)
      expect(result.outputs.answer).toBeUndefined()
      expect(result.modelCalls).toBe(1)
    })

    test('calls parsing recovers from JSON argument formats: stringified JSON is decoded', async () => {
      const calls = [{ name: 'get_weather', args: '{"city": "Boston"}' }]
      await using on = await bench(wire, mode, [callTurn(mode, 'calls', calls)])
      const result = await predict(text, { model: on.model })({ q: 'Weather?', t: [weather] })
      expect(result.outputs.calls).toMatchObject([{ name: 'get_weather', args: { city: 'Boston' } }])
    })

    test('calls parsing recovers from JSON argument formats: malformed arguments are a tagged error, never empty', async () => {
      // A wire whose arguments are objects cannot carry text that is none; there the arguments are no object.
      const isText = wire !== 'gemini' && wire !== 'ollama' && wire !== 'anthropic'
      const broken = mode === 'prompted' || isText ? '{"city": "Bos' : '[1]'
      const script =
        mode === 'native' && !isText
          ? [{ brokenCalls: [{ name: 'get_weather', arguments: broken }] }]
          : [callTurn(mode, 'calls', [{ name: 'get_weather', args: broken }])]
      await using on = await bench(wire, mode, script)
      const program = predict(text, { model: on.model, maxOutputRetries: 0 })
      const error = await failureOf(program({ q: 'Weather?', t: [weather] }))
      expect(error.code).toBe('malformed_arguments')
      expect(error.detail).toMatchObject({ field: 'calls', tool: 'get_weather', modelCalls: 1 })
      expect(String(error.detail?.arguments)).not.toBe('')
      if (mode === 'prompted' || isText) expect(error.detail?.arguments).toBe(broken)
    })

    test('the calls output is optional when not requested', async () => {
      const turn = {
        text: '[[ ## answer ## ]]\nIt is mild.',
        calls: [{ name: 'get_weather', args: { city: 'Boston' } }],
      }
      await using on = await bench(wire, mode, [turn])
      const result = await predict('q, t: tools -> answer', { model: on.model })({ q: 'Weather?', t: [weather] })
      expect(result).toMatchObject({ kind: 'answer', outputs: { answer: 'It is mild.' } })
      expect(Object.keys(result.outputs)).toEqual(['answer'])
    })

    test('required tool_calls field is missing', async () => {
      await using on = await bench(wire, mode, ['[[ ## answer ## ]]\nNo need.'])
      const program = predict('q, t: tools -> answer, calls: tool_calls', { model: on.model, maxOutputRetries: 0 })
      const error = await failureOf(program({ q: 'Weather?', t: [weather] }))
      expect(error.code).toBe('missing_required_output')
      expect(error.detail).toMatchObject({ field: 'calls', fields: ['calls'] })
    })

    test('a turn without calls answers', async () => {
      await using on = await bench(wire, mode, ['[[ ## reasoning ## ]]\nEasy.\n[[ ## answer ## ]]\nMild.'])
      const result = await chainOfThought(text, { model: on.model })({ q: 'Weather?', t: [weather] })
      expect(result).toMatchObject({ kind: 'answer', outputs: { reasoning: 'Easy.', answer: 'Mild.' } })
    })
  })

  test('outputs that come along with calls are kept, and what cannot be read of them is left out', async () => {
    const turn = {
      text: '[[ ## reasoning ## ]]\nI look it up.\n[[ ## score ## ]]\nhigh',
      calls: [{ name: 'get_weather' }],
    }
    const program = chainOfThought('q, t: tools -> score: number, calls?: tool_calls', { model: scriptedModel([turn]) })
    const result = await program({ q: 'Weather?', t: [weather] })
    expect(result.kind).toBe('calls')
    expect(result.outputs).toEqual({
      reasoning: 'I look it up.',
      calls: [{ id: 'call_1_1', name: 'get_weather', args: {} }],
    })
  })

  test.each([
    ['a list', '[{"name":"f","args":{"a":1}}]'],
    ['one call', '{"name":"f","args":{"a":1}}'],
    ['wrapped', '{"tool_calls":[{"name":"f","args":{"a":1}}]}'],
    ['arguments instead of args', '[{"name":"f","arguments":{"a":1}}]'],
    ['arguments as text', '[{"name":"f","arguments":"{\\"a\\":1}"}]'],
    ['under function', '[{"type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]'],
    ['in a code fence', '```json\n[{"name":"f","args":{"a":1}}]\n```'],
  ])('prompted calls are read in the shapes models use: %s', async (_what, written) => {
    const asked = signature('q, t: tools -> calls: tool_calls')
    for (const [adapter, text] of [
      [chatAdapter, `[[ ## calls ## ]]\n${written}`],
      [jsonAdapter, `{"calls":${written.replaceAll('```json\n', '').replaceAll('\n```', '')}}`],
    ] as const) {
      const parsed = await adapter.parse(asked, responseOf({ text }, 0, 'm'), { mode: 'prompted' })
      expect(parsed).toMatchObject({ kind: 'calls', calls: [{ name: 'f', args: { a: 1 } }] })
    }
  })

  test.each([
    ['[{"name":"f","args":5}]', 'they are no object'],
    ['[{"name":"f","arguments":"[1]"}]', 'they are no object'],
    ['[{"args":{}}]', 'the call names no tool'],
    ['["f"]', 'it is not a call { name, args }'],
    ['call f please', 'it is not a call { name, args }'],
  ])('prompted calls of no known shape are a tagged error: %s', async (written, reason) => {
    const asked = signature('q, t: tools -> calls: tool_calls')
    const parsing = chatAdapter.parse(asked, responseOf({ text: `[[ ## calls ## ]]\n${written}` }, 0, 'm'), {
      mode: 'prompted',
    })
    const error = await failureOf(parsing)
    expect(error).toMatchObject({ code: 'malformed_arguments', detail: { field: 'calls', reason } })
  })

  test('prompted calls without an id, or with the same one, get ids that are the same every time', async () => {
    const asked = signature('q, t: tools -> calls: tool_calls')
    const text = '[[ ## calls ## ]]\n[{"name":"f"},{"name":"f","id":"x"},{"name":"f","id":"x"}]'
    const parse = async () => chatAdapter.parse(asked, responseOf({ text }, 0, 'm'), { mode: 'prompted' })
    const [first, second] = [await parse(), await parse()]
    expect(first).toEqual(second)
    expect(first.kind === 'calls' ? first.calls.map(({ id }) => id) : []).toEqual([
      expect.stringMatching(/^call_[0-9a-z]{12}$/i),
      'x',
      expect.stringMatching(/^call_[0-9a-z]{12}$/i),
    ])
  })

  test('a prompted answer may leave out what needs the results of its calls', async () => {
    const asked = signature('q, t: tools -> answer, calls?: tool_calls')
    for (const adapter of [chatAdapter, jsonAdapter]) {
      const { request } = adapter.format(asked, { q: 'hi', t: [weather] }, { toolMode: 'prompted' })
      const [system] = request.messages
      expect(system?.role === 'system' ? textOf(system.content) : '').toContain('To have tools run, write `calls`')
      expect(request.output ?? {}).not.toHaveProperty('schema.required')
    }
    const { request } = jsonAdapter.format(asked, { q: 'hi', t: [weather] })
    expect(request.output).toMatchObject({ schema: { required: ['answer'] } })
  })

  test('no calls are asked for: the prompt of a native request does not speak of the tool fields', () => {
    const asked = signature('q, t: tools -> answer, calls?: tool_calls')
    const { request, fieldsRemoved, mode, rungs } = chatAdapter.format(asked, { q: 'hi', t: [weather] })
    expect({ fieldsRemoved, mode, rungs }).toEqual({
      fieldsRemoved: ['t', 'calls'],
      mode: 'native',
      rungs: ['markers'],
    })
    const words = request.messages.map((message) => (message.role === 'tool' ? '' : textOf(message.content))).join('\n')
    expect(words).not.toContain('`t`')
    expect(words).not.toContain('calls')
  })
})

// Every rung and every way an answer can go wrong, with a model that plays a script.

import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolwireError } from '../../src/errors/error.js'
import { generate } from '../../src/generate/generate.js'
import type { GenerateOptions } from '../../src/generate/options.js'
import type { GenerateEvent } from '../../src/generate/result.js'
import type { Capabilities } from '../../src/model/model.js'
import type { AnySchema } from '../../src/schema/infer.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import type { Turn } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'

const schema = z.object({ city: z.string(), celsius: z.number().optional() })
const good = '{"city":"Boston","celsius":18}'
const value = { city: 'Boston', celsius: 18 }
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 18 }),
})
const asks: Turn = { calls: [{ name: 'get_weather', args: { city: 'Boston' } }] }

/** The error a generation ends with. */
async function failing(
  script: readonly Turn[],
  options: Partial<GenerateOptions<AnySchema>> = {},
): Promise<ToolwireError> {
  const model = scriptedModel(script, { capabilities: {} })
  try {
    await generate({ model, schema, prompt: 'Weather?', ...options })
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('the generation did not fail')
}

describe('rungs', () => {
  test('native: the request carries the schema, and the value is typed by it', async () => {
    const model = scriptedModel([good])
    const result = await generate({ model, schema, prompt: 'Weather in Boston?' })
    const city: string = result.value.city
    expect(city).toBe('Boston')
    expect(result).toMatchObject({ value, rung: 'native', calls: 1, repairs: [], text: good })
    expect(model.requests[0]?.output).toMatchObject({ name: 'response', strict: true, schema: { type: 'object' } })
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('native_with_tools: tools run first, then the answer comes in the schema', async () => {
    const model = scriptedModel([asks, good])
    const result = await generate({ model, schema, tools: [weather], prompt: 'Weather in Boston?' })
    expect(result).toMatchObject({ value, rung: 'native_with_tools', calls: 2 })
    expect(model.requests.every(({ output, tools }) => output !== undefined && tools?.length === 1)).toBe(true)
  })

  test('submit_tool: the answer is a call whose parameters are the schema, beside the other tools', async () => {
    const submits: Turn = { calls: [{ name: 'submit_response', args: value }] }
    const model = scriptedModel([asks, submits], { capabilities: { structuredOutputWithTools: 'no' } })
    const result = await generate({ model, schema, tools: [weather], prompt: 'Weather in Boston?' })
    expect(result).toMatchObject({ value, rung: 'submit_tool', calls: 2 })
    expect(model.requests[0]?.output).toBeUndefined()
    expect(model.requests[0]?.tools?.map((spec) => (spec.type === 'opaque' ? '' : spec.name))).toEqual([
      'get_weather',
      'submit_response',
    ])
    expect(model.requests[0]?.toolChoice).toBeUndefined()
    expect(result.messages.at(-1)?.role).toBe('tool')
  })

  test('submit_tool without other tools forces the call, as far as the model can be forced', async () => {
    const submits: Turn = { calls: [{ name: 'submit_response', args: value }] }
    const cases: readonly [Partial<Capabilities>, unknown][] = [
      [{}, { tool: 'submit_response' }],
      [{ toolChoiceNamed: 'no' }, 'required'],
      [{ toolChoiceNamed: 'no', toolChoiceRequired: 'no' }, 'auto'],
    ]
    for (const [capabilities, choice] of cases) {
      const model = scriptedModel([submits], { capabilities: { structuredOutput: 'no', ...capabilities } })
      const result = await generate({ model, schema, prompt: 'Weather?' })
      expect(result.rung).toBe('submit_tool')
      expect(model.requests[0]?.toolChoice).toEqual(choice)
    }
    const thinking = scriptedModel([submits], { capabilities: { structuredOutput: 'no' } })
    await generate({ model: thinking, schema, prompt: 'Weather?', reasoning: { budgetTokens: 2048 } })
    expect(thinking.requests[0]?.toolChoice).toBe('auto')
  })

  test('json_object: the wire is asked for JSON and the prompt holds the schema', async () => {
    const model = scriptedModel([good], { capabilities: { outputSchema: 'no', tools: 'no' } })
    const result = await generate({ model, schema, prompt: 'Weather?' })
    expect(result).toMatchObject({ value, rung: 'json_object' })
    expect(model.requests[0]?.output).toBe('json_object')
    expect(JSON.stringify(model.requests[0]?.messages[0])).toContain('celsius')
  })

  test('prompted: only the words ask for it', async () => {
    const model = scriptedModel([good], { capabilities: { structuredOutput: 'no', tools: 'no' } })
    const result = await generate({ model, schema, system: 'Be brief.', prompt: 'Weather?' })
    expect(result).toMatchObject({ value, rung: 'prompted' })
    expect(model.requests[0]).not.toHaveProperty('output')
    const [system] = model.requests[0]?.messages ?? []
    expect(JSON.stringify(system)).toMatch(/Be brief\..*JSON Schema.*celsius/)
  })

  test('a rung can be demanded', async () => {
    const model = scriptedModel([good])
    expect((await generate({ model, schema, prompt: 'Weather?', rung: 'prompted' })).rung).toBe('prompted')
  })

  test('where nobody said that the model can, a refused request goes on with the next rung', async () => {
    const refused: Turn = { error: new ToolwireError('invalid_request', 'response_format is not known') }
    const model = scriptedModel([refused, { calls: [{ name: 'submit_response', args: value }] }], {
      capabilities: { structuredOutput: 'unknown' },
    })
    const result = await generate({ model, schema, prompt: 'Weather?' })
    expect(result).toMatchObject({ value, rung: 'submit_tool', calls: 2 })
    expect(result.repairs).toMatchObject([{ kind: 'next_rung', rung: 'native' }])
    const known = scriptedModel([refused])
    await expect(generate({ model: known, schema, prompt: 'Weather?' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})

describe('schemas of any library', () => {
  test('valibot, arktype, params and JSON Schema give a typed value', async () => {
    const model = (): ReturnType<typeof scriptedModel> => scriptedModel(['{"n":1}'])
    const valibot = await generate({
      model: model(),
      schema: toStandardJsonSchema(v.object({ n: v.number() })),
      prompt: 'n',
    })
    const ark = await generate({ model: model(), schema: type({ n: 'number' }), prompt: 'n' })
    const own = await generate({ model: model(), schema: params.object({ n: params.number() }), prompt: 'n' })
    const json = await generate({
      model: model(),
      schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      prompt: 'n',
    })
    const sum: number = valibot.value.n + ark.value.n + own.value.n + json.value.n
    expect(sum).toBe(4)
  })

  test('a value that is no object is got on every rung, and transforms are applied', async () => {
    const list = z.array(z.string().transform((text) => text.length))
    const native = await generate({ model: scriptedModel(['["ab","c"]']), schema: list, prompt: 'words' })
    expect(native.value).toEqual([2, 1])
    const model = scriptedModel([{ calls: [{ name: 'submit_words', args: { value: ['ab'] } }] }])
    const called = await generate({ model, schema: list, prompt: 'words', rung: 'submit_tool', name: 'words' })
    expect(called).toMatchObject({ value: [2], text: '["ab"]' })
  })

  test('integers beyond 2^53 keep every digit', async () => {
    const model = scriptedModel(['{"id":12345678901234567890}'])
    const result = await generate({ model, schema: params.object({ id: params.integer() }), prompt: 'id' })
    expect(result.value).toEqual({ id: 12345678901234567890n })
  })

  test('a schema that cannot be used is misuse, before the network', async () => {
    const model = scriptedModel([])
    await expect(generate({ model, schema: { type: 'strin' }, prompt: 'x' })).rejects.toMatchObject({ code: 'misuse' })
    await expect(generate({ model, schema, prompt: 'x', maxCalls: 0 })).rejects.toMatchObject({ code: 'misuse' })
    await expect(generate({ model, schema, prompt: 'x', maxOutputRetries: -1 })).rejects.toMatchObject({
      code: 'misuse',
    })
    await expect(generate({ model, schema, prompt: 'x', rung: 'magic' as never })).rejects.toMatchObject({
      code: 'misuse',
    })
    await expect(generate({ model: {} as never, schema, prompt: 'x' })).rejects.toMatchObject({ code: 'misuse' })
    expect(model.requests).toEqual([])
  })
})

describe('answers that do not fit', () => {
  test('the model is told what is wrong, and the second answer counts', async () => {
    const model = scriptedModel(['{"city":1}', good])
    const result = await generate({ model, schema, prompt: 'Weather?' })
    expect(result).toMatchObject({ value, calls: 2 })
    expect(result.repairs).toMatchObject([{ kind: 'retry', rung: 'native', text: '{"city":1}' }])
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('/city')
  })

  test('a submitted value that does not fit is answered with its faults, and counts as a try', async () => {
    const wrong: Turn = { calls: [{ name: 'submit_response', args: { city: 1 } }] }
    const right: Turn = { calls: [{ name: 'submit_response', args: value }] }
    const capabilities = { structuredOutput: 'no' } as const
    const result = await generate({
      model: scriptedModel([wrong, right], { capabilities }),
      schema,
      prompt: 'Weather?',
    })
    expect(result).toMatchObject({ value, rung: 'submit_tool', calls: 2 })
    const model = scriptedModel([wrong, wrong, wrong, wrong], { capabilities })
    const failed = generate({ model, schema, prompt: 'Weather?' })
    await expect(failed).rejects.toMatchObject({
      code: 'malformed_response',
      detail: { rung: 'submit_tool', calls: 3 },
    })
    expect(model.requests).toHaveLength(3)
  })

  test('an answer in text where a call was asked for is taken when it fits, and asked for again when not', async () => {
    const capabilities = { structuredOutput: 'no' } as const
    const taken = await generate({ model: scriptedModel([good], { capabilities }), schema, prompt: 'Weather?' })
    expect(taken.repairs).toMatchObject([{ kind: 'text_instead_of_call' }])
    const model = scriptedModel(['It is nice.', { calls: [{ name: 'submit_response', args: value }] }], {
      capabilities,
    })
    const again = await generate({ model, schema, tools: [weather], prompt: 'Weather?' })
    expect(again).toMatchObject({ value, rung: 'submit_tool', calls: 2 })
    expect(model.requests[1]?.toolChoice).toEqual({ tool: 'submit_response' })
  })

  test.each([
    ['a code fence', '```json\n{"city":"Boston","celsius":18}\n```', 'fence'],
    ['words around it', 'Here you are: {"city":"Boston","celsius":18}. Enjoy!', 'words'],
    ['words with braces around it', 'In {braces}: {"city":"Boston","celsius":18}', 'words'],
  ])('%s is taken off, and reported', async (_, text, kind) => {
    const result = await generate({ model: scriptedModel([text]), schema, prompt: 'Weather?' })
    expect(result).toMatchObject({ value, repairs: [{ kind }] })
  })

  test.each([
    ['nothing', '', 'missing_required_output'],
    ['white space', ' \n', 'missing_required_output'],
    ['prose', 'It is nice in Boston.', 'malformed_response'],
    ['two objects', `${good}\n${good}`, 'malformed_response'],
    ['two fences', `\`\`\`json\n${good}\n\`\`\`\n\`\`\`json\n${good}\n\`\`\``, 'malformed_response'],
    ['a wrong type', '[1]', 'malformed_response'],
    ['a number', '18', 'malformed_response'],
    ['an empty object', '{}', 'malformed_response'],
    ['null', 'null', 'malformed_response'],
  ])('%s is refused after as many tries as are allowed', async (_, text, code) => {
    const error = await failing([text, text, text, text])
    expect(error).toMatchObject({ code, detail: { rung: 'native', calls: 3, text } })
    expect(error.detail?.attempts).toHaveLength(2)
  })

  test('an answer that is cut anywhere is never taken for a whole one', async () => {
    const nested = '{"city":"Boston","celsius":18,"more":{"city":"x","celsius":1}}'
    for (let length = 1; length < nested.length; length += 1) {
      const cut = nested.slice(0, length)
      const error = await failing([cut], { maxOutputRetries: 0 })
      expect(error.code, cut).toBe('malformed_response')
      const said = await failing([{ text: cut, finishReason: 'length' }])
      expect(said, cut).toMatchObject({ code: 'truncated', detail: { text: cut, calls: 1 } })
    }
  })

  test('a stream that breaks off is truncated, wherever it does', async () => {
    for (let cutAfter = 0; cutAfter < 6; cutAfter += 1) {
      const model = scriptedModel([{ text: good, cutAfter }])
      const events = generate.stream({ model, schema, prompt: 'Weather?' })
      await expect(events).rejects.toMatchObject({ code: 'truncated' })
    }
  })

  test('a refusal and a filtered answer are errors, at once', async () => {
    const filtered = await failing([{ text: 'I cannot', finishReason: 'content_filter' }])
    expect(filtered).toMatchObject({ code: 'content_filtered', detail: { text: 'I cannot', calls: 1 } })
    expect(filtered.retryable).toBe(false)
  })

  test('the cap on model calls holds, with tools that never end and with retries', async () => {
    const endless = scriptedModel((_, index) => ({ calls: [{ name: 'get_weather', args: { city: `${index}` } }] }))
    const failed = generate({ model: endless, schema, tools: [weather], prompt: 'Weather?', maxCalls: 3 })
    await expect(failed).rejects.toMatchObject({ code: 'limit_exceeded', detail: { calls: 3 } })
    expect(endless.requests).toHaveLength(3)
    const wordy = scriptedModel(() => 'no')
    const retried = generate({ model: wordy, schema, prompt: 'Weather?', maxCalls: 2, maxOutputRetries: 9 })
    await expect(retried).rejects.toMatchObject({ code: 'limit_exceeded' })
    expect(wordy.requests).toHaveLength(2)
  })

  test('a failed call keeps its code and says how far it came', async () => {
    const error = await failing([{ error: new ToolwireError('rate_limited', 'slow down', { retryAfterMs: 5 }) }])
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 5, detail: { rung: 'native', calls: 1 } })
  })

  test('an abort is an abort', async () => {
    const controller = new AbortController()
    const pending = generate({ model: scriptedModel([{ hang: true }]), schema, prompt: 'x', signal: controller.signal })
    controller.abort()
    await expect(pending).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('generate.stream', () => {
  test('tells the rung, the text, and partial values when asked, and ends in the same result', async () => {
    const stream = generate.stream({ model: scriptedModel([good]), schema, prompt: 'Weather?', partials: true })
    const partials: string[] = []
    const types = new Set<GenerateEvent['type']>()
    for await (const event of stream) {
      types.add(event.type)
      if (event.type === 'partial') partials.push(JSON.stringify(event.value))
    }
    expect([...types]).toEqual(expect.arrayContaining(['rung', 'turn_start', 'text_delta', 'partial', 'turn_end']))
    expect(partials).toContain('{"city":"Boston"}')
    expect(await stream).toMatchObject({ value, rung: 'native', calls: 1 })
  })

  test('has no partial values unless asked, and leaving it stops the model', async () => {
    const stream = generate.stream({ model: scriptedModel([good]), schema, prompt: 'Weather?' })
    for await (const event of stream) expect(event.type).not.toBe('partial')
    const left = generate.stream({ model: scriptedModel([{ hang: true }]), schema, prompt: 'Weather?' })
    for await (const event of left) if (event.type === 'turn_start') break
    await expect(left).rejects.toMatchObject({ code: 'aborted' })
  })
})

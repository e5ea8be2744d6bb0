// `generate` on each wire against the provider server, as strict as the provider is: the schema it gets is one it takes, and the
// value comes back in the terms of the schema that was asked for.
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { generate } from '../../src/generate/generate.js'
import type { Rung } from '../../src/generate/plan.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { Value } from '../../src/json/types.js'
import { compatible } from '../../src/model/factories.js'
import type { Model } from '../../src/model/model.js'
import type { DialectName } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { mapForward } from '../../src/schema/restrict/value-map.js'
import type { ProviderScript } from '../../src/testing/provider-script.js'
import { providerServer } from '../../src/testing/provider-server.js'
import { oracles } from '../../src/testing/schema-oracles.js'
import type { Turn } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'

/** Everything some dialect cannot say as it is: optional, map, tuple, alternatives, constraints, a schema that contains itself. */
const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 80 },
    subtitle: { type: 'string' },
    id: { type: 'integer' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
    kind: {
      oneOf: [{ const: 'note' }, { type: 'object', properties: { other: { type: 'string' } }, required: ['other'] }],
    },
    parts: { type: 'array', items: { $ref: '#/$defs/part' } },
  },
  required: ['title', 'id', 'labels', 'place', 'kind', 'parts'],
  $defs: {
    part: {
      type: 'object',
      properties: { text: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/part' } } },
      required: ['text'],
    },
  },
} as const
const value: Value = {
  title: 'A place',
  id: 12345678901234567890n,
  labels: { colour: 'red', 'a b': 'c' },
  place: [1.5, 2],
  kind: { other: 'thing' },
  parts: [{ text: 'one', parts: [{ text: 'two' }] }, { text: 'three' }],
}

const look = tool({
  name: 'look_up',
  description: 'Looks a place up by its name',
  input: z.object({ name: z.string(), deep: z.boolean().optional() }),
  strict: true,
  execute: ({ name, deep }) => `${name}:${String(deep)}`,
})

interface Subject {
  readonly wire: Wire
  readonly model: string
  readonly alone: Rung
  readonly withTools: Rung
  /** The dialects the wire gets an answer and a held tool in. */
  readonly output: DialectName | undefined
  readonly strict: DialectName | undefined
}
const subjects: readonly Subject[] = [
  {
    wire: 'openai-chat',
    model: 'gpt-6-sol',
    alone: 'native',
    withTools: 'native_with_tools',
    output: 'openai_strict',
    strict: 'openai_strict',
  },
  {
    wire: 'openai-responses',
    model: 'gpt-6-sol',
    alone: 'native',
    withTools: 'native_with_tools',
    output: 'openai_strict',
    strict: 'openai_strict',
  },
  {
    wire: 'anthropic',
    model: 'claude-sonnet-5-5',
    alone: 'native',
    withTools: 'native_with_tools',
    output: 'anthropic_output',
    strict: 'anthropic_strict',
  },
  { wire: 'ollama', model: 'qwen3', alone: 'native', withTools: 'submit_tool', output: undefined, strict: undefined },
  {
    wire: 'gemini',
    model: 'gemini-3-pro',
    alone: 'native',
    withTools: 'native_with_tools',
    output: undefined,
    strict: undefined,
  },
  {
    wire: 'gemini',
    model: 'gemini-2.5-pro',
    alone: 'native',
    withTools: 'submit_tool',
    output: undefined,
    strict: undefined,
  },
]

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function served(
  subject: Subject,
  script: ProviderScript,
): Promise<{ model: Model; refusals: () => readonly (string | undefined)[]; faults: () => readonly string[] }> {
  const server = await providerServer({ strict: true, script })
  closing.push(() => server.close())
  const { wire, model } = subject
  return {
    model: compatible({ wire, model, baseUrl: server.url, apiKey: 'k', retries: 0 }),
    refusals: () => server.requests.map(({ refusal }) => refusal),
    // Gemini and Ollama pass over what they do not know, so that their server refuses nothing: it is looked at here.
    faults: () => server.requests.flatMap(({ request }) => faultsOf(subject, request)),
  }
}

function faultsOf({ wire }: Subject, { tools = [], output }: CompletionRequest): readonly string[] {
  const { tool: forTools, output: forAnswers } = dialects[wire]
  return [
    ...tools.flatMap((spec) =>
      spec.type === 'opaque' || spec.inputSchema === undefined ? [] : oracles[forTools](spec.inputSchema),
    ),
    ...(typeof output !== 'object' || forAnswers === undefined ? [] : oracles[forAnswers](output.schema)),
  ]
}

/** The dialects of tools that are held to their schemas, and of answers; none where any schema is taken. */
const dialects: Readonly<Record<Wire, { readonly tool: DialectName; readonly output: DialectName | undefined }>> = {
  'openai-chat': { tool: 'openai_strict', output: 'openai_strict' },
  'openai-responses': { tool: 'openai_strict', output: 'openai_strict' },
  anthropic: { tool: 'anthropic_strict', output: 'anthropic_output' },
  ollama: { tool: 'ollama', output: undefined },
  gemini: { tool: 'gemini_json_schema', output: 'gemini_json_schema' },
}

/** The value as a model that is held to the wire's schema would say it. */
function image(dialect: DialectName | undefined): string {
  const mapping = dialect === undefined ? undefined : restrict(schema, dialect).mapping
  return mapping === undefined ? stringifyJson(value) : mapForward(stringifyJson(value), mapping)
}

function toolText(name: string, dialect: DialectName | undefined): Turn {
  const args = dialect === undefined ? '{"name":"x"}' : '{"name":"x","deep":null}'
  return { calls: [{ name, args: dialect === 'openai_strict' ? args : '{"name":"x"}' }] }
}

function submitted(request: CompletionRequest, dialect: DialectName | undefined): Turn {
  const submit = request.tools?.find((spec) => spec.type !== 'opaque' && spec.name.startsWith('submit_'))
  if (submit === undefined || submit.type === 'opaque') return image(dialect)
  return { calls: [{ name: submit.name, args: image(dialect) }] }
}

describe.each(subjects)('$wire, $model', (subject) => {
  test('without tools', async () => {
    const { model, refusals, faults } = await served(subject, () => image(subject.output))
    const result = await generate({ model, schema, prompt: 'A place?' })
    expect(refusals()).toEqual([undefined])
    expect(faults()).toEqual([])
    expect(result).toMatchObject({ value, rung: subject.alone, calls: 1, repairs: [] })
  })

  test('without tools, as a stream', async () => {
    const { model, refusals } = await served(subject, () => image(subject.output))
    const result = await generate.stream({ model, schema, prompt: 'A place?', partials: true })
    expect(refusals()).toEqual([undefined])
    expect(result).toMatchObject({ value, rung: subject.alone, calls: 1, repairs: [] })
  })

  test('with tools', async () => {
    const seen: unknown[] = []
    const { model, refusals, faults } = await served(subject, (request, index) => {
      if (index === 0) return toolText('look_up', subject.strict)
      seen.push(JSON.stringify(request.messages.at(-1)))
      const isSubmitted = subject.withTools === 'submit_tool'
      return isSubmitted ? submitted(request, subject.strict) : image(subject.output)
    })
    const result = await generate({ model, schema, tools: [look], prompt: 'A place?' })
    expect(refusals()).toEqual([undefined, undefined])
    expect(faults()).toEqual([])
    expect(seen[0]).toContain('x:undefined')
    expect(result).toMatchObject({ value, rung: subject.withTools, calls: 2, repairs: [] })
  })

  test('by a submitted call, and by words alone', async () => {
    const called = await served(subject, (request) => submitted(request, subject.strict))
    const byCall = await generate({ model: called.model, schema, prompt: 'A place?', rung: 'submit_tool' })
    expect(called.refusals()).toEqual([undefined])
    expect(called.faults()).toEqual([])
    expect(byCall).toMatchObject({ value, rung: 'submit_tool' })
    const prompted = await served(subject, () => `\`\`\`json\n${stringifyJson(value)}\n\`\`\``)
    const byWords = await generate({ model: prompted.model, schema, prompt: 'A place?', rung: 'prompted' })
    expect(prompted.refusals()).toEqual([undefined])
    expect(byWords).toMatchObject({ value, rung: 'prompted', repairs: [{ kind: 'fence' }] })
  })

  test('an answer that does not fit is asked for again, and the history is one the provider takes', async () => {
    const { model, refusals } = await served(subject, (_, index) =>
      index === 0 ? '{"title":""}' : image(subject.output),
    )
    const result = await generate({ model, schema, prompt: 'A place?' })
    expect(refusals()).toEqual([undefined, undefined])
    expect(result).toMatchObject({ value, calls: 2, repairs: [{ kind: 'retry' }] })
  })

  test('an answer that is cut off is truncated', async () => {
    const text = image(subject.output)
    const { model } = await served(subject, () => ({ text: text.slice(0, 30), finishReason: 'length' }))
    await expect(generate({ model, schema, prompt: 'A place?' })).rejects.toMatchObject({ code: 'truncated' })
  })
})

test('a strict server refuses a schema that is not in its dialect', async () => {
  const server = await providerServer({ strict: true, script: ['{}'] })
  closing.push(() => server.close())
  const body = (format: unknown): string =>
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], response_format: format })
  const send = (format: unknown): Promise<Response> =>
    fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body: body(format) })
  const open = { type: 'object', properties: { a: { type: 'string' } } }
  const closed = { ...open, required: ['a'], additionalProperties: false }
  const refused = await send({ type: 'json_schema', json_schema: { name: 'a', strict: true, schema: open } })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('the schema of the answer is not one of openai_strict')
  const taken = await send({ type: 'json_schema', json_schema: { name: 'a', strict: true, schema: closed } })
  expect(taken.status).toBe(200)
  await taken.text()
})

// Calls that leaked into the text of an answer: recovered when asked for, labelled, and never on a guess.
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold } from '../../src/conversation/fold.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { ToolChoice } from '../../src/conversation/request.js'
import { decodeConversation } from '../../src/conversation/stored.js'
import { run } from '../../src/loop/run.js'
import type { ModelOptions } from '../../src/model/endpoint.js'
import { compatible } from '../../src/model/factories.js'
import { findCalls } from '../../src/model/text-calls/find-calls.js'
import { textCallRecovery } from '../../src/model/text-calls/recovery.js'
import { type ProviderServerOptions, providerServer, type ScriptedTurn } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { Exchange } from '../../src/wire/codec.js'

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' }, tags: { type: 'array' } },
} as const
const tools = new Map([
  ['get_weather', weather],
  ['now', undefined],
])
const paris = [{ name: 'get_weather', arguments: '{"city": "Paris", "days": 2}' }]
const find = (text: string) => findCalls(text, tools, { bare: true })
const callsIn = (text: string) => find(text)?.calls

/** One call to get_weather with a city and a number, as each family of models writes it. */
const spellings: readonly (readonly [string, string])[] = [
  ['Hermes', '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>'],
  ['Granite', '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}]'],
  ['Nemotron', '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}]</TOOLCALL>'],
  ['Mistral, list', '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}]'],
  ['Mistral, name first', '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 2}'],
  [
    'Command R',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", "days": 2}}]<|END_ACTION|>',
  ],
  ['Phi 4', 'functools[{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}]'],
  [
    'InternLM',
    '<|action_start|><|plugin|>{"name": "get_weather", "parameters": {"city": "Paris", "days": 2}}<|action_end|>',
  ],
  [
    'DeepSeek R1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris", "days": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek V3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris", "days": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'Kimi K2',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris", "days": 2}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'Harmony',
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris", "days": 2}<|call|>',
  ],
  ['Functionary', '>>>get_weather\n{"city": "Paris", "days": 2}'],
  [
    'Qwen Coder',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'DSML',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'MiniMax',
    '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Paris</parameter><parameter name="days">2</parameter></invoke></minimax:tool_call>',
  ],
  ['MiniCPM', '<function name="get_weather"><param name="city">Paris</param><param name="days">2</param></function>'],
  [
    'GLM',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  ],
  [
    'Kimi K3',
    '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  ],
  ['LFM2', '<|tool_call_start|>[get_weather(city="Paris", days=2)]<|tool_call_end|>'],
  ['OLMo', "<function_calls>get_weather(city='Paris', days=2)</function_calls>"],
  ['Llama 3', '<|python_tag|>get_weather.call(city="Paris", days=2)'],
  ['Gemma', '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>'],
  ['FunctionGemma', '<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:2}<end_function_call>'],
]
/** Only as the whole answer. */
const bare: readonly (readonly [string, string])[] = [
  ['an object', '{"name": "get_weather", "parameters": {"city": "Paris", "days": 2}}'],
  ['a fence', '```json\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n```'],
  [
    'a list of tool_calls',
    '{"tool_calls": [{"id": "1", "name": "get_weather", "arguments": {"city": "Paris", "days": 2}}]}',
  ],
  [
    'the form of OpenAI',
    '[{"type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\", \\"days\\": 2}"}}]',
  ],
  ['an expression', "[get_weather(city='Paris', days=2)]"],
  ['a name and a line', 'get_weather\n{"city": "Paris", "days": 2}'],
]
const values = (calls: ReturnType<typeof callsIn>) =>
  calls?.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) as unknown }))

describe('the formats of local models', () => {
  test.each([...spellings, ...bare])('%s: a call', (_, text) => {
    expect(values(callsIn(text))).toEqual(values(paris))
    expect(find(text)?.text).toBe('')
  })

  test.each(spellings)('%s: words around the call stay text', (_, text) => {
    const found = find(`Let me look.\n${text}`)
    expect(values(found?.calls)).toEqual(values(paris))
    expect(found?.text.trim()).toBe('Let me look.')
  })

  test.each(bare)('%s: with words around it, it is text', (_, text) => {
    expect(find(`For example: ${text}`)).toBeUndefined()
    expect(find(`${text} is how one calls it.`)).toBeUndefined()
    expect(findCalls(text, tools, { bare: false })).toBeUndefined()
  })

  test.each(spellings)('%s: cut anywhere, no argument is guessed', (_, text) => {
    for (let length = 0; length < text.length; length += 1) {
      const calls = values(callsIn(text.slice(0, length)))
      if (calls !== undefined) expect(calls).toEqual(values(paris))
    }
  })

  test('several calls, digits exact, values typed by the schema', () => {
    const text =
      '<tool_call>{"name": "now", "arguments": {"id": 12345678901234567890}}</tool_call>' +
      '<tool_call><function=get_weather><parameter=city>75001</parameter><parameter=tags>["a", 1]</parameter></function></tool_call>'
    expect(callsIn(text)).toEqual([
      { name: 'now', arguments: '{"id": 12345678901234567890}' },
      { name: 'get_weather', arguments: '{"city": "75001", "tags": ["a", 1]}' },
    ])
  })

  test('a value may hold what looks like the end of it', () => {
    const code = 'print("</parameter>")'
    const text = `<function=get_weather>\n<parameter=city>\n${code}\n</parameter>\n</function>`
    expect(values(callsIn(text))).toEqual([{ name: 'get_weather', arguments: { city: code } }])
  })
})

describe('several calls in one text', () => {
  const deepSeek = (name: string, args: string): string =>
    `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`

  test('calls that bring fences of their own are all found without a line between them', () => {
    const text = `<｜tool▁calls▁begin｜>${deepSeek('get_weather', '{"city": "Paris"}')}${deepSeek('now', '{}')}<｜tool▁calls▁end｜>`
    expect(callsIn(text)).toEqual([
      { name: 'get_weather', arguments: '{"city": "Paris"}' },
      { name: 'now', arguments: '{}' },
    ])
  })

  /** The spellings above, of other values. */
  const spelt = (index: number, city: string, days: number): string =>
    (spellings[index]?.[1] ?? '').replaceAll('Paris', city).replace(/(?<=[ :>=\n])2(?=\D*$)/, String(days))
  const call = fc.record({ format: fc.nat(spellings.length - 1), days: fc.integer({ min: 3, max: 9 }) })
  const plain = ['', ' ', '\n', '\n\n', ', ', '; ', ' and then ', '.\n', '\n---\n']
  const quoting = ['`', '"', '\n> ', '\n```\n', '``']
  const signs = [
    '<tool_call>',
    '</tool_call>',
    '[TOOL_CALLS]',
    '<|tool_call|>',
    '<｜tool▁call▁begin｜>',
    '<function=now>',
  ]
  const around = fc.constantFrom('', 'Let me look.\n', ' Done.', '\n```\n', '> ', '"', '`', ...signs)
  const wantedOf = (calls: readonly { readonly days: number }[]): unknown =>
    calls.map(({ days }, index) => ({ name: 'get_weather', arguments: { city: `City${index}`, days } }))

  test('all of them are found, or none and the text stays as it is', () => {
    let complete = 0
    const between = fc.array(fc.constantFrom(...plain, ...quoting, ...signs), { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(
        around,
        fc.array(call, { minLength: 1, maxLength: 5 }),
        between,
        around,
        (before, calls, gaps, after) => {
          const written = calls.map(({ format, days }, index) => spelt(format, `City${index}`, days))
          const joined = written.map((one, index) => (index === 0 ? '' : gaps[index]) + one).join('')
          const found = findCalls(before + joined + after, tools, { bare: true })
          if (found === undefined) return
          complete += 1
          expect(values(found.calls)).toEqual(wantedOf(calls))
        },
      ),
      { numRuns: 3000 },
    )
    expect(complete).toBeGreaterThan(200)
  })

  test.each(spellings)('%s: calls with white space or words between them are all found', (_, text) => {
    const format = spellings.findIndex((spelling) => spelling[1] === text)
    const daysAndGap = fc.tuple(fc.integer({ min: 3, max: 9 }), fc.constantFrom(...plain))
    fc.assert(
      fc.property(fc.array(daysAndGap, { minLength: 1, maxLength: 5 }), (list) => {
        const written = list.map(([days, gap], index) => spelt(format, `City${index}`, days) + gap).join('')
        expect(values(callsIn(written))).toEqual(wantedOf(list.map(([days]) => ({ days }))))
      }),
      { numRuns: 100 },
    )
  })

  const leaking = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
  test.each([
    ['one of them is quoted', `Such as \`${leaking}\`.\n${leaking.replace('Paris', 'Bern')}`],
    ['one of them is in a form that is not known', `${leaking}<tool_call>get_weather of Bern</tool_call>`],
    ['one of them was only begun', `${leaking}\n<tool_call>`],
    ['one of them names another tool', `${leaking}[TOOL_CALLS]rm[ARGS]{}`],
  ])('none is taken when %s', (_, text) => {
    expect(find(text)).toBeUndefined()
  })

  test('white space and signs without end between two calls are read once', () => {
    const [first, second] = [deepSeek('get_weather', '{"days": 1}'), deepSeek('get_weather', '{"days": 2}')]
    for (const gap of [
      ' '.repeat(200_000),
      '\n'.repeat(200_000),
      '</tool_call> '.repeat(20_000),
      '<a'.repeat(100_000),
    ]) {
      expect(callsIn(`${first}${gap}x${second}`)).toHaveLength(2)
    }
  })

  test('many calls behind a long text are found', () => {
    const many = Array.from({ length: 500 }, (_, index) => deepSeek('get_weather', `{"days": ${index}}`)).join('')
    expect(callsIn(`${'Words. '.repeat(100_000)}${many}`)).toHaveLength(500)
  })
})

describe('what stays text', () => {
  const call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
  test.each([
    ['a tool that was not declared', call.replace('get_weather', 'rm')],
    ['JSON that is not whole', call.replace('"}}', '"}')],
    ['JSON with a comma too many', call.replace('"Paris"', '"Paris",')],
    ['JSON in single quotes', "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Paris'}}</tool_call>"],
    ['arguments that are no object', '<tool_call>{"name": "get_weather", "arguments": [1]}</tool_call>'],
    [
      'a whole call beside a broken one',
      `${call}<tool_call>{"name": "get_weather", "arguments": {"city": </tool_call>`,
    ],
    ['a call in a thought', `<think>I could write ${call}</think>Nothing to do.`],
    ['a call in a thought without an end', `<think>${call}`],
    ['a call before the end of a thought', `${call}</think>Nothing to do.`],
    ['a call in a fence', `Write this:\n\`\`\`\n${call}\n\`\`\`\n`],
    ['a call in quotes', `Write "${call}" to call it.`],
    ['a call in code', `Write \`${call}\` to call it.`],
    ['a call that somebody is quoted with', `He wrote:\n> ${call}`],
    [
      'a parameter that comes twice',
      '<function=get_weather><parameter=city>A</parameter><parameter=city>B</parameter></function>',
    ],
    [
      'a value that holds the end of its call',
      '<function=get_weather><parameter=city>say("</parameter></function>")</parameter></function>',
    ],
    ['an expression with a position', '<|tool_call_start|>[get_weather("Paris")]<|tool_call_end|>'],
    ['a name out of a prototype', '<tool_call>{"name": "constructor", "arguments": {}}</tool_call>'],
    ['an answer with a name in it', '{"name": "get_weather", "rating": 5}'],
    ['plain words', 'The weather is fine. a < b, [1] and {x}.'],
  ])('%s', (_, text) => {
    expect(find(text)).toBeUndefined()
  })

  test('no text is ever a failure, and every call that is read is a declared tool with an object', () => {
    const pieces = [...spellings, ...bare].flatMap(([, text]) => text.split(/(?<=[<>{}[\]()",:=])/))
    const noise = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 30 })
    fc.assert(
      fc.property(noise, (parts) => {
        for (const { name, arguments: text } of callsIn(parts.join('')) ?? []) {
          expect(tools.has(name)).toBe(true)
          expect(JSON.parse(text)).toBeTypeOf('object')
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('a thousand signs of calls that never come are passed over', () => {
    expect(find(`\`${'<tool_call>{'.repeat(20_000)}`)).toBeUndefined()
    expect(find(`>>>now${'\n'.repeat(200_000)}`)).toBeUndefined()
    expect(find(`<|tool_call_start|>${'['.repeat(100_000)}`)).toBeUndefined()
    expect(find(`<|tool_call_start|>[now(a=${'['.repeat(100_000)}`)).toBeUndefined()
  })
})

const leaked = 'I look.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'

async function performed(
  first: ScriptedTurn,
  options: ModelOptions,
  server: ProviderServerOptions = {},
  wire: Wire = 'openai-chat',
) {
  const provider = await providerServer({
    script: (_, index) => (index === 0 ? first : 'done'),
    strict: true,
    ...server,
  })
  onTestFinished(() => provider.close())
  const ran: unknown[] = []
  const look = tool({
    name: 'get_weather',
    description: 'Current weather of a city',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: (input) => {
      ran.push(input)
      return '18'
    },
  })
  const model = compatible({ wire, model: 'm', baseUrl: provider.url, apiKey: 'k', retries: 0, ...options })
  return { model, look, ran, provider }
}

describe.each(wires)('on %s', (wire) => {
  test.each([true, false])(
    'the loop runs a recovered call once, labelled, and goes on; streamed %s',
    async (stream) => {
      const { model, look, ran, provider } = await performed({ text: leaked }, { textCalls: 'recover' }, {}, wire)
      const asked = { model, tools: [look], prompt: 'go' }
      const result = stream ? await run.stream(asked) : await run(asked)
      expect(ran).toEqual([{ city: 'Paris' }])
      expect(result).toMatchObject({ text: 'done', stop: { reason: 'answer' } })
      expect(result.losses.filter((loss) => loss.code === 'text_call_recovered')).toHaveLength(1)
      const [, answer] = result.messages
      const parts = answer?.role === 'assistant' ? answer.content : []
      expect(parts).toMatchObject([
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', name: 'get_weather', recovered: true },
      ])
      expect(decodeConversation(JSON.parse(JSON.stringify(result.messages)))).toEqual(result.messages)
      expect(provider.requests[1]?.raw.body).not.toContain('recovered')
      expect(provider.requests).toHaveLength(2)
    },
  )
})

test('calls in several parts of the text are all recovered', async () => {
  const spec = { name: 'get_weather' }
  const exchange: Exchange = { wire: 'anthropic', model: 'm', stream: true }
  const recovery = textCallRecovery({ model: 'm', messages: [], tools: [spec] }, exchange)
  const events: CompletionEvent[] = [
    { type: 'start', id: 'a', model: 'm' },
    { type: 'text_delta', part: 0, text: leaked },
    { type: 'text_delta', part: 1, text: 'Nothing here.' },
    { type: 'text_delta', part: 2, text: leaked.replace('Paris', 'Bern') },
    { type: 'finish', reason: 'stop' },
  ]
  const { message } = fold(events.flatMap((event) => recovery.push(event)))
  expect(message.content).toMatchObject([
    { type: 'text', text: 'I look.' },
    { type: 'text', text: 'Nothing here.' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_call', arguments: '{"city": "Paris"}' },
    { type: 'tool_call', arguments: '{"city": "Bern"}' },
  ])
})

test('off unless asked for', async () => {
  const { model, look, ran } = await performed({ text: leaked }, {})
  const result = await run({ model, tools: [look], prompt: 'go' })
  expect(result.text).toBe(leaked)
  expect(ran).toEqual([])
})

test('a call that was made properly is not made a second time out of the text', async () => {
  const call = { name: 'get_weather', args: { city: 'Paris' } }
  const { model, look, ran } = await performed({ text: leaked, calls: [call] }, { textCalls: 'recover' })
  const result = await run.stream({ model, tools: [look], prompt: 'go' })
  expect(ran).toEqual([{ city: 'Paris' }])
  expect(result.losses).toEqual([])
})

test.each(['length', 'content_filter'] as const)(
  'nothing is recovered from an answer that ended by %s',
  async (finishReason) => {
    const { model, look, ran } = await performed({ text: leaked, finishReason }, { textCalls: 'recover' })
    const result = await run.stream({ model, tools: [look], prompt: 'go' })
    expect(ran).toEqual([])
    expect(result.text).toBe(leaked)
  },
)

test('an answer in a schema that looks like a call is an answer', async () => {
  const text = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
  const { model } = await performed({ text }, { textCalls: 'recover' })
  const spec = { name: 'get_weather' }
  const output = { schema: { type: 'object' } }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] as const
  expect((await model.complete({ messages, tools: [spec], output })).text).toBe(text)
})

test.each<[ToolChoice, boolean]>([
  ['auto', true],
  ['required', true],
  [{ tool: 'get_weather' }, true],
  [{ allowed: ['get_weather'], mode: 'auto' }, true],
  ['none', false],
  [{ tool: 'now' }, false],
  [{ allowed: ['now'], mode: 'auto' }, false],
])('the choice %j holds for calls in text too', async (toolChoice, isMade) => {
  const { model } = await performed({ text: leaked }, { textCalls: 'recover' })
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] as const
  const { toolCalls } = await model.complete({
    messages,
    tools: [{ name: 'get_weather' }, { name: 'now' }],
    toolChoice,
  })
  expect(toolCalls).toHaveLength(isMade ? 1 : 0)
})

test('plain text comes as it comes; only from a sign of a call on it waits', async () => {
  const text = 'Some words come first, then a sign < and then more words.'
  const { model } = await performed({ text }, { textCalls: 'recover' })
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] as const
  const pieces: string[] = []
  for await (const event of model.stream({ messages, tools: [{ name: 'now' }] })) {
    if (event.type === 'text_delta') pieces.push(event.text)
  }
  expect(pieces.join('')).toBe(text)
  expect(pieces.length).toBeGreaterThan(4)
  expect(pieces.at(-1)).toBe(' < and then more words.')
})

test('what was kept back is part of what is told when the answer breaks off', async () => {
  const { model } = await performed({ text: leaked, cutAfter: 12 }, { textCalls: 'recover' })
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] as const
  const error: unknown = await Promise.resolve(model.stream({ messages, tools: [{ name: 'get_weather' }] })).catch(
    (e) => e,
  )
  expect(error).toMatchObject({ code: 'truncated', partial: { text: expect.stringContaining('<tool_call>') } })
})

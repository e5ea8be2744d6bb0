// The Anthropic wire: requests, both ways.
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { bodyOf, encoded, envOf, example, examples, http, strip } from './anthropic-fixtures.js'

const env = envOf()
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const ask = (more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  model: 'claude-sonnet-5-5',
  messages: [user('Weather in Paris?')],
  maxTokens: 100,
  ...more,
})
const weather = { name: 'get_weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }
const time = { name: 'get_time', description: 'The time', strict: true }
const call = (id: string, text: string, name = 'get_weather') =>
  ({ type: 'tool_call', id, name, arguments: text }) as const
const result = (callId: string, text: string, name = 'get_weather') =>
  ({ callId, name, content: [{ type: 'text', text }], isError: false }) as const
const decode = (body: Json | string, headers = {}): CompletionRequest =>
  codec.request.decode(http(body, headers), env).request
/** A model that takes a budget for thinking. */
const older = { model: 'claude-sonnet-4-5' }
const minimal = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }

describe('anthropic: request examples', () => {
  test.each(examples.filter((name) => name.startsWith('request.')))(
    '%s decodes and encodes to the same JSON',
    (name) => {
      const body = JSON.parse(example(name)) as JsonObject
      const { request, exchange } = codec.request.decode(http(body), env)
      const again = codec.request.encode(request, { stream: exchange.stream }, env)
      expect(bodyOf(again)).toEqual(body)
      expect(again.losses).toEqual([])
    },
  )
  test('every choice of the example comes back, with the parallel flag that rides on it', () => {
    const choices = JSON.parse(example('tool_choice.json')) as readonly JsonObject[]
    const tools = [{ name: 'get_weather', input_schema: { type: 'object', properties: {} } }]
    for (const choice of choices) {
      const request = decode({ ...minimal, tools, tool_choice: choice })
      expect(encoded(request).tool_choice).toEqual(choice)
    }
  })
  test('the history example has its thinking in order, byte for byte, and results before the user text', () => {
    const { messages } = decode(example('request.history.json'))
    expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    const [, , assistant, tool] = messages
    expect(assistant?.role === 'assistant' && assistant.content.map((part) => part.type)).toEqual([
      'reasoning',
      'opaque',
      'text',
      'tool_call',
      'tool_call',
    ])
    expect(assistant?.role === 'assistant' && assistant.content[0]).toEqual({
      type: 'reasoning',
      text: 'Need the weather.',
      opaque: { origin: { wire: 'anthropic' }, data: { signature: 'EqQBCgIYAhIopaque' } },
    })
    expect(tool?.role === 'tool' && tool.results.map((item) => [item.name, item.isError])).toEqual([
      ['get_weather', false],
      ['get_time', true],
    ])
  })
})

describe('anthropic: what the wire cannot say is an executable loss', () => {
  const cases: readonly (readonly [string, CompletionRequest, readonly string[]])[] = [
    ['a plain question', ask(), []],
    ['no limit', { model: 'm', messages: [user('hi')] }, ['changed /maxTokens']],
    ['sampling', ask({ temperature: 1, topP: 0.5, stop: ['END'] }), ['dropped /temperature', 'dropped /topP']],
    [
      'every setting',
      ask({ tools: [weather, time], toolChoice: 'required', parallelToolCalls: false }),
      ['changed /tools/1/inputSchema'],
    ],
    ['parallel calls without a choice', ask({ tools: [weather], parallelToolCalls: true }), ['changed /toolChoice']],
    [
      'no call at all',
      ask({ tools: [weather], toolChoice: 'none', parallelToolCalls: false }),
      ['dropped /parallelToolCalls'],
    ],
    ['a named tool', ask({ tools: [weather], toolChoice: { tool: 'get_weather' } }), []],
    ['one allowed tool', ask({ tools: [weather], toolChoice: { allowed: ['get_weather'], mode: 'required' } }), []],
    ['some allowed tools', ask({ tools: [weather], toolChoice: { allowed: ['get_weather'], mode: 'auto' } }), []],
    [
      'a forced tool while thinking has a budget',
      ask({ ...older, maxTokens: 9000, tools: [weather], toolChoice: 'required', reasoning: { budgetTokens: 2000 } }),
      ['widened /toolChoice'],
    ],
    ['effort', ask({ reasoning: { effort: 'high' } }), []],
    ['an effort the wire does not know', ask({ reasoning: { effort: 'minimal' } }), ['changed /reasoning/effort']],
    [
      'a schema with a name',
      ask({ output: { schema: { type: 'object' }, name: 'answer', strict: true } }),
      ['dropped /output/name', 'dropped /output/strict', 'changed /output/schema'],
    ],
    [
      'fields of this wire and of another',
      ask({ extra: { anthropic: { metadata: { user_id: 'u' } }, ollama: { keep_alive: 1 } } }),
      ['dropped /extra/ollama/keep_alive'],
    ],
    [
      'fields that are modelled',
      ask({ extra: { anthropic: { max_tokens: 5, thinking: { type: 'adaptive' } } } }),
      ['dropped /extra/anthropic/max_tokens'],
    ],
    [
      'a budget set by hand',
      ask({ maxTokens: 9000, extra: { anthropic: { thinking: { type: 'enabled', budget_tokens: 2000 } } } }),
      ['changed /reasoning', 'dropped /extra'],
    ],
    [
      'names and ids that are refused',
      ask({
        tools: [{ ...weather, name: 'x.y' }],
        messages: [
          user('hi'),
          { role: 'assistant', content: [call('functions.x:0', '{"city":1}', 'x.y')] },
          { role: 'tool', results: [result('functions.x:0', 'ok', 'x.y')] },
        ],
      }),
      [
        'changed /tools/0/name',
        'changed /messages/1/content/0/id',
        'changed /messages/1/content/0/name',
        'changed /messages/2/results/0/callId',
        'changed /messages/2/results/0/name',
      ],
    ],
    [
      'keys that are refused',
      ask({
        tools: [{ name: 'f', inputSchema: { type: 'object', properties: { 'a b': {}, ok: {} }, required: ['a b'] } }],
        messages: [
          user('hi'),
          { role: 'assistant', content: [call('c1', '{ "a b": 12345678901234567890, "ok": 1 }', 'f')] },
          { role: 'tool', results: [result('c1', 'ok', 'f')] },
        ],
      }),
      ['changed /tools/0/inputSchema', 'changed /messages/1/content/0/arguments'],
    ],
    [
      'a broken call',
      ask({
        messages: [
          user('hi'),
          {
            role: 'assistant',
            content: [{ type: 'broken_call', id: 'c1', name: 'f', arguments: '{"a', reason: 'truncated' }],
          },
          { role: 'tool', results: [result('c1', 'no', 'f')] },
        ],
      }),
      [],
    ],
    [
      'media by address and inline',
      ask({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', url: 'https://example.com/a.png' },
              { type: 'image', mediaType: 'image/png', data: 'AAAA' },
              { type: 'image', url: 'data:image/png;base64,AAAA' },
              { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'a.pdf' },
              { type: 'file', mediaType: 'text/plain', data: 'aMOp' },
              { type: 'file', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
            ],
          },
        ],
      }),
      [
        'dropped /messages/0/content/2/url',
        'changed /messages/0/content/2/mediaType',
        'changed /messages/0/content/2/data',
        'dropped /messages/0/content/5/mediaType',
      ],
    ],
    [
      'system text in the middle',
      ask({
        messages: [
          {
            role: 'system',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
          user('hi'),
          { role: 'system', content: [{ type: 'text', text: 'c' }] },
        ],
      }),
      [],
    ],
  ]
  test.each(cases)('%s', (_, request, changes) => {
    const sent = codec.request.encode(request, { stream: false }, env)
    const sealed = codec.seal(request, env).request
    const lost = sent.losses.filter((loss) => loss.kind !== 'repaired')
    expect(lost.map(({ kind, path }) => `${kind} ${path}`)).toEqual(changes)
    const back = codec.request.decode(sent.http, env).request
    expect(strip(back)).toEqual(strip(applyLosses(sealed, sent.losses)))
    const normal = encoded(back)
    expect(encoded(decode(normal))).toEqual(normal)
  })
  test('a big integer in the arguments keeps every digit, its key spelt otherwise and back', () => {
    const [, request] = cases.find(([name]) => name === 'keys that are refused') ?? []
    const sent = codec.request.encode(request as CompletionRequest, { stream: false }, env)
    const text = bodyText(sent.http.body)
    expect(text).toMatch(/"input":\{ "a_b_[a-z2-7]{8}": 12345678901234567890, "ok": 1 \}/)
    const [spelt] = [...(sent.exchange.keys?.get('f') ?? [])]
    expect(spelt?.[1]).toBe('a b')
    const block = { type: 'tool_use', id: 't', name: 'f', input: { [String(spelt?.[0])]: 1 } }
    const answer = { id: 'm', type: 'message', content: [block], stop_reason: 'tool_use' }
    const events = codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(answer) }, sent.exchange, env)
    expect(events.find((event) => event.type === 'tool_call')).toMatchObject({ call: { arguments: '{"a b":1}' } })
  })
})

describe('anthropic: structure of a history', () => {
  const loop: readonly Message[] = [
    user('hi'),
    { role: 'assistant', content: [call('a', '{}'), call('b', '{}')] },
    { role: 'tool', results: [result('a', 'one'), result('b', 'two')] },
  ]
  const messagesOf = (request: CompletionRequest): readonly JsonObject[] =>
    encoded(request).messages as readonly JsonObject[]
  const typesIn = (message: JsonObject | undefined): readonly Json[] =>
    ((message?.content ?? []) as readonly JsonObject[]).map((block) => block.type ?? null)

  test('two results of one turn and the text behind them share one user message', () => {
    const messages = messagesOf(ask({ messages: [...loop, user('and?')] }))
    expect(messages).toHaveLength(3)
    expect(typesIn(messages[2])).toEqual(['tool_result', 'tool_result', 'text'])
  })
  test('other blocks between results are moved behind them', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'text', text: 'aside' },
      { type: 'tool_result', tool_use_id: 'b', content: 'two' },
    ]
    const calls = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))
    const body = {
      ...minimal,
      messages: [...minimal.messages, { role: 'assistant', content: calls }, { role: 'user', content }],
    }
    expect(typesIn(messagesOf(decode(body))[2])).toEqual(['tool_result', 'tool_result', 'text'])
  })
  test('an image of a failed result follows in the user text, since errors carry text only', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const failed = { ...result('a', 'no'), isError: true, content: [{ type: 'text', text: 'no' } as const, image] }
    const sent = codec.request.encode(
      ask({
        messages: [user('hi'), { role: 'assistant', content: [call('a', '{}')] }, { role: 'tool', results: [failed] }],
      }),
      { stream: false },
      env,
    )
    expect(sent.losses.map((loss) => loss.code)).toEqual(['media_hoisted', 'tools_declared'])
    expect((bodyOf(sent).messages as readonly JsonObject[])[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true },
      { type: 'text', text: '[Attached by the tool "get_weather"]' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ])
  })
  test('thinking goes back only to the provider and model that signed it', () => {
    const thought = (model: string) =>
      ({
        type: 'reasoning',
        text: 'hm',
        opaque: { origin: { wire: 'anthropic', provider: 'anthropic', model }, data: { signature: 'S' } },
      }) as const
    const turn = (model: string): Message => ({
      role: 'assistant',
      content: [thought(model), { type: 'text', text: 'hello' }],
    })
    expect(messagesOf(ask({ messages: [user('hi'), turn('claude-sonnet-5-5'), user('go on')] }))[1]?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'S' },
      { type: 'text', text: 'hello' },
    ])
    expect(messagesOf(ask({ messages: [user('hi'), turn('other'), user('go on')] }))[1]?.content).toBe('hello')
  })
  test('manual thinking is off while a tool turn without thinking is running', () => {
    const request = ask({ ...older, messages: loop, maxTokens: 9000, reasoning: { budgetTokens: 2000 } })
    const sent = codec.request.encode(request, { stream: false }, env)
    expect(bodyOf(sent).thinking).toBeUndefined()
    expect(sent.losses.map((loss) => loss.code)).toContain('thinking_off')
  })
  test('server tools and their results keep their place and shape', () => {
    const blocks = [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      { type: 'text', text: 'found', citations: [{ type: 'web_search_result_location' }] },
    ]
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }]
    const body = {
      ...minimal,
      tools,
      tool_choice: { type: 'tool', name: 'web_search' },
      messages: [...minimal.messages, { role: 'assistant', content: blocks }, { role: 'user', content: 'go on' }],
    }
    expect(encoded(decode(body))).toEqual(body)
  })
  test('system messages with blocks that are not text keep their role', () => {
    const body = {
      ...minimal,
      messages: [...minimal.messages, { role: 'system', content: [{ type: 'tool_addition', tool: { name: 'x' } }] }],
    }
    expect(encoded(decode(body))).toEqual(body)
  })
  test('appending messages appends wire blocks, and what did not change is copied', () => {
    const frozen = loop.map((message) => freeze(message))
    const before = bodyText(codec.request.encode(ask({ messages: frozen }), { stream: false }, env).http.body)
    const after = bodyText(
      codec.request.encode(ask({ messages: [...frozen, user('more')] }), { stream: false }, env).http.body,
    )
    expect(after.startsWith(before.slice(0, before.lastIndexOf(']}]}')))).toBe(true)
  })
})

describe('anthropic: versions and headers', () => {
  test('the older version allows sampling, the current one does not', () => {
    const request = ask({ temperature: 0.5, topP: 0.9, extra: { anthropic: { top_k: 5 } } })
    expect(encoded(request, envOf('anthropic-2023'))).toMatchObject({ temperature: 0.5, top_p: 0.9, top_k: 5 })
    const sent = codec.request.encode(request, { stream: true }, env)
    expect(Object.keys(bodyOf(sent))).toEqual(['model', 'max_tokens', 'stream', 'messages'])
    expect(sent.http.headers['anthropic-version']).toBe('2026-10-21')
  })
  test('the version and betas a client sent are noted, whichever way it authenticates', () => {
    for (const auth of [{ 'x-api-key': 'k' }, { authorization: 'Bearer k' }]) {
      const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', ...auth }
      const { request, exchange } = codec.request.decode(http(minimal, headers), env)
      expect(exchange.client).toEqual({ version: '2023-06-01' })
      const again = codec.request.encode(request, { stream: false }, env).http.headers
      expect(again['anthropic-beta']).toBe('a,b')
      expect(JSON.stringify([request, again])).not.toContain('"k"')
    }
  })
  test('compatible servers take thinking back unsigned, and older models no system text in between', () => {
    const messages: readonly Message[] = [
      user('hi'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'yes' },
        ],
      },
      user('so'),
      { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
    ]
    const body = encoded(ask({ messages }), envOf('anthropic', false, { unsignedThinking: true, midSystem: false }))
    expect((body.messages as readonly JsonObject[])[1]?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'yes' },
    ])
    expect((body.messages as readonly JsonObject[])[3]?.role).toBe('user')
  })
})

describe('anthropic: what clients send', () => {
  test('null members, defaults and older spellings are read', () => {
    const schema = { type: 'object' }
    const request = decode({
      ...minimal,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      temperature: null,
      tools: [{ type: 'custom', name: 'f', description: null, input_schema: schema, cache_control: null }],
      tool_choice: 'any',
      output_format: { type: 'json_schema', schema },
      stream: false,
    })
    expect(request).toEqual({
      model: 'm',
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 's', extra: { anthropic: { cache_control: { type: 'ephemeral' } } } }],
        },
        user('hi'),
      ],
      tools: [{ name: 'f', inputSchema: schema }],
      toolChoice: 'required',
      output: { schema },
      maxTokens: 1,
    })
  })
  test.each([
    ['no JSON', '{"model":', ''],
    ['no object', '[]', ''],
    ['nested too deep', `{"model":"m","messages":${'['.repeat(2000)}${']'.repeat(2000)}}`, ''],
    ['no model', { messages: [] }, '/model'],
    ['no messages', { model: 'm' }, '/messages'],
    ['a message that is text', { model: 'm', messages: ['hi'] }, '/messages/0'],
    ['an unknown role', { model: 'm', messages: [{ role: 'tool', content: '' }] }, '/messages/0/role'],
    ['content that is a number', { model: 'm', messages: [{ role: 'user', content: 5 }] }, '/messages/0/content'],
    ['a limit that is text', { ...minimal, max_tokens: '5' }, '/max_tokens'],
    ['a tool that is text', { ...minimal, tools: ['f'] }, '/tools/0'],
    ['system text that is a number', { ...minimal, system: 5 }, '/system'],
  ])('%s is an invalid_request', (_, body, path) => {
    try {
      decode(body)
      expect.unreachable()
    } catch (error) {
      expect(ToolwireError.is(error) && error.code).toBe('invalid_request')
      expect(String(error)).toContain(path)
    }
  })
  test('hostile keys stay data', () => {
    const body =
      '{"model":"m","max_tokens":1,"__proto__":{"x":1},"messages":[{"role":"user","content":[{"type":"text","text":"a","__proto__":{"y":1}}]}]}'
    const request = decode(body)
    expect(({} as { x?: number }).x).toBeUndefined()
    expect(JSON.stringify(encoded(request))).toContain('"__proto__":{"y":1}')
  })
})

import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'
import {
  call,
  decodeRequest,
  encodeRequest,
  env,
  exchange,
  files,
  fold,
  json,
  read,
  wire,
} from './openai-responses-fixtures.js'

describe('examples: requests', () => {
  /** The one equivalence the wire documents for the whole input: a text is one user message. */
  const plainInput = (body: JsonObject): JsonObject =>
    typeof body.input === 'string' ? { ...body, input: [{ role: 'user', content: body.input }] } : body

  test.each(files.filter((file) => file.startsWith('request.')))('%s decodes and encodes to the same body', (file) => {
    const body = json(file)
    const request = decodeRequest(body)
    expect(encodeRequest(request, 'openai', body.stream === true)).toEqual(plainInput(body))
  })

  test('the history example reads as a conversation', () => {
    const { messages } = decodeRequest(json('request.history.json'))
    expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool'])
    const [, , turn, results] = messages
    expect(turn).toMatchObject({
      content: [
        {
          type: 'reasoning',
          text: 'Need the weather.',
          opaque: { data: { id: 'rs_01', encrypted_content: 'gAAAAABopaque' } },
        },
        { type: 'text', text: 'Checking both.', extra: { [wire]: { $item: { phase: 'commentary' } } } },
        { type: 'tool_call', id: 'call_w1', name: 'get_weather' },
        { type: 'tool_call', id: 'call_t1', name: 'get_time', opaque: { data: { id: 'fc_02', status: 'completed' } } },
      ],
    })
    expect(results).toMatchObject({
      results: [
        { callId: 'call_w1', name: 'get_weather', isError: false, content: [{ type: 'text' }, { type: 'image' }] },
        { callId: 'call_t1', isError: true, content: [{ type: 'text', text: 'clock service unavailable' }] },
      ],
    })
  })

  test.each(
    (JSON.parse(read('tool_choice.json')) as Json[]).map((choice) => [JSON.stringify(choice), choice] as const),
  )('tool_choice %s is kept', (_, choice) => {
    const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false }]
    const body = { model: 'm', input: [{ role: 'user', content: 'hi' }], tools, tool_choice: choice }
    expect(encodeRequest(decodeRequest(body))).toEqual(body)
  })
})

describe('request details', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as const

  test('strict is said aloud, and only silence stays silent', () => {
    const tools = [
      { name: 'plain' },
      { name: 'sure', strict: true },
      { name: 'silent', extra: { [wire]: { $strict: 'unsaid' } } },
    ]
    const body = encodeRequest({ model: 'm', messages: [user], tools })
    expect((body.tools as JsonObject[]).map((tool) => tool.strict)).toEqual([false, true, undefined])
    expect((body.tools as JsonObject[])[0]?.parameters).toEqual({ type: 'object', properties: {} })
  })

  test('hosted tools and items stay in their places', () => {
    const body = {
      model: 'm',
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
      input: [
        { role: 'user', content: 'hi' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'sql', input: 'select 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'ok', annotations: [{ type: 'url_citation', url: 'https://e.org' }] }],
        },
      ],
    }
    expect(encodeRequest(decodeRequest(body))).toEqual(body)
  })

  test('instructions and system items keep their places', () => {
    const body = {
      model: 'm',
      instructions: 'a',
      input: [
        { role: 'system', content: 'b' },
        { role: 'developer', content: 'c' },
        { role: 'user', content: 'd' },
      ],
    }
    expect(encodeRequest(decodeRequest(body))).toEqual(body)
    const itemOnly = {
      model: 'm',
      input: [
        { role: 'system', content: 'b' },
        { role: 'user', content: 'd' },
      ],
    }
    expect(encodeRequest(decodeRequest(itemOnly))).toEqual(itemOnly)
  })

  test('server state and other settings are carried', () => {
    const body = {
      model: 'm',
      previous_response_id: 'resp_0',
      store: true,
      include: ['reasoning.encrypted_content'],
      service_tier: 'flex',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_object' } },
      input: [{ type: 'function_call_output', call_id: 'c9', output: '42' }],
    }
    expect(encodeRequest(decodeRequest(body))).toEqual(body)
  })

  test('results of calls nobody knows become user text when the server remembers nothing', () => {
    const request = decodeRequest({
      model: 'm',
      input: [{ type: 'function_call_output', call_id: 'c9', output: '42' }],
    })
    const { losses, http } = codec.request.encode(request, { stream: false }, env())
    expect(losses.map((loss) => loss.code)).toContain('result_orphaned')
    expect(bodyText(http.body)).not.toContain('function_call_output')
  })

  test('reasoning that cannot be replayed goes, and the item ids of its turn with it', () => {
    const turn = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' },
    ]
    const output = { type: 'function_call_output', call_id: 'c1', output: 'x' }
    const body = { model: 'm', store: false, input: [{ role: 'user', content: 'q' }, ...turn, output] }
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    expect(encodeRequest(decodeRequest(body)).input).toEqual([{ role: 'user', content: 'q' }, call, output])
    const stored = { ...body, store: true }
    expect(encodeRequest(decodeRequest(stored))).toEqual(stored)
  })

  test('reasoning and ids of another model stay at home together', () => {
    const answer = fold(
      codec.response.decode(
        { status: 200, headers: {}, body: read('response.reasoning-text-parallel.json') },
        exchange,
        env(),
      ),
    ).response.message
    const home = encodeRequest({ model: 'gpt-6-sol', messages: [user, answer] })
    expect(JSON.stringify(home)).toContain('rs_01')
    expect(JSON.stringify(home)).toContain('fc_01')
    const away = encodeRequest({ model: 'other', messages: [user, answer] })
    expect(JSON.stringify(away)).not.toMatch(/rs_01|msg_01|fc_01|gAAAAABopaque/)
    expect(JSON.stringify(away)).toContain('commentary')
  })

  test('an answer is replayed whole and in order', () => {
    const body = json('response.reasoning-text-parallel.json')
    const events = codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(body) }, exchange, env())
    const { message } = fold(events).response
    const sent = encodeRequest({ model: 'gpt-6-sol', messages: [user, message] }).input as JsonObject[]
    const output = body.output as JsonObject[]
    const bare = (item: JsonObject): Json => JSON.parse(JSON.stringify(item).replaceAll(',"logprobs":[]', '')) as Json
    expect(sent.slice(1, 1 + output.length)).toEqual(output.map(bare))
  })

  test('several summary sections are cut again where they were, and an edited text is sent as edited', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: ['one', 'two', ''].map((text) => ({ type: 'summary_text', text })),
      encrypted_content: 'x',
    }
    const body = { model: 'm', input: [{ role: 'user', content: 'q' }, item, { role: 'assistant', content: 'a' }] }
    const request = decodeRequest(body)
    expect(encodeRequest(request)).toEqual(body)
    const turn = request.messages[1]
    if (turn?.role !== 'assistant') throw new Error('no turn')
    const content = turn.content.map((part) => (part.type === 'reasoning' ? { ...part, text: 'new' } : part))
    const edited = encodeRequest({ ...request, messages: [user, { ...turn, content }] })
    expect((edited.input as JsonObject[])[1]?.summary).toEqual([{ type: 'summary_text', text: 'new' }])
  })

  test('names the wire refuses are mapped and come back', () => {
    const request: CompletionRequest = {
      model: 'm',
      messages: [user],
      tools: [{ name: 'files.read', inputSchema: { type: 'object' } }],
      toolChoice: { tool: 'files.read' },
    }
    const encoded = codec.request.encode(request, { stream: false }, env())
    const [name] = [...(encoded.exchange.names ?? [])][0] ?? []
    expect(name).toMatch(/^[a-zA-Z0-9_-]+$/)
    const answer = {
      output: [call('fc_1', 'c1', '{}', { name: name ?? '' })],
      id: 'r',
      model: 'm',
      status: 'completed',
    }
    const { response } = fold(
      codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(answer) }, encoded.exchange, env()),
    )
    expect(response.toolCalls[0]?.name).toBe('files.read')
  })

  test('what a vendor cannot do is a loss', () => {
    const request: CompletionRequest = {
      model: 'm',
      messages: [user],
      tools: ['f', 'g'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      toolChoice: { tool: 'f' },
      stop: ['x'],
      reasoning: { budgetTokens: 5 },
    }
    const { losses } = codec.request.encode(request, { stream: false }, env('lm-studio'))
    expect(losses.map((loss) => [loss.path, loss.kind])).toEqual(
      expect.arrayContaining([
        ['/tools/1', 'repaired'],
        ['/toolChoice', 'repaired'],
        ['/stop', 'dropped'],
        ['/reasoning', 'dropped'],
      ]),
    )
    const xai = encodeRequest(decodeRequest({ model: 'm', input: [{ role: 'developer', content: 'x' }] }), 'xai')
    expect(JSON.stringify(xai)).not.toContain('developer')
  })

  test('a message that did not change keeps its bytes', () => {
    const frozen = freeze({ role: 'user', content: [{ type: 'text', text: 'a "quoted" word' }] } as const)
    const one = codec.request.encode({ model: 'm', messages: [frozen] }, { stream: false }, env()).http.body
    const two = codec.request.encode({ model: 'm', messages: [frozen, user] }, { stream: false }, env()).http.body
    const text = bodyText(one)
    expect(bodyText(two).startsWith(text.slice(0, -2))).toBe(true)
  })

  test.each([
    ['no JSON', '{"model":'],
    ['a list', '[]'],
    ['no model', '{"input":"x"}'],
    ['an input that is a number', '{"model":"m","input":5}'],
    ['an item that is a text', '{"model":"m","input":["x"]}'],
    ['content that is a number', '{"model":"m","input":[{"role":"user","content":5}]}'],
    ['tools that are no list', '{"model":"m","input":"x","tools":{}}'],
    ['a temperature in words', '{"model":"m","input":"x","temperature":"hot"}'],
    ['a depth bomb', `{"model":"m","input":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('%s is an invalid request', (_, body) => {
    const decode = (): unknown => codec.request.decode({ method: 'POST', path: '/', headers: {}, body }, env())
    expect(decode).toThrow(ToolwireError)
    expect(decode).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('hostile keys stay data', () => {
    const text =
      '{"model":"m","__proto__":{"polluted":1},"input":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}'
    const { request } = codec.request.decode({ method: 'POST', path: '/', headers: {}, body: text }, env())
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(JSON.stringify(encodeRequest(request))).toContain('"__proto__":{"polluted":1}')
  })
})

describe('law 1 by hand', () => {
  const text = (value: string) => ({ type: 'text', text: value }) as const
  const called = (id: string, name = 'add') =>
    ({ type: 'tool_call', id, name, arguments: '{"a": 12345678901234567890}' }) as const
  const ask = { role: 'user', content: [text('q')] } as const
  const cases: readonly (readonly [string, Omit<CompletionRequest, 'model'>])[] = [
    ['text', { messages: [ask] }],
    ['system text', { messages: [{ role: 'system', content: [text('s')] }, ask] }],
    ['two system parts', { messages: [{ role: 'system', content: [text('s'), text('t')] }, ask] }],
    ['system text later', { messages: [ask, { role: 'system', content: [text('s')] }] }],
    [
      'image and file',
      {
        messages: [
          {
            role: 'user',
            content: [
              text('x'),
              { type: 'image', mediaType: 'image/png', data: 'AAAA' },
              { type: 'file', url: 'https://e.org/f.pdf', name: 'f.pdf' },
            ],
          },
        ],
      },
    ],
    ['two texts of the assistant', { messages: [ask, { role: 'assistant', content: [text('a'), text('b')] }] }],
    [
      'calls and results',
      {
        messages: [
          ask,
          { role: 'assistant', content: [text('a'), called('c1'), called('c2', 'x.y')] },
          {
            role: 'tool',
            results: [
              { callId: 'c1', name: 'add', content: [text('1')], isError: false },
              { callId: 'c2', name: 'x.y', content: [], isError: true },
            ],
          },
        ],
      },
    ],
    [
      'a failed picture',
      {
        messages: [
          ask,
          { role: 'assistant', content: [called('c1')] },
          {
            role: 'tool',
            results: [
              { callId: 'c1', name: 'add', content: [{ type: 'image', url: 'https://e.org/i.png' }], isError: true },
            ],
          },
        ],
      },
    ],
    [
      'a success that reads like a failure',
      {
        messages: [
          ask,
          { role: 'assistant', content: [called('c1')] },
          {
            role: 'tool',
            results: [{ callId: 'c1', name: 'add', content: [text('Error: none found')], isError: false }],
          },
        ],
      },
    ],
    [
      'a broken call',
      {
        messages: [
          ask,
          {
            role: 'assistant',
            content: [{ type: 'broken_call', id: 'c1', name: 'add', arguments: '{"a":', reason: 'truncated' }],
          },
        ],
      },
    ],
    [
      'tools, choice and settings',
      {
        messages: [ask],
        tools: [{ name: 'f', description: 'd', inputSchema: { type: 'object' }, strict: true }, { name: 'g' }],
        toolChoice: { allowed: ['f', 'g'], mode: 'required' },
        parallelToolCalls: false,
        maxTokens: 9,
        temperature: 0.5,
        topP: 0.1,
        reasoning: { effort: 'low' },
      },
    ],
    ['structured output', { messages: [ask], output: { schema: { type: 'object' }, name: 'my answer', strict: true } }],
    ['unnamed output', { messages: [ask], output: { schema: { type: 'object' } } }],
    [
      'fields of other wires',
      {
        messages: [{ ...ask, extra: { anthropic: { a: 1 }, [wire]: { id: 'msg_9' } } }],
        extra: { gemini: { x: 1 }, [wire]: { store: false, model: 'no' } },
      },
    ],
    ['a very long call id', { messages: [ask, { role: 'assistant', content: [called('c'.repeat(99))] }] }],
  ]
  /** Origins, reasons and a tool's own error never cross. */
  const crossing = (value: unknown): Json =>
    JSON.parse(
      JSON.stringify(value, (key, member: unknown) =>
        key === 'origin' || key === 'reason' || key === 'error' ? undefined : member,
      ),
    ) as Json

  test.each(cases)('%s', (_, parts) => {
    for (const profile of Object.keys(codec.profiles)) {
      const { request } = codec.seal({ model: 'm', ...parts }, env(profile))
      const { http, losses } = codec.request.encode(request, { stream: false }, env(profile))
      const decoded = codec.request.decode(http, env(profile)).request
      expect(crossing(decoded)).toEqual(crossing(applyLosses(request, losses)))
    }
  })
})

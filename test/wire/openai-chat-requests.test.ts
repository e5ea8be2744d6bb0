// Requests on the Chat wire: what a client said comes back as it said it, and each vendor gets what it takes.
import { describe, expect, test } from 'vitest'
import type { AssistantMessage } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import {
  again,
  answerOf,
  codec,
  decodeRequest,
  deltas,
  encodeRequest,
  env,
  envOf,
  folded,
  user,
  weather,
} from './openai-chat-fixtures.js'

describe('what a client said comes back', () => {
  const says = (more: object): object => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  })
  const assistant = (more: object): object[] => [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, ...more },
  ]
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'ok' }

  test.each([
    ['max_tokens', says({ max_tokens: 5 })],
    ['max_completion_tokens', says({ max_completion_tokens: 5 })],
    ['stop as a text', says({ stop: 'x' })],
    ['a stream without usage', says({ stream: true })],
    ['stream options', says({ stream: true, stream_options: { include_usage: true, include_obfuscation: false } })],
    [
      'the developer role',
      says({
        messages: [
          { role: 'developer', content: 'be brief' },
          { role: 'user', content: 'hi' },
        ],
      }),
    ],
    ['json_object', says({ response_format: { type: 'json_object' } })],
    ['unknown settings', says({ seed: 5, logit_bias: { 50256: -100 }, user: 'u', store: false })],
    ['reasoning as an object', says({ reasoning: { effort: 'low', exclude: true } })],
    ['names of users', says({ messages: [{ role: 'user', name: 'ann', content: 'hi' }] })],
    ['a refusal', says({ messages: assistant({ refusal: 'no' }) })],
    ['an empty text beside calls', says({ messages: [...assistant({ content: '', tool_calls: [call] }), result] })],
    ['named results', says({ messages: [...assistant({ tool_calls: [call] }), { ...result, name: 'f' }] })],
    [
      'the other error prefix',
      says({ messages: [...assistant({ tool_calls: [call] }), { ...result, content: 'Error: no' }] }),
    ],
    [
      'a Gemini signature',
      says({
        messages: [
          ...assistant({ tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2ln' } } }] }),
          result,
        ],
      }),
    ],
    [
      'cache control',
      says({
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
      }),
    ],
    [
      'media',
      says({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
              { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
              { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
              { type: 'file', file: { file_id: 'file-1' } },
            ],
          },
        ],
      }),
    ],
    [
      'a custom tool and its choice',
      says({
        tools: [{ type: 'custom', custom: { name: 'sql', format: { type: 'text' } } }],
        tool_choice: { type: 'custom', custom: { name: 'sql' } },
      }),
    ],
    [
      'functions',
      says({
        functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
        function_call: { name: 'f' },
      }),
    ],
    [
      'function_call and its result',
      says({
        messages: [
          ...assistant({ function_call: { name: 'f', arguments: '{}' } }),
          { role: 'function', name: 'f', content: 'ok' },
        ],
      }),
    ],
  ] as const)('%s', (_, body) => {
    const withNull = JSON.parse(JSON.stringify(body))
    expect(again(withNull)).toEqual(withNull)
    expect(encodeRequest(decodeRequest(body).request, env, 'stream' in body).losses).toEqual([])
  })

  test('a model in the path of a deployment stays there, and follows an edit', () => {
    const path = '/openai/deployments/gpt-4o/chat/completions?api-version=2024-12-01-preview'
    const { request } = decodeRequest({ messages: [{ role: 'user', content: 'hi' }] }, envOf('azure'), path)
    expect(request.model).toBe('gpt-4o')
    expect(encodeRequest(request, envOf('azure'))).toMatchObject({
      path,
      body: { messages: [{ role: 'user', content: 'hi' }] },
    })
    expect(encodeRequest({ ...request, model: 'gpt 5' }, envOf('azure')).path).toContain('/deployments/gpt%205/')
    expect(encodeRequest(request, env).body.model).toBe('gpt-4o')
  })

  test('results carry the names of their calls, and failures are told by their prefix', () => {
    const body = says({ messages: [...assistant({ tool_calls: [call] }), { ...result, content: 'ERROR: no' }] })
    expect(decodeRequest(body).request.messages[2]).toEqual({
      role: 'tool',
      results: [{ callId: 'call_1', name: 'f', content: [{ type: 'text', text: 'no' }], isError: true }],
    })
  })

  test.each([
    ['no JSON', '{"model":', ''],
    ['a list', '[]', ''],
    ['no messages', '{"model":"m"}', '/messages'],
    ['a message that is a text', '{"model":"m","messages":["hi"]}', '/messages/0'],
    ['an unknown role', '{"model":"m","messages":[{"role":"robot","content":"x"}]}', '/messages/0/role'],
    ['content that is a number', '{"model":"m","messages":[{"role":"user","content":5}]}', '/messages/0/content'],
    [
      'a tool without a name',
      '{"model":"m","messages":[],"tools":[{"type":"function","function":{}}]}',
      '/tools/0/function/name',
    ],
    [
      'a tool of a kind that is a number beyond all numbers, which would be written as null and read as a function',
      '{"model":"m","messages":[],"tools":[{"type":1e400,"function":{}}]}',
      '/tools/0/type',
    ],
    ['no model', '{"messages":[]}', '/model'],
    ['a depth bomb', `{"model":"m","messages":${'['.repeat(5000)}${']'.repeat(5000)}}`, ''],
  ])('%s is an invalid request that names its place', (_, body, path) => {
    try {
      codec.request.decode({ method: 'POST', path: '/v1/chat/completions', headers: {}, body }, env)
      expect.unreachable()
    } catch (error) {
      expect(ToolwireError.is(error) && error.code).toBe('invalid_request')
      expect((error as ToolwireError).message).toContain(path)
    }
  })
})

describe('vendors', () => {
  const turn: AssistantMessage = {
    role: 'assistant',
    origin: { wire: 'openai-chat', provider: 'deepseek', model: 'm' },
    content: [
      {
        type: 'reasoning',
        text: 'hm',
        opaque: {
          origin: { wire: 'openai-chat', provider: 'deepseek', model: 'm' },
          data: { field: 'reasoning_content' },
        },
      },
      { type: 'tool_call', id: 'functions.get_weather:0', name: 'get_weather', arguments: '{}' },
    ],
  }
  const messages: CompletionRequest['messages'] = [
    { role: 'system', content: [{ type: 'text', text: 'be brief' }], extra: { 'openai-chat': { $role: 'developer' } } },
    user,
    turn,
    {
      role: 'tool',
      results: [
        {
          callId: 'functions.get_weather:0',
          name: 'get_weather',
          content: [{ type: 'text', text: '18' }],
          isError: false,
        },
      ],
    },
  ]
  const request: CompletionRequest = {
    model: 'm',
    messages,
    tools: [weather, { name: 'x.y' }],
    toolChoice: { tool: 'get_weather' },
    maxTokens: 9,
  }

  test('reasoning goes home only: DeepSeek gets it back, OpenAI and another vendor do not', () => {
    expect(encodeRequest(request, envOf('deepseek')).body.messages[2].reasoning_content).toBe('hm')
    for (const other of ['openai', 'groq', 'openrouter']) {
      const { body, losses } = encodeRequest(request, envOf(other))
      expect(JSON.stringify(body)).not.toContain('hm')
      expect(losses.map((loss) => loss.code)).toContain('reasoning_dropped')
    }
    const silent = {
      ...request,
      messages: [user, { ...turn, content: turn.content.slice(1) }, messages[3] as typeof user],
    }
    expect(encodeRequest(silent, envOf('deepseek')).body.messages[1].reasoning_content).toBe('')
  })

  test('ids: OpenAI takes forty plain characters, Mistral nine, others any; calls and results still meet', () => {
    const idOf = (name: string): [string, string] => {
      const { body } = encodeRequest(request, envOf(name))
      return [body.messages[2].tool_calls[0].id, body.messages[3].tool_call_id]
    }
    expect(idOf('vllm')).toEqual(['functions.get_weather:0', 'functions.get_weather:0'])
    for (const [name, pattern] of [
      ['openai', /^[\w-]{1,40}$/],
      ['mistral', /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const [called, answered] = idOf(name)
      expect(called).toMatch(pattern)
      expect(answered).toBe(called)
    }
  })

  test('choices that a server does not obey are declared or widened, and reported', () => {
    const choiceOf = (name: string, toolChoice: CompletionRequest['toolChoice']): unknown[] => {
      const { body, losses } = encodeRequest(
        { ...request, ...(toolChoice === undefined ? {} : { toolChoice }) },
        envOf(name),
      )
      return [
        body.tool_choice,
        losses.filter((loss) => loss.path === '/toolChoice').map((loss) => [loss.kind, loss.to]),
      ]
    }
    expect(choiceOf('llama-cpp', { tool: 'get_weather' })).toEqual(['required', [['repaired', undefined]]])
    expect(choiceOf('groq', { allowed: ['get_weather'], mode: 'auto' })).toEqual(['auto', [['repaired', undefined]]])
    expect(choiceOf('mistral', 'required')).toEqual(['any', []])
    expect(choiceOf('ollama-v1', 'required')).toEqual([undefined, [['widened', undefined]]])
    const none = encodeRequest({ ...request, toolChoice: 'none' }, envOf('ollama-v1'))
    expect(none.body.tools).toBeUndefined()
    expect(none.losses.map((loss) => loss.code)).toEqual(
      expect.arrayContaining(['tool_ruled_out', 'tool_choice_declared']),
    )
  })

  test('limits, roles, result names, schemas and stream options are those of the vendor', () => {
    const deepseek = encodeRequest({ ...request, output: { schema: { type: 'object' } } }, envOf('deepseek'))
    expect(deepseek.body).toMatchObject({ max_tokens: 9, response_format: { type: 'json_object' } })
    expect(deepseek.body.messages[0].role).toBe('system')
    expect(deepseek.losses.map((loss) => loss.code)).toContain('output_widened')
    const mistral = encodeRequest(request, envOf('mistral'), true).body
    expect([mistral.stream_options, mistral.messages[3].name]).toEqual([undefined, 'get_weather'])
    const openai = encodeRequest(request, env, true).body
    expect(openai).toMatchObject({ max_completion_tokens: 9, stream_options: { include_usage: true } })
    expect(openai.messages[0].role).toBe('developer')
    expect(encodeRequest({ ...request, reasoning: { effort: 'low' } }, envOf('openrouter')).body.reasoning).toEqual({
      effort: 'low',
    })
  })

  test('illegal names are mapped, and answers are mapped back', () => {
    const { http, exchange: out } = codec.request.encode(request, { stream: false }, env)
    const name: string = JSON.parse(bodyText(http.body)).tools[1].function.name
    expect(name).toMatch(/^x_y_[a-z2-7]{8}$/)
    const body = JSON.stringify({
      id: 'c',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: '{}' } }],
          },
        },
      ],
    })
    expect(
      folded(codec.response.decode({ status: 200, headers: {}, body }, out, env)).response.toolCalls[0]?.name,
    ).toBe('x.y')
  })

  test('thinking of Mistral is a block of the content and goes back as one', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true }
    const given = envOf('mistral')
    const { message } = answerOf(deltas([{ content: [thinking] }, { content: 'ok' }], 'stop'), given).response
    expect(message.content).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ok' },
    ])
    const home = {
      ...message,
      content: message.content.map((part) =>
        'opaque' in part && part.opaque
          ? { ...part, opaque: { ...part.opaque, origin: { wire: 'openai-chat' as const } } }
          : part,
      ),
    }
    expect(encodeRequest({ model: 'm', messages: [user, home, user] }, given).body.messages[1].content).toEqual([
      thinking,
      { type: 'text', text: 'ok' },
    ])
  })
})

// The Gemini wire: requests, both ways. Answers, laws and the official SDK have files of their own.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import type { AssistantMessage, Message, ToolMessage } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolSpec } from '../../src/conversation/request.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { bodyOf, contents, decoded, encoded, envOf, exact, path, same, user } from './gemini-fixtures.js'

const folder = new URL('../examples/gemini/', import.meta.url)
const env = envOf()
const weather: ToolSpec = {
  name: 'get_weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}

function example(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
describe('gemini: request examples', () => {
  for (const name of readdirSync(folder).filter((file) => file.startsWith('request.'))) {
    test(`${name} is read and written again as the same JSON`, () => {
      const body = JSON.parse(example(name)) as JsonObject
      const request = decoded(body)
      const again = codec.request.encode(request, { stream: false }, env)
      expect(JSON.parse(bodyOf(again))).toEqual(body)
      expect(again.losses).toEqual([])
      expect(exact(request)).toEqual([])
    })
  }

  test('every mode of tool_choice.json has a canonical choice and is written back', () => {
    const modes = JSON.parse(example('tool_choice.json')) as JsonObject[]
    const tools = [{ functionDeclarations: [{ name: 'get_weather' }] }]
    const choices = modes.map((toolConfig) => same({ contents, tools, toolConfig }).toolChoice)
    expect(choices).toEqual(['auto', 'none', 'required', { tool: 'get_weather' }, undefined])
  })
})

describe('gemini: paths', () => {
  const model = 'gemini-2.5-flash'
  test('the model and the stream are in the path', () => {
    const http = (stream: boolean, profile = 'gemini') =>
      codec.request.encode({ model, messages: [user] }, { stream }, envOf(profile)).http.path
    expect(http(false)).toBe('/v1beta/models/gemini-2.5-flash:generateContent')
    expect(http(true)).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse')
    expect(http(true, 'vertex')).toBe(
      '/v1beta1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    )
  })

  test.each([
    ['/v1beta/models/m:generateContent', 'm', false, 'json'],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', 'm', true, 'sse'],
    ['/v1beta/models/m:streamGenerateContent?key=x&%24alt=sse', 'm', true, 'sse'],
    ['/v1beta/models/m:streamGenerateContent', 'm', true, 'json'],
    ['/v1/projects/p/locations/l/publishers/google/models/m:generateContent', 'm', false, 'json'],
    ['/router/v2/google/v1beta/models/a%2Fb:generateContent', 'a/b', false, 'json'],
    ['/v1beta/tunedModels/t:generateContent', 'tunedModels/t', false, 'json'],
    ['/nothing', '', false, 'json'],
  ])('%s names model "%s"', (where, name, stream, alt) => {
    const { request, exchange } = codec.request.decode(
      { method: 'POST', path: where, headers: {}, body: JSON.stringify({ contents }) },
      env,
    )
    expect([request.model, exchange.stream, exchange.client?.alt]).toEqual([name, stream, alt])
  })

  test('a model named by a resource keeps it in the path', () => {
    const request = { model: 'projects/p/locations/l/endpoints/7', messages: [user] }
    expect(codec.request.encode(request, { stream: false }, env).http.path).toBe(
      '/v1beta/projects/p/locations/l/endpoints/7:generateContent',
    )
    expect(exact(request)).toEqual([])
    expect(exact({ ...request, model: 'projects/p/models/m' })).toEqual(['/model'])
    expect(exact({ ...request, model: 'qwen/qwen3:8b' })).toEqual([])
  })
})

describe('gemini: signatures', () => {
  const signed = (part: JsonObject): JsonObject => ({ ...part, thoughtSignature: 'c2ln' })
  const call = { functionCall: { id: 'a1', name: 'get_weather', args: { city: 'Rome' } } }
  const answer = { functionResponse: { id: 'a1', name: 'get_weather', response: { output: 'fine' } } }
  const history = (parts: JsonObject[]): JsonObject => ({
    contents: [...contents, { role: 'model', parts }, { role: 'user', parts: [answer] }],
  })

  test('a signature stays on exactly its part: text, empty text, thought, call', () => {
    const parts = [signed({ text: 'a' }), signed({ text: '' }), signed({ text: 't', thought: true }), signed(call)]
    const request = same(history([...parts, { text: 'b' }]))
    const opaque = { origin: { wire: 'gemini' }, data: { thoughtSignature: 'c2ln' } }
    const [, message] = request.messages as [Message, AssistantMessage]
    expect(message.content.map((part) => ('opaque' in part ? part.opaque : undefined))).toEqual([
      opaque,
      opaque,
      opaque,
      opaque,
      undefined,
    ])
  })

  test('the sentinel stands for no signature, and is put where one is demanded', () => {
    const sentinel = 'skip_thought_signature_validator'
    const request = decoded(history([{ ...call, thoughtSignature: sentinel }]))
    expect(JSON.stringify(request)).not.toContain(sentinel)
    expect(JSON.stringify(encoded(request))).toContain(sentinel)
    expect(JSON.stringify(encoded({ ...request, model: 'gemini-2.5-pro' }))).not.toContain('thoughtSignature')
  })

  test('a foreign signature is dropped and only the first call of a turn gets the sentinel', () => {
    const opaque = {
      origin: { wire: 'gemini', provider: 'gemini', model: 'gemini-3.1-pro' },
      data: { thoughtSignature: 'x' },
    } as const
    const two: AssistantMessage = {
      role: 'assistant',
      content: ['1', '2'].map((id) => ({ type: 'tool_call', id, name: 'get_weather', arguments: '{}', opaque })),
    }
    const request: CompletionRequest = { model: 'gemini-3.8-flash', messages: [user, two] }
    const turn = (encoded(request).contents as JsonObject[])[1] as { parts: JsonObject[] }
    expect(turn.parts.map((part) => part.thoughtSignature)).toEqual(['skip_thought_signature_validator', undefined])
    const home = encoded({ ...request, model: 'gemini-3.1-pro' }).contents as { parts: JsonObject[] }[]
    expect(home[1]?.parts.map((part) => part.thoughtSignature)).toEqual(['x', 'x'])
  })
})

describe('gemini: tools', () => {
  test('several entries, built-in tools and their order are kept', () => {
    const tools = [
      { functionDeclarations: [{ name: 'a' }, { name: 'b', behavior: 'NON_BLOCKING' }] },
      { functionDeclarations: [{ name: 'c', description: '' }] },
      { googleSearch: {} },
      { functionDeclarations: [{ name: 'd' }] },
      { codeExecution: {} },
    ]
    const request = same({ contents, tools })
    expect(request.tools?.map((tool) => (tool.type === 'opaque' ? 'opaque' : tool.name))).toEqual([
      'a',
      'b',
      'c',
      'opaque',
      'd',
      'opaque',
    ])
    expect(exact(request)).toEqual([])
  })

  test.each([
    [{ type: 'OBJECT', properties: { n: { type: 'INTEGER', nullable: true, enum: ['1'] } } }],
    [{ type: 'object', properties: { n: { type: 'ARRAY', items: { type: 'STRING' }, maxItems: '3' } } }],
    [{ type: 6, properties: { s: { type: 1, title: 'S' } }, property_ordering: ['s'] }],
    [{ type: 'OBJECT', properties: { x: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER', nullable: false }] } } }],
  ])('OpenAPI parameters are JSON Schema inside and go back exactly: %j', (parameters) => {
    const body = { contents, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }
    const request = same(body)
    const [tool] = request.tools as [ToolSpec]
    expect(tool.inputSchema?.type).toBe('object')
    expect(exact(request)).toEqual([])
  })

  test('an edited schema is sent as edited, in the form it came in while that can say it', () => {
    const parameters = { type: 6, properties: { s: { type: 1 } } }
    const request = decoded({ contents, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] })
    const edit = (inputSchema: JsonObject): JsonObject => {
      const [tool] = request.tools as [ToolSpec]
      const edited = { ...request, tools: [{ ...tool, inputSchema }] }
      exact(edited)
      return (encoded(edited).tools as { functionDeclarations: JsonObject[] }[])[0]?.functionDeclarations[0] ?? {}
    }
    expect(edit({ type: 'object', properties: {} })).toEqual({
      name: 'f',
      parameters: { type: 'OBJECT', properties: {} },
    })
    const wide = { type: 'object', properties: { a: { type: ['string', 'integer'] } } }
    expect(edit(wide)).toEqual({
      name: 'f',
      parameters: { type: 'OBJECT', properties: { a: { type: ['string', 'integer'] } } },
    })
  })

  test('snake_case is read and camelCase written', () => {
    const body = {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        ...contents,
        { role: 'model', parts: [{ function_call: { name: 'f', args: { id: 1 } }, thought_signature: 's' }] },
        { role: 'user', parts: [{ function_response: { name: 'f', response: { output: 'x' } } }] },
      ],
      tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object' } }] }],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: { max_output_tokens: 9, stop_sequences: ['x'], thinking_config: { thinking_budget: 5 } },
    }
    const request = decoded(body)
    expect(request.toolChoice).toEqual({ tool: 'f' })
    expect([request.maxTokens, request.stop, request.reasoning]).toEqual([9, ['x'], { budgetTokens: 5 }])
    expect(JSON.stringify(encoded(request))).not.toMatch(/[a-z]_[a-z]+"\s*:/)
    expect(encoded(decoded(encoded(request)))).toEqual(encoded(request))
  })

  test('names the wire refuses are mapped, in tools, choice, calls and results alike', () => {
    const name = 'files/read file'
    const request: CompletionRequest = {
      model: 'gemini-3.8-flash',
      tools: [{ name }],
      toolChoice: { tool: name },
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c', name, arguments: '{}' }] },
        { role: 'tool', results: [{ callId: 'c', name, content: [{ type: 'text', text: 'x' }], isError: false }] },
      ],
    }
    expect(exact(request)).toEqual([
      '/toolChoice/tool',
      '/tools/0/name',
      '/messages/1/content/0/name',
      '/messages/2/results/0/name',
    ])
    const { exchange, http } = codec.request.encode(request, { stream: false }, env)
    const [[wired, canonical] = []] = [...(exchange.names ?? [])]
    expect(canonical).toBe(name)
    expect(bodyOf({ exchange, http, losses: [] }).split(`"${wired}"`)).toHaveLength(5)
  })
})

describe('gemini: settings', () => {
  test('all settings and all fields beside them are kept', () => {
    const request = same({
      contents,
      cachedContent: 'cachedContents/1',
      safetySettings: [{ category: 'X', threshold: 'OFF' }],
      labels: { team: 'a' },
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
      toolConfig: {
        functionCallingConfig: {
          mode: 'VALIDATED',
          allowedFunctionNames: ['f', 'g'],
          streamFunctionCallArguments: true,
        },
        includeServerSideToolInvocations: true,
      },
      generationConfig: {
        maxOutputTokens: 10,
        temperature: 0,
        topP: 0.5,
        topK: 40,
        seed: 1,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
      },
    })
    expect(request.toolChoice).toEqual({ allowed: ['f', 'g'], mode: 'auto' })
    expect(request.output).toEqual({
      schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } },
    })
    expect(request.reasoning).toEqual({ effort: 'low' })
    expect(exact(request)).toEqual([])
  })

  test('changing one thing changes exactly that', () => {
    const body = JSON.parse(example('request.tools.json')) as { [key: string]: Json }
    const request = decoded(body)
    expect(encoded({ ...request, temperature: 0.5 })).toEqual({
      ...body,
      generationConfig: { ...(body.generationConfig as JsonObject), temperature: 0.5 },
    })
    expect(encoded({ ...request, toolChoice: 'required' })).toEqual({
      ...body,
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    })
  })

  test('what the wire cannot say is a loss', () => {
    const base: CompletionRequest = {
      model: 'gemini-3.8-flash',
      messages: [user],
      tools: [{ ...weather, strict: true }],
    }
    expect(exact({ ...base, parallelToolCalls: false })).toEqual([
      '/parallelToolCalls',
      '/extra/gemini/$mode',
      '/tools/0/strict',
    ])
    expect(exact({ ...base, output: { schema: {}, name: 'n' } })).toContain('/output/name')
    expect(exact({ ...base, reasoning: { effort: 'xhigh' } })).toContain('/reasoning/effort')
    expect(exact({ ...base, reasoning: { effort: 'low', budgetTokens: 3 } })).toContain('/reasoning/budgetTokens')
    expect(exact({ ...base, toolChoice: { allowed: ['get_weather'], mode: 'required' } })).toContain(
      '/toolChoice/allowed',
    )
    expect(exact({ ...base, extra: { anthropic: { a: 1 } } })).toContain('/extra/anthropic/a')
  })

  test('effort is a level for models that know levels and a budget for those that do not', () => {
    const config = (model: string) =>
      encoded({ model, messages: [user], reasoning: { effort: 'medium' } }).generationConfig
    expect(config('gemini-3.8-flash')).toEqual({ thinkingConfig: { thinkingLevel: 'MEDIUM' } })
    expect(config('gemini-2.5-flash')).toEqual({ thinkingConfig: { thinkingBudget: 8192 } })
  })
})

describe('gemini: history', () => {
  test('one of every part is written and read back, with a loss for each thing that cannot be', () => {
    const request: CompletionRequest = {
      model: 'gemini-3.8-flash',
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'image', url: 'https://x.test/a.png' },
            { type: 'image', url: 'data:image/gif;base64,aaaa' },
            { type: 'file', data: 'aaaa', mediaType: 'application/pdf', name: 'a.pdf' },
            { type: 'file', url: 'gs://b/a.mp4', mediaType: 'video/mp4' },
            { type: 'opaque', origin: { wire: 'gemini' }, data: { videoMetadata: { fps: 1 } } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
            {
              type: 'opaque',
              origin: { wire: 'gemini' },
              data: { executableCode: { code: '1' }, thoughtSignature: 's' },
            },
            { type: 'broken_call', id: 'b', name: 'f', arguments: '{"a":', reason: 'truncated' },
            { type: 'tool_call', id: 'id with spaces', name: 'f', arguments: ' { "a" : 1 } ' },
          ],
        },
        { role: 'system', content: [{ type: 'text', text: 'late' }] },
      ],
    }
    expect(exact(request).filter((path) => !path.startsWith('/messages/3'))).toEqual([
      '/messages/1/content/0/mediaType',
      '/messages/1/content/1/url',
      '/messages/1/content/1/mediaType',
      '/messages/1/content/1/data',
      '/messages/1/content/2/name',
      '/messages/2/content/5/id',
      '/messages/2/content/5/arguments',
    ])
  })

  test('appending a turn appends contents, and frozen messages are encoded once', () => {
    const turns: Message[] = [user]
    let before = ''
    for (let round = 0; round < 4; round += 1) {
      const id = `c${round}`
      turns.push(
        freeze({
          role: 'assistant',
          content: [{ type: 'tool_call', id, name: 'f', arguments: '{}' }],
        } as AssistantMessage),
        freeze({ role: 'tool', results: [{ callId: id, name: 'f', content: [], isError: false }] } as ToolMessage),
      )
      const body = bodyOf(
        codec.request.encode({ model: 'gemini-3.8-flash', messages: [...turns] }, { stream: false }, env),
      )
      expect(body.startsWith(before)).toBe(true)
      before = body.slice(0, -2)
    }
  })

  test('what cannot be read is refused by its place, and nothing else is ever thrown', () => {
    const read = (body: string): unknown => {
      try {
        return codec.request.decode({ method: 'POST', path, headers: {}, body }, env).request
      } catch (error) {
        expect(ToolwireError.is(error)).toBe(true)
        return (error as ToolwireError).code
      }
    }
    for (const body of [
      '',
      '[]',
      '{"contents":[1]}',
      '{"contents":[{"parts":[7]}]}',
      '{"tools":[1]}',
      '{"tools":[{"functionDeclarations":[{}]}]}',
      `${'['.repeat(9999)}`,
    ]) {
      expect(read(body)).toBe('invalid_request')
    }
    expect(read('{"contents":{"parts":{"text":"hi"}},"system_instruction":"be brief","tools":null}')).toEqual({
      model: 'gemini-3.8-flash',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      ],
    })
    const hostile = read(
      '{"contents":[{"role":"user","parts":[{"text":"x","__proto__":{"a":1}}]}],"__proto__":{"b":1}}',
    )
    expect(JSON.stringify(hostile)).toContain('"__proto__":{"b":1}')
    expect(({} as { b?: number }).b).toBeUndefined()
  })
})

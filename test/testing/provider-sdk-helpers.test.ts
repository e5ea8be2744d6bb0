// What the helpers of Google's and Anthropic's SDKs send is accepted by a strict provider server, as it is by the real APIs.
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { type Content, GoogleGenAI, type Part, Type } from '@google/genai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ProviderScript, type ProviderServer, providerServer } from '../../src/testing/index.js'

const script: ProviderScript = ({ messages }) =>
  messages.some((message) => message.role === 'tool')
    ? 'It is 18 degrees.'
    : { reasoning: 'Two calls.', text: 'Let me look.', calls: [boston, zurich] }
const boston = { name: 'get_weather', args: { city: 'Boston' } }
const zurich = { name: 'get_weather', args: { city: 'Zürich' } }

function refusals(server: ProviderServer): readonly (string | undefined)[] {
  return server.requests.map(({ refusal }) => refusal)
}

describe('@google/genai', () => {
  const client = ({ url }: ProviderServer): GoogleGenAI =>
    new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } })
  const model = 'gemini-3-pro'
  const declaration = {
    name: 'get_weather',
    parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
  }
  const tools = [{ functionDeclarations: [declaration] }]
  const results = (parts: readonly Part[]): Part[] =>
    parts.flatMap(({ functionCall: call }) =>
      call === undefined
        ? []
        : [{ functionResponse: { id: call.id ?? '', name: call.name ?? '', response: { output: 18 } } }],
    )

  test.each(['user', 'function', 'tool', undefined])('results in a content with the role %s', async (role) => {
    await using server = await providerServer({ strict: true, script })
    const { models } = client(server)
    const question: Content = { role: 'user', parts: [{ text: 'Where is it warmer?' }] }
    const first = await models.generateContent({ model, contents: [question], config: { tools } })
    const turn = first.candidates?.[0]?.content ?? {}
    const answer: Content = { ...(role === undefined ? {} : { role }), parts: results(turn.parts ?? []) }
    const last = await models.generateContent({ model, contents: [question, turn, answer], config: { tools } })
    expect(refusals(server)).toEqual([undefined, undefined])
    expect(last.text).toBe('It is 18 degrees.')
  })

  test('a signature in the URL-safe alphabet, with and without padding', async () => {
    await using server = await providerServer({ strict: true, script })
    const { models } = client(server)
    for (const padding of ['', '=', '==']) {
      const question: Content = { role: 'user', parts: [{ text: `Where is it warmer?${padding}` }] }
      const first = await models.generateContent({ model, contents: [question], config: { tools } })
      const parts = (first.candidates?.[0]?.content?.parts ?? []).map((part) =>
        part.thoughtSignature === undefined
          ? part
          : {
              ...part,
              thoughtSignature: Buffer.from(part.thoughtSignature, 'base64').toString('base64url') + padding,
            },
      )
      expect(parts.some((part) => part.thoughtSignature !== undefined)).toBe(true)
      const contents: Content[] = [question, { role: 'model', parts }, { role: 'user', parts: results(parts) }]
      await models.generateContent({ model, contents, config: { tools } })
    }
    expect(refusals(server)).toEqual(Array.from({ length: 6 }, () => undefined))
  })

  test.each([
    ['no tools', { tools: [] }],
    ['no declarations', { tools: [{ functionDeclarations: [] }] }],
    ['a text instruction', { systemInstruction: 'Be brief.' }],
    ['an instruction of several parts', { systemInstruction: [{ text: 'Be' }, { text: 'brief.' }] }],
    ['an instruction with a role', { systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] } }],
    [
      'a choice',
      { tools, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] } } },
    ],
    ['a search tool', { tools: [{ googleSearch: {} }] }],
    ['safety settings', { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }],
    ['sampling', { temperature: 0, topP: 1, topK: 40, seed: 1, candidateCount: 1, stopSequences: [] }],
    ['thinking', { thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } }],
    ['a schema', { responseMimeType: 'application/json', responseSchema: { type: Type.OBJECT, properties: {} } }],
  ])('a request with %s', async (_, config) => {
    await using server = await providerServer({ strict: true, script: () => '{}' })
    const { models } = client(server)
    for (const contents of [
      'hi',
      ['hi', 'there'],
      [{ parts: [{ text: 'hi' }] }],
      { role: 'user', parts: [{ text: 'hi' }] },
    ]) {
      await models.generateContent({ model, contents: contents as Content[], config: config as object })
      for await (const _ of await models.generateContentStream({
        model,
        contents: contents as Content[],
        config: config as object,
      }));
    }
    expect(refusals(server)).toEqual(Array.from({ length: 8 }, () => undefined))
  })

  test('a chat with a stored history, and token counts', async () => {
    await using server = await providerServer({ strict: true, script: () => 'ok' })
    const ai = client(server)
    const history: Content[] = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'hello' }] },
    ]
    const chat = ai.chats.create({ model, history, config: { tools } })
    await chat.sendMessage({ message: 'and?' })
    for await (const _ of await chat.sendMessageStream({ message: ['one', { text: 'two' }] }));
    expect((await ai.models.countTokens({ model, contents: history })).totalTokens).toBeGreaterThan(0)
    expect(refusals(server)).toEqual([undefined, undefined])
  })
})

describe('@anthropic-ai/sdk', () => {
  const client = ({ url }: ProviderServer): Anthropic => new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 })
  const base = { model: 'claude-sonnet-5-5', max_tokens: 1024 }
  const question = { role: 'user' as const, content: 'Where is it warmer?' }
  const weather = betaZodTool({
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: z.object({ city: z.string() }),
    run: ({ city }) => `18 in ${city}`,
  })
  const plain = betaTool({
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: () => [{ type: 'text', text: '18' }],
  })

  test.each([
    ['zod', false, weather],
    ['zod', true, weather],
    ['JSON Schema', false, plain],
    ['JSON Schema', true, plain],
  ] as const)('the tool runner with %s tools, streamed %s', async (_, stream, tool) => {
    await using server = await providerServer({ strict: true, script })
    const params = { ...base, messages: [question], tools: [tool], betas: ['interleaved-thinking-2025-05-14'] }
    const api = client(server).beta.messages
    const runner = stream ? api.toolRunner({ ...params, stream: true }) : api.toolRunner(params)
    const last = await runner.runUntilDone()
    expect(last.content).toMatchObject([{ type: 'text', text: 'It is 18 degrees.' }])
    expect(refusals(server)).toEqual([undefined, undefined])
  })

  test.each<[string, object]>([
    ['adaptive thinking', { thinking: { type: 'adaptive' } }],
    ['effort', { output_config: { effort: 'low' } }],
    ['an automatic cache', { cache_control: { type: 'ephemeral' } }],
    ['cached system blocks', { system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] }],
    ['metadata', { metadata: { user_id: 'u' }, service_tier: 'auto' }],
    ['no tools', { tools: [] }],
    ['server tools', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }] }],
    ['context management', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example.com', name: 'x' }] }],
    ['a container', { container: null }],
  ])('a request with %s', async (_, more) => {
    await using server = await providerServer({ strict: true, script: () => 'ok' })
    const api = client(server)
    const params = { ...base, ...more, messages: [question] }
    await api.messages.create(params)
    await api.messages.stream(params).finalMessage()
    await api.beta.messages.create({ ...params, betas: ['compact-2026-01-12'] } as never)
    await api.beta.messages.stream({ ...params, betas: ['compact-2026-01-12'] } as never).finalMessage()
    expect(refusals(server)).toEqual(Array.from({ length: 4 }, () => undefined))
  })

  test('a parsed answer, token counts, and results as a text, as blocks and empty', async () => {
    await using server = await providerServer({ strict: true, script: () => '{"city":"Boston"}' })
    const api = client(server)
    const format = zodOutputFormat(z.object({ city: z.string() }))
    const parsed = await api.messages.parse({ ...base, messages: [question], output_config: { format } })
    expect(parsed.parsed_output).toEqual({ city: 'Boston' })
    expect((await api.messages.countTokens({ model: base.model, messages: [question] })).input_tokens).toBeGreaterThan(
      0,
    )
    const used = ['a', 'b', 'c'].map((id) => ({ type: 'tool_use' as const, id, name: 'get_weather', input: {} }))
    await api.messages.create({
      ...base,
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
      messages: [
        question,
        { role: 'assistant', content: used },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: '18' },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '18' }] },
            { type: 'tool_result', tool_use_id: 'c' },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    })
    expect(refusals(server)).toEqual([undefined, undefined])
  })
})

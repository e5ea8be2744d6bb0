// A strict server refuses what the real providers refuse, with a 400 in the form of the wire; and takes what is right.
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message, Wire } from '../../src/conversation/messages.js'
import { isCall, wires } from '../../src/conversation/messages.js'
import { compatible } from '../../src/model/factories.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import { toolResult, toolResults } from '../../src/tools/results.js'
import { codecs } from '../../src/wire/index.js'

type Body = Record<string, unknown>
const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/gemini-3-pro:generateContent',
}

async function post(wire: Wire, body: Body, headers = {}, options: ProviderServerOptions = { strict: true }) {
  await using server = await providerServer(options)
  const answer = await fetch(server.url + paths[wire], {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2026-10-21', ...headers },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, refusal: server.requests[0]?.refusal }
}

const user = { role: 'user', content: 'hi' }
const chatCall = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{}' } })
const chatCalls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => chatCall(id)),
})
const chatResult = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
const chatTool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
const chat = (...messages: object[]): Body => ({ model: 'm', messages: [user, ...messages] })

const item = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'x' })
const responses = (...input: object[]): Body => ({ model: 'm', input: [user, ...input] })

const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const used = (...ids: string[]) => ({ role: 'assistant', content: ids.map(use) })
const resulted = (...ids: string[]) => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
})
const claude = (...messages: object[]): Body => ({
  model: 'm',
  max_tokens: 9,
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
  messages: [user, ...messages],
})

const ollamaCalls = (...names: string[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map((name) => ({ id: `id_${name}`, function: { name, arguments: {} } })),
})
const ollamaResult = (name: string) => ({ role: 'tool', tool_name: name, tool_call_id: `id_${name}`, content: 'x' })

const spoken = { role: 'user', parts: [{ text: 'hi' }] }
const functionCalls = (...ids: string[]) => ({
  role: 'model',
  parts: ids.map((id) => ({ functionCall: { id, name: 'f', args: {} }, thoughtSignature: missing })),
})
const missing = 'skip_thought_signature_validator'
const functionResponses = (...ids: string[]) => ({
  role: 'user',
  parts: ids.map((id) => ({ functionResponse: { id, name: 'f', response: { output: 'x' } } })),
})
const gemini = (...contents: object[]): Body => ({ contents: [spoken, ...contents] })

const json = { type: 'json_object' }
const word = { role: 'system', content: 'Answer in JSON.' }

const accepted: readonly [string, Wire, Body][] = [
  ['a tool loop', 'openai-chat', chat(chatCalls('a', 'b'), chatResult('b'), chatResult('a'))],
  ['a tool loop', 'openai-responses', responses(item('a'), item('b'), output('a'), output('b'))],
  ['a tool loop', 'anthropic', claude(used('a', 'b'), resulted('a', 'b'))],
  ['a tool loop', 'ollama', chat(ollamaCalls('f', 'g'), ollamaResult('f'), ollamaResult('g'))],
  ['a tool loop', 'gemini', gemini(functionCalls('a', 'b'), functionResponses('a', 'b'))],
  ['JSON mode with the word', 'openai-chat', { ...chat(word), response_format: json }],
  ['JSON mode with the word', 'openai-responses', { ...responses(word), text: { format: json } }],
  ['JSON mode without the word', 'ollama', { ...chat(), format: 'json' }],
  ['JSON mode without the word', 'gemini', { ...gemini(), generationConfig: { responseMimeType: 'application/json' } }],
  [
    'the same id in another turn',
    'openai-chat',
    chat(chatCalls('a'), chatResult('a'), chatCalls('a'), chatResult('a')),
  ],
]
test.each(accepted)('%s is taken on %s', async (_, wire, body) => {
  expect(await post(wire, body)).toMatchObject({ status: 200, refusal: undefined })
})

const refused: readonly [string, Wire, Body, RegExp][] = [
  ['a call without a result', 'openai-chat', chat(chatCalls('a', 'b'), chatResult('a')), /missing.*"b"/],
  ['a call without results at all', 'openai-chat', chat(chatCalls('a'), user), /missing.*"a"/],
  ['a result without a call', 'openai-chat', chat(chatResult('a')), /answers no call/],
  ['a result twice', 'openai-chat', chat(chatCalls('a'), chatResult('a'), chatResult('a')), /twice/],
  ['an id twice', 'openai-chat', chat(chatCalls('a', 'a'), chatResult('a'), chatResult('a')), /twice/],
  ['an id too long', 'openai-chat', chat(chatCalls('a'.repeat(41)), chatResult('a'.repeat(41))), /call id/],
  ['no tools in the list', 'openai-chat', { ...chat(), tools: [] }, /empty list/],
  ['a choice without tools', 'openai-chat', { ...chat(), tool_choice: 'auto' }, /tool_choice/],
  ['a bad tool name', 'openai-chat', { ...chat(), tools: [chatTool('a.b')] }, /"a\.b"/],
  ['a tool declared twice', 'openai-chat', { ...chat(), tools: [chatTool('a'), chatTool('a')] }, /declared twice/],
  [
    'a chosen tool that is not there',
    'openai-chat',
    { ...chat(), tools: [chatTool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
    /"b" is not among/,
  ],
  ['JSON mode without the word', 'openai-chat', { ...chat(), response_format: json }, /the word 'json'/],
  [
    'JSON mode with the word in the instructions alone',
    'openai-responses',
    { ...responses(), instructions: 'Answer in JSON.', text: { format: json } },
    /the word 'json'/,
  ],
  ['no calls in the list', 'openai-chat', chat({ role: 'assistant', content: 'x', tool_calls: [] }), /empty list/],
  ['an item without its output', 'openai-responses', responses(item('a')), /missing/],
  ['an output without its item', 'openai-responses', responses(output('a')), /answers no call/],
  ['an id twice', 'openai-responses', responses(item('a'), output('a'), item('a'), output('a')), /twice/],
  [
    'reasoning alone',
    'openai-responses',
    responses({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
    /following/,
  ],
  ['a call without a result', 'anthropic', claude(used('a', 'b'), resulted('a')), /missing/],
  ['a result without a call', 'anthropic', claude(resulted('a')), /answers no call/],
  ['an id twice', 'anthropic', claude(used('a'), resulted('a'), used('a'), resulted('a')), /twice/],
  ['a bad id', 'anthropic', claude(used('a.b'), resulted('a.b')), /call id/],
  ['temperature', 'anthropic', { ...claude(), temperature: 1 }, /temperature: Extra inputs/],
  ['no max_tokens', 'anthropic', { model: 'm', messages: [user] }, /max_tokens/],
  ['no tools declared', 'anthropic', { ...claude(used('a'), resulted('a')), tools: undefined }, /tools/],
  ['blank text', 'anthropic', claude({ role: 'assistant', content: [{ type: 'text', text: ' ' }] }), /non-whitespace/],
  ['an assistant first', 'anthropic', { ...claude(), messages: [{ role: 'assistant', content: 'x' }, user] }, /first/],
  [
    'text before results',
    'anthropic',
    claude(used('a'), { role: 'user', content: [{ type: 'text', text: 'x' }, ...resulted('a').content] }),
    /come first/,
  ],
  [
    'a made-up signature',
    'anthropic',
    claude(
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'bad' }, use('a')] },
      resulted('a'),
    ),
    /signature/,
  ],
  ['results out of order', 'ollama', chat(ollamaCalls('f', 'g'), ollamaResult('g'), ollamaResult('f')), /order/],
  [
    'arguments as text',
    'ollama',
    chat(
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
      ollamaResult('f'),
    ),
    /must be an object/,
  ],
  ['too few responses', 'gemini', gemini(functionCalls('a', 'b'), functionResponses('a')), /missing/],
  ['responses out of order', 'gemini', gemini(functionCalls('a', 'b'), functionResponses('b', 'a')), /order/],
  [
    'no signature on a call of the current turn',
    'gemini',
    gemini({ role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }] }, functionResponses('a')),
    /thought_signature/,
  ],
  ['a role of its own', 'gemini', gemini({ role: 'tool', parts: [{ text: 'x' }] }), /role/],
]
test.each(refused)('%s is refused on %s', async (_, wire, body, why) => {
  const { status, text, refusal } = await post(wire, body)
  expect(refusal).toMatch(why)
  expect(status).toBe(400)
  const error = codecs[wire].error.decode({ status, headers: {}, body: text })
  expect(error).toMatchObject({ code: 'invalid_request', message: refusal })
})

test('sampling is taken on the old version of Anthropic, and a server that is not strict takes anything', async () => {
  const warm = { ...claude(), temperature: 1 }
  expect((await post('anthropic', warm, { 'anthropic-version': '2023-06-01' })).status).toBe(200)
  expect((await post('anthropic', claude(resulted('a')), {}, {})).status).toBe(200)
})

test('what is no request is refused, strict or not', async () => {
  for (const wire of wires) {
    await using server = await providerServer()
    for (const body of ['', '{', '[]', 'null']) {
      const answer = await fetch(server.url + paths[wire], { method: 'POST', body })
      expect(answer.status, `${wire} ${body}`).toBe(400)
    }
    expect(server.requests).toEqual([])
  }
})

describe.each(['anthropic', 'openai-responses', 'gemini'] as const)('%s: signatures', (wire) => {
  const asked: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] }

  /** A tool loop in which the turn of the model is changed before it goes back. */
  async function loop(change: (message: AssistantMessage) => AssistantMessage): Promise<string | undefined> {
    const script = [{ reasoning: 'I think.', calls: [{ name: 'f', args: { a: 1 } }] }, 'done']
    await using server = await providerServer({ strict: true, script })
    const model = compatible({ wire, model: 'gemini-3', baseUrl: server.url, apiKey: 'k', retries: 0 })
    const tools = [{ name: 'f' }]
    const { message, toolCalls } = await model.complete({ messages: [asked], tools })
    const results = toolResults(toolCalls.map((call) => toolResult.success(call, 'x')))
    const attempt = model.complete({ messages: [asked, change(message), results], tools })
    await attempt.catch(() => {})
    return server.requests[1]?.refusal
  }
  const parts = (change: (part: AssistantMessage['content'][number]) => object) => (message: AssistantMessage) =>
    ({ ...message, content: message.content.map(change) }) as AssistantMessage

  test('one that comes back unchanged is taken', async () => {
    expect(await loop((message) => message)).toBeUndefined()
  })

  test('one that is left out of the open tool loop is missed', async () => {
    const bare = parts((part) => {
      const { opaque: _, ...rest } = part as { opaque?: unknown }
      return rest
    })
    expect(await loop((message) => ({ ...bare(message), content: bare(message).content.filter(isCall) }))).toMatch(
      /missing/,
    )
  })

  test('one that was changed, or whose part was, is invalid', async () => {
    const text = (value: unknown): string => JSON.stringify(value)
    const forged = parts((part) =>
      JSON.parse(text(part).replace(/("(?:signature|encrypted_content|thoughtSignature)":")[^"]{4}/, '$1AAAA')),
    )
    expect(await loop(forged)).toMatch(/invalid/)
    const edited = parts((part) =>
      part.type === 'reasoning' ? { ...part, text: 'I lie.' } : isCall(part) ? { ...part, arguments: '{"a":2}' } : part,
    )
    expect(await loop(edited)).toMatch(/invalid/)
  })
})

// Thinking of other APIs for clients of Anthropic's: it has a signature, which leads back to what was signed, and never reaches Anthropic.
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssistantPart, Message, Wire } from '../../src/conversation/messages.js'
import { wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway, type GatewayLogRecord } from '../../src/gateway/index.js'
import { withoutThinkingTokens, withThinkingTokens } from '../../src/gateway/thinking-tokens.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'

const prefix = 'toolwire.thinking.'
let provider: ProviderServer
const records: GatewayLogRecord[] = []
beforeAll(async () => {
  provider = await providerServer({
    strict: true,
    script: ({ messages }) =>
      messages.length === 1
        ? { reasoning: 'Which city? Zürich 👋', text: 'I look.', calls: [{ name: 'look', args: { at: 'it' } }] }
        : { reasoning: 'Now I know.', text: 'Done.' },
  })
})
afterAll(() => provider.close())

function gatewayTo(wire: Wire): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted', retries: 0 }
  return createGateway({ routes: [{ match: '*', targets: [target] }], log: (record) => records.push(record) })
}
const client = (gateway: Gateway): Anthropic =>
  new Anthropic({
    apiKey: 'client-key',
    baseURL: 'http://127.0.0.1',
    fetch: (input, init) => gateway(new Request(input, init)),
    maxRetries: 0,
  })
const tools: Anthropic.Tool[] = [
  { name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } } } },
]
const question: Anthropic.MessageParam = { role: 'user', content: 'Where?' }
const body = { model: 'any', max_tokens: 2_000, tools, messages: [question] }

const others = wires.filter((wire) => wire !== 'anthropic')
const reasoningOf = (messages: readonly Message[]): readonly AssistantPart[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'reasoning') : [],
  )

describe.each(others)('thinking of %s', (wire) => {
  test.each([false, true])(
    'is signed for the client, and what was signed comes back to its provider; streamed: %s',
    async (stream) => {
      const ask = (messages: Anthropic.MessageParam[], gateway: Gateway): Promise<Anthropic.Message> =>
        stream
          ? client(gateway)
              .messages.stream({ ...body, messages })
              .finalMessage()
          : client(gateway).messages.create({ ...body, messages })
      records.length = 0
      const gateway = gatewayTo(wire)
      const first = await ask([question], gateway)
      const [thinking] = first.content
      expect(thinking).toMatchObject({ type: 'thinking', thinking: 'Which city? Zürich 👋' })
      expect(thinking?.type === 'thinking' ? thinking.signature : '').toMatch(/^toolwire\.thinking\.[\w+/=]+$/)
      expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use'])
      expect(records.flatMap(({ losses = [] }) => losses).filter((loss) => loss.startsWith('signature'))).toEqual([])
      const call = first.content.find((block) => block.type === 'tool_use')
      const history: Anthropic.MessageParam[] = [
        question,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'here' }] },
      ]
      // What stands behind a token needs no memory; a signature of the call itself, or one that came late, does.
      const needsMemory = wire === 'gemini' || (wire === 'openai-responses' && stream)
      await ask(history, needsMemory ? gateway : gatewayTo(wire))
      const last = provider.requests.at(-1)
      expect(last?.refusal).toBe(undefined)
      expect(last?.raw.body).not.toContain(prefix)
      if (wire === 'openai-responses') {
        expect(reasoningOf(last?.request.messages ?? []).some((part) => 'opaque' in part)).toBe(true)
      }
      // The same history for Anthropic, on its own API and with a fallback.
      await ask(history, gatewayTo('anthropic'))
      expect(provider.requests.at(-1)?.refusal).toBe(undefined)
      expect(provider.requests.at(-1)?.wire).toBe('anthropic')
      expect(provider.requests.at(-1)?.raw.body).not.toContain(prefix)
      expect(provider.requests.at(-1)?.raw.body).not.toContain('"signature":""')
    },
  )
})

describe('a token', () => {
  const thought = (signature: string): Message => ({
    role: 'assistant',
    content: [{ type: 'reasoning', text: 'x', opaque: { origin: { wire: 'anthropic' }, data: { signature } } }],
  })
  const restored = (signature: string): AssistantPart | undefined =>
    reasoningOf(withoutThinkingTokens([thought(signature)]))[0]
  const forged = (value: unknown): string => prefix + btoa(JSON.stringify(value))

  test.each([
    'toolwire.thinking.',
    'toolwire.thinking.unsigned',
    'toolwire.thinking.%%%',
    forged(null),
    forged({ origin: { wire: 'anthropic' }, data: { signature: 'forged' } }),
    forged({ origin: { wire: 'nobody' }, data: {} }),
    forged({ origin: { wire: 'gemini', more: 1 }, data: {} }),
    forged({ origin: { wire: 'gemini' }, data: [] }),
    forged({ origin: { wire: 'gemini' }, data: {}, more: 1 }),
  ])('%s stands for nothing that was signed', (signature) => {
    expect(restored(signature)).toEqual({ type: 'reasoning', text: 'x' })
  })

  test("a signature of Anthropic's stays", () => {
    expect(restored('EqoBCkgIARABGAIiQL')).toEqual(reasoningOf([thought('EqoBCkgIARABGAIiQL')])[0])
  })

  test('stands for what was signed', () => {
    const opaque = {
      origin: { wire: 'gemini', provider: 'gemini', model: 'm' },
      data: { thoughtSignature: 'c2ln', '\u00e9': '👋' },
    } as const
    const response = { message: { role: 'assistant', content: [{ type: 'reasoning', text: 'x', opaque }] } } as never
    const { message } = withThinkingTokens(response, 'anthropic')
    expect(JSON.stringify(message)).toContain(prefix)
    expect(withoutThinkingTokens([message])).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'x', opaque }] },
    ])
    expect(withThinkingTokens(response, 'openai-chat')).toBe(response)
  })
})

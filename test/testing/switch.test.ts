// One conversation, moved from wire A to wire B and back, at every place: nothing is lost in storage, every history is taken
// by a strict server, and what A signed comes home to A unchanged.
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message, Wire } from '../../src/conversation/messages.js'
import { isCall, wires } from '../../src/conversation/messages.js'
import { compatible } from '../../src/model/factories.js'
import type { Model } from '../../src/model/model.js'
import { type ProviderServer, providerServer, type ScriptedTurn } from '../../src/testing/index.js'
import { toolResult, toolResults } from '../../src/tools/results.js'
import { validate as anthropic } from '../validators/anthropic.js'
import { validate as gemini } from '../validators/gemini.js'
import { validate as ollama } from '../validators/ollama.js'
import { validate as openaiChat } from '../validators/openai-chat.js'
import { validate as openaiResponses } from '../validators/openai-responses.js'

const validators: Readonly<Record<Wire, (body: unknown) => readonly string[]>> = {
  'openai-chat': (body) => openaiChat(body),
  'openai-responses': (body) => openaiResponses(body),
  anthropic: (body) => anthropic(body),
  ollama: (body) => ollama(body),
  gemini: (body) => gemini(body),
}
/** The member that carries a signature, on the wires that have one. */
const signatures: Readonly<Partial<Record<Wire, string>>> = {
  anthropic: 'signature',
  'openai-responses': 'encrypted_content',
  gemini: 'thoughtSignature',
}
const models: Readonly<Record<Wire, string>> = {
  'openai-chat': 'gpt-6-sol',
  'openai-responses': 'gpt-6-sol',
  anthropic: 'claude-sonnet-5-5',
  ollama: 'qwen3',
  gemini: 'gemini-3-pro',
}
const tools = ['look', 'find'].map((name) => ({
  name,
  description: `Can ${name} at things`,
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
}))
const pairs = wires.flatMap((a) => wires.filter((b) => b !== a).map((b) => ({ a, b })))

const calling = (number: number): ScriptedTurn => ({
  reasoning: `Thought ${number}: é`,
  text: `Turn ${number}.`,
  calls: [
    { name: 'look', args: { at: `place ${number}`, id: 12345678901234567890n } },
    { name: 'find', args: {} },
  ],
})
const saying = (number: number): ScriptedTurn => ({ reasoning: `Thought ${number}`, text: `Said ${number}.` })
const asked = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

class Talk {
  readonly server: ProviderServer
  messages: readonly Message[] = []
  constructor(server: ProviderServer) {
    this.server = server
  }

  user(text: string): void {
    this.messages = [...this.messages, asked(text)]
  }

  /** Asks the model of a wire; its calls are not answered yet. What was stored before stays as it was. */
  async ask(wire: Wire, stream: boolean): Promise<AssistantMessage> {
    const before = JSON.stringify(this.messages)
    const model = this.model(wire)
    const request = { messages: JSON.parse(before) as Message[], tools, maxTokens: 100 }
    const response = await (stream ? model.stream(request) : model.complete(request))
    expect(JSON.stringify(request.messages)).toBe(before)
    this.messages = [...request.messages, response.message]
    return response.message
  }

  answer(): void {
    const last = this.messages.at(-1)
    const calls = last?.role === 'assistant' ? last.content.filter(isCall) : []
    expect(calls).toHaveLength(2)
    const results = calls.map((call) => toolResult.success(call, `result of ${call.id}`))
    this.messages = [...this.messages, toolResults(results)]
  }

  /** Nothing was refused, by the server or by the validators. */
  expectAccepted(): void {
    for (const { wire, raw, refusal } of this.server.requests) {
      expect(refusal).toBeUndefined()
      expect(validators[wire](JSON.parse(raw.body))).toEqual([])
    }
  }

  private model(wire: Wire): Model {
    return compatible({ wire, model: models[wire], baseUrl: this.server.url, apiKey: 'k', retries: 0 })
  }
}

/** What the wire signed in a message. */
function signedIn(message: AssistantMessage, wire: Wire): unknown {
  const member = signatures[wire] ?? ''
  return message.content.flatMap((part) => (part.type === 'opaque' ? [] : (part.opaque?.data[member] ?? [])))
}

describe.each([true, false])('streamed: %s', (stream) => {
  test.each(pairs)('$a → $b → $a inside of one tool loop, between calls and results', async ({ a, b }) => {
    await using server = await providerServer({
      strict: true,
      script: [calling(1), calling(2), calling(3), calling(4), saying(5)],
    })
    const talk = new Talk(server)
    talk.user('Go on.')
    const first = await talk.ask(a, stream)
    talk.answer()
    const second = await talk.ask(b, stream)
    talk.answer()
    await talk.ask(a, stream)
    talk.answer()
    await talk.ask(b, stream)
    talk.answer()
    const last = await talk.ask(a, stream)
    expect(last.content.at(-1)).toMatchObject({ type: 'text', text: 'Said 5.' })
    talk.expectAccepted()
    expect(talk.messages[1]).toEqual(first)
    expect(talk.messages[3]).toEqual(second)
    if (signatures[a] === undefined) return
    const signed = signedIn(first, a)
    expect(signed).toHaveLength(1)
    for (const index of [2, 4]) {
      const body = server.requests[index]?.raw.body ?? ''
      expect(body).toContain(JSON.stringify(String(signed)))
    }
    for (const index of [1, 3]) expect(server.requests[index]?.raw.body).not.toContain(String(signed))
  })

  test.each(pairs)('$a → $b → $a between turns of a conversation', async ({ a, b }) => {
    await using server = await providerServer({
      strict: true,
      script: [calling(1), saying(2), calling(3), saying(4), saying(5)],
    })
    const talk = new Talk(server)
    const round = async (wire: Wire, calls: boolean): Promise<void> => {
      talk.user('And then?')
      await talk.ask(wire, stream)
      if (!calls) return
      talk.answer()
      await talk.ask(wire, stream)
    }
    await round(a, true)
    await round(b, true)
    await round(a, false)
    talk.expectAccepted()
    const texts = talk.messages.flatMap((message) =>
      message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
    )
    expect(texts).toEqual(['Turn 1.', 'Said 2.', 'Turn 3.', 'Said 4.', 'Said 5.'])
    const calls = talk.messages.flatMap((message) =>
      message.role === 'assistant' ? message.content.filter(isCall) : [],
    )
    expect(calls.map((call) => call.arguments)).toEqual([
      '{"at":"place 1","id":12345678901234567890}',
      '{}',
      '{"at":"place 3","id":12345678901234567890}',
      '{}',
    ])
  })
})

// Google's SDK with automatic function calling sends each chunk of a stream back as a content, and results without ids.
import { type CallableTool, type FunctionCall, GoogleGenAI, type Part } from '@google/genai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayServer, listen } from '../../src/cli/gateway-server.js'
import { wires } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { createGateway } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer, type Turn } from '../../src/testing/index.js'

const calls = [
  { name: 'get_weather', args: { city: 'Boston' } },
  { name: 'get_time', args: { zone: 'UTC' } },
  { name: 'get_weather', args: { city: 'Oslo' } },
]

let provider: ProviderServer
const urls = new Map<string, string>()
const gateways: GatewayServer[] = []

/** Three calls in the first round, one in the second, then the answer. */
function turnOf({ messages }: CompletionRequest): Turn {
  const rounds = messages.filter((message) => message.role === 'tool').length
  if (rounds === 0) return { reasoning: 'Three calls.', text: 'Let me look that up for you.', calls }
  return rounds === 1 ? { calls: [{ name: 'get_weather', args: { city: 'Rome' } }] } : 'Rome is the warmest.'
}

beforeAll(async () => {
  provider = await providerServer({ strict: true, script: turnOf })
  urls.set('the provider itself', provider.url)
  for (const wire of wires) {
    const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted', retries: 0 }
    const gateway = createGateway({ routes: [{ match: '*', targets: [target] }] })
    const server = await listen(() => gateway, { host: '127.0.0.1', port: 0 })
    gateways.push(server)
    urls.set(wire, server.url)
  }
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.drain(0)))
  await provider.close()
})

/** Answers like an MCP server behind the SDK's `mcpToTool`: with the name of the tool, without the id of the call. */
const tool: CallableTool = {
  tool: () =>
    Promise.resolve({ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }].map(withParameters) }),
  callTool: (asked) => Promise.resolve(asked.map(answerTo)),
}

function withParameters({ name }: { name: string }): { name: string; parametersJsonSchema: unknown } {
  return { name, parametersJsonSchema: { type: 'object', additionalProperties: true } }
}

function answerTo({ name, args }: FunctionCall): Part {
  return { functionResponse: { name: name ?? '', response: { output: `${name} ${JSON.stringify(args)}` } } }
}

const ways = [...wires, 'the provider itself'].flatMap((upstream) =>
  ['generateContentStream', 'generateContent', 'sendMessageStream', 'sendMessage'].map((method) => ({
    upstream,
    method,
  })),
)

describe.each(ways)('$method, answered by $upstream', ({ upstream, method }) => {
  test.each(['gemini-2.5-flash', 'gemini-3-pro'])(
    '%s gets every result, for the call that it answers',
    async (model) => {
      const ai = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: urls.get(upstream) ?? '' } })
      const before = provider.requests.length
      expect(await textOf(ai, method, model)).toContain('Rome is the warmest.')
      const requests = provider.requests.slice(before)
      expect(requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined])
      const messages = requests.at(-1)?.request.messages ?? []
      const made = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
      const answered = made.flatMap((part) => {
        if (part.type !== 'tool_call') return []
        const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
        const own = results.filter((result) => result.callId === part.id)
        return [own.map(({ content }) => content)]
      })
      const texts = [...calls, { name: 'get_weather', args: { city: 'Rome' } }].map(
        ({ name, args }) => `${name} ${JSON.stringify(args)}`,
      )
      expect(answered).toEqual(texts.map((text) => [[{ type: 'text', text }]]))
    },
  )
})

async function textOf(ai: GoogleGenAI, method: string, model: string): Promise<string> {
  const config = { tools: [tool] }
  const params = { model, contents: 'Where is it warmest?', config }
  if (method === 'generateContent') return (await ai.models.generateContent(params)).text ?? ''
  const chat = ai.chats.create({ model, config })
  const message = { message: 'Where is it warmest?' }
  if (method === 'sendMessage') return (await chat.sendMessage(message)).text ?? ''
  const chunks =
    method === 'sendMessageStream'
      ? await chat.sendMessageStream(message)
      : await ai.models.generateContentStream(params)
  let text = ''
  for await (const chunk of chunks)
    text += chunk.candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('') ?? ''
  return text
}

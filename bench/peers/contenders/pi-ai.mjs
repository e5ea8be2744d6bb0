// pi-ai always streams on the wire; complete() folds the stream. No native Ollama wire (it uses the OpenAI-compatible one).
import { complete, stream } from '@mariozechner/pi-ai'

const API = {
  openai: ['openai-completions', 'openai', '/v1'],
  anthropic: ['anthropic-messages', 'anthropic', ''],
  gemini: ['google-generative-ai', 'google', '/v1beta'],
}
const create = async (wire, { root, tools }) => {
  const [api, provider, path] = API[wire]
  const model = {
    id: 'bench-model',
    name: 'bench',
    api,
    provider,
    baseUrl: root + path,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200000,
    maxTokens: 4096,
  }
  const ts = tools?.length
    ? tools.map((t) => ({ name: t.name, description: t.description, parameters: t.jsonSchema }))
    : undefined
  const byName = new Map((tools ?? []).map((t) => [t.name, t]))
  const opts = { apiKey: 'x', maxRetries: 0 }
  const fold = (m) => {
    if (m.stopReason === 'error') throw new Error(m.errorMessage)
    let text = ''
    const toolCalls = []
    for (const b of m.content) {
      if (b.type === 'text') text += b.text
      else if (b.type === 'toolCall') toolCalls.push({ id: b.id, name: b.name, args: b.arguments })
    }
    return { text, toolCalls }
  }
  const user = (content) => ({ role: 'user', content, timestamp: 1 })
  return {
    chat: async (prompt) => fold(await complete(model, { messages: [user(prompt)], tools: ts }, opts)),
    async chatStream(prompt, onText) {
      const s = stream(model, { messages: [user(prompt)], tools: ts }, opts)
      for await (const e of s) if (e.type === 'text_delta') onText(e.delta)
      return fold(await s.result())
    },
    async toolLoop(prompt, max) {
      const messages = [user(prompt)]
      let n = 0
      for (let rounds = 0; rounds <= max; rounds++) {
        const m = await complete(model, { messages, tools: ts }, opts),
          r = fold(m)
        messages.push(m)
        if (!r.toolCalls.length) return { text: r.text, rounds, calls: n }
        const res = await Promise.all(
          r.toolCalls.map(async (t) => ({
            role: 'toolResult',
            toolCallId: t.id,
            toolName: t.name,
            content: [{ type: 'text', text: JSON.stringify(await byName.get(t.name).execute(t.args)) }],
            isError: false,
            timestamp: 1,
          })),
        )
        n += res.length
        messages.push(...res)
      }
    },
  }
}
export default {
  name: 'pi-ai',
  wires: ['openai', 'anthropic', 'gemini'],
  pkg: '@mariozechner/pi-ai',
  partial: 'always',
  streamsOnly: true,
  create,
}

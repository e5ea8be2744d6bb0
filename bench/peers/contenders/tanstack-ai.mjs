// TanStack AI chat(): always streams on the wire.
import { chat, maxIterations, toolDefinition } from '@tanstack/ai'

const ADAPTER = {
  openai: async (root) =>
    (await import('@tanstack/ai-openai/compatible')).openaiCompatibleText('bench-model', {
      apiKey: 'x',
      baseURL: `${root}/v1`,
      maxRetries: 0,
    }),
  anthropic: async (root) =>
    (await import('@tanstack/ai-anthropic')).createAnthropicChat('bench-model', 'x', { baseURL: root, maxRetries: 0 }),
  gemini: async (root) =>
    (await import('@tanstack/ai-gemini')).createGeminiChat('bench-model', 'x', { httpOptions: { baseUrl: root } }),
  ollama: async (root) => (await import('@tanstack/ai-ollama')).createOllamaChat('bench-model', root),
}
const create = async (wire, { root, tools, schema = 'json' }) => {
  const adapter = await ADAPTER[wire](root)
  const defs = (tools ?? []).map((t) =>
    toolDefinition({ name: t.name, description: t.description, inputSchema: schema === 'zod' ? t.zod : t.jsonSchema }),
  )
  async function run(opts, onText) {
    let text = '',
      rounds = -1
    const acc = new Map()
    for await (const e of chat(opts)) {
      switch (e.type) {
        case 'TEXT_MESSAGE_CONTENT':
          text += e.delta
          onText?.(e.delta)
          break
        case 'TOOL_CALL_START':
          acc.set(e.toolCallId, { id: e.toolCallId, name: e.toolCallName ?? e.toolName, s: '' })
          break
        case 'TOOL_CALL_ARGS':
          acc.get(e.toolCallId).s += e.delta
          break
        case 'TOOL_CALL_END': {
          const t = acc.get(e.toolCallId)
          if (t && e.input !== undefined) t.o = e.input
          break
        }
        case 'RUN_ERROR':
          throw new Error(JSON.stringify(e))
      }
    }
    return {
      text,
      rounds,
      toolCalls: [...acc.values()].map((t) => ({ id: t.id, name: t.name, args: t.o ?? JSON.parse(t.s) })),
    }
  }
  const user = (content) => [{ role: 'user', content }]
  return {
    chat: (prompt) => run({ adapter, messages: user(prompt), tools: defs }),
    chatStream: (prompt, onText) => run({ adapter, messages: user(prompt), tools: defs }, onText),
    async toolLoop(prompt, max) {
      let n = 0
      const active = defs.map((d, i) =>
        d.server(async (a) => {
          n++
          return tools[i].execute(a)
        }),
      )
      const r = await run({ adapter, messages: user(prompt), tools: active, agentLoopStrategy: maxIterations(max + 2) })
      return { text: r.text, rounds: n / 4, calls: n }
    },
  }
}
export default {
  name: 'tanstack-ai',
  wires: ['openai', 'anthropic', 'ollama', 'gemini'],
  pkg: '@tanstack/ai',
  streamsOnly: true,
  zod: true,
  create,
}

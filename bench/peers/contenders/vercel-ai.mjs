// Vercel AI SDK: generateText / streamText with the four providers.
import { generateText, isStepCount, jsonSchema, stepCountIs, streamText, tool } from 'ai'

const stop = isStepCount ?? stepCountIs
globalThis.AI_SDK_LOG_WARNINGS = false
const MODEL = {
  openai: async (root) =>
    (await import('@ai-sdk/openai')).createOpenAI({ apiKey: 'x', baseURL: `${root}/v1` }).chat('bench-model'),
  anthropic: async (root) =>
    (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey: 'x', baseURL: `${root}/v1` })('bench-model'),
  gemini: async (root) =>
    (await import('@ai-sdk/google')).createGoogleGenerativeAI({ apiKey: 'x', baseURL: `${root}/v1beta` })(
      'bench-model',
    ),
  ollama: async (root) =>
    (await import('ollama-ai-provider-v2')).createOllama({ baseURL: `${root}/api` })('bench-model'),
}
const create = async (wire, { root, tools, schema = 'json' }) => {
  const model = await MODEL[wire](root)
  const mk = (exec) =>
    tools?.length
      ? Object.fromEntries(
          tools.map((t) => [
            t.name,
            tool({
              description: t.description,
              inputSchema: schema === 'zod' ? t.zod : jsonSchema(t.jsonSchema),
              ...(exec ? { execute: exec(t) } : {}),
            }),
          ]),
        )
      : undefined
  const passive = mk()
  const norm = (cs) => cs.map((c) => ({ id: c.toolCallId, name: c.toolName, args: c.input }))
  return {
    async chat(prompt) {
      const r = await generateText({ model, prompt, tools: passive, maxRetries: 0 })
      return { text: r.text, toolCalls: norm(r.toolCalls) }
    },
    async chatStream(prompt, onText) {
      const r = streamText({
        model,
        prompt,
        tools: passive,
        maxRetries: 0,
        onError: ({ error }) => {
          throw error
        },
      })
      let text = ''
      const toolCalls = []
      for await (const p of r.fullStream ?? r.stream) {
        if (p.type === 'text-delta') {
          const d = p.text ?? p.delta
          text += d
          onText(d)
        } else if (p.type === 'tool-call') toolCalls.push({ id: p.toolCallId, name: p.toolName, args: p.input })
        else if (p.type === 'error') throw p.error
      }
      return { text, toolCalls }
    },
    async toolLoop(prompt, max) {
      let n = 0
      const active = mk((t) => async (a) => {
        n++
        return t.execute(a)
      })
      const r = await generateText({ model, prompt, tools: active, stopWhen: stop(max + 1), maxRetries: 0 })
      return { text: r.text, rounds: r.steps.length - 1, calls: n }
    },
  }
}
export default { name: 'vercel-ai', wires: ['openai', 'anthropic', 'ollama', 'gemini'], pkg: 'ai', zod: true, create }

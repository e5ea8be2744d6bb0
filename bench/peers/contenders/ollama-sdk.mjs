import { Ollama } from 'ollama'
export default {
  name: 'ollama-sdk',
  wires: ['ollama'],
  pkg: 'ollama',
  create: async (_w, { root, tools }) => {
    const c = new Ollama({ host: root }),
      model = 'bench-model',
      byName = new Map((tools ?? []).map((t) => [t.name, t]))
    const ts = tools?.length
      ? tools.map((t) => ({
          type: 'function',
          function: { name: t.name, description: t.description, parameters: t.jsonSchema },
        }))
      : undefined
    const calls = (m) =>
      (m.tool_calls ?? []).map((x) => ({ id: x.id, name: x.function.name, args: x.function.arguments }))
    return {
      async chat(prompt) {
        const { message: m } = await c.chat({
          model,
          messages: [{ role: 'user', content: prompt }],
          tools: ts,
          stream: false,
        })
        return { text: m.content, toolCalls: calls(m) }
      },
      async chatStream(prompt, onText) {
        let text = ''
        const toolCalls = []
        for await (const { message: m } of await c.chat({
          model,
          messages: [{ role: 'user', content: prompt }],
          tools: ts,
          stream: true,
        })) {
          if (m.content) {
            text += m.content
            onText(m.content)
          }
          if (m.tool_calls) toolCalls.push(...calls(m))
        }
        return { text, toolCalls }
      },
      async toolLoop(prompt, max) {
        const messages = [{ role: 'user', content: prompt }]
        let n = 0
        for (let rounds = 0; rounds <= max; rounds++) {
          const { message: m } = await c.chat({ model, messages, tools: ts, stream: false })
          messages.push(m)
          if (!m.tool_calls?.length) return { text: m.content, rounds, calls: n }
          const res = await Promise.all(
            m.tool_calls.map(async (t) => ({
              role: 'tool',
              tool_name: t.function.name,
              content: JSON.stringify(await byName.get(t.function.name).execute(t.function.arguments)),
            })),
          )
          n += res.length
          messages.push(...res)
        }
      },
    }
  },
}

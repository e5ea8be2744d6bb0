// xsai: OpenAI-compatible wire only. It always executes tools, hence the no-op execute in the passive set.
import { generateText, rawTool, streamText } from 'xsai'

const create = async (_wire, { root, tools }) => {
  const base = { apiKey: 'x', baseURL: `${root}/v1/`, model: 'bench-model' }
  const mk = (exec) =>
    tools?.length
      ? tools.map((t) =>
          rawTool({ name: t.name, description: t.description, parameters: t.jsonSchema, execute: exec(t) }),
        )
      : undefined
  const passive = mk(() => () => 'x')
  const norm = (cs) => cs.map((c) => ({ id: c.toolCallId, name: c.toolName, args: JSON.parse(c.args) }))
  const msgs = (content) => [{ role: 'user', content }]
  return {
    async chat(prompt) {
      const r = await generateText({ ...base, messages: msgs(prompt), tools: passive })
      const m = r.messages.at(-1) // with maxSteps=1 the calls are only left in messages
      return {
        text: r.text ?? '',
        toolCalls: (m.tool_calls ?? []).map((c) => ({
          id: c.id,
          name: c.function.name,
          args: JSON.parse(c.function.arguments),
        })),
      }
    },
    async chatStream(prompt, onText) {
      const r = streamText({ ...base, messages: msgs(prompt), tools: passive })
      let text = ''
      const toolCalls = []
      for await (const e of r.fullStream) {
        if (e.type === 'text-delta') {
          if (!e.text) continue
          text += e.text
          onText(e.text)
        } else if (e.type === 'tool-call') toolCalls.push(e)
        else if (e.type === 'error') throw e.error
      }
      return { text, toolCalls: norm(toolCalls) }
    },
    async toolLoop(prompt, max) {
      let n = 0
      const r = await generateText({
        ...base,
        messages: msgs(prompt),
        maxSteps: max + 1,
        tools: mk((t) => async (a) => {
          n++
          return JSON.stringify(await t.execute(a))
        }),
      })
      return { text: r.text, rounds: r.steps.length - 1, calls: n }
    },
  }
}
export default { name: 'xsai', wires: ['openai'], pkg: 'xsai', create }

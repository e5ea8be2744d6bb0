// Official openai SDK. 'openai-sdk': create() + own accumulation; the '+helper' form uses .stream()/.runTools().
import OpenAI from 'openai'

const mk = (root) => new OpenAI({ apiKey: 'x', baseURL: `${root}/v1`, maxRetries: 0 })
const toTools = (ts) =>
  ts?.length
    ? ts.map((t) => ({
        type: 'function',
        function: { name: t.name, description: t.description, parameters: t.jsonSchema },
      }))
    : undefined
const model = 'bench-model'
const calls = (m) =>
  (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) }))
function plain(_wire, { root, tools }) {
  const c = mk(root),
    ts = toTools(tools),
    byName = new Map((tools ?? []).map((t) => [t.name, t]))
  return {
    async chat(prompt) {
      const m = (await c.chat.completions.create({ model, messages: [{ role: 'user', content: prompt }], tools: ts }))
        .choices[0].message
      return { text: m.content ?? '', toolCalls: calls(m) }
    },
    async chatStream(prompt, onText) {
      let text = ''
      const acc = []
      for await (const ch of await c.chat.completions.create({
        model,
        messages: [{ role: 'user', content: prompt }],
        tools: ts,
        stream: true,
      })) {
        const d = ch.choices[0]?.delta
        if (!d) continue
        if (d.content) {
          text += d.content
          onText(d.content)
        }
        if (d.tool_calls)
          for (const t of d.tool_calls) {
            acc[t.index] ??= { id: t.id, name: t.function.name, s: '' }
            acc[t.index].s += t.function.arguments
          }
      }
      return { text, toolCalls: acc.map((t) => ({ id: t.id, name: t.name, args: JSON.parse(t.s) })) }
    },
    async toolLoop(prompt, max) {
      const messages = [{ role: 'user', content: prompt }]
      let n = 0
      for (let rounds = 0; rounds <= max; rounds++) {
        const m = (await c.chat.completions.create({ model, messages, tools: ts })).choices[0].message
        messages.push(m)
        if (!m.tool_calls?.length) return { text: m.content, rounds, calls: n }
        const res = await Promise.all(
          m.tool_calls.map(async (t) => ({
            role: 'tool',
            tool_call_id: t.id,
            content: JSON.stringify(await byName.get(t.function.name).execute(JSON.parse(t.function.arguments))),
          })),
        )
        n += res.length
        messages.push(...res)
      }
    },
  }
}
function helper(wire, o) {
  const c = mk(o.root),
    base = plain(wire, o),
    ts = toTools(o.tools)
  return {
    chat: base.chat,
    async chatStream(prompt, onText) {
      const s = c.chat.completions.stream({ model, messages: [{ role: 'user', content: prompt }], tools: ts })
      let text = ''
      s.on('content', (d) => {
        text += d
        onText(d)
      })
      const m = (await s.finalChatCompletion()).choices[0].message
      return { text, toolCalls: calls(m) }
    },
    async toolLoop(prompt, max) {
      let n = 0
      const tools = o.tools.map((t) => ({
        type: 'function',
        function: {
          name: t.name,
          description: t.description,
          parameters: t.jsonSchema,
          parse: JSON.parse,
          function: async (a) => {
            n++
            return t.execute(a)
          },
        },
      }))
      const r = c.chat.completions.runTools(
        { model, messages: [{ role: 'user', content: prompt }], tools },
        { maxChatCompletions: max + 1 },
      )
      const text = await r.finalContent()
      return { text, rounds: r.allChatCompletions().length - 1, calls: n }
    },
  }
}
export default [
  { name: 'openai-sdk', wires: ['openai'], pkg: 'openai', create: async (w, o) => plain(w, o) },
  { name: 'openai-sdk+helper', wires: ['openai'], pkg: 'openai', create: async (w, o) => helper(w, o) },
]

// Official @anthropic-ai/sdk. Plain: create() + own accumulation; '+helper': messages.stream() and beta toolRunner().
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'

const mk = (root) => new Anthropic({ apiKey: 'x', baseURL: root, maxRetries: 0 })
const toTools = (ts) =>
  ts?.length ? ts.map((t) => ({ name: t.name, description: t.description, input_schema: t.jsonSchema })) : undefined
const base = { model: 'bench-model', max_tokens: 4096 }
const fold = (m) => {
  let text = ''
  const toolCalls = []
  for (const b of m.content) {
    if (b.type === 'text') text += b.text
    else if (b.type === 'tool_use') toolCalls.push({ id: b.id, name: b.name, args: b.input })
  }
  return { text, toolCalls }
}
function plain(_w, { root, tools }) {
  const c = mk(root),
    ts = toTools(tools),
    byName = new Map((tools ?? []).map((t) => [t.name, t]))
  return {
    chat: async (prompt) =>
      fold(await c.messages.create({ ...base, messages: [{ role: 'user', content: prompt }], tools: ts })),
    async chatStream(prompt, onText) {
      let text = ''
      const acc = []
      for await (const e of await c.messages.create({
        ...base,
        messages: [{ role: 'user', content: prompt }],
        tools: ts,
        stream: true,
      })) {
        if (e.type === 'content_block_delta') {
          if (e.delta.type === 'text_delta') {
            text += e.delta.text
            onText(e.delta.text)
          } else if (e.delta.type === 'input_json_delta') acc[e.index].s += e.delta.partial_json
        } else if (e.type === 'content_block_start' && e.content_block.type === 'tool_use')
          acc[e.index] = { id: e.content_block.id, name: e.content_block.name, s: '' }
      }
      return { text, toolCalls: acc.filter(Boolean).map((t) => ({ id: t.id, name: t.name, args: JSON.parse(t.s) })) }
    },
    async toolLoop(prompt, max) {
      const messages = [{ role: 'user', content: prompt }]
      let n = 0
      for (let rounds = 0; rounds <= max; rounds++) {
        const m = await c.messages.create({ ...base, messages, tools: ts })
        messages.push({ role: 'assistant', content: m.content })
        const r = fold(m)
        if (!r.toolCalls.length) return { text: r.text, rounds, calls: n }
        const content = await Promise.all(
          r.toolCalls.map(async (t) => ({
            type: 'tool_result',
            tool_use_id: t.id,
            content: JSON.stringify(await byName.get(t.name).execute(t.args)),
          })),
        )
        n += content.length
        messages.push({ role: 'user', content })
      }
    },
  }
}
function helper(w, o) {
  const c = mk(o.root),
    p = plain(w, o),
    ts = toTools(o.tools)
  return {
    chat: p.chat,
    async chatStream(prompt, onText) {
      const s = c.messages.stream({ ...base, messages: [{ role: 'user', content: prompt }], tools: ts })
      s.on('text', onText)
      return fold(await s.finalMessage())
    },
    async toolLoop(prompt, max) {
      let n = 0,
        rounds = -1
      const tools = o.tools.map((t) =>
        betaTool({
          name: t.name,
          description: t.description,
          inputSchema: t.jsonSchema,
          run: async (a) => {
            n++
            return JSON.stringify(await t.execute(a))
          },
        }),
      )
      const runner = c.beta.messages.toolRunner({
        ...base,
        messages: [{ role: 'user', content: prompt }],
        tools,
        max_iterations: max + 1,
        thread: false,
      }) // by default this runner uses server-held threads and sends only the new messages
      let last
      for await (const m of runner) {
        rounds++
        last = m
      }
      return { text: fold(last).text, rounds, calls: n }
    },
  }
}
export default [
  { name: 'anthropic-sdk', wires: ['anthropic'], pkg: '@anthropic-ai/sdk', create: async (w, o) => plain(w, o) },
  {
    name: 'anthropic-sdk+helper',
    wires: ['anthropic'],
    pkg: '@anthropic-ai/sdk',
    create: async (w, o) => helper(w, o),
  },
]

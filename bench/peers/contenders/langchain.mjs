// LangChain.js chat models with bindTools. 'langchain': hand-written loop over ToolMessage; 'langchain-agent': createAgent (tool loop only).
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'

process.env.LANGCHAIN_TRACING_V2 = 'false'
process.env.LANGSMITH_TRACING = 'false'
const MODEL = {
  openai: async (root) =>
    new (await import('@langchain/openai')).ChatOpenAI({
      model: 'bench-model',
      apiKey: 'x',
      maxRetries: 0,
      configuration: { baseURL: `${root}/v1` },
    }),
  anthropic: async (root) =>
    new (await import('@langchain/anthropic')).ChatAnthropic({
      model: 'bench-model',
      apiKey: 'x',
      maxRetries: 0,
      anthropicApiUrl: root,
      maxTokens: 4096,
    }),
  ollama: async (root) =>
    new (await import('@langchain/ollama')).ChatOllama({ model: 'bench-model', baseUrl: root, maxRetries: 0 }),
  gemini: async (root) =>
    new (await import('@langchain/google-genai')).ChatGoogleGenerativeAI({
      model: 'bench-model',
      apiKey: 'x',
      baseUrl: root,
      maxRetries: 0,
    }),
}
const textOf = (m) =>
  typeof m.content === 'string'
    ? m.content
    : m.content
        .filter((b) => b.type === 'text')
        .map((b) => b.text)
        .join('')
const norm = (m) => (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.name, args: c.args }))
const create =
  (agent) =>
  async (wire, { root, tools, schema = 'json' }) => {
    const llm = await MODEL[wire](root)
    let n = 0
    const ts = (tools ?? []).map((t) =>
      tool(
        async (a) => {
          n++
          return JSON.stringify(await t.execute(a))
        },
        { name: t.name, description: t.description, schema: schema === 'zod' ? t.zod : t.jsonSchema },
      ),
    )
    const byName = new Map(ts.map((t) => [t.name, t]))
    const bound = ts.length ? llm.bindTools(ts) : llm
    const createAgent = agent ? (await import('langchain')).createAgent : null
    return {
      async chat(prompt) {
        const m = await bound.invoke([new HumanMessage(prompt)])
        return { text: textOf(m), toolCalls: norm(m) }
      },
      async chatStream(prompt, onText) {
        let acc,
          text = ''
        for await (const ch of await bound.stream([new HumanMessage(prompt)])) {
          const d = textOf(ch)
          if (d) {
            text += d
            onText(d)
          }
          acc = acc ? acc.concat(ch) : ch
        }
        return { text, toolCalls: norm(acc) }
      },
      async toolLoop(prompt, max) {
        n = 0
        if (agent) {
          const a = createAgent({ model: llm, tools: ts })
          const r = await a.invoke({ messages: [new HumanMessage(prompt)] }, { recursionLimit: max * 3 + 10 })
          return {
            text: textOf(r.messages.at(-1)),
            rounds: r.messages.filter((m) => m.type === 'ai').length - 1,
            calls: n,
          }
        }
        const messages = [new HumanMessage(prompt)]
        for (let rounds = 0; rounds <= max; rounds++) {
          const m = await bound.invoke(messages)
          messages.push(m)
          if (!m.tool_calls?.length) return { text: textOf(m), rounds, calls: n }
          messages.push(
            ...(await Promise.all(
              m.tool_calls.map(
                async (c) =>
                  new ToolMessage({
                    content: await byName.get(c.name).invoke(c.args),
                    tool_call_id: c.id,
                    name: c.name,
                  }),
              ),
            )),
          )
        }
      },
    }
  }
const wires = ['openai', 'anthropic', 'ollama', 'gemini']
export default [
  { name: 'langchain', wires, pkg: '@langchain/core', zod: true, partial: 'always', create: create(false) },
  { name: 'langchain-agent', wires: ['openai'], pkg: 'langchain', only: ['D'], create: create(true) },
]

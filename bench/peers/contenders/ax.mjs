// ax: ai().chat() for A/B/C; ax(signature,{functions}).forward() for the loop.
import { AxAIAnthropic, AxAIGoogleGemini, AxAIOpenAI, ax } from '@ax-llm/ax'

// The anthropic and gemini services take no base URL in their options; setAPIURL() on the service does it.
const SERVICE = {
  openai: [AxAIOpenAI, '/v1'],
  anthropic: [AxAIAnthropic, '/v1'],
  gemini: [AxAIGoogleGemini, '/v1beta'],
}
const create = async (wire, { root, tools }) => {
  const [Service, path] = SERVICE[wire]
  const llm = new Service({
    apiKey: 'x',
    apiURL: root + path,
    config: { model: 'bench-model', stream: false },
    options: { retry: { maxRetries: 0 } },
  })
  llm.setAPIURL(root + path)
  const functions = tools?.length
    ? tools.map((t) => ({ name: t.name, description: t.description, parameters: t.jsonSchema }))
    : undefined
  const req = (prompt) => ({ model: 'bench-model', chatPrompt: [{ role: 'user', content: prompt }], functions })
  const obj = (p) => (typeof p === 'string' ? JSON.parse(p) : p)
  return {
    async chat(prompt) {
      const r = (await llm.chat(req(prompt), { stream: false })).results[0]
      return {
        text: r.content ?? '',
        toolCalls: (r.functionCalls ?? []).map((c) => ({
          id: c.id,
          name: c.function.name,
          args: obj(c.function.params),
        })),
      }
    },
    async chatStream(prompt, onText) {
      const s = await llm.chat(req(prompt), { stream: true })
      let text = ''
      const acc = new Map()
      const rd = s.getReader()
      for (;;) {
        const { done, value } = await rd.read()
        if (done) break
        const r = value.results[0]
        if (!r) continue
        if (r.content) {
          text += r.content
          onText(r.content)
        }
        for (const c of r.functionCalls ?? []) {
          if (!acc.has(c.id)) acc.set(c.id, { id: c.id, name: '', s: '' })
          const t = acc.get(c.id)
          if (c.function.name && !t.name) t.name = c.function.name
          const p = c.function.params
          if (typeof p === 'string') t.s += p
          else if (p) t.o = p
        }
      }
      return {
        text,
        toolCalls: [...acc.values()].map((t) => ({ id: t.id, name: t.name, args: t.o ?? JSON.parse(t.s) })),
      }
    },
    async toolLoop(prompt, max) {
      let n = 0
      const gen = ax('question:string -> answer:string', {
        functions: tools.map((t) => ({
          name: t.name,
          description: t.description,
          parameters: t.jsonSchema,
          func: async (a) => {
            n++
            return t.execute(a)
          },
        })),
      })
      const r = await gen.forward(llm, { question: prompt }, { maxSteps: max + 2, stream: false })
      return { text: r.answer, rounds: n / 4, calls: n }
    },
  }
}
export default { name: 'ax', wires: ['openai', 'anthropic', 'gemini'], pkg: '@ax-llm/ax', create }

import { GoogleGenAI } from '@google/genai'
export default {
  name: 'google-genai',
  wires: ['gemini'],
  pkg: '@google/genai',
  create: async (_w, { root, tools }) => {
    const c = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: root } }),
      model = 'bench-model',
      byName = new Map((tools ?? []).map((t) => [t.name, t]))
    const config = tools?.length
      ? {
          tools: [
            {
              functionDeclarations: tools.map((t) => ({
                name: t.name,
                description: t.description,
                parametersJsonSchema: t.jsonSchema,
              })),
            },
          ],
          automaticFunctionCalling: { disable: true },
        }
      : undefined
    const user = (text) => ({ role: 'user', parts: [{ text }] })
    const fold = (r, o) => {
      for (const p of r.candidates?.[0]?.content?.parts ?? []) {
        if (p.text) {
          o.text += p.text
          o.onText?.(p.text)
        } else if (p.functionCall)
          o.toolCalls.push({ id: p.functionCall.id, name: p.functionCall.name, args: p.functionCall.args })
      }
      return o
    }
    return {
      chat: async (prompt) =>
        fold(await c.models.generateContent({ model, contents: [user(prompt)], config }), { text: '', toolCalls: [] }),
      async chatStream(prompt, onText) {
        const o = { text: '', toolCalls: [], onText }
        for await (const r of await c.models.generateContentStream({ model, contents: [user(prompt)], config }))
          fold(r, o)
        return o
      },
      async toolLoop(prompt, max) {
        const contents = [user(prompt)]
        let n = 0
        for (let rounds = 0; rounds <= max; rounds++) {
          const r = await c.models.generateContent({ model, contents, config }),
            o = fold(r, { text: '', toolCalls: [] })
          contents.push(r.candidates[0].content)
          if (!o.toolCalls.length) return { text: o.text, rounds, calls: n }
          const parts = await Promise.all(
            o.toolCalls.map(async (t) => ({
              functionResponse: { id: t.id, name: t.name, response: await byName.get(t.name).execute(t.args) },
            })),
          )
          n += parts.length
          contents.push({ role: 'user', parts })
        }
      },
    }
  },
}

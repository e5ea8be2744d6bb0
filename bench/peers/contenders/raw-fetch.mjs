import { floor, splitter } from './_floor.mjs'

const transport = {
  async json(url, headers, body) {
    return JSON.parse(await (await fetch(url, { method: 'POST', headers, body })).text())
  },
  async lines(url, headers, body, onLine) {
    const r = (await fetch(url, { method: 'POST', headers, body })).body.getReader()
    const sp = splitter(onLine)
    for (;;) {
      const { done, value } = await r.read()
      if (done) break
      sp.push(value)
    }
    sp.end()
  },
}
export default {
  name: 'raw-fetch',
  wires: ['openai', 'anthropic', 'ollama', 'gemini'],
  floor: true,
  create: async (wire, o) => floor(transport, wire, o),
}

import { request } from 'undici'
import { floor, splitter } from './_floor.mjs'

const transport = {
  async json(url, headers, body) {
    return JSON.parse(await (await request(url, { method: 'POST', headers, body })).body.text())
  },
  async lines(url, headers, body, onLine) {
    const { body: s } = await request(url, { method: 'POST', headers, body })
    const sp = splitter(onLine)
    await new Promise((ok, no) => {
      s.on('data', (c) => sp.push(c))
      s.on('end', ok)
      s.on('error', no)
    })
    sp.end()
  },
}
export default {
  name: 'raw-undici',
  wires: ['openai', 'anthropic', 'ollama', 'gemini'],
  pkg: 'undici',
  create: async (wire, o) => floor(transport, wire, o),
}

// Copy this file, drop the leading underscore (or pass its path in EXTRA_CONTENDERS), and fill in the three calls.
// Contract, checked by check.mjs and re-checked on every timed call:
//   create(wire, { root, tools, schema }) -> { chat, chatStream, toolLoop }
//     root    base URL of the loopback upstream, e.g. http://127.0.0.1:PORT/chat4 ; append what the wire needs:
//             openai root + '/v1' ; anthropic root (+ '/v1') ; ollama root (+ '/api') ; gemini root (+ '/v1beta')
//     tools   [{ name, description, jsonSchema, zod, execute(args) }] or undefined
//     schema  'json' | 'zod' (only when zod: true is declared below)
//   chat(prompt)               -> { text, toolCalls: [{ id, name, args /* parsed object */ }] }
//   chatStream(prompt, onText) -> the same; onText(delta) once per non-empty text delta, in order
//   partialStream(prompt, onText) -> as chatStream, with a parsed view of the arguments at every fragment (only when
//             partial: true is declared below; 'always' when chatStream does that anyway)
//   toolLoop(prompt, max)      -> { text, rounds, calls } ; rounds = replies that asked for tools
import { floor } from './_floor.mjs'

const transport = {
  json: async (url, headers, body) => (await fetch(url, { method: 'POST', headers, body })).json(),
  lines: async (url, headers, body, onLine) => {
    for (const l of (await (await fetch(url, { method: 'POST', headers, body })).text()).split(/\r?\n/)) onLine(l)
  },
}
export default {
  name: 'template',
  wires: ['openai', 'anthropic', 'ollama', 'gemini'],
  create: async (wire, o) => floor(transport, wire, o),
}

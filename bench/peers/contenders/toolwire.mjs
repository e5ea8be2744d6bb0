// toolwire in its ordinary public form: a model of the wire, tools made with `tool`, the loop `run`.
import { argsOf, compatible, growingCalls, run, tool } from '../../../dist/node/index.js'

const wires = { openai: 'openai-chat', anthropic: 'anthropic', ollama: 'ollama', gemini: 'gemini' }

function create(wire, { root, tools = [], schema }) {
  const model = compatible({ wire: wires[wire], baseUrl: root, apiKey: 'x', model: 'bench-model', retries: 0 })
  const made = tools.map(({ name, description, jsonSchema, zod, execute }) =>
    tool({ name, description: description.padEnd(10, '.'), input: schema === 'zod' ? zod : jsonSchema, execute }),
  )
  const request = (prompt) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    ...(made.length === 0 ? {} : { tools: made.map(({ spec }) => spec) }),
  })
  const outcome = ({ text, toolCalls }) => ({
    text,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: argsOf(call) })),
  })
  return {
    chat: async (prompt) => outcome(await model.complete(request(prompt))),
    async chatStream(prompt, onText) {
      const stream = model.stream(request(prompt))
      for await (const event of stream) if (event.type === 'text_delta') onText(event.text)
      return outcome(await stream)
    },
    async partialStream(prompt, onText) {
      const calls = growingCalls()
      const stream = model.stream(request(prompt), { deltas: true })
      for await (const event of stream) {
        if (event.type === 'text_delta') onText(event.text)
        calls.push(event)
      }
      return outcome(await stream)
    },
    async toolLoop(prompt, max) {
      const { text, turns, calls } = await run({
        model,
        tools: made,
        prompt,
        maxTurns: max + 1,
        maxIdenticalCalls: max + 1,
      })
      return { text, rounds: turns - 1, calls }
    },
  }
}

export default {
  name: 'toolwire',
  wires: Object.keys(wires),
  zod: true,
  partial: true,
  pkg: 'toolwire',
  create: async (wire, options) => create(wire, options),
}

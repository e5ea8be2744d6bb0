// Any client in, any provider out: OpenAI's own SDK, and a model here that speaks Gemini's wire, both through one gateway to a provider
// of another wire. The gateway is a function from a web Request to a web Response; `toolwire serve` is the same behind a port.
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { anthropic, gemini, run, tool } from 'toolwire'
import { createGateway } from 'toolwire/gateway'
import { providerServer } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const server = await providerServer({
  strict: true,
  script: ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'It is 18 °C in Rome.'
      : { calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
})
const log = []
const gateway = createGateway({
  routes: [
    { match: '*', targets: [modelOr(anthropic('any', { baseUrl: server.url, apiKey: 'the-key-of-the-provider' }))] },
  ],
  keys: [{ name: 'team', key: 'a-key-of-the-team', requestsPerMinute: 60 }],
  log: (record) => log.push(record),
})
const through = { apiKey: 'a-key-of-the-team', fetch: (url, init) => gateway(new Request(url, init)) }

const client = new OpenAI({ baseURL: 'http://127.0.0.1/v1', ...through })
const stream = client.chat.completions.stream({
  model: 'whatever',
  messages: [{ role: 'user', content: 'Weather in Rome? Use the tool.' }],
  tools: [{ type: 'function', function: { name: 'get_weather', description: 'Current weather', parameters: city } }],
})
const [call] = (await stream.finalMessage()).tool_calls ?? []
console.log(`the SDK was asked for ${call?.function.name}(${call?.function.arguments})`)
assert.equal(call?.function.name, 'get_weather')

const weather = tool({
  name: 'get_weather',
  description: 'Current weather',
  input: city,
  execute: (input) => `18 °C in ${input.city}`,
})
const model = gemini('whatever', { baseUrl: 'http://127.0.0.1', ...through })
const result = await run({ model, tools: [weather], prompt: 'Weather in Rome? Use the tool.' })
console.log(result.text)
assert.equal(result.stop.reason, 'answer', result.stop.error?.message)

const stranger = await gateway(new Request('http://127.0.0.1/v1/models', { headers: { authorization: 'Bearer none' } }))
assert.equal(stranger.status, 401)
const answered = log.filter(({ status }) => status === 200)
if (isOffline) {
  assert.equal(result.text, 'It is 18 °C in Rome.')
  assert.deepEqual([...new Set(server.requests.map(({ wire }) => wire))], ['anthropic'])
  assert.deepEqual([...new Set(answered.map(({ wire }) => wire))], ['openai-chat', 'gemini'])
}
await server.close()
console.log(
  `${answered.length} calls of 2 wires, answered by ${answered[0].target.split(':')[0]}; a stranger was refused`,
)

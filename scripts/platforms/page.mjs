// What runs in the page: the root door, bundled for browsers, talks to a server of another origin on all five wires, and its tools
// run here. Each wire becomes one line of the list, written by what the page itself saw.
import { compatible, run, tool, wires } from 'toolwire'

const list = document.querySelector('ul')
const server = new URLSearchParams(location.search).get('server')
const ran = []
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, station: { type: 'integer' } },
    required: ['city', 'station'],
  },
  execute: ({ city, station }) => {
    ran.push(`${city} ${station} at ${location.host}`)
    return { celsius: 18 }
  },
})

for (const wire of wires) {
  const item = document.createElement('li')
  item.id = wire
  item.textContent = await told(wire)
  list.append(item)
}
document.body.dataset.done = 'yes'

async function told(wire) {
  const model = compatible({ wire, model: 'any', baseUrl: server, apiKey: 'a-key-of-the-page' })
  const pieces = []
  ran.length = 0
  for await (const event of run.stream({ model, tools: [weather], prompt: 'Weather in Tōkyō?' })) {
    if (event.type === 'text_delta') pieces.push(event.text)
    if (event.type !== 'done') continue
    const { stop, turns, text } = event.result
    const end = stop.reason === 'error' ? `${stop.error.code}: ${stop.error.message}` : stop.reason
    return JSON.stringify({ end, turns, text, ran, streamed: pieces.join('') === text, pieces: pieces.length > 1 })
  }
  return 'the stream ended without a result'
}

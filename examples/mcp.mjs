// Tools over MCP, both ways and offline: one toolwire program serves them over HTTP, another uses them in a run.
import { run, tool } from 'toolwire'
import { connectMcp, serveMcp } from 'toolwire/mcp'
import { scriptedModel } from 'toolwire/testing'
import { modelOr } from './given-models.mjs'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  execute: async ({ city }) => ({ celsius: city === 'Boston' ? 18 : 27 }),
})
const service = await serveMcp([weather], { transport: 'http' })

// A server that is started instead: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }.
const servers = await connectMcp({ weather: { url: service.url } })
for (const { server, tool, error } of servers.problems) console.error(server, tool, error.message)

const model = modelOr(
  scriptedModel([
    { calls: ['Boston', 'Cairo'].map((city) => ({ name: 'get_weather', args: { city } })) },
    'Cairo is nine degrees warmer.',
  ]),
)
// Tools of servers are asked about unless the policy allows what they touch.
const result = await run({ model, tools: servers.registry, policy: { network: 'allow' }, prompt: 'Which is warmer?' })
await servers.close()
await service.close()

const results = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
for (const { artifacts } of results) console.log(artifacts.structuredContent)
console.log(result.text)
console.log(`${result.stop.reason} after ${result.turns} turns: ${results.length} calls went through MCP`)

// LangChain's createAgent on a toolwire model with a toolwire tool, and the other way round: a LangChain chat model driven by
// toolwire. Offline the models are a script behind a loopback server that speaks Anthropic's and Ollama's wire; `--model` is for the agent.
import assert from 'node:assert/strict'
import { ChatOllama } from '@langchain/ollama'
import { createAgent } from 'langchain'
import { anthropic, tool } from 'toolwire'
import { OllamaClient, toLangChain, toLangChainTool } from 'toolwire/langchain'
import { providerServer } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const degrees = { Rome: 24, Oslo: 7 }
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, celsius: degrees[city] }),
})
const calls = ['Rome', 'Oslo'].map((city) => ({ name: 'get_weather', args: { city } }))
const turns = [{ text: 'Let me look.', calls }, 'Rome is the warmest.']
const server = await providerServer({ strict: true, script: (_request, index) => turns[index % 2] })

// 1. An Ollama model through LangChain, with LangChain's messages, driven by one executor.
const client = new OllamaClient({
  chatModel: new ChatOllama({ model: 'qwen3', baseUrl: server.url }),
  tools: [weather],
})
const answer = await client.invoke('Where is it warmest?')
for (const message of answer.messages) console.log(`${message.type.padEnd(5)} ${message.text}`)
assert.deepEqual(
  answer.messages.map((message) => message.type),
  ['human', 'ai', 'tool', 'tool', 'ai'],
)

// 2. An Anthropic model as a LangChain chat model, in LangChain's own agent.
const model = toLangChain(modelOr(anthropic('claude-sonnet-5-5', { baseUrl: server.url, apiKey: 'any' })))
const agent = createAgent({ model, tools: [toLangChainTool(weather)] })
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'Where is it warmer, in Rome or in Oslo?' }],
})
assert.match(messages.at(-1).text, /Rome/)
if (isOffline) assert.equal(messages.at(-1).text, answer.text)

await server.close()
console.log(`\nthe agent answered: ${messages.at(-1).text}`)

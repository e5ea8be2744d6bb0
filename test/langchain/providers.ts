// The five wires as LangChain chat models over the provider server, and what the tests of this folder share.
import { tool as langChainTool } from '@langchain/core/tools'
import { z } from 'zod'
import { anthropic, gemini, type Model, ollama, openai, openaiResponses, type Wire } from '../../src/index.js'
import type { ProviderScript } from '../../src/testing/index.js'

export const models: { readonly [W in Wire]: (url: string) => Model } = {
  'openai-chat': (url) => openai('m', { baseUrl: url, apiKey: 'k', retries: 0 }),
  'openai-responses': (url) => openaiResponses('m', { baseUrl: url, apiKey: 'k', retries: 0 }),
  anthropic: (url) => anthropic('m', { baseUrl: url, apiKey: 'k', retries: 0 }),
  ollama: (url) => ollama('m', { baseUrl: url, retries: 0 }),
  gemini: (url) => gemini('m', { baseUrl: url, apiKey: 'k', retries: 0 }),
}

/** Two calls at once, one more, an answer; with reasoning, which some wires sign. */
export const conversation: ProviderScript = [
  {
    reasoning: 'Two cities, two calls.',
    text: 'Let me look.',
    calls: [
      { name: 'get_weather', args: { city: 'Zürich' } },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ],
  },
  { reasoning: 'One more.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  { text: 'Rome is the warmest.' },
]

const degrees: ReadonlyMap<string, number> = new Map([
  ['Zürich', 18],
  ['Oslo', 7],
  ['Rome', 24],
])

/** A LangChain tool that answers the first city last. */
export const langChainWeather = langChainTool(
  async ({ city }: { city: string }) => {
    await new Promise((resolve) => setTimeout(resolve, city === 'Zürich' ? 15 : 1))
    return `${city}: ${degrees.get(city)}`
  },
  { name: 'get_weather', description: 'Current weather for a city', schema: z.object({ city: z.string() }) },
)

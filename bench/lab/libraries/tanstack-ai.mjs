// TanStack AI: chat() with server tools and its adapter for servers that speak Chat Completions.
import { chat, maxIterations, toolDefinition } from '@tanstack/ai'
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible'

export const name = 'TanStack AI'
export const packages = ['@tanstack/ai', '@tanstack/ai-openai']
/** What the library has no option for. */
export const lacks = { 27: 'no option' }

export async function play({ url, tools, prompt }) {
  const stream = chat({
    adapter: openaiCompatibleText('m', { apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 }),
    messages: [{ role: 'user', content: prompt }],
    tools: tools.map(({ name, description, zod, execute }) =>
      toolDefinition({ name, description, inputSchema: zod }).server(async (input) => execute(input)),
    ),
    agentLoopStrategy: maxIterations(5),
  })
  let text = ''
  let says
  for await (const event of stream) {
    if (event.type === 'TEXT_MESSAGE_START') text = ''
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta
    if (event.type === 'RUN_FINISHED') says = event.finishReason
    if (event.type === 'RUN_ERROR') throw new Error(event.message ?? event.error?.message)
  }
  return { text, says }
}

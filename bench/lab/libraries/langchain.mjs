// LangChain: createAgent, its messages streamed.
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'

process.env.LANGSMITH_TRACING = 'false'

export const name = 'LangChain'
export const packages = ['langchain', '@langchain/core', '@langchain/openai']
/** What the library has no option for. */
export const lacks = { 27: 'no option' }

export async function play({ url, tools, prompt }) {
  const agent = createAgent({
    model: new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
    tools: tools.map(({ name, description, zod, execute }) =>
      tool(async (input) => execute(input), { name, description, schema: zod }),
    ),
  })
  const messages = [{ role: 'user', content: prompt }]
  let last
  const stream = await agent.stream({ messages }, { streamMode: ['messages', 'values'] })
  for await (const [mode, value] of stream) if (mode === 'values') last = value.messages.at(-1)
  return last.type === 'ai' ? { text: last.text, says: last.response_metadata.finish_reason } : { text: '' }
}

// toolwire: run.stream with tools, a model of the Chat Completions wire.
import { openai, run, tool } from '../../../dist/node/index.js'

export const name = 'toolwire'
export const packages = []

export async function play({ url, tools, prompt }) {
  const result = await run.stream({
    model: openai('m', { baseUrl: url, apiKey: 'k', retries: 0 }),
    tools: tools.map(({ name, description, jsonSchema, timeoutMs, execute }) =>
      tool({ name, description, input: jsonSchema, execute, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
    ),
    prompt,
  })
  if (result.stop.reason === 'error') throw result.stop.error
  return { text: result.text, says: result.stop.reason }
}

// OpenAI Agents SDK: an agent on the Chat Completions wire, its run streamed.
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

setTracingDisabled(true)

export const name = 'OpenAI Agents SDK'
export const packages = ['@openai/agents', 'openai']

/** Its tools are strict, so a field that may be absent is one that may be null. */
const strictSchema = (schema) =>
  z.object(
    Object.fromEntries(
      Object.entries(schema.shape).map(([key, field]) => [
        key,
        field instanceof z.ZodOptional ? field.unwrap().nullable() : field,
      ]),
    ),
  )

export async function play({ url, tools, prompt }) {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 })
  const agent = new Agent({
    name: 'Adder',
    model: new OpenAIChatCompletionsModel(client, 'm'),
    tools: tools.map(({ name, description, zod, timeoutMs, execute }) =>
      tool({ name, description, parameters: strictSchema(zod), timeoutMs, execute: async (input) => execute(input) }),
    ),
  })
  const stream = await run(agent, prompt, { stream: true })
  await stream.completed
  if (stream.error) throw stream.error
  return { text: stream.finalOutput ?? '' }
}
